"""Names that many containers share: of colours and of places of channels by their codes, of pictures by their bytes.

Code points of colours: ISO/IEC 23091-2, 8.1 and 8.2, in MP4, QuickTime, Matroska and the headers of H.264 and HEVC.
The names are ffmpeg's, also those of layouts: one channel is ``mono`` and two are ``stereo``; more are named only
where the file states their places, or where the codec has one order for that number. Sources: Microsoft's ``mmreg.h``
(SPEAKER_...) for masks; Apple's ``CoreAudioBaseTypes.h`` for the tags of ``chan``; ISO/IEC 14496-12, 12.2.4, and
23091-3 for ``chnl``.
"""

from __future__ import annotations

_PRIMARIES = {
    1: "bt709",
    4: "bt470m",
    5: "bt470bg",
    6: "smpte170m",
    7: "smpte240m",
    8: "film",
    9: "bt2020",
    10: "smpte428",
    11: "smpte431",
    12: "smpte432",
    22: "ebu3213",
}
_TRANSFERS = {
    1: "bt709",
    4: "bt470m",
    5: "bt470bg",
    6: "smpte170m",
    7: "smpte240m",
    8: "linear",
    9: "log100",
    10: "log316",
    11: "iec61966-2-4",
    12: "bt1361e",
    13: "iec61966-2-1",
    14: "bt2020-10",
    15: "bt2020-12",
    16: "smpte2084",
    17: "smpte428",
    18: "arib-std-b67",
}


def primaries_name(code: int) -> str | None:
    """Names colour primaries; None for the code of unknown ones, and for reserved codes."""
    return _PRIMARIES.get(code)


def transfer_name(code: int) -> str | None:
    """Names a transfer function; None for the code of unknown ones, and for reserved codes."""
    return _TRANSFERS.get(code)


_PLACES = ("FL", "FR", "FC", "LFE", "BL", "BR", "FLC", "FRC", "BC", "SL", "SR")
"""The bits of a mask, from the lowest one."""
_LAYOUTS = {
    "mono": "FC",
    "stereo": "FL FR",
    "2.1": "FL FR LFE",
    "3.0": "FL FR FC",
    "3.0(back)": "FL FR BC",
    "3.1": "FL FR FC LFE",
    "4.0": "FL FR FC BC",
    "4.1": "FL FR FC LFE BC",
    "quad": "FL FR BL BR",
    "quad(side)": "FL FR SL SR",
    "5.0": "FL FR FC BL BR",
    "5.0(side)": "FL FR FC SL SR",
    "5.1": "FL FR FC LFE BL BR",
    "5.1(side)": "FL FR FC LFE SL SR",
    "6.0": "FL FR FC BC SL SR",
    "6.0(front)": "FL FR FLC FRC SL SR",
    "hexagonal": "FL FR FC BL BR BC",
    "6.1": "FL FR FC LFE BC SL SR",
    "6.1(back)": "FL FR FC LFE BL BR BC",
    "6.1(front)": "FL FR LFE FLC FRC SL SR",
    "7.0": "FL FR FC BL BR SL SR",
    "7.0(front)": "FL FR FC FLC FRC SL SR",
    "7.1": "FL FR FC LFE BL BR SL SR",
    "7.1(wide)": "FL FR FC LFE BL BR FLC FRC",
    "7.1(wide-side)": "FL FR FC LFE FLC FRC SL SR",
    "octagonal": "FL FR FC BL BR BC SL SR",
}


_BY_MASK = {sum(1 << _PLACES.index(place) for place in places.split()): name for name, places in _LAYOUTS.items()}
_COUNTS = {name: len(places.split()) for name, places in _LAYOUTS.items()}

_VORBIS = {3: "3.0", 4: "quad", 5: "5.0", 6: "5.1", 7: "6.1", 8: "7.1"}
_DOLBY = {6: "5.1(side)"}
_BY_CODEC: dict[str, dict[int, str]] = {
    "vorbis": _VORBIS,
    "opus": _VORBIS,
    "flac": _VORBIS,
    "aac": {3: "3.0", 5: "5.0", 6: "5.1"},
    "alac": {3: "3.0", 5: "5.0", 6: "5.1"},
    "ac3": _DOLBY,
    "eac3": _DOLBY,
    "dts": _DOLBY,
}
"""Codecs that have one order for a number of channels."""

_TAG_OF_MASK, _TAG_OF_LIST = 0x10000, 0
_BY_TAG = {
    "mono": (100,),
    "stereo": (101, 102, 103),
    "quad": (108, 132),
    "2.1": (133,),
    "3.0": (113, 114, 150),
    "3.0(back)": (131,),
    "3.1": (136, 152),
    "4.0": (115, 116, 151),
    "4.1": (137, 154),
    "5.0": (117, 118, 119, 120),
    "5.1": (121, 122, 123, 124),
    "6.0": (141,),
    "7.1(wide)": (126, 127),
    "7.1": (128,),
}
_TAGS = {tag: name for name, tags in _BY_TAG.items() for tag in tags}
_DESCRIPTION = 20
"""Bytes of the description of one channel in ``chan``."""
_MONO_LABEL = 42
_MOST_CHANNELS = 64

_STRUCTURED = 1
_CONFIGURATIONS = {
    1: "mono",
    2: "stereo",
    3: "3.0",
    4: "4.0",
    5: "5.0",
    6: "5.1",
    7: "7.1(wide)",
    9: "3.0(back)",
    10: "quad",
    11: "6.1(back)",
    12: "7.1",
}
"""Layouts by ChannelConfiguration (ISO/IEC 23091-3)."""


def layout_of(codec: str | None, channels: int | None, stated: str | None = None) -> str | None:
    """Names the places of the channels of a stream.

    Returns:
        None if they are not known.
    """
    if channels in (1, 2):
        return "mono" if channels == 1 else "stereo"
    own = _BY_CODEC.get(codec or "", {}).get(channels or 0)
    return own or (stated if stated and _COUNTS[stated] == channels else None)


def layout_of_mask(mask: int) -> str | None:
    """Names a mask of places, as in WAVEFORMATEXTENSIBLE."""
    return _BY_MASK.get(mask)


def layout_of_chan(body: bytes) -> str | None:
    """Names the layout that QuickTime's ``chan`` states: by a tag, a mask, or a description of each channel."""
    tag, mask, count = (int.from_bytes(body[at : at + 4], "big") for at in (4, 8, 12))
    if tag == _TAG_OF_MASK:
        return layout_of_mask(mask)
    if tag != _TAG_OF_LIST:
        return _TAGS.get(tag >> 16)
    labels = [
        int.from_bytes(body[at : at + 4], "big")
        for at in range(16, min(len(body) - 3, 16 + _DESCRIPTION * min(count, _MOST_CHANNELS)), _DESCRIPTION)
    ]
    if labels == [_MONO_LABEL]:
        return "mono"
    if not labels or not all(0 < label <= len(_PLACES) for label in labels):
        return None
    return layout_of_mask(sum(1 << label - 1 for label in set(labels)))


def layout_of_chnl(body: bytes) -> str | None:
    """Names the layout that ``chnl`` states by a number; a list of loudspeakers is not read."""
    structure = body[4] if len(body) > 4 else 0
    if body[:1] == b"\1":
        return _CONFIGURATIONS.get(int.from_bytes(body[6:7], "big")) if structure >> 4 & _STRUCTURED else None
    return _CONFIGURATIONS.get(int.from_bytes(body[5:6], "big")) if structure & _STRUCTURED else None


_TYPES = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG", "image/png"),
    (b"GIF8", "image/gif"),
    (b"BM", "image/bmp"),
    (b"RIFF", "image/webp"),
)


LINK = "-->"
"""MIME type of a picture that is not in the file: its URL stands in place of the data (id3v2.4.0-frames, 4.14)."""


def picture_type(data: bytes) -> str | None:
    """The MIME type of a picture by its first bytes; None if they are those of no known type."""
    return next((mime for magic, mime in _TYPES if data.startswith(magic)), None)
