"""Frames of ID3v2 that hold numbers and identifiers in place of texts.

Sources: id3v2.4.0-frames, 4.1 (UFID) and 4.11 (RVA2), with the older frames that `gains` names. PCST is iTunes' own: it
is there in the episodes of podcasts.
"""

from __future__ import annotations

from collections.abc import Callable

from mediacrawl.probe.context import ParseContext
from mediacrawl.probe.formats.gains import Gain, rgad_gains, rva2_gains, rvad_gains
from mediacrawl.probe.text import LATIN1, Value, cut

_MUSICBRAINZ = b"http://musicbrainz.org"
_LONGEST_OWNER = 100
_LONGEST_ID = 64
LONGEST = 1024
"""Bytes of a frame that is read here."""


def read_frame(context: ParseContext, source: str, frame: str, body: bytes) -> None:
    """Reads one frame."""
    _READERS[frame](context, source, frame, body)


def _read_identifier(context: ParseContext, source: str, frame: str, body: bytes) -> None:
    """Reads who gave the identifier, which MusicBrainz uses for the recording, and the identifier."""
    owner, identifier = cut(body, LATIN1)
    if not identifier or len(owner) > _LONGEST_OWNER or len(identifier) > _LONGEST_ID:
        return
    if owner.rstrip(b"/") == _MUSICBRAINZ:
        context.add(source, frame, "musicbrainz_recordingid", Value(identifier.rstrip(b"\0"), LATIN1))
        return
    shown = identifier.rstrip(b"\0")
    if not (shown.isascii() and shown.decode(LATIN1).isprintable()):
        shown = identifier.hex().encode()
    context.add(source, frame, "ufid", Value((owner + b" " + shown).strip(), LATIN1))


def _read_podcast(context: ParseContext, source: str, frame: str, _: bytes) -> None:
    context.add_number(source, frame, "media_kind", "podcast")


def _gains(read: Callable[[bytes], list[Gain]]) -> Callable[[ParseContext, str, str, bytes], None]:
    def add(context: ParseContext, source: str, frame: str, body: bytes) -> None:
        for key, text in read(body):
            context.add_number(source, frame, key, text)

    return add


_READERS: dict[str, Callable[[ParseContext, str, str, bytes], None]] = {
    "UFID": _read_identifier,
    "UFI": _read_identifier,
    "PCST": _read_podcast,
    "PCS": _read_podcast,
    "RVA2": _gains(rva2_gains),
    "XRVA": _gains(rva2_gains),
    "RVAD": _gains(rvad_gains),
    "RVA": _gains(rvad_gains),
    "RGAD": _gains(rgad_gains),
}
FRAMES = frozenset(_READERS)
"""Names of the frames that `read_frame` reads."""
