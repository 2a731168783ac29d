"""Endless streams of Icecast and SHOUTcast: facts from their headers and first bytes.

Their ``icy-`` headers are SHOUTcast's and were never written down by its makers; Icecast sends the same, and
``ice-audio-info`` besides. Their texts are in the unknown encoding of the operator's machine.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import unescape

from mediacrawl.base.charsets import wide_order
from mediacrawl.probe.context import ParseContext, SparseFile
from mediacrawl.probe.formats import SNIFF_BYTES, UNKNOWN, mpeg_audio, raw_audio, read_container, sniff
from mediacrawl.probe.formats.audio_frames import FrameFormat, find, set_facts
from mediacrawl.probe.policy import ProbePolicy
from mediacrawl.probe.result import ProbeResult
from mediacrawl.probe.session import read_content_range
from mediacrawl.probe.text import LATIN1, UTF8, Value, ended

PLAYING = "playing_"
"""Prefix of the keys of texts inside a stream, which describe the current song."""
STREAM_BYTES = 8 * 1024
"""Bytes of a stream that are read: five of the largest MPEG frames, or Ogg's first pages. The slowest take some 3 s."""
MOST_METAINT = 16 * 1024
"""Largest interval of metadata that is read; most stations send 8,192 or 16,000.
With the longest metadata it takes 21 s at 8 kbit/s, the slowest rate of MPEG audio; DOWNLOAD_TIMEOUT is 30 s."""
_LONGEST_WORDS = 255 * 16
_MOST_DIGITS = 7
_WORDS = b"Stream"
"""First bytes of the metadata of a song: ``StreamTitle='...';StreamUrl='...';``, in either order."""
_TITLE = b"StreamTitle='"
_TO_END = re.compile(rb"(.*?)';(?:\s*[A-Za-z_]\w*=|\x00|\s*\Z)", re.DOTALL).match
"""A title may have ``';`` itself: what ends it stands before the next name, or ends the metadata."""
_REFERENCE = re.compile(rb"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_REFERENCES_DEEP = 2
"""How often a title is escaped at most: ``&amp;#8217;``."""

Header = tuple[str, bytes]
"""A header's name in lower case, and its value as it came."""

_SIGNS = frozenset(
    {"icy-name", "icy-br", "icy-genre", "icy-pub", "icy-url", "icy-description", "icy-metaint", "ice-audio-info"}
)
_TEXTS = {
    "icy-name": "title",
    "icy-genre": "genre",
    "icy-description": "description",
    "icy-url": "website",
    "ice-name": "title",
    "ice-genre": "genre",
    "ice-description": "description",
    "ice-url": "website",
}
_INFO = re.compile(rb"(?:ice-)?(bitrate|samplerate|channels)\s*=\s*(\d{1,7})", re.IGNORECASE)
_DIGITS = re.compile(rb"\s*(\d{1,7})")
_FORMATS: tuple[tuple[FrameFormat, str, str], ...] = (
    (raw_audio.AAC, "aac", "audio/aac"),
    (mpeg_audio.MPEG, "mp3", "audio/mpeg"),
)
_CLAIMS: dict[str, tuple[str | None, str, str | None]] = {
    "audio/mpeg": ("mp3", "audio/mpeg", "mp3"),
    "audio/aac": ("aac", "audio/aac", "aac"),
    "audio/aacp": ("aac", "audio/aac", "aac"),
    "application/ogg": ("ogg", "audio/ogg", None),
    "audio/ogg": ("ogg", "audio/ogg", None),
    "video/ogg": ("ogg", "video/ogg", None),
    "audio/flac": ("flac", "audio/flac", "flac"),
    "audio/webm": ("webm", "audio/webm", None),
    "video/webm": ("webm", "video/webm", None),
    "video/mp2t": ("mpeg-ts", "video/mp2t", None),
    "video/nsv": (None, "video/nsv", None),
}
"""Content types that are worth something when no byte of the stream came: container, MIME type, codec. No others are
taken, since stats count records by their type."""
_MOST_LIKELY = (None, "audio/mpeg", None)
"""Of a stream with any other content type."""
_KILO = 1000
_MOST = 10_000
"""Above it ``icy-br`` are bits and not kilobits per second."""


def stream_bytes(headers: Mapping[str, str]) -> int:
    """Returns how many bytes of an endless stream are read; 0 if a response is none, by its headers.

    Content-Length says nothing, since stations send great ones. A Content-Range that says how long it all is makes it
    a file; Icecast-KH gives ranges of streams too, of ``*`` bytes. If the stream has the first words on the song
    between its bytes, they are read with it.

    Args:
        headers: by name in lower case.
    """
    if _SIGNS.isdisjoint(headers):
        return 0
    place = read_content_range(headers.get("content-range", ""))
    if place is not None and place.size is not None:
        return 0
    told = headers.get("icy-metaint", "").strip()
    metaint = int(told) if told.isdigit() and told.isascii() and len(told) <= _MOST_DIGITS else 0
    return max(STREAM_BYTES, metaint + 1 + _LONGEST_WORDS) if 0 < metaint <= MOST_METAINT else STREAM_BYTES


def read_stream(headers: Sequence[Header], body: bytes, policy: ProbePolicy | None = None) -> ProbeResult:
    """Reads a stream from its headers, and the format from the bytes that came.

    Args:
        headers: of the response, as they came, with their names in lower case.
        body: its first bytes, see `stream_bytes`.
        policy: the limits.
    """
    context = ParseContext(SparseFile(), policy or ProbePolicy())
    body, song = _parted(headers, body)
    context.file.put(0, body[:STREAM_BYTES])
    _read_content(context, body[:STREAM_BYTES])
    result = context.result
    for tag in result.tags:
        # The station and the next song have other titles.
        tag.key = f"{PLAYING}{tag.key}"
    # What a stream's first pages lack is no lack: it has no end that could be read.
    result.status, result.notes, result.duration, result.duration_estimated = ProbeResult.STREAM, [], None, None
    result.is_live, result.chapters = True, []
    with context.stage("headers"):
        _read_headers(context, headers)
    if song:
        with context.stage("song"):
            context.count()
            # Its encoding is undeclared, as in the headers.
            context.add("icy", "StreamTitle", f"{PLAYING}title", _unescaped(song))
    if result.encoding_format is None:
        # Sets the format by Content-Type if no bytes show it.
        # SHOUTcast's default, where nothing is said.
        claimed = next((raw for name, raw in headers if name == "content-type"), b"audio/mpeg")
        mime = claimed.partition(b";")[0].strip().lower().decode("latin-1")
        result.container, result.encoding_format, codec = _CLAIMS.get(mime, _MOST_LIKELY)
        result.codec = result.audio_codec = codec
        result.is_video = result.encoding_format.startswith("video/")
    result.forget_impossible()
    return result


def _read_content(context: ParseContext, body: bytes) -> None:
    if sniff(body[:SNIFF_BYTES]) != UNKNOWN:
        read_container(context)
        if context.result.codec:
            return
    for kind, container, mime in _FORMATS:
        at = find(kind, body)
        frame = kind.parse(body, at) if at is not None else None
        if frame is not None:
            context.result.container, context.result.encoding_format = container, mime
            set_facts(context.result, frame)
            context.result.bitrate = frame.bitrate or None
            return


def _parted(headers: Sequence[Header], body: bytes) -> tuple[bytes, bytes]:
    """The sound alone, and the first title of a song that stands between: words come after ``icy-metaint`` bytes each.

    A byte before the words is their length in sixteens of bytes. A station that names the number and sends nothing
    between its bytes is taken as it is.
    """
    metaint = _number(dict(reversed(headers)).get("icy-metaint", b""))
    if not 0 < metaint <= MOST_METAINT:
        return body, b""
    sound: list[bytes] = []
    song, at = b"", 0
    while at < len(body):
        sound.append(body[at : at + metaint])
        at += metaint
        words = body[at + 1 : at + 1 + 16 * body[at]] if at < len(body) else b""
        if words and not (words.startswith(_WORDS) or _WORDS.startswith(words)):
            return body, b""
        song = song or _title(words)
        at += 1 + (16 * body[at] if at < len(body) else 0)
    return b"".join(sound), song


def _title(words: bytes) -> bytes:
    start = words.find(_TITLE)
    if start < 0:
        return b""
    found = _TO_END(words, start + len(_TITLE))
    title = found[1] if found else words[start + len(_TITLE) :]
    if found and wide_order(title, least=2):
        return ended(title)
    title, *rest = title.split(b"\0", 1)
    # Older stations write no semicolon.
    if found and not rest:
        return title.strip()
    return title[:-1].strip() if title.endswith(b"'") else b""


def _unescaped(raw: bytes) -> Value:
    """Return a text with its character references replaced, as web players of stations show it.

    What Windows' code pages have in common (quotes, dashes) is replaced in 8-bit text by that; other characters beyond
    ASCII only in UTF-8.
    """
    try:
        raw.decode()
        codec, declared = UTF8, UTF8
    except UnicodeDecodeError:
        codec, declared = "cp1253", LATIN1

    def replaced(reference: re.Match[bytes]) -> bytes:
        char = unescape(reference[0].decode("ascii"))
        try:
            known = char.isprintable() and (declared == UTF8 or char < "\x80" or "\u2010" <= char <= "\u2122")
            return char.encode(codec) if known and "\ufffd" not in char else reference[0]
        except UnicodeEncodeError:
            return reference[0]

    whole = raw
    for _ in range(_REFERENCES_DEEP):
        whole = _REFERENCE.sub(replaced, whole)
    return Value(whole, LATIN1 if whole.isascii() or raw == whole else declared)


def _read_headers(context: ParseContext, headers: Sequence[Header]) -> None:
    result = context.result
    told = dict(reversed(headers))
    info = {name.lower(): int(number) for name, number in _INFO.findall(told.get("ice-audio-info", b"")[:1000])}
    rate = _number(told.get("icy-br", b"")) or info.get(b"bitrate", 0)
    if rate:
        result.bitrate = rate * (_KILO if rate < _MOST else 1)
    result.sample_rate = result.sample_rate or _number(told.get("icy-sr", b"")) or info.get(b"samplerate") or None
    result.channels = result.channels or info.get(b"channels") or None
    for name, raw in headers:
        key = _TEXTS.get(name)
        if key and raw.strip():
            context.count()
            # HTTP's headers are Latin-1, if they are anything; here that is a claim as any other.
            context.add("icy", name, key, _unescaped(raw.strip()))


def _number(raw: bytes) -> int:
    found = _DIGITS.match(raw)
    return int(found[1]) if found else 0
