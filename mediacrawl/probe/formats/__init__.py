"""Media formats: one module a container, a codec or a family of small ones, and the table that registers them.

To add a format, write a module here with a function ``read(context, start)`` and register it in `FORMATS`; a format
that begins with no fixed bytes gets a test of its own in `sniff`. The reader puts facts into `context.result` and texts
into `context.add`. Bytes that are not at hand raise `NeedBytes`, which becomes the next range. Whatever the file holds,
the reader does not raise: each part that can fail by itself runs as a stage (`ParseContext.stage`).

Inside a stage `BrokenError` says that the file contradicts its format, `LimitError` that it exceeds a limit of
`ProbePolicy`. Offsets are those of the file; a ``stop`` is exclusive.

What readers hold of a stream has the names and units of `ProbeResult`: ``codec``, ``transfer`` and ``primaries`` are
ffmpeg's names, ``sample_rate`` is Hz, ``bitrate`` bits per second, ``width`` and ``height`` pixels. Sizes are bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from mediacrawl.probe.context import ParseContext
from mediacrawl.probe.formats import (
    aac_streams,
    aiff,
    ape_family,
    asf,
    au_caf,
    dsd,
    flac,
    flv,
    matroska,
    midi,
    mp4,
    mpeg_audio,
    mpeg_ps,
    mpeg_ts,
    ogg,
    raw_audio,
    real,
    riff,
    trackers,
    wav,
)
from mediacrawl.probe.formats.audio_frames import LONGEST_HEADER, find, follow, is_stream
from mediacrawl.probe.formats.mpeg_audio import MPEG
from mediacrawl.probe.formats.outer_tags import ID3_FIRST, FrontTags
from mediacrawl.probe.formats.raw_audio import AAC, AC3

SNIFF_BYTES = 4096
"""Enough for two frames of any MPEG audio stream, and for the preamble of most pages."""


class MediaFormat(NamedTuple):
    """A format that is recognized, and read if it has a reader.

    Attributes:
        name: of the container, as in `ProbeResult.container`.
        mime: MIME type, which the reader may refine.
        read: takes the state of a walk and the offset where the format begins; None if only the name is known.
        signatures: first bytes of such a file; ``????`` stands for a size in the bytes 4 to 7.
    """

    name: str
    mime: str
    read: Callable[[ParseContext, int], None] | None = None
    signatures: tuple[bytes, ...] = ()


FORMATS: tuple[MediaFormat, ...] = (
    MediaFormat("mp3", "audio/mpeg", mpeg_audio.read),
    MediaFormat("aac", "audio/aac", raw_audio.read_aac),
    MediaFormat("latm", "audio/mp4a-latm", aac_streams.read_latm),
    MediaFormat("adif", "audio/aac", aac_streams.read_adif, (b"ADIF",)),
    MediaFormat("ac3", "audio/ac3", raw_audio.read_ac3),
    MediaFormat("dts", "audio/vnd.dts", raw_audio.read_dts, (b"\x7f\xfe\x80\x01",)),
    MediaFormat("mp4", "video/mp4", mp4.read),
    MediaFormat("mov", "video/quicktime", mp4.read),
    MediaFormat("flac", "audio/flac", flac.read, (b"fLaC",)),
    MediaFormat("ogg", "audio/ogg", ogg.read, (b"OggS",)),
    MediaFormat("matroska", "video/x-matroska", matroska.read, (b"\x1aE\xdf\xa3",)),
    MediaFormat("wav", "audio/wav", wav.read, (b"RIFF????WAVE", b"RIFX????WAVE", b"RF64????WAVE", b"BW64????WAVE")),
    MediaFormat("w64", "audio/x-w64", wav.read_wave64, (bytes.fromhex("726966662e91cf11a5d628db04c10000"),)),
    MediaFormat("avi", "video/x-msvideo", riff.read_avi, (b"RIFF????AVI ",)),
    MediaFormat("aiff", "audio/aiff", aiff.read, (b"FORM????AIFF", b"FORM????AIFC")),
    MediaFormat("asf", "video/x-ms-asf", asf.read, (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11",)),
    MediaFormat("flv", "video/x-flv", flv.read, (b"FLV\x01",)),
    MediaFormat("ape", "audio/x-ape", ape_family.read_monkey, (b"MAC ",)),
    MediaFormat("wavpack", "audio/x-wavpack", ape_family.read_wavpack, (b"wvpk",)),
    MediaFormat("musepack", "audio/x-musepack", ape_family.read_musepack, (b"MPCK", b"MP+")),
    MediaFormat("tta", "audio/x-tta", ape_family.read_tta, (b"TTA1",)),
    MediaFormat("tak", "audio/x-tak", ape_family.read_tak, (b"tBaK",)),
    MediaFormat("optimfrog", "audio/x-optimfrog", ape_family.read_optimfrog, (b"OFR ",)),
    MediaFormat("dsf", "audio/x-dsf", dsd.read_dsf, (b"DSD ",)),
    MediaFormat("dff", "audio/x-dff", dsd.read_dff, (b"FRM8",)),
    MediaFormat("au", "audio/basic", au_caf.read_au, (b".snd", b"dns.", b"\0ds.", b".sd\0")),
    MediaFormat("caf", "audio/x-caf", au_caf.read_caf, (b"caff",)),
    MediaFormat("amr", "audio/amr", raw_audio.read_amr, (b"#!AMR\n", b"#!AMR_MC1.0\n")),
    MediaFormat("amr", "audio/amr-wb", raw_audio.read_amr, (b"#!AMR-WB\n", b"#!AMR-WB_MC1.0\n")),
    MediaFormat("mpeg-ts", "video/mp2t", mpeg_ts.read),
    MediaFormat("mpeg-ps", "video/mpeg", mpeg_ps.read, (b"\x00\x00\x01\xba",)),
    MediaFormat("mpeg-es", "video/mpeg", mpeg_ps.read_video, (b"\x00\x00\x01\xb3",)),
    MediaFormat("realmedia", "application/vnd.rn-realmedia", real.read_media, (b".RMF",)),
    MediaFormat("realaudio", "audio/x-realaudio", real.read_audio, (b".ra\xfd",)),
    MediaFormat("midi", "audio/midi", midi.read, (b"MThd", b"RIFF????RMID")),
    MediaFormat("mod", "audio/x-mod", trackers.read_mod),
    MediaFormat("s3m", "audio/x-s3m", trackers.read_s3m),
    MediaFormat("xm", "audio/x-xm", trackers.read_xm, (b"Extended Module: ",)),
    MediaFormat("it", "audio/x-it", trackers.read_it, (b"IMPM",)),
    # Tags at the front; the format that they belong to follows.
    MediaFormat("id3", "audio/mpeg", None, (b"ID3",)),
    MediaFormat("apetag", "audio/mpeg", None, (b"APETAGEX",)),
    # Known by name only.
    MediaFormat("m3u", "audio/x-mpegurl", None, (b"#EXTM3U",)),
    MediaFormat("pls", "audio/x-scpls", None, (b"[playlist]",)),
    MediaFormat("jpeg", "image/jpeg", None, (b"\xff\xd8\xff",)),
    MediaFormat("png", "image/png", None, (b"\x89PNG\r\n",)),
    MediaFormat("gif", "image/gif", None, (b"GIF8",)),
    MediaFormat("webp", "image/webp", None, (b"RIFF????WEBP",)),
    MediaFormat("pdf", "application/pdf", None, (b"%PDF-",)),
    MediaFormat("zip", "application/zip", None, (b"PK\x03\x04",)),
    MediaFormat("rar", "application/vnd.rar", None, (b"Rar!\x1a\x07",)),
    MediaFormat("gzip", "application/gzip", None, (b"\x1f\x8b\x08",)),
)
READERS = {format_.name: format_.read for format_ in FORMATS if format_.read}
"""Name of a format -> its reader."""


class Sniffed(NamedTuple):
    """Name of a container and its MIME type, both None if the content is not known."""

    container: str | None
    mime: str | None


UNKNOWN = Sniffed(None, None)
_ID3, _APE_TAG = Sniffed("id3", "audio/mpeg"), Sniffed("apetag", "audio/mpeg")
_MP3, _AAC, _MP4 = Sniffed("mp3", "audio/mpeg"), Sniffed("aac", "audio/aac"), Sniffed("mp4", "video/mp4")
_MOV, _LATM = Sniffed("mov", "video/quicktime"), Sniffed("latm", "audio/mp4a-latm")

_SIGNATURES = [
    (*signature.partition(b"????")[::2], Sniffed(format_.name, format_.mime))
    for format_ in FORMATS
    for signature in format_.signatures
]
_BRANDS: tuple[tuple[bytes, Sniffed], ...] = (
    (b"qt  ", _MOV),
    (b"M4A", Sniffed("mp4", "audio/mp4")),
    (b"M4B", Sniffed("mp4", "audio/mp4")),
    (b"3gp", Sniffed("mp4", "video/3gpp")),
    (b"3g2", Sniffed("mp4", "video/3gpp2")),
    (b"heic", Sniffed("heif", "image/heic")),
    (b"mif1", Sniffed("heif", "image/heif")),
    (b"avif", Sniffed("heif", "image/avif")),
    (b"crx ", Sniffed("cr3", "image/x-canon-cr3")),
)
"""Major brands of ``ftyp``; all others are MP4."""
_TAGS_KNOW = ID3_FIRST | {"ape", "wavpack", "musepack", "tak", "optimfrog", "mp4", "mov"}
"""Formats of which nobody knows whether they have a picture before the tags, or ``moov``, are found."""
_WORDS = frozenset(
    {"adif", "ape", "au", "caf", "dff", "dsf", "midi", "musepack", "optimfrog", "realmedia", "tak", "tta"}
)
"""Formats that begin with letters with which a text may begin too."""
_TEXT = re.compile(rb"[\t\n\r -~\x80-\xff]{12}")
"""The begin of a text in any encoding; behind the letters, those formats have numbers of which many bytes are zero."""
_OLD_QUICKTIME = frozenset({b"moov", b"mdat", b"pnot"})
"""Atoms that files from before ``ftyp`` begin with, besides ``wide``."""
_EMPTY_ATOM = b"\0\0\0\x08"
"""Size of an atom that has nothing but its header."""
_MIN_FRAMES = 3
"""Frames that must follow each other where a file does not begin with one."""
_HTML = re.compile(
    # Possessive and atomic: a page of comments must not be tried in every grouping.
    rb"(?:(?><!--.{0,1000}?-->)\s*+|<\?xml[^>]{0,200}+>\s*+)*+"
    rb"<(?:!doctype\s+html|html|head|body|script|title|meta|link|div|iframe|table|h1|p|br|a|style)[\s>/]",
    re.IGNORECASE | re.DOTALL,
)


def read_container(context: ParseContext) -> None:
    """Reads the file with the reader of its format; name and MIME type are set for formats without a reader too."""
    front = FrontTags(context)
    sniffed, start = _behind_tags(context, front), front.stop
    if sniffed == UNKNOWN and not front.found:
        # MPEG audio and its offset in a file that begins with something else; nothing where none is found.
        found: list[int] = []
        with context.stage("search"):
            mpeg_audio.find_behind_junk(context, found)
        sniffed, start = (_MP3, found[0]) if found else (UNKNOWN, 0)
    context.result.container, context.result.encoding_format = sniffed
    own = sniffed.container in ID3_FIRST
    if own:
        front.read()
    reader = READERS.get(sniffed.container or "")
    if reader:
        context.supported = True
        if sniffed.container not in _TAGS_KNOW:
            context.result.has_cover = False
        reader(context, start)
    if not own:
        front.read()
    context.result.forget_impossible()


def _behind_tags(context: ParseContext, front: FrontTags) -> Sniffed:
    """The format behind the tags at the front; MPEG audio unless another one is recognized."""
    sniffed = sniff(context.file.run(front.stop, SNIFF_BYTES))
    if sniffed in {_ID3, _APE_TAG}:
        sniffed = UNKNOWN
    if sniffed != UNKNOWN or not front.found:
        return sniffed
    # The format decides what else is requested, so these bytes come first.
    with context.stage("front"):
        context.file.get(front.stop, front.stop + 1)
    return _MP3


def sniff(head: bytes) -> Sniffed:
    """Recognizes a file by its first 4 KB. Extensions and Content-Type are claims, which are not consulted.

    Args:
        head: first bytes of the file; more of them are not looked at.

    Returns:
        Name of the container and MIME type, both None if the content is not known.
    """
    head = head[:SNIFF_BYTES]
    if (known := _markup(head)) is not None:
        return known
    for first, form, sniffed in _SIGNATURES:
        if head.startswith(first) and head[8:12].startswith(form):
            if sniffed.container in _WORDS and _TEXT.match(head, len(first)):
                break
            return sniffed
    return (
        _module(head)
        or _iso_media(head)
        or _transport_stream(head)
        or _audio_frames(head)
        or _cut_audio_frames(head)
        or UNKNOWN
    )


def _module(head: bytes) -> Sniffed | None:
    if trackers.is_mod(head):
        return Sniffed("mod", "audio/x-mod")
    return Sniffed("s3m", "audio/x-s3m") if trackers.is_s3m(head) else None


def _iso_media(head: bytes) -> Sniffed | None:
    atom = head[4:8]
    if atom == b"ftyp":
        brand = head[8:12]
        return next((sniffed for prefix, sniffed in _BRANDS if brand.startswith(prefix)), _MP4)
    if atom == b"wide":
        # The atom is empty, but "The wide world" begins with these letters too.
        return _MOV if head.startswith(_EMPTY_ATOM) else None
    if atom in _OLD_QUICKTIME:
        return _MOV
    return _MP4 if atom in {b"styp", b"moof"} else None


def _transport_stream(head: bytes) -> Sniffed | None:
    for start, packet in ((0, 188), (4, 192), (0, 204)):
        syncs = head[start : start + 4 * packet : packet]
        if len(syncs) == 4 and set(syncs) == {0x47}:
            return Sniffed("mpeg-ts", "video/mp2t")
    return None


def _audio_frames(head: bytes) -> Sniffed | None:
    if is_stream(AC3, head):
        return Sniffed("ac3", "audio/ac3")
    at = len(head) - len(head.lstrip(b"\0"))  # some encoders leave zeros before the first frame
    if is_stream(AAC, head, at):
        return _AAC
    if aac_streams.begins(head):
        return _LATM
    return _MP3 if is_stream(MPEG, head, at) else None


def _cut_audio_frames(head: bytes) -> Sniffed | None:
    """Recognizes a recording that begins inside a frame: all bytes behind that are frames."""
    for kind, sniffed in ((MPEG, _MP3), (AAC, _AAC), (aac_streams.LATM, _LATM)):
        at = find(kind, head)
        frames = list(follow(kind, head, at)) if at else []
        if at is None or len(frames) < _MIN_FRAMES or at >= frames[0].size:
            continue
        stop = at + sum(frame.size for frame in frames)
        if not (kind is MPEG and mpeg_audio.is_ambiguous(frames[0])) and stop > len(head) - LONGEST_HEADER:
            return sniffed
    return None


def _markup(head: bytes) -> Sniffed | None:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text.startswith((b"<", b"#EXTM3U")):
        return None
    if text.startswith(b"#"):
        return Sniffed("m3u", "audio/x-mpegurl")
    if _HTML.match(text):
        return Sniffed("html", "text/html")
    return Sniffed("xml", "application/xml") if text.startswith((b"<?xml", b"<rss", b"<feed", b"<svg")) else None
