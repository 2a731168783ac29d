"""Where the audio and the pictures of a file stand, so that two versions of it can be compared by a hash.

What is hashed is all that a player decodes, and what leads it there: frames, headers of streams, indexes, offsets
relative to the data they point into. Left out are tags, covers, padding, and numbers that only say where a file's own
parts stand.
"""

from __future__ import annotations

import hashlib
import struct
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from mediacrawl.music.delta import STRETCH, Data, Piece, delta, forget
from mediacrawl.probe import SparseFile
from mediacrawl.probe.formats import id3, tail_tags

Part = tuple[bytes, int, int]
"""What goes into the hash: a label, then the bytes of the file from one offset to another."""

_MOST_TAGS = 16
"""Tags in a row at the front or the end of a file."""
_MOST_DEPTH = 12
_FREE = frozenset({b"udta", b"meta", b"free", b"skip", b"wide", b"stco", b"co64"})
_HOLDERS = frozenset({b"moov", b"trak", b"mdia", b"minf", b"stbl", b"edts", b"dinf", b"mvex"})
_RIFF_TAGS = frozenset({b"id3 ", b"ID3 ", b"JUNK", b"junk", b"PAD ", b"FLLR"})
_ASF_HEADER = bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c")
_ASF_TAGS = frozenset(
    map(
        bytes.fromhex,
        (
            "3326b2758e66cf11a6d900aa0062ce6c",  # content description
            "40a4d0d207e3d21197f000a0c95ea850",  # extended content description
            "b503bf5f2ea9cf118ee300c00c205365",  # header extension, which holds both kinds of metadata
            "74d40618dfca0945a4ba9aabcb96aae8",  # padding
        ),
    )
)
_FLAC_PICTURE = 6
_HEADER_PACKETS = {b"\x01vorbis": 3, b"\x80theora": 3, b"OpusHead": 2, b"Speex   ": 2, b"\x7fFLAC": 2}
"""First letters of a stream, and how many packets it has before its audio; the second one holds the comments."""


class NoAudioError(ValueError):
    """The file's structure is broken, so that nobody can tell its audio from its tags."""


class MappedFile(SparseFile):
    """A mapped file, for the readers of `mediacrawl.probe`."""

    def __init__(self, data: Data) -> None:
        super().__init__(len(data))
        self._data = data

    def _piece(self, start: int, stop: int) -> bytes:
        return self._data[start:stop]


class Digests(NamedTuple):
    """What tells two files apart, in hexadecimal.

    Attributes:
        audio: SHA-256 of the audio.
        whole: SHA-256 of `audio` and of all bytes beside the audio; so each byte is read once.
    """

    audio: str
    whole: str


class Version(NamedTuple):
    """One version of a file.

    Attributes:
        size: in bytes.
        digest: `Digests.whole` of its contents.
    """

    size: int
    digest: str


class Compared(NamedTuple):
    """Two versions of a file that have the same audio.

    Attributes:
        old: the file before.
        new: the file after.
        pieces: what makes the old file of the new one, see `mediacrawl.music.delta`.
    """

    old: Version
    new: Version
    pieces: list[Piece]


def digests(data: Data, container: str) -> Digests:
    """The digests of a file.

    Args:
        data: the file.
        container: name of its format, see `mediacrawl.probe.formats`; empty for a file without audio.

    Raises:
        NoAudioError: the audio is not told apart from the tags.
    """
    parts = _parts(data, container)
    audio = _audio(data, parts)
    return Digests(audio.hexdigest(), _whole(data, parts, audio))


def compare(old: Data, new: Data, container: str) -> Compared | None:
    """Compare two versions of a file. Audio that is the same byte for byte is hashed once.

    Args:
        old: the file before.
        new: the file after.
        container: format of both, as for `digests`.

    Returns:
        None if the audio is not the same.

    Raises:
        NoAudioError: the audio of one is not told apart from its tags.
        RefusedError: the files differ in more than a journal should hold.
    """
    before, after = _parts(old, container), _parts(new, container)
    # First of all, since a delta takes long where nothing is alike.
    if [(label, stop - start) for label, start, stop in before] != [
        (label, stop - start) for label, start, stop in after
    ]:
        return None
    pieces = delta(old, new)
    audio = _audio(old, before)
    copied = _Copied(pieces)
    if not all(map(copied.has, before, after)) and _audio(new, after).digest() != audio.digest():
        return None
    versions = Version(len(old), _whole(old, before, audio)), Version(len(new), _whole(new, after, audio))
    return Compared(*versions, pieces)


class _Copied:
    """Which bytes of an old file a new one has, as a delta says."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self._starts: list[int] = []
        self._places: list[tuple[int, int]] = []
        at = 0
        for piece in pieces:
            if isinstance(piece, tuple):
                self._starts.append(at)
                self._places.append(piece)
                at += piece[1]
            else:
                at += len(piece)

    def has(self, old: Part, new: Part) -> bool:
        """Whether a part of the new file surely has the bytes of a part of the old one, which is as long."""
        _, start, stop = old
        if start >= stop:
            return True
        number = bisect_right(self._starts, start) - 1
        if number < 0:
            return False
        at, (there, length) = self._starts[number], self._places[number]
        return stop <= at + length and new[1] - there == start - at


def _parts(data: Data, container: str) -> list[Part]:
    try:
        return list(_READERS[container](data)) if container else []
    except (struct.error, IndexError, KeyError, ValueError) as error:
        raise NoAudioError(str(error)) from error


def _audio(data: Data, parts: Iterable[Part]) -> hashlib._Hash:
    audio = hashlib.sha256()
    for label, start, stop in parts:
        audio.update(b"%d:%d:" % (len(label), stop - start))
        audio.update(label)
        _update(audio, data, start, stop)
    return audio


def _whole(data: Data, parts: Iterable[Part], audio: hashlib._Hash) -> str:
    whole = hashlib.sha256(audio.digest())
    at = 0
    for start, stop in sorted((start, stop) for _, start, stop in parts if start < stop):
        _update(whole, data, at, start)
        at = max(at, stop)
    _update(whole, data, at, len(data))
    return whole.hexdigest()


def _update(digest: hashlib._Hash, data: Data, start: int, stop: int) -> None:
    # Views are hashed without a copy; an open one would keep the file mapped.
    with memoryview(data) as view:
        for at in range(start, stop, STRETCH):
            with view[at : min(at + STRETCH, stop)] as piece:
                digest.update(piece)
            if stop - start > STRETCH:
                forget(data, at + STRETCH)


def bounds(data: Data) -> tuple[int, int]:
    """Offsets of what stands between the tags at the front and the tags at the end (MPEG audio, APE, FLAC ...)."""
    file = MappedFile(data)
    start, stop = 0, len(data)
    for _ in range(_MOST_TAGS):
        header = id3.find_header(file, start)
        front = tail_tags.find_ape_at_front(file, start) if header is None else None
        end = header.end if header else front.end if front and front.whole else start
        if not start < end <= stop:
            break
        start = end
    for _ in range(_MOST_TAGS):
        before = _tail_tag(file, data, stop)
        if before is None or before < start:
            break
        stop = before
    return start, stop


def _tail_tag(file: SparseFile, data: Data, stop: int) -> int | None:
    """Where the tag begins that ends at an offset."""
    if stop >= id3.ID3V1_SIZE and id3.is_id3v1(data[stop - id3.ID3V1_SIZE : stop]):
        return stop - id3.ID3V1_SIZE
    ape = tail_tags.find_ape_at_end(file, stop)
    if ape is not None and ape.whole:
        return ape.start
    lyrics = tail_tags.find_lyrics3(file, stop)
    if lyrics is not None:
        return lyrics.start
    footer = id3.find_footer(file, stop)
    return None if footer is None else footer.start - 10


def _between_tags(data: Data) -> Iterator[Part]:
    yield b"", *bounds(data)


def _flac(data: Data) -> Iterator[Part]:
    start, stop = bounds(data)
    if data[start : start + 4] != b"fLaC":
        raise ValueError("no FLAC stream behind the tags")
    end = start + 4
    for kind, at, end in _flac_blocks(data, start + 4):
        # Comments, pictures and padding may change; applications' blocks, seek tables and cue sheets may not.
        if kind not in {1, 4, _FLAC_PICTURE}:
            yield bytes([kind]), at, min(end, stop)
    yield b"frames", min(end, stop), stop


def _flac_blocks(data: Data, at: int) -> Iterator[tuple[int, int, int]]:
    """Type, start and end of the body of each metadata block (FLAC format, METADATA_BLOCK_HEADER)."""
    last = False
    while not last:
        head = data[at : at + 4]
        last, kind = bool(head[0] & 0x80), head[0] & 0x7F
        end = at + 4 + int.from_bytes(head[1:], "big")
        yield kind, at + 4, end
        at = end


def flac_pictures(data: Data) -> list[bytes]:
    """The bodies of the picture blocks of a FLAC file, in their order; as many as there are before it is damaged."""
    found = []
    with suppress(IndexError):
        for kind, at, end in _flac_blocks(data, bounds(data)[0] + 4):
            if kind == _FLAC_PICTURE:
                found.append(data[at:end])
    return found


def _ogg(data: Data) -> Iterator[Part]:
    """Pages without their numbers and check sums, and of each stream not the packet with the comments.

    Up to the page on which the headers of a stream end, packets are told apart; from there on pages.
    """
    waiting: dict[int, tuple[int, int]] = {}
    at, size = 0, len(data)
    while at < size:
        if data[at : at + 4] != b"OggS":
            # Behind a stream that was cut off; it is left as it is.
            yield b"rest", at, size
            return
        head = data[at : at + 27]
        lacing = data[at + 27 : at + 27 + head[26]]
        serial = struct.unpack_from("<I", head, 14)[0]
        body, stop = at + 27 + len(lacing), at + 27 + len(lacing) + sum(lacing)
        if head[5] & 2:
            begins = data[body : body + 8]
            count = next((count for magic, count in _HEADER_PACKETS.items() if begins.startswith(magic)), 0)
            waiting[serial] = 0, count
        if serial in waiting and waiting[serial][0] < waiting[serial][1]:
            yield from _packets(lacing, body, waiting, serial)
        else:
            yield head[4:18] + lacing, body, min(stop, size)
        at = stop


def _packets(lacing: bytes, at: int, waiting: dict[int, tuple[int, int]], serial: int) -> Iterator[Part]:
    """The packets of a page before the audio, without the second one of its stream."""
    number, count = waiting[serial]
    for length in lacing:
        if number != 1:
            yield b"packet" if length < 255 else b"part", at, at + length
        at += length
        number += length < 255
    waiting[serial] = number, count


def _atoms(data: Data, at: int, stop: int) -> Iterator[tuple[bytes, int, int]]:
    while at + 8 <= stop:
        size, name = struct.unpack(">I4s", data[at : at + 8])
        body = at + 8
        if size == 1:
            (size,) = struct.unpack(">Q", data[at + 8 : at + 16])
            body = at + 16
        end = at + size if size else stop
        if end < body:
            raise ValueError("an atom is shorter than its header")
        yield name, body, min(end, stop)
        at = end


def _mp4(data: Data) -> Iterator[Part]:
    places = [(body, stop) for name, body, stop in _atoms(data, 0, len(data)) if name == b"mdat"]
    for name, body, stop in _atoms(data, 0, len(data)):
        if name == b"moov":
            yield from _moov(data, body, stop, places, _MOST_DEPTH)
        elif name not in _FREE:
            yield name, body, stop


def _moov(data: Data, at: int, stop: int, places: list[tuple[int, int]], depth: int) -> Iterator[Part]:
    for name, body, end in _atoms(data, at, stop):
        if name in {b"stco", b"co64"}:
            yield _offsets(data[body:end], 4 if name == b"stco" else 8, places), 0, 0
        elif name in _HOLDERS and depth:
            yield from _moov(data, body, end, places, depth - 1)
        elif name not in _FREE:
            yield name, body, end


def _offsets(body: bytes, width: int, places: list[tuple[int, int]]) -> bytes:
    """Offsets of chunks, each as the number of the ``mdat`` it is in and the place in that."""
    count = min(int.from_bytes(body[4:8], "big"), (len(body) - 8) // width)
    starts = sorted(start for start, _ in places)
    found = array("q")
    for offset, *_ in struct.iter_unpack(">I" if width == 4 else ">q", body[8 : 8 + count * width]):
        number = bisect_right(starts, offset) - 1
        found.extend((number, offset - starts[number] if number >= 0 else offset))
    return found.tobytes()


def _asf(data: Data) -> Iterator[Part]:
    at = 0
    while at + 24 <= len(data):
        kind, size = data[at : at + 16], struct.unpack("<Q", data[at + 16 : at + 24])[0]
        stop = at + size
        if size < 24:
            raise ValueError("an object is shorter than its header")
        if kind == _ASF_HEADER:
            inner = at + 30
            while inner + 24 <= min(stop, len(data)):
                child, length = data[inner : inner + 16], struct.unpack("<Q", data[inner + 16 : inner + 24])[0]
                if length < 24:
                    raise ValueError("an object is shorter than its header")
                if child not in _ASF_TAGS:
                    yield child, inner + 24, min(inner + length, len(data))
                inner += length
        else:
            yield kind, at + 24, min(stop, len(data))
        at = stop
    yield b"rest", min(at, len(data)), len(data)


def _riff(data: Data) -> Iterator[Part]:
    order = ">" if data[:4] == b"FORM" else "<"
    moves = data[8:12] != b"AVI "
    at = 12
    while at + 8 <= len(data):
        name, size = struct.unpack(f"{order}4sI", data[at : at + 8])
        body, stop = at + 8, min(at + 8 + size, len(data))
        if name not in _RIFF_TAGS and data[body : body + 4] != b"INFO":
            # Indexes of AVI hold offsets in the file, so its parts must stay where they are.
            yield name if moves else name + str(at).encode(), body, stop
        at = body + size + size % 2


_READERS: dict[str, Callable[[Data], Iterator[Part]]] = {
    **dict.fromkeys(("mp3", "aac", "ape", "wavpack", "musepack", "tta"), _between_tags),
    **dict.fromkeys(("mp4", "mov"), _mp4),
    **dict.fromkeys(("wav", "avi", "aiff"), _riff),
    "flac": _flac,
    "ogg": _ogg,
    "asf": _asf,
}
