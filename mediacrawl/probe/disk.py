"""Files on a disk: read at once, and which of their bytes are no tag."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from mediacrawl.probe.context import BrokenError, LimitError, NeedBytes, ParseContext, SparseFile, exact
from mediacrawl.probe.formats import id3, mp4_atoms, ogg, outer_tags, read_container, riff
from mediacrawl.probe.policy import ProbePolicy
from mediacrawl.probe.result import ProbeResult
from mediacrawl.probe.text import LATIN1, UTF16, cut

_AT_ONCE = 64 * 1024
"""Bytes of the two pieces that nearly all tags are in: the front of a file, and its end."""
_PARTS_POLICY = ProbePolicy(max_text_bytes=16 << 20, max_bytes=16 << 20)
_MOST_TAGS = 16
"""Tags in a row at the front or the end of a file."""
_FLAC_FREE = frozenset({1, 4})
"""FLAC's padding and comments."""
_RIFF_TAGS = frozenset({b"id3 ", b"ID3 ", b"JUNK", b"junk", b"PAD ", b"FLLR"})
_COUNTED_FRAMES = frozenset({"COMM", "USLT", "IPLS", "USER", "OWNE"})
"""Frames of ID3v2 with texts, besides those whose names begin with T and W."""

Spans = Iterator[tuple[int, int]]
"""Offsets of bytes that are no tag: start and stop (exclusive)."""


class DiskFile(SparseFile):
    """A file that is open for reading, of which at most `most` bytes are read."""

    def __init__(self, stream: BinaryIO, most: int) -> None:
        size = stream.seek(0, os.SEEK_END)
        super().__init__(size)
        self._descriptor = stream.fileno()
        self._left = most
        for start in (0, max(_AT_ONCE, size - _AT_ONCE)):
            self.put(start, os.pread(self._descriptor, _AT_ONCE, start))

    def _piece(self, start: int, stop: int) -> bytes:
        held = super()._piece(start, stop)
        if held or self._left <= 0 or start >= stop:
            return held
        read = os.pread(self._descriptor, min(stop - start, self._left), start)
        self._left -= len(read)
        return read


def read_file(stream: BinaryIO, policy: ProbePolicy | None = None) -> ProbeResult:
    """Reads a file on a disk at once: what a walk needs is read where it needs it.

    Args:
        stream: a file with a descriptor, opened in binary mode. Its position changes.
        policy: the limits; of `ProbePolicy.max_bytes` the first and the last 64 KB do not count.

    Raises:
        OSError: the front or the end cannot be read.
    """
    policy = policy or ProbePolicy()
    context = ParseContext(DiskFile(stream, policy.max_bytes), policy)
    read_container(context)
    if context.needs:
        context.note("budget")
    context.set_status(has_bytes=bool(context.file.size), is_finished=True)
    return context.result


@dataclass(frozen=True, slots=True)
class FileParts:
    """What a program that writes the tags of a file must leave as it is.

    Attributes:
        media: offsets of the bytes outside the tags and their padding: start and stop (exclusive), in order.
        frames: of the ID3v2 tag at the front, by name; of those that are no text also their contents. Empty ones are
            left out.
        id3v1: the 128 bytes of the ID3v1 tag at the end; empty without one.
    """

    media: list[tuple[int, int]]
    frames: Counter[tuple[str, bytes]]
    id3v1: bytes


def file_parts(stream: BinaryIO, container: str) -> FileParts:
    """Finds which parts of a file are no texts of its tags.

    Args:
        stream: a file with a descriptor, opened in binary mode. Its position changes.
        container: `ProbeResult.container` of it.

    Raises:
        KeyError: no parts are found in this container.
        ValueError: the file is damaged, and its media cannot be distinguished from its tags.
        OSError: it cannot be read.
    """
    find, file = _SPANS[container], DiskFile(stream, _PARTS_POLICY.max_bytes)
    size = file.size or 0
    try:
        header = id3.find_header(file, 0)
        bodies = list(id3.bodies(ParseContext(file, _PARTS_POLICY), header)) if header else []
        media = list(find(ParseContext(file, _PARTS_POLICY), size))
        last = file.get(max(0, size - id3.ID3V1_SIZE), size)
    except (BrokenError, LimitError, NeedBytes) as error:
        raise ValueError("the media cannot be distinguished from the tags") from error
    frames = Counter((name, _content(name, body)) for name, body in bodies if body[1:].strip(b"\0"))
    return FileParts(media, frames, last if id3.is_id3v1(last) else b"")


def _content(name: str, body: bytes) -> bytes:
    """What the body of a frame holds besides text."""
    if name[0] in "TW" or name in _COUNTED_FRAMES:
        return b""
    if name == "APIC":
        # id3v2.4.0-frames, 4.14; the description may be written anew in another encoding.
        _, rest = cut(body[1:], LATIN1)
        _, data = cut((rest or b"")[1:], UTF16 if body[:1] in {b"\1", b"\2"} else LATIN1)
        return body if data is None else data
    return body


def _between_tags(context: ParseContext, stop: int) -> Spans:
    """MPEG audio, APE and others: the bytes between the tags at the front and those at the end."""
    file, start = context.file, 0
    for _ in range(_MOST_TAGS):
        header = id3.find_header(file, start) or outer_tags.find_ape_at_front(file, start)
        if header is None or not start < header.end <= stop:
            break
        start = header.end
    for _ in range(_MOST_TAGS):
        tag = outer_tags.find_ape_at_end(file, stop) or outer_tags.find_lyrics3(file, stop)
        last = stop - id3.ID3V1_SIZE
        if start <= last and id3.is_id3v1(file.get(last, stop)):
            stop = last
        elif tag is not None and start <= tag.start < stop:
            stop = tag.start
        else:
            break
    yield start, stop


def _flac(context: ParseContext, stop: int) -> Spans:
    """FLAC format, METADATA_BLOCK_HEADER."""
    ((start, stop),) = _between_tags(context, stop)
    at, is_last = start + 4, context.file.get(start, start + 4) != b"fLaC"
    while not is_last:
        header = exact(context.file, at, at + 4)
        is_last, kind = bool(header[0] & 0x80), header[0] & 0x7F
        end = at + 4 + int.from_bytes(header[1:], "big")
        if kind not in _FLAC_FREE:
            yield at + 4, min(end, stop)
        at = end
    yield min(at, stop), stop


def _ogg(context: ParseContext, stop: int) -> Spans:
    """The bodies of the pages with media. Those with headers have the granule position 0 (RFC 3533, 6)."""
    at = 0
    while page := ogg.read_page(context.file, at):
        at = page.stop
        if page.granule:
            yield page.body, min(at, stop)
    yield min(at, stop), stop


def _mp4(context: ParseContext, stop: int) -> Spans:
    return ((atom.body, atom.stop) for atom in mp4_atoms.walk(context, 0, stop) if atom.name == b"mdat")


def _asf(context: ParseContext, stop: int) -> Spans:
    yield min(int.from_bytes(context.file.get(16, 24), "little"), stop), stop


def _riff(context: ParseContext, stop: int) -> Spans:
    chunks = riff.walk(context, 12, stop, "big" if context.file.get(0, 4) == b"FORM" else "little")
    return ((chunk.body, chunk.stop) for chunk in chunks if chunk.name not in _RIFF_TAGS)


_SPANS: dict[str, Callable[[ParseContext, int], Spans]] = {
    **dict.fromkeys(("mp3", "aac", "ape", "wavpack", "musepack", "tta"), _between_tags),
    **dict.fromkeys(("mp4", "mov"), _mp4),
    **dict.fromkeys(("wav", "aiff"), _riff),
    "flac": _flac,
    "ogg": _ogg,
    "asf": _asf,
}
