"""The two Windows structures that describe a stream: WAVEFORMATEX and BITMAPINFOHEADER.

WAV, AVI and ASF carry them, and so does Matroska for codecs without a name of its own. Sources: Microsoft's
``mmreg.h`` (numbers of formats, also RFC 2361) and ``wingdi.h``; names of codecs as ffmpeg writes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mediacrawl.probe.context import unpack
from mediacrawl.probe.formats.shared_codes import layout_of, layout_of_mask

Order = Literal["little", "big"]
"""Order of the bytes of a number."""

WAVE_FORMAT_BYTES = 40
"""Bytes of the longest form of a WAVEFORMATEX, as far as it is read."""
_PCM, _FLOAT, _EXTENSIBLE = 0x0001, 0x0003, 0xFFFE
_SUBFORMAT_TAIL = bytes.fromhex("000000001000800000aa00389b71")
"""Behind the number of the format in KSDATAFORMAT_SUBTYPE_*; another tail makes it another kind of name."""

_AUDIO: dict[int, str] = {
    0x0002: "adpcm_ms",
    0x0006: "pcm_alaw",
    0x0007: "pcm_mulaw",
    0x000A: "wmavoice",
    0x0011: "adpcm_ima_wav",
    0x0022: "truespeech",
    0x0031: "gsm_ms",
    0x0042: "g723_1",
    0x0045: "adpcm_g726",
    0x0050: "mp2",
    0x0055: "mp3",
    0x0057: "amr_nb",
    0x0058: "amr_wb",
    0x0061: "adpcm_ima_dk4",
    0x0062: "adpcm_ima_dk3",
    0x0064: "adpcm_g726",
    0x0069: "adpcm_ima_wav",
    0x0075: "metasound",
    0x00FF: "aac",
    0x0130: "sipr",
    0x0160: "wmav1",
    0x0161: "wmav2",
    0x0162: "wmapro",
    0x0163: "wmalossless",
    0x0200: "adpcm_ct",
    0x0270: "atrac3",
    0x028F: "adpcm_g722",
    0x0401: "imc",
    0x0500: "avc",
    0x1600: "aac",
    0x1602: "aac_latm",
    0x1610: "aac",
    0x2000: "ac3",
    0x2001: "dts",
    0x4143: "aac",
    0x5756: "wavpack",
    0x566F: "vorbis",
    0x674F: "vorbis",
    0x6750: "vorbis",
    0x6751: "vorbis",
    0x676F: "vorbis",
    0x6770: "vorbis",
    0x6771: "vorbis",
    0x706D: "aac",
    0x77A1: "tta",
    0xA106: "aac",
    0xA109: "speex",
    0xF1AC: "flac",
}
_CONSTANT = ("pcm_", "adpcm_", "gsm")
"""Codecs whose blocks all have one size and one number of samples."""

_COUNTED = frozenset({"adpcm_ima_wav", "adpcm_ms", "gsm_ms"})
"""Codecs whose format continues with the number of samples in a block."""
_LOSSLESS = frozenset({"flac", "tta", "wavpack", "wmalossless"})

_VIDEO = {
    "av1": "AV01",
    "cinepak": "CVID",
    "dvvideo": "DVSD DVHD DVSL DV25 DV50 CDVC",
    "ffv1": "FFV1",
    "flashsv": "FSV1",
    "flv1": "FLV1",
    "h261": "H261",
    "h263": "H263 U263 S263 VX1K",
    "h264": "H264 X264 AVC1 DAVC VSSH Q264 SMV2",
    "hevc": "HEVC H265 X265 HVC1 HEV1",
    "huffyuv": "HFYU",
    "indeo3": "IV31 IV32",
    "indeo4": "IV41",
    "indeo5": "IV50",
    "lagarith": "LAGS",
    "magicyuv": "MAGY",
    "mjpeg": "MJPG JPEG AVRN DMB1 MJPA MJPB",
    "mpeg1video": "MPG1 PIM1 VCR2",
    "mpeg2video": "MPG2 MPEG MP2V",
    "mpeg4": "FMP4 XVID DIVX DX50 MP4V MP4S M4S2 3IVX 3IV1 3IV2 BLZ0 MPG0 RMP4 FFDS SEDG WV1F MVXM FVFW",
    "msmpeg4v1": "MPG4 MP41",
    "msmpeg4v2": "MP42 DIV2",
    "msmpeg4v3": "MP43 DIV3 DIV4 DIV5 DIV6 AP41 COL0 COL1 MPG3",
    "msrle": "MRLE",
    "mss1": "MSS1",
    "mss2": "MSS2",
    "msvideo1": "MSVC CRAM WHAM",
    "png": "MPNG PNG1",
    "rawvideo": "I420 IYUV YUY2 YV12 UYVY NV12 Y800 HDYC",
    "svq1": "SVQ1",
    "svq3": "SVQ3",
    "theora": "THEO",
    "tscc": "TSCC",
    "utvideo": "ULRG ULY0 ULY2 ULRA ULH0 ULH2",
    "vc1": "WVC1 WMVA",
    "vp3": "VP30 VP31",
    "vp5": "VP50",
    "vp6": "VP60 VP61 VP62",
    "vp6f": "VP6F FLV4",
    "vp8": "VP80",
    "vp9": "VP90",
    "wmv1": "WMV1",
    "wmv2": "WMV2",
    "wmv3": "WMV3 WMVP",
    "zmbv": "ZMBV",
}
_BY_FOURCC = {fourcc: codec for codec, fourccs in _VIDEO.items() for fourcc in fourccs.split()}
_RAW_PICTURES = {b"\0\0\0\0": "rawvideo", b"\1\0\0\0": "msrle", b"\2\0\0\0": "msrle", b"\3\0\0\0": "rawvideo"}
"""BI_RGB, BI_RLE8, BI_RLE4 and BI_BITFIELDS are numbers where others have four letters."""


@dataclass(frozen=True, slots=True)
class WaveFormat:
    """A WAVEFORMATEX; 0 is unknown.

    Attributes:
        codec: name of the codec, None if its number is unknown.
        byte_rate: bytes per second, an average for codecs of variable rate.
        block_size: bytes that belong together: one sample of all channels, or one block of a codec.
        bits_per_sample: bits, where the codec keeps samples as they are.
        mask: places of the channels, as WAVEFORMATEXTENSIBLE has them.
    """

    codec: str | None
    channels: int
    sample_rate: int
    byte_rate: int
    block_size: int
    bits_per_sample: int
    mask: int = 0

    @property
    def layout(self) -> str | None:
        """Name of the places of the channels."""
        return layout_of(self.codec, self.channels, layout_of_mask(self.mask))

    @property
    def plain(self) -> bool:
        """Whether samples are in the file as they are."""
        return (self.codec or "").startswith("pcm_")

    @property
    def constant(self) -> bool:
        """Whether the length follows exactly from the number of bytes."""
        return (self.codec or "").startswith(_CONSTANT)

    @property
    def bytes_per_second(self) -> int:
        """Bytes of one second. For samples kept as they are the rate is worked out: writers err in it."""
        worked_out = self.block_size * self.sample_rate if self.plain else 0
        return worked_out or self.byte_rate


@dataclass(frozen=True, slots=True)
class BitmapFormat:
    """A BITMAPINFOHEADER; 0 is unknown.

    Attributes:
        codec: name of the codec, None if it is unknown.
    """

    codec: str | None
    width: int
    height: int


def read_wave_format(data: bytes, order: Order = "little") -> WaveFormat:
    """Reads a WAVEFORMATEX, or one of its shorter ancestors, or WAVEFORMATEXTENSIBLE."""
    number, channels, rate, byte_rate, block = unpack("<HHIIH" if order == "little" else ">HHIIH", data[:14])
    bits = int.from_bytes(data[14:16], order)
    mask = int.from_bytes(data[20:24], order) if number == _EXTENSIBLE else 0
    # The name of the format stays in one order, but for its first number.
    if number == _EXTENSIBLE and data[26:40] == _SUBFORMAT_TAIL:
        number = int.from_bytes(data[24:26], order)
    codec = wave_codec(number, bits, order)
    block_samples = int.from_bytes(data[18:20], order)
    if codec in _COUNTED and block_samples:
        # Writers put down the rate of what it was made of.
        byte_rate = round(block * rate / block_samples)
    kept = bits if (codec or "").startswith("pcm_") or codec in _LOSSLESS else 0
    return WaveFormat(codec, channels, rate, byte_rate, block, kept, mask)


def wave_codec(number: int, bits: int, order: Order = "little") -> str | None:
    """Names the codec of a format's number."""
    suffix = "le" if order == "little" else "be"
    if number == _PCM:
        return pcm_codec(bits, suffix) if bits > 8 else "pcm_u8"
    if number == _FLOAT:
        return f"pcm_f{64 if bits == 64 else 32}{suffix}"
    return _AUDIO.get(number)


def pcm_codec(bits: int, order: str) -> str:
    """Names uncompressed audio of signed samples."""
    size = -(-bits // 8) * 8
    return f"pcm_s{size}{order}" if size > 8 else "pcm_s8"


def read_bitmap_format(data: bytes) -> BitmapFormat:
    """Reads a BITMAPINFOHEADER. A negative height says that the rows run from the top."""
    width, height = unpack("<4xii8x", data[:20])
    return BitmapFormat(fourcc_codec(data[16:20]), abs(width), abs(height))


def fourcc_codec(fourcc: bytes) -> str | None:
    """Names the codec of four letters; an unknown one is named by them, one that is no letters is None."""
    if fourcc in _RAW_PICTURES:
        return _RAW_PICTURES[fourcc]
    name = fourcc.decode("latin-1").strip(" \0")
    if not name.isascii() or not name.isalnum():
        return None
    return _BY_FOURCC.get(name.upper(), name.lower())
