"""MIDI files, also those of Soft Karaoke (.kar) and in RIFF (.rmi): names, remarks, and the length.

A file has no length of its own: it follows from the events of all tracks. So a file is read as a whole, if it fits into
the budget. Most have 10 to 100 KB.

Sources: Standard MIDI Files 1.0 (MMA RP-001); "RMID" in Multimedia Programming Interface and Data Specifications 1.0
(IBM and Microsoft, 1991), "DISP" in New Multimedia Data Types and Data Techniques (Microsoft, 1994). Soft Karaoke
(Tune 1000, 1993) was never published; its marks are in the help of its program.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from mediacrawl.probe.context import BrokenError, LimitError, ParseContext, exact, unpack
from mediacrawl.probe.formats import riff
from mediacrawl.probe.formats.keys import midi_key
from mediacrawl.probe.formats.midi_events import COPYRIGHT, NAME, TEXT, MidiSong, read_events
from mediacrawl.probe.formats.riff import Chunk
from mediacrawl.probe.sparse import MAX_OFFSET
from mediacrawl.probe.text import LATIN1, Value

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
    context.result.has_cover = False
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
