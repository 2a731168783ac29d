"""MIDI files, also those of Soft Karaoke (.kar) and in RIFF (.rmi): names, remarks, and the length.

A file has no length of its own: it follows from the events of all tracks. So a file is read as a whole, if it fits into
the budget. Most have 10 to 100 KB.

Sources: Standard MIDI Files 1.0 (MMA RP-001), "MTrk - Track Chunk" and "Meta-Events"; "RMID" in Multimedia Programming
Interface and Data Specifications 1.0 (IBM and Microsoft, 1991), "DISP" in New Multimedia Data Types and Data Techniques
(Microsoft, 1994). Soft Karaoke (Tune 1000, 1993) was never published; its marks are in the help of its program.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from mediacrawl.probe.context import MAX_OFFSET, BrokenError, LimitError, ParseContext, exact, unpack
from mediacrawl.probe.formats import riff
from mediacrawl.probe.formats.keys import midi_key
from mediacrawl.probe.formats.riff import Chunk
from mediacrawl.probe.text import LATIN1, Value

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


_HEADER, _TRACK = b"MThd", b"MTrk"
_CHUNK_HEADER = 8
_HEADER_BYTES = 6
_KARAOKE = frozenset({"@T", "@I", "@L"})
"""Marks of texts about the song. The others say the kind and the version of the file, or are words that are sung."""
_PIECES = 2
"""Format of a file of several pieces: nothing says how they follow each other."""
_CLIPBOARD_TEXT = 1
"""CF_TEXT: other bodies of ``DISP`` are pictures."""


def read(context: ParseContext, start: int) -> None:
    """Reads a MIDI file."""
    if context.file.at_hand(start, start + 4) == b"RIFF":
        with context.stage("chunks"):
            for chunk in riff.walk(context, start + 12, riff.end_of_file(context.file, start)):
                if chunk.name == b"data":
                    _read_song(context, chunk.body, chunk.stop)
                elif chunk.name == b"DISP":
                    with context.stage("title"):
                        _read_display(context, chunk)
                elif riff.list_type(context, chunk) == b"INFO":
                    with context.stage("info"):
                        riff.read_info(context, chunk)
    else:
        _read_song(context, start, MAX_OFFSET if context.file.size is None else context.file.size)


def _read_display(context: ParseContext, chunk: Chunk) -> None:
    """Reads the name that programs show: the type of the clipboard's format, then a text of this type."""
    if riff.first(context, chunk, 4) == _CLIPBOARD_TEXT.to_bytes(4, "little"):
        riff.add_text(context, "riff", replace(chunk, body=chunk.body + 4), "title")


def _read_song(context: ParseContext, start: int, stop: int) -> None:
    song = MidiSong(start, stop, context.policy.max_tags)
    with context.stage("tracks"):
        _read_tracks(context, song)
    with context.stage("texts"):
        # Adds the texts. Where Soft Karaoke states titles, the name of the first track is not one: it is a
        # role.
        marks = {text.raw[:2] for text in song.texts if text.kind == TEXT}
        is_karaoke, has_titles = not marks.isdisjoint({b"@K", b"@T"}), b"@T" in marks
        titles = 0
        for text in song.texts:
            if text.kind == TEXT and is_karaoke:
                mark = text.raw[:2].decode(LATIN1)
                if mark in _KARAOKE:
                    _add(context, mark, text.raw[2:].lstrip(b" "), number=titles)
                titles += mark == "@T"
            elif text.kind == NAME:
                _add(context, "TrackName" if text.track or has_titles else "SequenceName", text.raw)
            else:
                _add(context, "Copyright" if text.kind == COPYRIGHT else "Text", text.raw)
    if song.whole and song.kind < _PIECES:
        context.result.set_duration(song.seconds())


def _read_tracks(context: ParseContext, song: MidiSong) -> None:
    header = exact(context.file, song.start, song.start + _CHUNK_HEADER + _HEADER_BYTES)
    size, song.kind, song.tracks, song.division = unpack(">4xIHHH", header)
    if header[:4] != _HEADER or size < _HEADER_BYTES:
        raise BrokenError("no header")
    at = song.start + _CHUNK_HEADER + size
    while song.found < song.tracks and at < song.stop:
        context.count()
        body = at + _CHUNK_HEADER
        head = _ask(context, song, at, min(body, song.stop))
        if len(head) < _CHUNK_HEADER:
            break
        at = body + int.from_bytes(head[4:], "big")
        if head[:4] == _TRACK:
            stop = min(at, song.stop)
            data = context.file.at_hand(body, stop)
            if data is None:
                # The names stand at the front of a track.
                with suppress(BrokenError):
                    read_events(song, context.file.run(body, stop - body))
                _ask(context, song, body, stop)
            else:
                with context.stage("track"):
                    if not read_events(song, data):
                        raise BrokenError("the track does not end")
    song.whole = True
    if song.found < song.tracks or at > song.stop:
        context.note("midi:truncated")


def _ask(context: ParseContext, song: MidiSong, start: int, stop: int) -> bytes:
    """Reads bytes, fewer at the end of the file. If one is missing, it asks for all up to the end of the song.

    Raises:
        LimitError: that is more than the budget of a file.
        NeedBytes: it is not.
    """
    data = context.file.at_hand(start, stop)
    if data is not None:
        return data
    wanted = stop if song.stop == MAX_OFFSET else song.stop
    if wanted - song.start > context.policy.max_bytes:
        raise LimitError("bytes")
    return context.file.get(start, wanted)


def _add(context: ParseContext, frame: str, raw: bytes, *, number: int = 0) -> None:
    """Adds one text. Nothing declares an encoding: the standard says ASCII, and other character sets may be used."""
    context.add("midi", frame, midi_key(frame, number), Value(raw, LATIN1))
