"""The tables that `encodings.py` prints."""

from __future__ import annotations

import encoding_costs as costs
import encoding_ftfy as ftfy_cases
import encoding_lengths as lengths
import encoding_rerun as rerun
import encoding_studies as studies
from encoding_damage import GROUPS
from encoding_readers import OURS
from encoding_repairs import Mended
from encoding_units import ALL_ENCODINGS, FIRST_ON_HOST, OTHERS, TUNED, WINDOWS, Score, texts_of, units

KINDS = ("field", "record")
LENGTHS = ((0, 5), (6, 12), (13, 25), (26, 10**9))
MIXED = {"utf8": "one field in UTF-8", "second": "one in the second code page", "western": "one in Western cp1252"}

Marks = tuple[list[bool], float]
"""Whether each unit was read right, and microseconds of each."""


LEGEND = """
weighted: in the mix of encodings that wrongly tagged files are in; macro: the mean over languages and encodings
Windows, UTF-8, others, cp1252: the mean over languages; others are DOS, ISO, Mac, KOI8 and EUC
West chg: percent of Western cp1252 that became another text; Latin-1 chg: of that without quotes and dashes
ASCII chg: texts; us: CPU microseconds of a unit, in the order of the titles, the same title in all its encodings
TLD: the top-level domain is told; our list: only the encodings of this benchmark are allowed"""


def print_reading(kind: str, found: dict[str, Marks], changed: dict[str, int]) -> dict[str, Score]:
    what = {"field": "one field alone", "record": "artist, album and title together"}[kind]
    print(f"\n{kind.upper()}: {what}; {len(units(kind)):,} units, percent exactly right")
    heads = ("weighted", "macro", "Windows", "UTF-8", "others", "cp1252", "West chg", "Latin-1 chg", "ASCII chg", "us")
    print(f"{'':32}" + "".join(f"{head:>12}" for head in heads))
    scores = {}
    for name, (marks, micros) in found.items():
        score = scores[name] = Score.of(units(kind), marks)
        groups = [score.of_encodings(names) for names in (WINDOWS, ("utf_8",), OTHERS, ("cp1252",))]
        row = (score.weighted, score.macro, *groups, score.western_changed, score.latin_changed)
        print(f"{name:32}" + "".join(f"{value:>12.2f}" for value in row) + f"{changed[name]:>12}{micros:>12.0f}")
    return scores


def print_lengths(found: dict[str, Marks]) -> None:
    print("\nFIELD by length in bytes, weighted")
    print(f"{'':32}" + "".join(f"{head:>12}" for head in ("<=5", "6-12", "13-25", ">25", "new texts")))
    tuned = frozenset(texts_of(TUNED))
    for name, (marks, _) in found.items():
        pairs = list(zip(units("field"), marks, strict=True))
        parts = [[pair for pair in pairs if least <= len(pair[0].raws[0]) <= most] for least, most in LENGTHS]
        parts.append([pair for pair in pairs if (pair[0].language, pair[0].texts[0]) not in tuned])
        row = [Score.of(*zip(*part, strict=True)).weighted for part in parts]
        print(f"{name:32}" + "".join(f"{value:>12.2f}" for value in row))
    print("new texts: fields that do not stand in the even rows too, as an artist of several titles may.")


def print_by_length(found: dict[tuple[str, int], Score]) -> float:
    """Prints the table; answers the macro figure of our long fields."""
    names = dict.fromkeys(name for name, _ in found)
    print("\nFIELD of so many bytes at most: titles of a language joined; percent right, weighted / macro")
    print(f"{'bytes':>8}" + "".join(f"{name:>28}" for name in names))
    for length in lengths.LENGTHS:
        scores = [found[name, length] for name in names]
        print(f"{length:>8,}" + "".join(f"{one.weighted:>20.2f} / {one.macro:<5.2f}" for one in scores))
    long = [found[OURS, length].macro for length in lengths.LENGTHS if length >= lengths.LONG]
    return sum(long) / len(long)


def print_encodings(fields: dict[str, Score], records: dict[str, Score]) -> None:
    names = [name for name in fields if "as is" not in name and "TLD" not in name]
    print("\nBy encoding, FIELD / RECORD, the mean over languages")
    print(f"{'':13}" + "".join(f"{name:>26}" for name in names))
    for encoding in ALL_ENCODINGS:
        cells = [
            f"{fields[name].of_encodings((encoding,)):.1f} / {records[name].of_encodings((encoding,)):.1f}"
            for name in names
        ]
        print(f"{encoding:13}" + "".join(f"{cell:>26}" for cell in cells))


def print_cut(found: dict[str, dict[str, Marks]]) -> None:
    print("\nID3v1: texts of more than 30 bytes, cut there; FIELD weighted, macro; RECORD weighted, macro")
    for name in found["field-cut"]:
        scores = [Score.of(units(kind), found[kind][name][0]) for kind in ("field-cut", "record-cut")]
        print(f"{name:32}" + "".join(f"{value:>12.2f}" for one in scores for value in (one.weighted, one.macro)))


def print_calibration(kind: str, decisions: list[studies.Judged]) -> None:
    bins = studies.calibration(decisions)
    print(f"\nConfidence and the share right, {kind.upper()}")
    print(f"{'confidence':>16}{'decisions':>11}{'mean':>8}{'right':>8}{'right, weighted':>17}")
    for one in bins:
        span = f"{one.least:.3f} to {one.most:.3f}"
        print(f"{span:>16}{one.count:>11,}{one.confidence:>8.1f}{one.right:>8.1f}{one.weighted:>17.1f}")
    sure = [one for one in decisions if one.confidence >= 0.9]
    about = [one for one in decisions if 0.85 <= one.confidence < 0.95]
    print(
        f"expected calibration error {studies.expected_error(bins):.2f} points; right of decisions at >= 0.9:"
        f" {studies.right_of(sure):.2f} %; at 0.85 to 0.95: {studies.right_of(about):.1f} % of {len(about)}"
    )


def print_hosts(found: dict[tuple[bool, bool], studies.HostResult]) -> None:
    print(
        f"\nHosts of {studies.ON_HOST} files, single fields; percent right of all, and after the first {FIRST_ON_HOST}"
    )
    print(f"{'':32}{'weighted':>12}{'macro':>12}{'w. after':>12}{'m. after':>12}{'West chg':>12}")
    for (mixed, learn), one in sorted(found.items()):
        name = ("60 % wrong, 40 % West" if mixed else "one encoding") + (", learned" if learn else ", each alone")
        row = (one.all.weighted, one.all.macro, one.later.weighted, one.later.macro, one.western_changed)
        print(f"{name:32}" + "".join(f"{value:>12.2f}" for value in row))


def print_mixed(found: dict[tuple[str, str], studies.MixedShares]) -> None:
    print("\nRecords with a field in another encoding; percent: all fields right, the odd field, the other fields")
    for (kind, name), shares in found.items():
        what = f"{MIXED[kind]} ({shares.records})"
        print(f"{what:36}{name:28}{shares.whole:>9.1f}{shares.odd:>9.1f}{shares.others:>9.1f}")


def print_voice(found: dict[tuple[str, float], Score]) -> None:
    print("\nchardet as one more voice: the encoding that it names is likelier by some nats")
    heads = [f"{kind} {what}" for kind in KINDS for what in ("weighted", "macro", "West chg")]
    print(f"{'nats':>6}" + "".join(f"{head:>20}" for head in heads))
    for nats in studies.VOICE_NATS:
        scores = [found[kind, nats] for kind in KINDS]
        row = [value for one in scores for value in (one.weighted, one.macro, one.western_changed)]
        print(f"{nats:>6.0f}" + "".join(f"{value:>20.2f}" for value in row))
    gains = studies.gains_of_voice(found)
    best = max(gains, key=gains.__getitem__)
    verdict = "it helps" if gains[best] >= studies.NOTICED else "it does not help"
    print(
        f"Result: {verdict}; at best, with {best:.0f} nats, the four figures change by {gains[best]:+.2f} in the mean"
    )


def print_repair(kind: str, found: dict[str, dict[str, Mended]]) -> None:
    print(f"\nREPAIR, {kind.upper()}: percent that come back exactly, the mean over languages")
    print(f"{'':30}" + "".join(f"{group:>11}" for group in GROUPS))
    for name, groups in found.items():
        print(f"{name:30}" + "".join(f"{groups[group].share:>11.2f}" for group in GROUPS))
    ours = found[OURS]
    print(f"{'records tried':30}" + "".join(f"{ours[group].count:>11,}" for group in GROUPS))
    print(f"{'of so many':30}" + "".join(f"{ours[group].of:>11,}" for group in GROUPS))
    for name, groups in found.items():
        print(f"{'us, ' + name:30}" + "".join(f"{groups[group].micros:>11,.0f}" for group in GROUPS))


def print_wrong(kind: str, groups: dict[str, Mended]) -> None:
    for group, one in groups.items():
        for stored, texts in one.wrong:
            print(f"{kind} {group}: {' | '.join(stored)!r} -> {' | '.join(texts)!r}")


def print_shapes(found: dict[str, tuple[int, int, list[str]]], *, show_wrong: bool) -> None:
    print("\nRight titles with signs, no-break spaces and capitals where mojibake has them: left alone")
    for entrance, (stayed, tried, wrong) in found.items():
        print(f"{entrance:16}{stayed:>5} of {tried:>5}{100 * stayed / tried:>9.2f} %")
        for line in wrong if show_wrong else ():
            print(f"    {line}")


def print_cases(found: dict[str, ftfy_cases.Share]) -> None:
    print("\nTexts of ftfy's classes: come out as expected, beside ftfy's fix_encoding")
    for name, share in found.items():
        theirs = "not installed" if share.theirs is None else f"{share.theirs:>4}"
        print(f"{name:24}{share.ours:>5} of {share.tried:>4}; ftfy {theirs}")
    if "ftfy's cases, clean" not in found:
        print("ftfy's source distribution could not be had, so its own cases are not measured")


def print_speed(found: dict[str, costs.Speed], rounds: int) -> None:
    print(f"\nCPU microseconds of a field, the median of {rounds} rounds")
    print(f"{'':32}{'in bulk':>12}{'alone, mean':>13}{'alone, median':>15}")
    for name, one in found.items():
        print(f"{name:32}{one.bulk:>12.1f}{one.alone:>13.1f}{one.alone_median:>15.1f}")


def print_load(one: costs.Load, rounds: int) -> None:
    print(
        f"\nIn a fresh process, CPU ms, the median of {rounds}: import {one.imported:.0f}, all models {one.loaded:.0f},"
        f" first decision {one.first:.0f} after that, {one.lazy_first:.0f} straight after the import"
    )


def print_memory(one: costs.Memory | None) -> None:
    if one is None:
        print("memory is not measured: there is no /proc here")
        return
    print(
        f"Resident memory, MB: import {one.imported / 1e6:.1f}, with all models {one.loaded / 1e6:.1f}, after"
        f" {costs.IN_MEMORY:,} fields {one.used / 1e6:.1f}; models on disk {costs.model_bytes() / 1e6:.2f}"
    )


def print_rerun(found: dict[str, rerun.Pace]) -> None:
    begin, one, two = found["begin"], found["1 process"], found["2 processes"]
    begun = f"{rerun.cores()} cores; it begins in {begin.wall:.1f} s"
    print(f"\nscrapy demojibake, records of {len(rerun.FIELDS)} texts, {begun}")
    print(f"{'':26}{'records':>10}{'records/s':>11}{'per CPU s':>11}{'per CPU s, once begun':>23}")
    for name, pace in found.items():
        speeds = f"{pace.records / pace.wall:>11.0f}{pace.records / pace.cpu:>11.0f}"
        if name != "begin":
            print(f"{name:26}{pace.records:>10,}{speeds}{pace.records / max(pace.cpu - begin.cpu, 0.001):>23.0f}")
    print(f"two processes are {one.wall / two.wall:.2f} times as fast as one")
