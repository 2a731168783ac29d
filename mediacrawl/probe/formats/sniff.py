"""What a file is, by its first bytes. Extensions and Content-Type are claims; this is a look."""

from __future__ import annotations

import re
from typing import NamedTuple

from mediacrawl.probe.formats.audio_frames import LONGEST_HEADER, find, follow, is_stream
from mediacrawl.probe.formats.mpeg_audio import MPEG
from mediacrawl.probe.formats.raw_audio import AAC as ADTS
from mediacrawl.probe.formats.raw_audio import AC3

SNIFF_BYTES = 4096
"""Enough for two frames of any MPEG audio stream, and for the preamble of most pages."""


_PROOF = 3
"""Frames that must follow each other where a file does not begin with one."""


class Sniffed(NamedTuple):
    """Name of a container and its MIME type, both None if the content is not known."""

    container: str | None
    mime: str | None


UNKNOWN = Sniffed(None, None)
ID3 = Sniffed("id3", "audio/mpeg")
"""An ID3v2 tag; what it belongs to stands behind it."""
APE_TAG = Sniffed("apetag", "audio/mpeg")
"""An APE tag at the front, which is rare; what it belongs to stands behind it."""
MP3 = Sniffed("mp3", "audio/mpeg")
FLAC = Sniffed("flac", "audio/flac")
OGG = Sniffed("ogg", "audio/ogg")
MP4 = Sniffed("mp4", "video/mp4")
AAC = Sniffed("aac", "audio/aac")
HTML = Sniffed("html", "text/html")

_MAGIC: tuple[tuple[int, bytes, Sniffed], ...] = (
    (0, b"ID3", ID3),
    (0, b"APETAGEX", APE_TAG),
    (0, b"fLaC", FLAC),
    (0, b"OggS", OGG),
    (0, b"\x1aE\xdf\xa3", Sniffed("matroska", "video/x-matroska")),
    (0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", Sniffed("asf", "video/x-ms-asf")),
    (0, b"FLV\x01", Sniffed("flv", "video/x-flv")),
    (0, b"MAC ", Sniffed("ape", "audio/x-ape")),
    (0, b"wvpk", Sniffed("wavpack", "audio/x-wavpack")),
    (0, b"MPCK", Sniffed("musepack", "audio/x-musepack")),
    (0, b"MP+", Sniffed("musepack", "audio/x-musepack")),
    (0, b"TTA1", Sniffed("tta", "audio/x-tta")),
    (0, b"OFR ", Sniffed("optimfrog", "audio/x-optimfrog")),
    (0, b"DSD ", Sniffed("dsf", "audio/x-dsf")),
    (0, b"FRM8", Sniffed("dff", "audio/x-dff")),
    (0, b".RMF", Sniffed("realmedia", "application/vnd.rn-realmedia")),
    (0, b".ra\xfd", Sniffed("realaudio", "audio/x-realaudio")),
    (0, b".snd", Sniffed("au", "audio/basic")),
    (0, b"caff", Sniffed("caf", "audio/x-caf")),
    (0, b"MThd", Sniffed("midi", "audio/midi")),
    (0, b"#!AMR", Sniffed("amr", "audio/amr")),
    (0, b"\x7f\xfe\x80\x01", Sniffed("dts", "audio/vnd.dts")),
    (0, b"\x00\x00\x01\xba", Sniffed("mpeg-ps", "video/mpeg")),
    (0, b"\x00\x00\x01\xb3", Sniffed("mpeg-es", "video/mpeg")),
    (0, b"#EXTM3U", Sniffed("m3u", "audio/x-mpegurl")),
    (0, b"[playlist]", Sniffed("pls", "audio/x-scpls")),
    (0, b"\xff\xd8\xff", Sniffed("jpeg", "image/jpeg")),
    (0, b"\x89PNG\r\n", Sniffed("png", "image/png")),
    (0, b"GIF8", Sniffed("gif", "image/gif")),
    (0, b"%PDF-", Sniffed("pdf", "application/pdf")),
    (0, b"PK\x03\x04", Sniffed("zip", "application/zip")),
    (0, b"Rar!\x1a\x07", Sniffed("rar", "application/vnd.rar")),
    (0, b"\x1f\x8b\x08", Sniffed("gzip", "application/gzip")),
)

_FORMS: dict[bytes, dict[bytes, Sniffed]] = {
    b"RIFF": {
        b"WAVE": Sniffed("wav", "audio/wav"),
        b"AVI ": Sniffed("avi", "video/x-msvideo"),
        b"WEBP": Sniffed("webp", "image/webp"),
        b"RMID": Sniffed("midi", "audio/midi"),
    },
    b"RF64": {b"WAVE": Sniffed("wav", "audio/wav")},
    b"BW64": {b"WAVE": Sniffed("wav", "audio/wav")},
    b"FORM": {
        b"AIFF": Sniffed("aiff", "audio/aiff"),
        b"AIFC": Sniffed("aiff", "audio/aiff"),
    },
}

_BRANDS: tuple[tuple[bytes, Sniffed], ...] = (
    (b"qt  ", Sniffed("mov", "video/quicktime")),
    (b"M4A", Sniffed("mp4", "audio/mp4")),
    (b"M4B", Sniffed("mp4", "audio/mp4")),
    (b"3gp", Sniffed("mp4", "video/3gpp")),
    (b"3g2", Sniffed("mp4", "video/3gpp2")),
    (b"heic", Sniffed("heif", "image/heic")),
    (b"mif1", Sniffed("heif", "image/heif")),
    (b"avif", Sniffed("heif", "image/avif")),
    (b"crx ", Sniffed("cr3", "image/x-canon-cr3")),
)

_OLD_QUICKTIME = frozenset({b"moov", b"mdat", b"wide", b"pnot"})
"""Atoms that files from before ``ftyp`` begin with."""

_HTML = re.compile(
    # Possessive and atomic: a page of comments must not be tried in every grouping.
    rb"(?:(?><!--.{0,1000}?-->)\s*+|<\?xml[^>]{0,200}+>\s*+)*+"
    rb"<(?:!doctype\s+html|html|head|body|script|title|meta|link|div|iframe|table|h1|p|br|a|style)[\s>/]",
    re.IGNORECASE | re.DOTALL,
)


def sniff(head: bytes) -> Sniffed:
    """Tells what a file is.

    Args:
        head: its first bytes; `SNIFF_BYTES` of them are looked at.
    """
    head = head[:SNIFF_BYTES]
    for at, magic, found in _MAGIC:
        if head.startswith(magic, at):
            return found
    return (
        _iso_media(head)
        or _FORMS.get(head[:4], {}).get(head[8:12])
        or _transport_stream(head)
        or _frames(head)
        or _page(head)
        or _cut_frames(head)
        or UNKNOWN
    )


def _iso_media(head: bytes) -> Sniffed | None:
    kind = head[4:8]
    if kind == b"ftyp":
        brand = head[8:12]
        return next((found for prefix, found in _BRANDS if brand.startswith(prefix)), MP4)
    if kind in _OLD_QUICKTIME:
        return Sniffed("mov", "video/quicktime")
    return MP4 if kind in {b"styp", b"moof"} else None


def _transport_stream(head: bytes) -> Sniffed | None:
    for start, packet in ((0, 188), (4, 192), (0, 204)):
        syncs = head[start : start + 4 * packet : packet]
        if len(syncs) == 4 and set(syncs) == {0x47}:
            return Sniffed("mpeg-ts", "video/mp2t")
    return None


def _frames(head: bytes) -> Sniffed | None:
    if is_stream(AC3, head):
        return Sniffed("ac3", "audio/ac3")
    at = len(head) - len(head.lstrip(b"\0"))  # some encoders leave zeros before the first frame
    if is_stream(ADTS, head, at):
        return AAC
    return MP3 if is_stream(MPEG, head, at) else None


def _cut_frames(head: bytes) -> Sniffed | None:
    """A recording may begin inside a frame: then all behind it are frames.

    Of MPEG audio only what recordings are made of: programs are full of bytes that look like frames of layer I, and
    those of free bit rate are as long as it pleases.
    """
    for kind, found in ((MPEG, MP3), (ADTS, AAC)):
        at = find(kind, head)
        frames = list(follow(kind, head, at)) if at else []
        if at is None or len(frames) < _PROOF or at >= frames[0].size:
            continue
        doubtful = kind is MPEG and (frames[0].codec == "mp1" or not frames[0].bitrate)
        stop = at + sum(frame.size for frame in frames)
        if not doubtful and stop > len(head) - LONGEST_HEADER:
            return found
    return None


def _page(head: bytes) -> Sniffed | None:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"#EXTM3U"):
        return Sniffed("m3u", "audio/x-mpegurl")
    if _HTML.match(text):
        return HTML
    if text.startswith((b"<?xml", b"<rss", b"<feed", b"<svg")):
        return Sniffed("xml", "application/xml")
    return None
