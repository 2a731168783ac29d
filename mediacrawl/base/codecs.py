"""One vocabulary for codecs: ffmpeg's names, from the four letters of MP4 and from the strings of RFC 6381.

Files, manifests and pages name codecs differently: ``hvc1``, ``hev1.1.6.L93``, ``V_MPEGH/ISO/HEVC``. Records use
ffmpeg's names for all of them, so that they can be compared and searched.

Sources: the MP4 Registration Authority (mp4ra.org: sample entries, object types), RFC 6381 (the ``codecs`` parameter),
ISO/IEC 14496-3, table 1.17 (audio object types).
"""

from __future__ import annotations

from typing import Literal, get_args

Kind = Literal["video", "audio", "subtitle"]
"""What a codec holds."""

_PICTURES = {
    "h264": "avc1 avc2 avc3 avc4 dva1 dvav",
    "hevc": "hvc1 hvc2 hev1 hev2 dvh1 dvhe",
    "vvc": "vvc1 vvi1",
    "evc": "evc1",
    "av1": "av01 dav1",
    "avs3": "avs3",
    "vp8": "vp08",
    "vp9": "vp09",
    "h263": "s263 h263",
    "mpeg4": "mp4v",
    "mpeg1video": "m1v m1v1 mp1v mpeg",
    "msmpeg4v3": "3IVD",
    "mpeg2video": "hdv1 hdv2 hdv3 hdv5 hdv6 mx3n mx3p mx4n mx5n mx5p m2v1",
    "mjpeg": "jpeg mjpa mjpb",
    "prores": "apch apcn apcs apco ap4h ap4x",
    "dnxhd": "AVdn AVdh",
    "dvvideo": "dvc dvcp dvpp dv5n dv5p dvhp dvhq dvh5 dvh6",
    "qtrle": "rle",
    "rpza": "rpza",
    "smc": "smc",
    "8bps": "8BPS",
    "rawvideo": "raw 2vuy yuv2 v210",
    "png": "png",
    "tiff": "tiff",
}
_SOUNDS = {
    "aac": "mp4a",
    "mp2": ".mp2",
    "mp3": ".mp3 mp3",
    "alac": "alac",
    "flac": "fLaC",
    "opus": "Opus",
    "ac3": "ac-3 sac3",
    "eac3": "ec-3",
    "ac4": "ac-4",
    "dts": "dtsc dtsh dtsl dtse",
    "truehd": "mlpa",
    "mpegh_3d_audio": "mha1 mha2 mhm1 mhm2",
    "amr_nb": "samr",
    "amr_wb": "sawb sawp",
    "evrc": "sevc",
    "qcelp": "sqcp Qclp",
    "pcm_mulaw": "ulaw",
    "pcm_alaw": "alaw",
    "adpcm_ima_qt": "ima4",
    "mace3": "MAC3",
    "mace6": "MAC6",
    "qdm2": "QDM2",
    "qdmc": "QDMC",
    "gsm": "agsm",
}
_SUBTITLES = {
    "ttml": "stpp dfxp",
    "webvtt": "wvtt",
    "mov_text": "tx3g text",
    "eia_608": "c608",
    "dvd_subtitle": "mp4s",
}

_BY_KIND: dict[Kind, dict[str, str]] = {
    kind: {name: codec for codec, names in table.items() for name in names.split()}
    for kind, table in zip(get_args(Kind), (_PICTURES, _SOUNDS, _SUBTITLES), strict=True)
}
_BY_TAG = {name: codec for table in _BY_KIND.values() for name, codec in table.items()}

_OBJECT_TYPES = {
    0x20: "mpeg4",
    0x21: "h264",
    0x23: "hevc",
    0x40: "aac",
    **dict.fromkeys(range(0x60, 0x66), "mpeg2video"),
    **dict.fromkeys(range(0x66, 0x69), "aac"),
    0x69: "mp3",
    0x6A: "mpeg1video",
    0x6B: "mp3",
    0x6C: "mjpeg",
    0x6D: "png",
    0xA5: "ac3",
    0xA6: "eac3",
    0xA9: "dts",
    0xAD: "opus",
    0xDD: "vorbis",
    0xE1: "qcelp",
}
"""What ``mp4a`` and ``mp4v`` hold, by the registration authority's list of object types."""
_AUDIO_OBJECT_TYPES = {32: "mp1", 33: "mp2", 34: "mp3", 36: "mp4als"}
"""Types of MPEG-4 audio that are no AAC, the second number behind ``mp4a.40``."""

# What is written in the codecs parameter without being a sample entry: WebM's names (RFC 6381, WebM container
# guidelines), DASH-IF's name of E-AC-3 with Atmos, and the names that pages use.
_PLAIN = {
    **dict.fromkeys(("h264", "avc"), "h264"),
    **dict.fromkeys(("h265", "hevc"), "hevc"),
    **dict.fromkeys(("vp8", "vp8.0"), "vp8"),
    **dict.fromkeys(("vp9", "vp9.0", "vp9.2"), "vp9"),
    **dict.fromkeys(("ec+3", "eac3"), "eac3"),
    **{name: name for name in ("av1", "theora", "vorbis", "opus", "flac", "aac", "ac3", "dts", "speex", "mp2")},
}
_BY_LOWER = {**{name.lower(): codec for name, codec in _BY_TAG.items()}, **_PLAIN}
_WITH_OBJECT_TYPE = frozenset({"mp4a", "mp4v", "mp4s"})
_LONGEST = 100

_KINDS: dict[str, Kind] = {
    **dict.fromkeys((*_PICTURES, "theora"), "video"),
    **dict.fromkeys((*_SOUNDS, *_AUDIO_OBJECT_TYPES.values(), "vorbis", "speex"), "audio"),
    **dict.fromkeys(_SUBTITLES, "subtitle"),
}


def codec_of_tag(name: str, kind: Kind | None = None) -> str | None:
    """Return ffmpeg's name for a sample entry of MP4 or QuickTime (``avc1``, ``fLaC``); None for an unknown one.

    A name of another kind than that of its track is unknown there.
    """
    return (_BY_TAG if kind is None else _BY_KIND[kind]).get(name)


def codec_of_object_type(number: int) -> str | None:
    """Return ffmpeg's name for an object type of MPEG-4 (ISO/IEC 14496-1, 7.2.6.6.2); None for an unknown one."""
    return _OBJECT_TYPES.get(number)


def codec_of_rfc6381(text: str) -> str | None:
    """Return ffmpeg's name for one element of a ``codecs`` parameter (RFC 6381, 3.3); None for an unknown one.

    Case is ignored, since writers of manifests do: ``Opus``, ``FLAC``, ``AVC1.42C01E``.
    """
    written = text[:_LONGEST].strip().lower()
    name, _, rest = written.partition(".")
    if name in _WITH_OBJECT_TYPE and rest:
        return _of_object_type(rest)
    return _BY_LOWER.get(written) or _BY_LOWER.get(name)


def _of_object_type(rest: str) -> str | None:
    """The codec behind ``mp4a.``: the object type in hexadecimal, for MPEG-4 audio the audio object type behind it."""
    first, _, second = rest.partition(".")
    try:
        kind = int(first, 16)
    except ValueError:
        return None
    if kind == 0x40 and second.isascii() and second.isdigit():
        return _AUDIO_OBJECT_TYPES.get(int(second), "aac")
    return _OBJECT_TYPES.get(kind)


def kind_of_codec(codec: str | None) -> Kind | None:
    """Return what a codec holds; None if it is unknown."""
    return _KINDS.get(codec) if codec else None
