"""Drives a probe to its end over the answers of a server that may lie, and judges what comes out."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from fuzz_mutations import mutate
from fuzz_seeds import seeds

from mediacrawl.base.evidence import raw_bytes
from mediacrawl.probe import Probe, ProbePolicy
from mediacrawl.probe.result import LONGEST, MOST_COVERS
from mediacrawl.record import build_item

POLICY = ProbePolicy()
SMALL_STEPS = ProbePolicy(
    head_bytes=1500,
    single_bytes=1500,
    tail_bytes=300,
    ogg_tail_bytes=(400, 3000),
    matroska_tail_bytes=(400, 3000),
    step_bytes=300,
    skip_bytes=600,
    max_bytes=12_000,
)
"""The cases are smaller than the head of a real probe: so they too are read in pieces, with jumps between."""
_STATUS = frozenset({"complete", "partial", "unsupported"})
_NUMBERS = (
    "duration", "bitrate", "sample_rate", "bits_per_sample", "channels", "width", "height", "frame_rate",
)  # fmt: skip
_PARTS = ("tracks", "chapters", "covers")
_LARGEST = 2**63
"""A database keeps whole numbers below it."""

Answer = tuple[int, bytes, int | None]
Server = Callable[[random.Random, bytes, int, int], Answer]
"""Bytes of a file, start and stop of a range; answers an offset, bytes, and the size it states."""


@dataclass(frozen=True)
class Case:
    """One input: the number that repeats it, and what it is."""

    number: int
    seed: str
    data: bytes
    server: str
    policy: ProbePolicy = POLICY


def make_case(number: int, names: Sequence[str]) -> Case:
    """The case of a number, over seeds of these names; the same each time."""
    rng = random.Random(number)
    name = rng.choice(names)
    other = seeds()[rng.choice(list(seeds()))]
    data, server = mutate(rng, seeds()[name], other), rng.choice(_CHOICE)
    return Case(number, name, data, server, rng.choice((POLICY, SMALL_STEPS)))


def run_case(case: Case) -> Probe:
    """Probes it and judges the result.

    Raises:
        AssertionError: the probe broke a promise. Whatever else comes out of it breaks one too.
    """
    rng, policy, server = random.Random(~case.number), case.policy, SERVERS[case.server]
    probe, answers = Probe(policy), 0
    while (wanted := probe.next_range()) is not None:
        start, stop = wanted
        assert 0 <= start < stop, "an empty range"
        assert case.server in GENEROUS or probe.bytes_fetched + stop - start <= policy.max_bytes, "over the budget"
        probe.feed(*server(rng, case.data, start, stop))
        answers += 1
        assert answers <= policy.max_requests, "too many requests"
        if rng.random() < 0.05:
            probe = Probe.load(probe.dump(), policy)
    judge(probe)
    return probe


def judge(probe: Probe) -> None:
    """Checks that a finished probe gives a record that can be stored."""
    result, policy = probe.result(), probe.policy
    assert result.status in _STATUS or result.status.startswith("error:"), f"status {result.status}"
    for name in _NUMBERS:
        value = getattr(result, name)
        kinds = (int, float) if name in {"duration", "frame_rate"} else (int,)
        assert value is None or type(value) in kinds, f"{name} is {value!r}"
        assert value is None or (0 < value < _LARGEST and math.isfinite(value)), f"{name} is {value}"
    assert result.cover_size is None or 0 <= result.cover_size < _LARGEST, f"cover_size is {result.cover_size}"
    assert sum(len(tag.raw) for tag in result.tags) <= policy.max_tag_bytes, "too much text"
    assert len(result.tags) <= policy.max_tags, "too many texts"
    assert len(result.tracks) <= policy.max_tracks, "too many tracks"
    assert len(result.chapters) <= policy.max_chapters, "too many chapters"
    assert len(result.covers) <= MOST_COVERS, "too many pictures"
    starts = [chapter.start for chapter in result.chapters]
    # A table of contents of ID3v2 may state another order.
    ordered = starts == sorted(starts) or any(b"CTOC" in data for _, data in probe.segments())
    assert ordered, "chapters are not in their order"
    assert all(0 <= start < LONGEST for start in starts), "a chapter at no time"
    item = build_item(result, probe, url="http://example.org/a")
    json.dumps(asdict(item), ensure_ascii=False, allow_nan=False).encode("utf-8")
    found, kept = ([len(getattr(each, name)) for name in ("tags", *_PARTS)] for each in (result, item))
    assert sum(kept) + (item.texts_dropped or 0) == sum(found), "a text or part is neither kept nor counted"
    read = iter(result.tags)
    for element in item.tags:
        assert raw_bytes(element) in (tag.raw for tag in read), "bytes of a text are lost"


# -- servers -----------------------------------------------------------------------------------------------------------


def honest(rng: random.Random, data: bytes, start: int, stop: int) -> Answer:
    return start, data[start:stop], len(data)


def silent(rng: random.Random, data: bytes, start: int, stop: int) -> Answer:
    """Does not say how long the file is."""
    return start, data[start:stop], None


def short(rng: random.Random, data: bytes, start: int, stop: int) -> Answer:
    """Gives a part of what was requested."""
    return start, data[start : start + rng.randint(0, stop - start)], len(data)


def long(rng: random.Random, data: bytes, start: int, stop: int) -> Answer:
    """Gives more than was requested, sometimes from elsewhere."""
    return rng.choice((start, 0, max(0, start - 100))), data[: stop + 5000], len(data)


def padded(rng: random.Random, data: bytes, start: int, stop: int) -> Answer:
    """A file of 100 MB, all zeros behind the first bytes."""
    return start, data[start:stop].ljust(stop - start, b"\0"), 100_000_000


def endless(rng: random.Random, data: bytes, start: int, stop: int) -> Answer:
    """A file without an end, which begins again and again."""
    whole = data * (1 + (stop - start) // max(1, len(data)) + 1) if data else b""
    at = start % max(1, len(data))
    return start, whole[at : at + stop - start], 2**61


def wavering(rng: random.Random, data: bytes, start: int, stop: int) -> Answer:
    """Says each time something else about the size."""
    return start, data[start:stop], rng.choice((len(data), len(data), None, 0, 100, 2**62, -1))


SERVERS: dict[str, Server] = {
    server.__name__: server for server in (honest, silent, short, long, padded, endless, wavering)
}
GENEROUS = frozenset({"long"})
"""Servers that send more than they were requested; the budget is what is requested."""
_CHOICE = ("honest",) * 13 + tuple(name for name in SERVERS if name != "honest")
