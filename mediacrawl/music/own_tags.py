"""Tags that mutagen cannot write, or would not keep: ID3v1, APE tags with text that is no UTF-8, RIFF's INFO.

mutagen gives up an APE tag with one value that is no UTF-8, which is the one that has to be mended; it knows no INFO;
and it writes ID3v1 with question marks for what Latin-1 lacks.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from mediacrawl.music.audio import MappedFile, bounds
from mediacrawl.music.delta import Data, mapped
from mediacrawl.music.replacing import RefusedError
from mediacrawl.probe.formats import id3, tail_tags

Place = tuple[str, int]
"""A text of a tag: the frame's name as written, and which one of that name it is."""

_ID3V1 = {"title": (3, 33), "artist": (33, 63), "album": (63, 93), "date": (93, 97), "comment": (97, 127)}
_PREAMBLE = b"APETAGEX"
_TEXT, _HAS_HEADER, _IS_HEADER = 0, 1 << 31, 1 << 29
_LARGEST = 0xFFFF0000


def take_id3v1(path: Path) -> bytes:
    """Cut the ID3v1 tag off the end of a file.

    Returns:
        The 128 bytes; none if there is no such tag.
    """
    with path.open("r+b") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - id3.ID3V1_SIZE))
        data = file.read()
        if not id3.is_id3v1(data):
            return b""
        file.truncate(size - id3.ID3V1_SIZE)
    return data


def put_id3v1(path: Path, data: bytes) -> None:
    """Put an ID3v1 tag at the end of a file, as `take_id3v1` gave it."""
    with path.open("ab") as file:
        file.write(data)


def rewrite_id3v1(data: bytes, texts: Mapping[str, str]) -> bytes:
    """Put other texts into an ID3v1 tag. It knows Latin-1 only: a text with other letters leaves its field empty.

    Args:
        data: the 128 bytes.
        texts: new texts by field: ``title``, ``artist``, ``album``, ``date``, ``comment``.
    """
    changed = bytearray(data)
    for name, text in texts.items():
        start, stop = _ID3V1[name]
        if name == "comment" and data[125] == 0 and data[126]:
            stop = 125  # what follows is the number of the track
        try:
            raw = text.encode("latin-1")[: stop - start]
        except UnicodeEncodeError:
            raw = b""
        changed[start:stop] = raw.ljust(stop - start, b"\0")
    return bytes(changed)


def write_ape(path: Path, texts: Mapping[str, Sequence[str]]) -> None:
    """Replace values of a file's APE tag, or add one behind the audio. The tag becomes one of version 2, in UTF-8.

    Items that are not named keep their bytes, their flags and their order.

    Raises:
        RefusedError: the tag is damaged.
    """
    with mapped(path) as data:
        place, items = _ape_items(data, len(data))
    wanted = {key.lower(): (key, values) for key, values in texts.items()}
    written = []
    for flags, key, value in items:
        changed = wanted.pop(key.lower().decode("latin-1"), None)
        if changed is None:
            written.append(struct.pack("<2I", len(value), flags) + key + b"\0" + value)
        else:
            written.append(_ape_item(key, flags, filled(value.decode("latin-1").split("\0"), changed[1])))
    written += [_ape_item(key.encode("latin-1"), _TEXT, values) for key, values in wanted.values()]
    body = b"".join(written)
    sizes = struct.pack("<3I", 2000, len(body) + 32, len(written))
    head = _PREAMBLE + sizes + struct.pack("<I", _HAS_HEADER | _IS_HEADER) + bytes(8)
    foot = _PREAMBLE + sizes + struct.pack("<I", _HAS_HEADER) + bytes(8)
    with path.open("r+b") as file:
        file.seek(place[1])
        behind = file.read()
        file.seek(place[0])
        file.truncate()
        file.write(head + body + foot + behind)


def filled(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Put new values in the places of the old ones; empty ones, which no reader here gives, stay where they are.

    Args:
        old: all values of a field.
        new: those that should take the places of the old ones that are not empty.
    """
    if len(new) != sum(map(bool, old)):
        return list(new)
    left = iter(new)
    return [next(left) if value else "" for value in old]


def _ape_item(key: bytes, flags: int, values: Sequence[str]) -> bytes:
    value = "\0".join(values).encode()
    return struct.pack("<2I", len(value), flags & 1) + key + b"\0" + value


def _ape_items(data: Data, size: int) -> tuple[tuple[int, int], list[tuple[int, bytes, bytes]]]:
    """Where the APE tag at the end of a file stands, and its items; where one would stand, if there is none."""
    file = MappedFile(data)
    end = size - (id3.ID3V1_SIZE if id3.is_id3v1(data[-id3.ID3V1_SIZE :]) else 0)
    tag = tail_tags.find_ape_at_end(file, end)
    if tag is None:
        stop = bounds(data)[1]
        tag = next((found for at in (stop, end) if (found := _ape_behind(file, at, size))), None)
        if tag is None:
            return (end, end), []
    if not tag.whole:
        raise RefusedError("its APE tag is damaged")
    items, at = [], tag.items
    while at + 10 <= tag.stop:
        length, flags = struct.unpack("<II", data[at : at + 8])
        key, terminator, _ = data[at + 8 : min(at + 8 + 256, tag.stop)].partition(b"\0")
        start = at + 9 + len(key)
        at = start + length
        if not key:
            break
        if not terminator or at > tag.stop:
            raise RefusedError("its APE tag is damaged")
        # Version 1 knew no flags.
        items.append((flags if tag.version >= 2000 else _TEXT, key, data[start:at]))
    return (tag.start, tag.end), items


def _ape_behind(file: MappedFile, at: int, size: int) -> tail_tags.ApeTag | None:
    """The APE tag that begins where the audio ends, with other tags behind it."""
    tag = tail_tags.find_ape_at_front(file, at) if at + 32 <= size else None
    return tag if tag is not None and tag.whole else None


def write_info(path: Path, texts: Mapping[Place, str]) -> None:
    """Replace texts of a RIFF file's INFO list, as UTF-8.

    The list stays where it is if it fits there, or if nothing follows; else its place becomes padding and it goes to
    the end, for the audio must not move: indexes point into it.

    Args:
        path: of the file, which is changed.
        texts: new texts, by the name of the chunk and its number among those of that name.

    Raises:
        RefusedError: there is no such list, or no place for the new one.
    """
    size = path.stat().st_size
    with path.open("r+b") as file:
        head = file.read(12)
        chunks = _chunks(file, size)
        place = next((number for number, chunk in enumerate(chunks) if chunk[3] == b"INFO"), None)
        if head[:4] != b"RIFF" or place is None:
            raise RefusedError("its list of texts cannot be written")
        _, start, stop, _ = chunks[place]
        file.seek(start + 12)
        new = _info(file.read(stop - start - 12), texts)
        last = place == len(chunks) - 1
        padding = place + 1 < len(chunks) and chunks[place + 1][0] in {b"JUNK", b"PAD "}
        end = chunks[place + 1][2] if padding else stop
        if place + 2 == len(chunks) and padding:
            last = True
        left = end - start - len(new)
        if last:
            file.seek(start)
            file.truncate()
            file.write(new)
            size = start + len(new)
        elif left == 0 or left >= 8:
            file.seek(start)
            file.write(new + (_chunk(b"JUNK", bytes(left - 8)) if left else b""))
            return
        else:
            if any(name == b"RIFF" for name, *_ in chunks):
                raise RefusedError("it has no place for longer texts: it goes on behind its first part")
            file.seek(start)
            file.write(b"JUNK")
            file.seek(size)
            file.write(bytes(size % 2) + new)
            size += size % 2 + len(new)
        if size - 8 > _LARGEST:
            raise RefusedError("it is too long for its format")
        file.seek(4)
        file.write(struct.pack("<I", size - 8))


def _chunks(file: BinaryIO, size: int) -> list[tuple[bytes, int, int, bytes]]:
    """Name, start, end (with padding), and type of a list, of the chunks of a file."""
    chunks, at = [], 12
    while at + 8 <= size:
        file.seek(at)
        head = file.read(12)
        name, length = struct.unpack("<4sI", head[:8])
        stop = min(at + 8 + length + length % 2, size)
        chunks.append((name, at, stop, head[8:12] if name == b"LIST" else b""))
        at = at + 8 + length + length % 2
    return chunks


def _info(body: bytes, texts: Mapping[Place, str]) -> bytes:
    written, at, met = [b"INFO"], 0, dict[str, int]()
    while at + 8 <= len(body):
        name, length = struct.unpack("<4sI", body[at : at + 8])
        value = body[at + 8 : at + 8 + length]
        at += 8 + length + length % 2
        frame = name.decode("latin-1").strip()
        if value.rstrip(b"\0"):
            number = met.get(frame, 0)
            met[frame] = number + 1
            if (frame, number) in texts:
                value = texts[frame, number].encode() + b"\0"
        written.append(_chunk(name, value))
    return _chunk(b"LIST", b"".join(written))


def _chunk(name: bytes, body: bytes) -> bytes:
    return name + struct.pack("<I", len(body)) + body + bytes(len(body) % 2)
