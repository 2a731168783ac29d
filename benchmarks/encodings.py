"""What mediacrawl makes of wrong encodings, on real titles; beside other detectors and ftfy.

Titles of 57 languages (`titles/`), written from memory as text data, are put into every encoding that their language
was written in. A text counts only if every character is right. The constants of the program were tuned on the even rows
(0, 2, ...); only the odd ones, which were held out, are reported. None of them is training text.

weighted: in the mix of encodings that wrongly tagged files are in; macro: the mean over languages and encodings; West
changed: percent of Western cp1252 that became another text. Our list: only the encodings of this benchmark are allowed.

Run: ``make bench NAME=encodings``, some five minutes on two cores; it installs the peers (dependency group ``bench``),
and one that is not there is named. Arguments: ``--quick`` for a minute, on small samples; ``--sample N`` for the most
records of each language in a group of damage; ``--wrong`` to see what repair did not bring back. ``--right PATH`` and
``--damaged PATH`` measure the texts of strangers, which are in no repository: a file or folder with a right text a line
(``.txt``) or JSON objects with ``texts``, and a file of JSON objects with ``in`` and ``want``; all may be gzipped.

Further files: `encoding_units` (titles as bytes, scores), `encoding_damage` (texts stored wrongly), `encoding_peers`
(who reads), `encoding_studies`, `encoding_harm`, `encoding_repairs`, `encoding_speed` (what is measured).
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import encoding_harm as harm
import encoding_repairs as repairs
import encoding_speed as speed
import encoding_studies as studies
from encoding_damage import GROUPS
from encoding_peers import OURS, menders, readers
from encoding_units import FIRST_ON_HOST, Score, ascii_units, units
from shared import figure, finish, table

from mediacrawl.encoding import model_version, native

KINDS = {"field": "one field alone", "record": "artist, album and title together"}
TARGETS = {
    "field_weighted": ("%", 98.5, "more"),
    "field_macro": ("%", 97.0, "more"),
    "record_weighted": ("%", 99.7, "more"),
    "record_macro": ("%", 98.7, "more"),
    "western_fields_changed": ("%", 0.6, "less"),
    "ascii_changed": ("texts", 0, "less"),
    "field_weighted_host_learned": ("%", 99.5, "more"),
    "right_of_confidence_90": ("%", 90.0, "more"),  # of single fields
    "field_bulk": ("us", 50.0, "less"),  # with the C extension; null where it was not built
    "field_bulk_without_c": ("us", 200.0, "less"),
    "utf8_twice_under_latin1": ("%", 95.0, "more"),
    "right_harmed_of_a_million": ("texts", 50.0, "less"),  # strangers' texts; null without them
    "right_surely_harmed_of_a_million": ("texts", 10.0, "less"),
    "damaged_mended": ("%", 97.3, "more"),
    **{f"left_alone_{kind}": ("%", 98.0, "more") for kind in harm.KINDS},
    "repair_lossless": ("%", 98.8, "more"),  # this and the next are of records
    "repair_rare": ("%", 95.0, "more"),
    "repair_utf8": ("%", 99.9, "more"),
    "repair_double": ("%", 99.9, "more"),
    "repair_lossy": ("%", 45.5, "more"),
    "repair_clean": ("%", 99.95, "more"),
    "mended_to_ftfy": ("x", 1.0, "more"),  # of ftfy's own cases, or of titles in the same classes
    "left_alone_to_ftfy": ("x", 1.0, "more"),
    "documents_right": ("%", 98.0, "more"),  # undeclared pages of 1, 5 and 30 titles
    "documents_over_chardet": ("points", 0.0, "more"),
    "rerun_records_per_core": ("records/s", 2500.0, "more"),
}
"""One row for each in the last line; the value is null where this run does not tell it."""

ENOUGH = 6_000
"""Records that tell the pace of the re-run: the command takes a second to begin."""

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
        """Return all of this kind by key; waits for them."""
        return {key: future.result() for key, future in self._futures[kind].items()}


def ask_all(tasks: Tasks, given: argparse.Namespace) -> None:
    """Have everything whose time is not a figure done in the pool, the longest first."""
    for name in reversed([OURS] if given.quick else list(menders())):
        for group in GROUPS:
            tasks.ask("repair", (name, group), repairs.mended, name, group, given.sample)
    tasks.ask("cases", "all", repairs.shares)
    if given.right:
        tasks.ask("right", "all", harm.harm, given.right)
    if given.damaged:
        tasks.ask("damaged", "all", harm.mended, given.damaged)
    tasks.ask("kinds", "all", harm.left_alone)
    tasks.ask("twice", "all", harm.twice)
    for kind in KINDS:
        for name in readers():
            tasks.ask(kind, name, read_all, name, kind)
    tasks.ask("sure", "all", studies.right_if_sure, 0.9)
    for way in studies.WAYS:
        tasks.ask("documents", way, studies.documents, way)
    for learn in (False, True):
        tasks.ask("hosts", learn, studies.hosts, given.rounds, learn)


def read_all(name: str, kind: str) -> tuple[Score, int, float]:
    """Return the score of a reader, how many ASCII texts it changed, and microseconds of CPU time of a unit."""
    read = readers()[name]
    began = time.process_time()
    texts = [read(unit) for unit in units(kind)]
    micros = 1e6 * (time.process_time() - began) / len(texts)
    marks = [unit.is_right(found) for unit, found in zip(units(kind), texts, strict=True)]
    changed = sum(tuple(read(unit)) != unit.texts for unit in ascii_units(kind))
    return Score.of(units(kind), marks), changed, micros


def report_readings(tasks: Tasks) -> Values:
    """Print how single fields and records are read."""
    values: Values = {"ascii_changed": 0}
    for kind, what in KINDS.items():
        found: dict[str, tuple[Score, int, float]] = tasks.results(kind)
        table(
            f"{kind.upper()}: {what}; {len(units(kind)):,} units, percent exactly right",
            ("weighted", "macro", "West changed", "ASCII changed", "us"),
            [(name, (one.weighted, one.macro, one.western_changed, changed, micros)) for name, (one, changed, micros)
             in found.items()],
            digits=2,
        )  # fmt: skip
        ours, changed, _ = found[OURS]
        values |= {f"{kind}_weighted": ours.weighted, f"{kind}_macro": ours.macro}
        values["ascii_changed"] += changed
        if kind == "field":
            values["western_fields_changed"] = ours.western_changed
    return values


def report_studies(tasks: Tasks) -> Values:
    """Print hosts that are learned, and whole documents."""
    hosts, documents = tasks.results("hosts"), tasks.results("documents")
    rows = [
        ("learned" if learn else "each alone", [value for one in both for value in (one.weighted, one.macro)])
        for learn, both in hosts.items()
    ]
    title = f"Hosts of {studies.ON_HOST} files, single fields: all, and those after the first {FIRST_ON_HOST}"
    table(title, ("weighted", "macro", "w. after", "m. after"), rows, digits=2)
    sizes = [f"{size} titles" for size in studies.SIZES]
    rows = [(way, [100 * right / count for right, count in found.values()]) for way, found in documents.items()]
    table("Whole documents without a declaration: percent read right", sizes, rows)
    theirs, ours = (100 * sum(r for r, _ in each.values()) / sum(n for _, n in each.values())
                    for each in documents.values())  # fmt: skip
    return {
        "right_of_confidence_90": tasks.results("sure")["all"],
        "field_weighted_host_learned": hosts[True][1].weighted,
        "documents_right": ours,
        "documents_over_chardet": ours - theirs,
    }


def report_repairs(tasks: Tasks, *, show_wrong: bool) -> Values:
    """Print what comes back of texts that were stored wrongly."""
    print("\nWhat was done to texts that were stored wrongly")
    for group, what in GROUPS.items():
        print(f"{group:12}{what}")
    found: dict[tuple[str, str], repairs.Mended] = tasks.results("repair")
    names = [name for name in menders() if (name, "clean") in found]
    rows = [(name, [found[name, group].share for group in GROUPS]) for name in names]
    rows.append(("records tried", [f"{found[OURS, group].count:,}" for group in GROUPS]))
    rows += [(f"us, {name}", [f"{found[name, group].micros:,.0f}" for group in GROUPS]) for name in names]
    table("REPAIR: percent of records that come back exactly, the mean over languages", list(GROUPS), rows, digits=2)
    for group in GROUPS if show_wrong else ():
        for stored, texts in found[OURS, group].wrong:
            print(f"{group}: {' | '.join(stored)!r} -> {' | '.join(texts)!r}")
    cases: dict[str, repairs.Share] = tasks.results("cases")["all"]
    rows = [
        (name, (f"{one.ours} of {one.tried}", "not installed" if one.theirs is None else f"{one.theirs}"))
        for name, one in cases.items()
    ]
    table("Texts of ftfy's classes that come out as expected", ("mediacrawl", "fix_encoding"), rows)
    values = {f"repair_{group}": found[OURS, group].share for group in GROUPS}
    for name, what in (("mended_to_ftfy", "mangled"), ("left_alone_to_ftfy", "clean")):
        one = cases.get(f"ftfy's cases, {what}", cases[f"our titles, {what}"])
        if one.theirs:
            values[name] = one.ours / one.theirs
    return values


def report_harm(tasks: Tasks, given: argparse.Namespace) -> Values:
    """Print what becomes of right text."""
    found: dict[str, dict[str, float]] = tasks.results("kinds")["all"]
    rows = [(kind, [f"{each[kind]:.1f}" if kind in each else "" for each in found.values()]) for kind in harm.KINDS]
    table("Right texts that look like damage: percent left alone", list(found), rows)
    values = {f"left_alone_{kind}": share for kind, share in found[OURS].items()}
    values["utf8_twice_under_latin1"] = tasks.results("twice")["all"]
    if given.right:
        harmed: harm.Harm = tasks.results("right")["all"]
        peer = "" if harmed.by_ftfy is None else f"; ftfy's fix_encoding changed {harmed.by_ftfy:,}"
        print(f"\nOf {harmed.count:,} right texts of {given.right} {harmed.changed:,} were changed{peer}")
        both = ("right_harmed_of_a_million", "right_surely_harmed_of_a_million")
        values |= zip(both, harmed.of_a_million(), strict=True)
    else:
        print("\nRight texts of strangers are not measured: --right names none")
    if given.damaged:
        values["damaged_mended"] = tasks.results("damaged")["all"]
    return values


def report_speed(rounds: int, count: int) -> Values:
    """Print the time of a field, and the pace of `scrapy demojibake`."""
    micros = {name: speed.speed(name, rounds) for name in [*readers(), speed.PURE]}
    print(f"\nmediacrawl's texts are priced by: {'C' if native.module() else 'Python'}")
    rows = [(name, [time]) for name, time in micros.items()]
    table(f"CPU microseconds of a field in bulk, the median of {rounds} rounds", ("us",), rows)
    values = {"field_bulk_without_c": micros[speed.PURE]}
    if native.module():
        values["field_bulk"] = micros[OURS]
    with tempfile.TemporaryDirectory() as folder:
        paces = [speed.rerun(Path(folder), count, raw=raw) for raw in (False, True)]
    table(f"scrapy demojibake, {count:,} records of {len(speed.FIELDS)} texts: records a CPU second",
          ("bytes lost", "bytes there"), [("", paces)], digits=0)  # fmt: skip
    if count >= ENOUGH:
        values["rerun_records_per_core"] = paces[0]
    return values


def arguments() -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small samples; a minute")
    parser.add_argument("--sample", type=int, help="records of each language in a group of damage (30; quick 2)")
    parser.add_argument("--right", type=Path, help="right texts of strangers: a file or a folder")
    parser.add_argument("--damaged", type=Path, help="damaged texts of strangers, with what is right: a file")
    parser.add_argument("--wrong", action="store_true", help="show what repair did not bring back")
    given = parser.parse_args()
    given.sample = given.sample or (2 if given.quick else 30)
    given.rounds = 1 if given.quick else 3
    return given


def main() -> None:
    """Print tables and the figures."""
    given = arguments()
    print(f"models {model_version()}; the rows that the constants were tuned on are left out")
    with ProcessPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
        tasks = Tasks(pool)
        ask_all(tasks, given)
        values = report_readings(tasks) | report_studies(tasks) | report_repairs(tasks, show_wrong=given.wrong)
        values |= report_harm(tasks, given)
    values |= report_speed(given.rounds, 300 if given.quick else 2 * ENOUGH)
    finish("encodings", [figure(name, values.get(name), *target, digits=3) for name, target in TARGETS.items()])


if __name__ == "__main__":
    main()
