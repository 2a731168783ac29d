"""Chapters of MP4 and QuickTime: Nero's list ``chpl``, and tracks of text that another track names its chapters.

Sources: QuickTime File Format (chapter lists, text samples, sample tables); ISO/IEC 14496-12, 8.6 and 8.7. ``chpl`` has
no specification; mp4v2 and ffmpeg write it alike.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice, repeat
from typing import NamedTuple

from mediacrawl.base.parts import Chapter
from mediacrawl.probe.context import NeedBytes, ParseContext, exact, peek, unpack
from mediacrawl.probe.formats.mp4_atoms import Atom, children
from mediacrawl.probe.formats.mp4_text import SOURCE
from mediacrawl.probe.formats.mp4_tracks import PICTURES, STILLS, SUBTITLES, Mp4Track
from mediacrawl.probe.text import UTF8, UTF16, Value

Titled = tuple[Chapter, Value | None]
"""A chapter and its title as in the file."""

_NERO_HEAD = 9
_NERO_UNITS = 10_000_000
"""Of a second: 100 ns."""
_NERO_CHAPTER = 9
"""Bytes of a chapter's time and of its title's length."""
_TEXT_HANDLER = "text"
_LONGEST_SAMPLE = 4096
"""Bytes of a title with its atoms; longer ones are left out."""
_BYTE_ORDER_MARKS = frozenset({b"\xfe\xff", b"\xff\xfe"})
_SCRIPTS = {
    0: "mac-roman",
    1: "shift_jis",
    2: "big5",
    3: "euc_kr",
    4: "mac-arabic",
    5: "cp1255",
    6: "mac-greek",
    7: "mac-cyrillic",
    25: "gb2312",
    29: "mac-latin2",
}
"""Encodings by the numbers of ``encd`` that are scripts of the Macintosh; greater ones are kinds of Unicode."""


def read_nero_chapters(context: ParseContext, udta: Atom, found: list[Titled]) -> None:
    """Reads ``chpl`` in the movie's ``udta``: up to 255 chapters with titles in UTF-8."""
    for atom in children(context, udta):
        if atom.name == b"chpl" and not found:
            found += _read_chpl(context, atom)


def _read_chpl(context: ParseContext, atom: Atom) -> Iterator[Titled]:
    head = context.file.get(atom.body, min(atom.body + _NERO_HEAD, atom.stop))
    # The first version counts in the byte behind the flags.
    at, count = (9, int.from_bytes(head[5:9], "big")) if head[:1] != b"\0" else (5, int.from_bytes(head[4:5], "big"))
    count = min(count, context.policy.max_chapters + 1)
    if not count:
        return
    body = context.file.get(atom.body, min(atom.stop, atom.body + context.policy.max_text_bytes))
    for _ in range(count):
        if at + _NERO_CHAPTER > len(body):
            return
        start, length = unpack(">QB", body[at : at + _NERO_CHAPTER])
        at += _NERO_CHAPTER
        yield Chapter(start / _NERO_UNITS), Value(body[at : at + length], UTF8)
        at += length


class _Sample(NamedTuple):
    """A sample of a chapter track: when it begins and ends, in seconds, and where it stands."""

    begin: float
    end: float
    start: int
    stop: int


def chapter_tracks(tracks: Sequence[Mp4Track]) -> list[Mp4Track]:
    """Finds the tracks of text that others name their chapters. Of pictures so named the kind becomes `PICTURES`."""
    named = {number for track in tracks for number in track.chapters if number != track.number}
    found = [track for track in tracks if track.number in named]
    for track in found:
        if track.codec in STILLS:
            track.kind = PICTURES
    return [track for track in found if track.kind in SUBTITLES]


def ask_for_references(context: ParseContext, tracks: Sequence[Mp4Track]) -> None:
    """Requests what stands behind the sample tables of tracks if one of text may be that of their chapters."""
    if any(track.kind == _TEXT_HANDLER for track in tracks):
        for track in tracks:
            if track.unread and track.unread[1] - track.unread[0] <= context.policy.skip_bytes:
                context.file.get(*track.unread)


def read_chapter_track(context: ParseContext, track: Mp4Track, nero: Sequence[Titled]) -> None:
    """Reads the chapters of a track: times from its sample table, titles from its samples.

    The samples are requested if they are near each other. Where their texts cannot be had, Nero's list counts, and
    without one the times alone.
    """
    samples = list(_samples(context, track))
    try:
        # Reads the texts of the samples; None where one is not at hand.
        placed = [sample for sample in samples if 2 <= sample.stop - sample.start <= _LONGEST_SAMPLE]
        start = min((sample.start for sample in placed), default=0)
        stop = max((sample.stop for sample in placed), default=0)
        if stop - start <= context.policy.skip_bytes:
            context.file.get(start, stop)
        known = set(placed)
        titles = [_title(peek(context.file, each.start, each.stop)) if each in known else None for each in samples]
    except NeedBytes:
        _add(context, samples, [None] * len(samples), nero)
        raise
    _add(context, samples, titles, nero)


def _add(
    context: ParseContext, samples: Sequence[_Sample], titles: Sequence[Value | None], nero: Sequence[Titled]
) -> None:
    if nero and not any(titles):
        return
    is_named = any(each and each.raw for each in titles)
    chapters = [
        (Chapter(sample.begin, sample.end), title)
        for sample, title in zip(samples, titles, strict=True)
        # A text without letters fills a gap, unless none has any.
        if title is None or title.raw or not is_named
    ]
    context.add_chapters(SOURCE, "chap", chapters)


def _samples(context: ParseContext, track: Mp4Track) -> Iterator[_Sample]:
    table = track.table
    if table is None or not track.timescale:
        return
    if table.size <= context.policy.skip_bytes:
        context.file.get(table.start, table.stop)
    parts = {atom.name: atom for atom in children(context, table)}
    most = context.policy.max_chapters + 1
    ends = list(accumulate(islice(_durations(context, parts.get(b"stts"), most), most)))
    places = _places(context, parts, len(ends))
    for begin, end, (start, size) in zip([0, *ends], ends, places, strict=False):
        yield _Sample(begin / track.timescale, end / track.timescale, start, start + size)


def _durations(context: ParseContext, atom: Atom | None, most: int) -> Iterator[int]:
    """Yields the length of each sample by ``stts`` (8.6.1.2)."""
    for count, ticks in _rows(context, atom, 2, most):
        yield from repeat(ticks, min(count, most))


def _places(context: ParseContext, parts: dict[bytes, Atom], count: int) -> Iterator[tuple[int, int]]:
    """Yields offset and size of each sample; those that the tables do not place have neither."""
    sizes = _sizes(context, parts.get(b"stsz"), count)
    chunks = _chunks(context, parts, count)
    runs = _rows(context, parts.get(b"stsc"), 3, count)
    firsts = [first for first, _, _ in runs]
    found = 0
    for number, at in enumerate(chunks, 1):
        run = bisect_right(firsts, number) - 1
        here = sizes[found : found + min(runs[run][1], count)] if run >= 0 else []
        for size, behind in zip(here, accumulate(here), strict=True):
            yield at + behind - size, size
        found += len(here)
    yield from repeat((0, 0), count - found)


def _sizes(context: ParseContext, atom: Atom | None, count: int) -> list[int]:
    """Reads the sizes of the first samples by ``stsz`` (8.7.3.2)."""
    if atom is None:
        return []
    same, listed = unpack(">4xII", exact(context.file, atom.body, min(atom.stop, atom.body + 12)))
    if same:
        return [same] * min(listed, count)
    stop = min(atom.stop, atom.body + 12 + 4 * min(listed, count))
    data = exact(context.file, atom.body + 12, stop)
    return [int.from_bytes(data[at : at + 4], "big") for at in range(0, len(data) - 3, 4)]


def _chunks(context: ParseContext, parts: dict[bytes, Atom], count: int) -> list[int]:
    """Reads the offsets of the first chunks by ``stco`` or ``co64`` (8.7.5)."""
    if b"co64" in parts:
        return [high << 32 | low for high, low in _rows(context, parts[b"co64"], 2, count)]
    return [offset for (offset,) in _rows(context, parts.get(b"stco"), 1, count)]


def _rows(context: ParseContext, atom: Atom | None, width: int, most: int) -> list[tuple[int, ...]]:
    """Reads the first rows of a table: version and flags, their number, then numbers of 32 bits."""
    if atom is None:
        return []
    (listed,) = unpack(">4xI", exact(context.file, atom.body, min(atom.stop, atom.body + 8)))
    size = 4 * width
    rows = min(listed, most, max(0, atom.stop - atom.body - 8) // size)
    data = exact(context.file, atom.body + 8, atom.body + 8 + rows * size)
    return [unpack(f">{width}I", data[at : at + size]) for at in range(0, len(data), size)]


def _title(sample: bytes | None) -> Value | None:
    """Reads a text sample: a length, a text, then atoms about it. ``encd`` names its encoding."""
    if sample is None or len(sample) < 2:
        return None
    stop = 2 + int.from_bytes(sample[:2], "big")
    raw = sample[2:stop]
    if raw[:2] in _BYTE_ORDER_MARKS:
        return Value(raw, UTF16)
    return Value(raw, _SCRIPTS.get(_encoding(sample[stop:]), UTF8))


def _encoding(atoms: bytes) -> int:
    """Returns the number that ``encd`` holds, -1 if there is none."""
    at = 0
    while at + 8 <= len(atoms):
        size, name = int.from_bytes(atoms[at : at + 4], "big"), atoms[at + 4 : at + 8]
        if size < 8:
            break
        if name == b"encd" and size >= 12:
            return int.from_bytes(atoms[at + 8 : at + 12], "big")
        at += size
    return -1
