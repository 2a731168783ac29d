"""Tracks of Matroska and WebM (RFC 9559, 5.1.4): kind, codec, sound, picture and subtitles.

Names of codecs: the Matroska codec specifications (draft-ietf-cellar-codec), and ffmpeg's for them.
"""

from __future__ import annotations

from dataclasses import dataclass

from mediacrawl.base.languages import bcp47
from mediacrawl.base.parts import Track
from mediacrawl.probe.context import BrokenError, ParseContext
from mediacrawl.probe.formats import ebml
from mediacrawl.probe.formats.ebml import Element
from mediacrawl.probe.formats.shared_codes import layout_of, primaries_name, transfer_name
from mediacrawl.probe.formats.windows_headers import pcm_codec, read_bitmap_format, read_wave_format

VIDEO, AUDIO, SUBTITLE = 1, 2, 17
_KINDS = {VIDEO: "video", AUDIO: "audio", SUBTITLE: "subtitle"}
_MAX_TRACKS = 64
_ENTRY = 0xAE
_CODEC, _PRIVATE, _NAME, _LANGUAGE, _LANGUAGE_BCP47 = 0x86, 0x63A2, 0x536E, 0x22B59C, 0x22B59D
_DEFAULT_DURATION, _FRAME_RATE = 0x23E383, 0x2383E3
_VIDEO, _AUDIO, _COLOUR, _PROJECTION, _ROLL = 0xE0, 0xE1, 0x55B0, 0x7670, 0x7675
_NUMBERS = {
    0xD7: "number",
    0x73C5: "uid",
    0x83: "kind",
    0x88: "default",
    0x55AA: "forced",
    0xB0: "width",
    0xBA: "height",
    0x9F: "channels",
    0x6264: "bits",
    0x55BA: "transfer",
    0x55BB: "primaries",
    0x7671: "projection",
}
_RATES = {0xB5: "core_rate", 0x78B5: "output_rate"}
_PRIVATE_BYTES = 64
"""Bytes of a codec's own header that are read: WAVEFORMATEX and BITMAPINFOHEADER have at most 40."""
_MAX_NAME = 100

_CODECS = {
    "V_MPEG4/ISO/AVC": "h264",
    "V_MPEG4/MS/V3": "msmpeg4v3",
    "V_MPEGH/ISO/HEVC": "hevc",
    "V_MPEGI/ISO/VVC": "vvc",
    "V_MPEG1": "mpeg1video",
    "V_MPEG2": "mpeg2video",
    "V_UNCOMPRESSED": "rawvideo",
    "A_MPEG/L1": "mp1",
    "A_MPEG/L2": "mp2",
    "A_MPEG/L3": "mp3",
    "A_WAVPACK4": "wavpack",
    "A_TTA1": "tta",
    "S_TEXT/UTF8": "subrip",
    "S_TEXT/ASCII": "text",
    "S_TEXT/SSA": "ass",
    "S_TEXT/ASS": "ass",
    "S_TEXT/WEBVTT": "webvtt",
    "S_SSA": "ass",
    "S_VOBSUB": "dvd_subtitle",
    "S_DVBSUB": "dvb_subtitle",
    "S_HDMV/PGS": "hdmv_pgs_subtitle",
    "S_HDMV/TEXTST": "hdmv_text_subtitle",
    "S_ARIBSUB": "arib_caption",
    "D_WEBVTT/SUBTITLES": "webvtt",
    "D_WEBVTT/CAPTIONS": "webvtt",
}
"""Codecs whose name is not just what follows ``V_``, ``A_`` or ``S_``."""
_OTHERS_NAMES = ("V_REAL/", "A_REAL/", "A_QUICKTIME/")
"""Before names that are not Matroska's own."""
_WITH_BITS = ("pcm_", "flac", "alac", "wavpack", "tta", "truehd", "mlp")


@dataclass(slots=True)
class MatroskaTrack:
    """Facts of one track; 0 and empty are unknown.

    Attributes:
        number: by which its blocks name it.
        uid: by which tags name it.
        kind: `VIDEO`, `AUDIO`, `SUBTITLE`, or another number.
        default: 1 if a player plays it unless told otherwise.
        forced: 1 if a player shows it even where subtitles are off.
        codec_id: name of the codec in Matroska's list.
        private: first bytes of the codec's own header.
        frame_seconds: length of a frame.
        stated_rate: frames per second, as old writers state them.
        language: of what is said in it, if the writer set one.
        core_rate: Hz, as the codec's core has it.
        output_rate: Hz, as it is heard, if that is another one.
        transfer: code point of the transfer function.
        primaries: code point of the colour primaries.
        projection: 0 is that of plain pictures.
        roll: degrees counterclockwise by which the picture is turned.
    """

    number: int = 0
    uid: int = 0
    kind: int = 0
    default: int = 1
    forced: int = 0
    codec_id: str = ""
    private: bytes = b""
    frame_seconds: float = 0.0
    stated_rate: float = 0.0
    language: str = ""
    name: bytes = b""
    width: int = 0
    height: int = 0
    core_rate: float = 0.0
    output_rate: float = 0.0
    channels: int = 1
    bits: int = 0
    transfer: int = 0
    primaries: int = 0
    projection: int = 0
    roll: float = 0.0

    @property
    def codec(self) -> str | None:
        """Name of the codec."""
        return _codec(self) or None

    @property
    def sample_rate(self) -> int | None:
        """Samples per second (Hz)."""
        return round(self.output_rate or self.core_rate) or None

    @property
    def bits_per_sample(self) -> int | None:
        """Bits, where the codec has such a thing."""
        return self.bits or None if (self.codec or "").startswith(_WITH_BITS) else None

    @property
    def frame_rate(self) -> float | None:
        """Frames per second."""
        return round(1 / self.frame_seconds, 3) if self.frame_seconds else self.stated_rate or None

    @property
    def turn(self) -> float:
        """Degrees clockwise by which its picture is turned (ProjectionPoseRoll, which counts the other way)."""
        return 0.0 if self.projection else -self.roll

    def described(self, bitrate: int | None) -> Track | None:
        """The track as a part of the record, without its name; None for one of another kind."""
        if self.kind not in _KINDS:
            return None
        made = Track(_KINDS[self.kind], self.codec, bcp47(self.language), default=bool(self.default), bitrate=bitrate)
        if self.kind == AUDIO:
            made.channels, made.sample_rate = self.channels or None, self.sample_rate
            made.channel_layout = layout_of(self.codec, self.channels)
        elif self.kind == VIDEO:
            made.width, made.height, made.frame_rate = self.width or None, self.height or None, self.frame_rate
            made.transfer, made.primaries = transfer_name(self.transfer), primaries_name(self.primaries)
        else:
            made.forced = bool(self.forced)
        return made


def read_tracks(context: ParseContext, parent: Element, tracks: list[MatroskaTrack]) -> None:
    """Reads all tracks and adds them to `tracks`; one that is broken does not hide the others."""
    for entry in ebml.children(context, parent):
        if entry.name != _ENTRY:
            continue
        if len(tracks) >= _MAX_TRACKS:
            context.note("limit:tracks")
            return
        track = MatroskaTrack()
        tracks.append(track)
        with context.stage("track"):
            _read_track(context, entry, track)


def _read_track(context: ParseContext, entry: Element, track: MatroskaTrack) -> None:
    for part in ebml.children(context, entry):
        if part.name in {_VIDEO, _AUDIO}:
            for setting in ebml.children(context, part):
                if setting.name in {_COLOUR, _PROJECTION}:
                    for inner in ebml.children(context, setting):
                        _read_number(context, inner, track)
                else:
                    _read_number(context, setting, track)
        elif part.name == _NAME:
            track.name = ebml.text(context, part)
        elif part.name == _CODEC:
            track.codec_id = ebml.text(context, part)[:_MAX_NAME].decode("latin-1")
        elif part.name == _PRIVATE:
            track.private = context.file.get(part.body, min(part.stop, part.body + _PRIVATE_BYTES))
        elif part.name == _LANGUAGE_BCP47 or (part.name == _LANGUAGE and not track.language):
            track.language = ebml.text(context, part)[:_MAX_NAME].decode("latin-1")
        else:
            _read_number(context, part, track)


def _read_number(context: ParseContext, part: Element, track: MatroskaTrack) -> None:
    if part.name in _NUMBERS:
        setattr(track, _NUMBERS[part.name], ebml.unsigned(context, part))
    elif part.name in _RATES:
        setattr(track, _RATES[part.name], _positive(ebml.real(context, part)))
    elif part.name == _ROLL:
        track.roll = ebml.real(context, part)
    elif part.name == _FRAME_RATE:
        track.stated_rate = _positive(ebml.real(context, part))
    elif part.name == _DEFAULT_DURATION:
        track.frame_seconds = ebml.unsigned(context, part) / 1e9


def _positive(rate: float) -> float:
    """The rate if it is plausible: a hostile file may state 1e300."""
    return rate if 0 < rate < 1e9 else 0.0


def _codec(track: MatroskaTrack) -> str | None:
    name, private = track.codec_id, track.private
    if name in _CODECS:
        return _CODECS[name]
    if name.startswith("A_PCM/"):
        if "FLOAT" in name:
            return "pcm_f64le" if track.bits == 64 else "pcm_f32le"
        if track.bits == 8:
            return "pcm_u8"
        return pcm_codec(track.bits, "be" if name.endswith("BIG") else "le")
    try:
        if name == "V_MS/VFW/FOURCC":
            return read_bitmap_format(private).codec
        if name == "A_MS/ACM":
            return read_wave_format(private).codec
    except BrokenError:
        return None
    for prefix in _OTHERS_NAMES:
        if name.startswith(prefix):
            return name.removeprefix(prefix).lower()
    # Behind a slash stands a profile: A_AAC/MPEG4/LC.
    return name[2:].partition("/")[0].lower()
