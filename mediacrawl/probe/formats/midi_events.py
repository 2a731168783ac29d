"""Events of Standard MIDI Files: the texts worth keeping, the tempos, and when a track ends.

Source: Standard MIDI Files 1.0 (MMA RP-001), "MTrk - Track Chunk" and "Meta-Events".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from mediacrawl.probe.context import BrokenError

TEXT, COPYRIGHT, NAME = 0x01, 0x02, 0x03
_END, _TEMPO = 0x2F, 0x51
_META, _SYSEX, _ESCAPE = 0xFF, 0xF0, 0xF7
MARK = b"@"
"""First byte of the texts of Soft Karaoke that are no words of the song."""
_DATA_BYTES = tuple(1 if 0xC0 <= status < 0xE0 else 2 for status in range(0x80, 0xF0))
"""By status of a channel message from 0x80 on: programs and pressures have one byte, the others two."""
_TEXTS = frozenset({TEXT, COPYRIGHT, NAME})
_LONGEST_NUMBER = 4
_ENDED = -1
_DEFAULT_TEMPO = 500_000


class MidiText(NamedTuple):
    """A text event.

    Attributes:
        track: number of its track, from 0.
        kind: `TEXT`, `COPYRIGHT` or `NAME`.
        raw: its bytes.
    """

    track: int
    kind: int
    raw: bytes


@dataclass(slots=True)
class MidiSong:
    """What the chunks of a file say.

    Attributes:
        start: offset of the header.
        stop: offset behind the last track, `MAX_OFFSET` if nobody knows.
        most_texts: texts that are kept; the rest is left out.
        kind: 0 for one track, 1 for tracks that play together, 2 for pieces of their own.
        tracks: number of tracks by the header.
        division: ticks of a quarter note; from 0x8000 on frames and ticks per second, see `seconds`.
        found: tracks that were read, or begun.
        end: ticks at which the last track ends.
        tempos: microseconds of a quarter note, each with the tick from which on it holds.
        texts: in the order of the file.
        whole: whether all tracks were read, as far as the file has them.
    """

    start: int
    stop: int
    most_texts: int
    kind: int = 0
    tracks: int = 0
    division: int = 0
    found: int = 0
    end: int = 0
    tempos: list[tuple[int, int]] = field(default_factory=list)
    texts: list[MidiText] = field(default_factory=list)
    whole: bool = False

    def seconds(self) -> float:
        """Returns when the last track ends; 0 if the header has no unit of time.

        A division with the highest bit set counts ticks of SMPTE's frames: the first byte is minus the frames per
        second, where 29 stands for 30 less the dropped ones, the second the ticks of a frame. Tempos do not count then.
        """
        if self.division & 0x8000:
            rate = 256 - (self.division >> 8)
            frames = 30_000 / 1001 if rate == 29 else rate
            ticks = self.division & 0xFF
            return self.end / (frames * ticks) if ticks else 0.0
        if not self.division:
            return 0.0
        spent, at, tempo = 0, 0, _DEFAULT_TEMPO
        for tick, following in sorted(self.tempos, key=lambda each: each[0]):
            if tick >= self.end:
                break
            spent += (tick - at) * tempo
            at, tempo = tick, following
        spent += (self.end - at) * tempo
        return spent / self.division / 1e6


@dataclass(slots=True)
class _Track:
    """Where a track is: the song, its number, ticks since the start, and whether its name was met."""

    song: MidiSong
    number: int
    tick: int = 0
    is_named: bool = False


def read_events(song: MidiSong, data: bytes) -> bool:
    """Reads the events of one track.

    Args:
        song: takes the texts, the tempos and the end.
        data: the body of the chunk, or its first part.

    Returns:
        Whether the track ends in the data: with its end event, or, as some writers leave it, with a complete event.

    Raises:
        BrokenError: a status that files must not have, or data without one.
    """
    track = _Track(song, song.found)
    song.found += 1
    try:
        return _walk(track, data)
    except IndexError:
        return False
    finally:
        song.end = max(song.end, track.tick)


def _walk(track: _Track, data: bytes) -> bool:
    # Nearly all times have one byte, and nearly all events are messages of a channel: they take no call.
    at = status = 0
    stop, lengths = len(data), _DATA_BYTES
    while at < stop:
        byte = data[at]
        at += 1
        if byte >= 0x80:
            byte, at = _number(data, at - 1)
        track.tick += byte
        byte = data[at]
        if byte >= _SYSEX:
            at = _read_long_event(track, data, at)
            if at == _ENDED:
                return True
            continue
        if byte >= 0x80:
            status = byte
            at += 1
        elif not status:
            raise BrokenError("data without a status")
        at += lengths[status - 0x80]
    return at == stop


def _read_long_event(track: _Track, data: bytes, at: int) -> int:
    """Reads an event that states its size; returns the offset behind it, or `_ENDED`."""
    status = data[at]
    if status in {_SYSEX, _ESCAPE}:
        size, at = _number(data, at + 1)
        return at + size
    if status != _META:
        raise BrokenError("a status that files do not have")
    kind = data[at + 1]
    size, at = _number(data, at + 2)
    if kind == _END:
        return _ENDED
    body = data[at : at + size]
    if len(body) == size and kind in _TEXTS:
        _take_text(track, kind, body.rstrip(b"\0 \r\n\t"))
    elif len(body) == size == 3 and kind == _TEMPO:
        tempo = int.from_bytes(body, "big")
        if tempo:
            track.song.tempos.append((track.tick, tempo))
    return at + size


def _take_text(track: _Track, kind: int, raw: bytes) -> None:
    """Keeps a text that says something about the song.

    Those are the track's first name, any copyright, and the texts before the music. Later ones are words that are
    sung.
    """
    if (kind == TEXT and track.tick and raw[:1] != MARK) or (kind == NAME and track.is_named):
        return
    # One more than are kept shows that there are more.
    if raw and len(track.song.texts) <= track.song.most_texts:
        track.song.texts.append(MidiText(track.number, kind, raw))
        track.is_named |= kind == NAME


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Reads a number of seven bits a byte; gives the offset behind it too."""
    value = 0
    for place in range(at, at + _LONGEST_NUMBER):
        byte = data[place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + 1
    raise BrokenError("a number does not end")
