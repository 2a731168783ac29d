"""What mediacrawl makes of wrong encodings, on real titles; beside other detectors and ftfy.

Titles of 57 languages (`titles/`), written from memory as text data, are put into every encoding that their language
was written in. A text counts only if every character is right. The constants of the program were tuned on the even rows
(0, 2, ...); only the odd ones, which were held out, are reported; beside them, in a column of its own, those of their
fields that no even row has. None of them is training text.

Run: ``make bench NAME=encodings``, some seven minutes on two cores; it installs the peers (dependency group ``bench``),
and one that is not there is named. Arguments: ``--quick`` for a minute and a half, on small samples and without the
figures of the re-run; ``--sample N`` for the most records of each language in a group of damage; ``--records N`` for
the re-run; ``--wrong`` to see what repair did not bring back.

The files beside: `encoding_units` (titles as bytes, scores), `encoding_damage` (texts stored wrongly), `encoding_peers`
and `encoding_readers` (who reads), `encoding_studies`, `encoding_documents`, `encoding_repairs`, `encoding_ftfy`,
`encoding_costs`, `encoding_lengths`, `encoding_rerun` (what is measured), `encoding_tables` (how it is printed).
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import encoding_costs as costs
import encoding_documents as pages
import encoding_ftfy as cases
import encoding_lengths as lengths
import encoding_repairs as repairs
import encoding_rerun as rerun
import encoding_studies as studies
import encoding_tables as tables
from encoding_damage import GROUPS
from encoding_peers import peers
from encoding_readers import OURS, menders, readers
from encoding_tables import KINDS, MIXED
from encoding_units import ascii_units, units

from mediacrawl.encoding import model_version, native


class Target(NamedTuple):
    """What is to be reached: in which unit, which figure, and which direction is better."""

    unit: str
    figure: float
    better: str

    def is_met(self, value: float) -> bool:
        """Whether this value is as good as the figure, or better."""
        return value >= self.figure if self.better == "more" else value <= self.figure


TARGETS = {
    "field_weighted": Target("%", 98.5, "more"),
    "field_macro": Target("%", 97.0, "more"),
    "record_weighted": Target("%", 99.7, "more"),
    "record_macro": Target("%", 98.7, "more"),
    "long_field_macro": Target("%", 99.8, "more"),  # fields of 1,000 bytes and more
    "latin1_fields_changed": Target("%", 0.6, "less"),  # of all cp1252 of Western languages, quotes and dashes too
    "latin1_records_changed": Target("%", 0.3, "less"),
    "ascii_changed": Target("texts", 0, "less"),
    "field_weighted_host_learned": Target("%", 99.5, "more"),
    "right_of_confidence_90": Target("%", 90.0, "more"),  # of single fields
    "field_bulk": Target("us", 60.0, "less"),  # with the native part, if that is installed
    "field_bulk_share_of_chardet": Target("x", 0.25, "less"),
    "field_alone": Target("us", 120.0, "less"),
    "pure_bulk_share_of_chardet": Target("x", 0.71, "less"),  # 1.5 times what it was before there was a native part
    "import_and_load": Target("ms", 150.0, "less"),  # of all models, though few crawls need all
    "model_on_disk": Target("MB", 2.5, "less"),
    "model_in_memory": Target("MB", 40.0, "less"),  # with the code, and what 2,000 decisions leave behind
    "repair_lossless": Target("%", 98.0, "more"),  # this and the next are of records
    "repair_rare_code_pages": Target("%", 94.0, "more"),
    "repair_utf8": Target("%", 99.7, "more"),
    "repair_twice": Target("%", 98.0, "more"),
    "repair_lossy": Target("%", 55.0, "more"),
    "clean_left_alone": Target("%", 99.95, "more"),
    "clean_shapes_left_alone": Target("%", 99.95, "more"),
    "mended_to_ftfy": Target("x", 1.0, "more"),  # of ftfy's own cases, or of titles in the same classes
    "left_alone_to_ftfy": Target("x", 1.0, "more"),
    "documents_right": Target("%", 98.0, "more"),  # undeclared pages of 1, 5 and 30 titles
    "documents_over_chardet": Target("points", 0.0, "more"),
    "documents_beyond_models": Target("%", 80.0, "more"),  # in encodings that only chardet knows
    "rerun_records_per_core": Target("records/s", 2500.0, "more"),
    "rerun_two_processes": Target("x", 1.7, "more"),
}
"""One row for each in the last line; the value is null where this run does not tell it."""
TARGETS_OF_GROUPS = {
    "repair_lossless": "lossless",
    "repair_rare_code_pages": "rare-cp",
    "repair_utf8": "utf8",
    "repair_twice": "double",
    "repair_lossy": "lossy",
    "clean_left_alone": "clean",
}
CUT_KINDS = tuple(f"{kind}-cut" for kind in KINDS)

Values = dict[str, float]
"""What was measured, by the names of `TARGETS`."""


class Tasks:
    """Work for the pool, by kind and key; results in the order of asking."""

    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self._pool = pool
        self._futures: dict[str, dict[Any, Future[Any]]] = {}

    def ask(self, kind: str, key: Any, work: Callable[..., Any], *arguments: Any) -> None:
        """Do this some time."""
        self._futures.setdefault(kind, {})[key] = self._pool.submit(work, *arguments)

    def results(self, kind: str) -> dict[Any, Any]:
        """All of this kind by key; waits for them."""
        return {key: future.result() for key, future in self._futures.get(kind, {}).items()}


# -- asking: everything whose time is not a figure runs in the pool, longest first -------------------------------------


def ask_all(tasks: Tasks, given: argparse.Namespace) -> None:
    ask_repairs(tasks, given.sample, beside_others=not given.quick)
    ask_readings(tasks)
    ask_lengths(tasks)
    ask_documents(tasks)
    ask_studies(tasks, given.orders, with_voice=not given.quick and "chardet" not in peers().missing)


def ask_repairs(tasks: Tasks, sample: int, *, beside_others: bool) -> None:
    names = list(menders()) if beside_others else [OURS]
    for kind in reversed(KINDS):
        for name in reversed(names):
            for group in GROUPS:
                tasks.ask(f"repair {kind}", (name, group), repairs.mended, name, group, kind, sample)
    tasks.ask("cases", "all", cases.shares)
    tasks.ask("shapes", "held out", repairs.shapes_left_alone)
    tasks.ask("clean", "both halves", repairs.mended, OURS, "clean", "record", sample, None)


def ask_readings(tasks: Tasks) -> None:
    for name in readers():
        for kind in (*KINDS, *CUT_KINDS):
            tasks.ask(kind, name, read_all, name, kind)
        for kind in KINDS:
            tasks.ask(f"ascii {kind}", name, ascii_changed, name, kind)


def ask_lengths(tasks: Tasks) -> None:
    for name in readers():
        if name == OURS or name.startswith("chardetng"):
            for length in lengths.LENGTHS:
                tasks.ask("lengths", (name, length), lengths.by_length, name, length)


def ask_studies(tasks: Tasks, orders: int, *, with_voice: bool) -> None:
    for kind in KINDS:
        tasks.ask("judged", kind, studies.judged, kind)
        if with_voice:
            tasks.ask("voice", kind, studies.with_voice, kind)
    for mixed in (False, True):
        for learn in (False, True):
            tasks.ask("hosts", (mixed, learn), studies.hosts, orders, learn, mixed)
    for kind in MIXED:
        for name in readers():
            if "as is" not in name and "TLD" not in name:
                tasks.ask("mixed", (kind, name), studies.mixed_shares, kind, name)


def ask_documents(tasks: Tasks) -> None:
    for way in pages.WAYS:
        tasks.ask("documents", way, pages.documents, way)


def read_all(name: str, kind: str) -> tables.Marks:
    """Whether each unit was read right, and microseconds of CPU time of each."""
    read = readers()[name]
    began = time.process_time()
    texts = [read(unit) for unit in units(kind)]
    micros = 1e6 * (time.process_time() - began) / len(texts)
    return [unit.is_right(found) for unit, found in zip(units(kind), texts, strict=True)], micros


def ascii_changed(name: str, kind: str) -> int:
    """How many ASCII units are other texts now."""
    read = readers()[name]
    return sum(tuple(read(unit)) != unit.texts for unit in ascii_units(kind))


# -- reporting ---------------------------------------------------------------------------------------------------------


def report_readings(tasks: Tasks) -> Values:
    values: Values = {"ascii_changed": 0}
    read = {kind: tasks.results(kind) for kind in (*KINDS, *CUT_KINDS)}
    scores = {}
    for kind in KINDS:
        changed = tasks.results(f"ascii {kind}")
        scores[kind] = tables.print_reading(kind, read[kind], changed)
        ours = scores[kind][OURS]
        values |= {f"{kind}_weighted": ours.weighted, f"{kind}_macro": ours.macro}
        values[f"latin1_{kind}s_changed"] = ours.western_changed
        values["ascii_changed"] += changed[OURS]
    print(tables.LEGEND)
    tables.print_lengths(read["field"])
    values["long_field_macro"] = tables.print_by_length(tasks.results("lengths"))
    tables.print_encodings(scores["field"], scores["record"])
    tables.print_cut(read)
    return values


def report_studies(tasks: Tasks) -> Values:
    judged, hosts = tasks.results("judged"), tasks.results("hosts")
    for kind in KINDS:
        tables.print_calibration(kind, judged[kind])
    tables.print_hosts(hosts)
    tables.print_mixed(tasks.results("mixed"))
    if voices := tasks.results("voice"):
        tables.print_voice({(kind, nats): score for kind in voices for nats, score in voices[kind].items()})
    return {
        "right_of_confidence_90": studies.right_of([one for one in judged["field"] if one.confidence >= 0.9]),
        "field_weighted_host_learned": hosts[False, True].later.weighted,
    }


def report_documents(tasks: Tasks) -> Values:
    found = tasks.results("documents")
    pages.print_documents(found)
    ours, theirs = (pages.shares(found[way], pages.KNOWN) for way in (pages.BOTH, pages.CHARDET))
    return {
        "documents_right": ours,
        "documents_over_chardet": ours - theirs,
        "documents_beyond_models": pages.shares(found[pages.BOTH], pages.UNKNOWN),
    }


def report_repairs(tasks: Tasks, *, show_wrong: bool) -> Values:
    print("\nWhat was done to texts that were stored wrongly")
    for group, what in GROUPS.items():
        print(f"{group:12}{what}")
    for kind in KINDS:
        found: dict[str, dict[str, repairs.Mended]] = {name: {} for name in menders()}
        for (name, group), one in tasks.results(f"repair {kind}").items():
            found[name][group] = one
        tables.print_repair(kind, {name: groups for name, groups in found.items() if groups})
        if show_wrong:
            tables.print_wrong(kind, found[OURS])
    clean = tasks.results("clean")["both halves"]
    print(f"clean records of both halves left alone: {clean.share:.3f} % of {clean.count:,}")
    shapes = tasks.results("shapes")["held out"]
    tables.print_shapes(shapes, show_wrong=show_wrong)
    ours = tasks.results("repair record")
    values = {name: ours[OURS, group].share for name, group in TARGETS_OF_GROUPS.items()}
    stayed, tried = (sum(one[place] for one in shapes.values()) for place in (0, 1))
    values |= {"clean_shapes_left_alone": 100 * stayed / tried}
    return values | report_cases(tasks.results("cases")["all"])


def report_cases(found: dict[str, cases.Share]) -> Values:
    tables.print_cases(found)
    values: Values = {}
    for name, what in (("mended_to_ftfy", "mangled"), ("left_alone_to_ftfy", "clean")):
        share = found.get(f"ftfy's cases, {what}", found[f"our titles, {what}"])
        if share.ratio is not None:
            values[name] = share.ratio
    return values


def report_costs(rounds: int) -> Values:
    names = [*readers(), costs.PURE, costs.BATCH]
    speeds = {name: costs.speed(name, rounds) for name in names if "as is" not in name}
    chardet = next((one.bulk for name, one in speeds.items() if name.startswith("chardet ") and "," not in name), 0.0)
    print(f"\nmediacrawl's texts are priced by: {native.description()}")
    tables.print_speed(speeds, rounds)
    load, memory = costs.load(rounds + 2), costs.memory()
    tables.print_load(load, rounds + 2)
    tables.print_memory(memory)
    values = {
        "field_bulk": speeds[OURS].bulk,
        "field_alone": speeds[OURS].alone,
        "import_and_load": load.imported + load.loaded,
        "model_on_disk": costs.model_bytes() / 1e6,
    }
    if chardet:
        values["field_bulk_share_of_chardet"] = speeds[OURS].bulk / chardet
        values["pure_bulk_share_of_chardet"] = speeds[costs.PURE].bulk / chardet
    return values if memory is None else values | {"model_in_memory": memory.used / 1e6}


def report_rerun(count: int) -> Values:
    with tempfile.TemporaryDirectory() as folder:
        found = rerun.paces(Path(folder), count)
    tables.print_rerun(found)
    one, two = found["1 process"], found["2 processes"]
    if one.records < rerun.ENOUGH:
        print("too few records to tell the pace")
        return {}
    return {"rerun_records_per_core": one.records / one.cpu, "rerun_two_processes": one.wall / two.wall}


def print_targets(values: Values) -> None:
    print("\nTargets")
    for name, target in TARGETS.items():
        value = values.get(name)
        shown = "not told" if value is None else f"{value:.2f}"
        verdict = "missed" if value is not None and not target.is_met(value) else ""
        print(f"{name:32}{shown:>12} {target.unit:10}{target.better:>5} than {target.figure:<10g}{verdict}".rstrip())


def figure(name: str, value: float | None) -> dict[str, object]:
    """One row of the last line."""
    target = TARGETS[name]
    rounded = None if value is None else round(value, 3)
    return {"name": name, "value": rounded, "unit": target.unit, "target": target.figure, "better": target.better}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small samples; a minute and a half")
    parser.add_argument("--sample", type=int, help="records of each language in a group of damage (30; quick 2)")
    parser.add_argument("--records", type=int, help="of the re-run (30,000; quick 300)")
    parser.add_argument("--wrong", action="store_true", help="show what repair did not bring back")
    given = parser.parse_args()
    given.sample = given.sample or (2 if given.quick else 30)
    given.records = given.records or (300 if given.quick else 30_000)
    given.rounds = given.orders = 1 if given.quick else 3
    return given


def main() -> None:
    """Print tables and the figures."""
    given = arguments()
    began = time.perf_counter()
    if peers().missing:
        print(f"not installed, so not measured: {', '.join(peers().missing)} (pip install --group bench)")
    print(f"models {model_version()}; the rows that the constants were tuned on are left out")
    with ProcessPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
        tasks = Tasks(pool)
        ask_all(tasks, given)
        values = report_readings(tasks) | report_studies(tasks) | report_documents(tasks)
        values |= report_repairs(tasks, show_wrong=given.wrong)
    values |= report_costs(given.rounds) | report_rerun(given.records)
    print_targets(values)
    print(f"{time.perf_counter() - began:.0f} s")
    print(json.dumps({"bench": "encodings", "figures": [figure(name, values.get(name)) for name in TARGETS]}))


if __name__ == "__main__":
    main()
