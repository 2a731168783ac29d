"""What else mediacrawl's decisions are worth: confidence, hosts learned, mixed records, chardet as one more voice."""

from __future__ import annotations

import itertools
import random
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
from unittest import mock

from encoding_readers import readers
from encoding_units import ENCODINGS, FIRST_ON_HOST, HELD_OUT, Score, Unit, encoded, mean_of, rows, same, units

from mediacrawl.encoding import Hints, detect
from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.detection import detector
from mediacrawl.encoding.history import History
from mediacrawl.encoding.languages import codec_name
from mediacrawl.encoding.pricing import hints

ON_HOST = 40
"""Fields of a simulated host."""
RIGHT = 0.4
"""Share of fields of a mixed host that are declared rightly."""
BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0001)
VOICE_NATS = (0.0, 1.0, 2.0, 3.0)
NOTICED = 0.1
"""Percentage points that a vote must gain to be worth its time."""

# -- confidence -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Judged:
    """A unit, how sure the program was of it, and whether it was right."""

    unit: Unit
    confidence: float
    is_right: bool


def judged(kind: str) -> list[Judged]:
    found = [(unit, detect(unit.raws)) for unit in units(kind)]
    return [Judged(unit, decided.confidence, unit.is_right(decided.texts)) for unit, decided in found]


@dataclass(frozen=True, slots=True)
class Bin:
    """Decisions whose confidence is from `least` to `most`; shares and confidences in percent."""

    least: float
    most: float
    count: int
    confidence: float
    right: float
    weighted: float


def calibration(decisions: Sequence[Judged]) -> list[Bin]:
    found = []
    for least, most in itertools.pairwise(BINS):
        some = [decision for decision in decisions if least <= decision.confidence < most]
        if some:
            mean = statistics.fmean(decision.confidence for decision in some)
            found.append(Bin(least, min(most, 1.0), len(some), 100 * mean, right_of(some), score_of(some).weighted))
    return found


def expected_error(bins: Iterable[Bin]) -> float:
    """Expected calibration error in percent: how far confidence is from the share right, the mean over decisions."""
    bins = list(bins)
    return sum(one.count * abs(one.confidence - one.right) for one in bins) / sum(one.count for one in bins)


def right_of(decisions: Sequence[Judged]) -> float:
    return 100 * statistics.fmean(decision.is_right for decision in decisions) if decisions else 0.0


def score_of(decisions: Iterable[Judged]) -> Score:
    decisions = list(decisions)
    return Score.of([one.unit for one in decisions], [one.is_right for one in decisions])


# -- hosts ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HostResult:
    """Single fields of simulated hosts.

    Attributes:
        all: score of all fields.
        later: of those after the first `FIRST_ON_HOST`.
        western_changed: percent of Western cp1252 fields changed; on mixed hosts they are `RIGHT` of all.
    """

    all: Score
    later: Score
    western_changed: float


def hosts(seeds: int, learn: bool, mixed: bool) -> HostResult:
    """Simulates hosts, one for each language and encoding, with up to 40 files of one field each.

    Args:
        seeds: orders of each host's files.
        learn: whether what is found on a host is remembered and told as a hint.
        mixed: 60 % of the files are tagged wrongly, the others are Western cp1252; else all are of one encoding.
    """
    of_cell: dict[tuple[str, str], list[Unit]] = {}
    for unit in units("field"):
        of_cell.setdefault((unit.language, unit.encoding), []).append(unit)
    western = [unit for unit in units("field") if unit.is_western]
    everything, later, kept = Score(), Score(), [0, 0]
    for (cell, found), seed in itertools.product(of_cell.items(), range(seeds)):
        if mixed and (cell[1] == "cp1252" or len(found) < FIRST_ON_HOST):
            continue
        files = _files(found, western if mixed else [], random.Random(f"{cell} {seed}"))
        for place, (unit, is_right) in enumerate(_crawled(files, learn=learn)):
            if unit.is_western:
                kept[0] += is_right
                kept[1] += 1
            if unit.is_western and mixed:
                continue
            everything.add(unit, is_right)
            if place >= FIRST_ON_HOST:
                later.add(unit, is_right)
    return HostResult(everything, later, 100 - mean_of([kept]))


def _files(found: list[Unit], western: list[Unit], rng: random.Random) -> list[Unit]:
    if not western:
        return rng.sample(found, min(ON_HOST, len(found)))
    wrong = min(len(found), round(ON_HOST * (1 - RIGHT)))
    files = [*rng.sample(found, wrong), *rng.sample(western, round(wrong * RIGHT / (1 - RIGHT)))]
    rng.shuffle(files)
    return files


def _crawled(files: list[Unit], *, learn: bool) -> Iterable[tuple[Unit, bool]]:
    history = History()
    for number, unit in enumerate(files):
        url = f"http://media.example/music/{number}.mp3"
        decided = detect(unit.raws, Hints(seen=history.prior(url)) if learn else None)
        if learn:
            history.learn(url, decided)
        yield unit, unit.is_right(decided.texts)


# -- records whose fields are in different encodings ------------------------------------------------------------------


def mixed_records(kind: str) -> list[tuple[Unit, int]]:
    """Records with at least two fields that are not ASCII, one of which is in another encoding, and its place.

    Args:
        kind: ``utf8``: it is in UTF-8. ``second``: in the second code page of the language. ``western``: it is another
            text, in Western cp1252.
    """
    western = itertools.cycle(unit for unit in units("field") if unit.is_western)
    found = []
    for number, (language, texts) in enumerate(rows(HELD_OUT)):
        main, *others = ENCODINGS[language]
        pages = [page for page in others if page != "utf_8"]
        odd = [place for place, text in enumerate(texts) if not text.isascii()]
        if len(odd) < 2 or main in ("utf_8", "cp1252") or (kind == "second" and not pages):
            continue
        place = odd[number % len(odd)]
        changed, other = list(texts), {"utf8": "utf_8", "western": "cp1252"}.get(kind) or pages[0]
        if kind == "western":
            changed[place] = next(western).texts[0]
        raws = [encoded(text, other if here == place else main) for here, text in enumerate(changed)]
        if None not in raws and raws[place] != encoded(changed[place], main):
            found.append((Unit(language, main, tuple(changed), tuple(raw for raw in raws if raw is not None)), place))
    return found


class MixedShares(NamedTuple):
    """How many records; percent of them that are all right, of the odd fields, and of the other fields."""

    records: int
    whole: float
    odd: float
    others: float


def mixed_shares(kind: str, name: str) -> MixedShares:
    """How a reader does on the records of `mixed_records`."""
    read = readers()[name]
    whole, odd, others = [], [], []
    for unit, place in mixed_records(kind):
        rights = [same((found,), (text,)) for found, text in zip(read(unit), unit.texts, strict=True)]
        whole.append(all(rights))
        odd.append(rights.pop(place))
        others += rights
    means = (100 * statistics.fmean(marks) for marks in (whole, odd, others))
    return MixedShares(len(whole), *means)


# -- chardet as one more voice ----------------------------------------------------------------------------------------


def with_voice(kind: str) -> dict[float, Score]:
    """The score for each worth of chardet's vote: the encoding that it names becomes likelier by so many nats.

    The product has no such vote; this hangs one into the place where hints move the priors.
    """
    import chardet  # noqa: PLC0415 - a peer

    votes = [codec_name(chardet.detect(b"\n".join(unit.raws))["encoding"] or "") for unit in units(kind)]
    return {nats: _scored(kind, votes, nats) for nats in VOICE_NATS}


def _scored(kind: str, votes: Sequence[str], nats: float) -> Score:
    found = []
    for unit, vote in zip(units(kind), votes, strict=True):
        with mock.patch.object(detector, "shift_of", partial(_with_vote, vote, nats)):
            found.append(unit.is_right(detect(unit.raws).texts))
    return Score.of(units(kind), found)


def _with_vote(vote: str, nats: float, given: Hints) -> hints.Shift:
    shift = hints.shift_of(given) or (lambda _encoding, _language: 0)
    return lambda encoding, language: shift(encoding, language) - (round(nats * STEP) if encoding == vote else 0)


def gains_of_voice(found: Mapping[tuple[str, float], Score]) -> dict[float, float]:
    """Percentage points that each worth of chardet's vote gains: the mean of all kinds, weighted and macro.

    Args:
        found: scores by kind and nats, nought nats among them.
    """
    kinds = {kind for kind, _ in found}
    pairs = {nats: [(found[kind, nats], found[kind, 0.0]) for kind in kinds] for nats in VOICE_NATS[1:]}
    return {
        nats: statistics.fmean(new.weighted - old.weighted + new.macro - old.macro for new, old in some) / 2
        for nats, some in pairs.items()
    }
