"""Seeds written by hand or by mutagen: structures that none of the small samples has."""

from __future__ import annotations

import base64
import io
import struct
import zlib
from uuid import UUID

from fuzz_marks import marks
from mutagen.aiff import AIFF
from mutagen.asf import ASF, ASFByteArrayAttribute, ASFUnicodeAttribute
from mutagen.flac import FLAC, Picture
from mutagen.id3 import APIC, TIT2
from mutagen.mp4 import MP4, MP4Cover
from mutagen.oggopus import OggOpus
from mutagen.oggvorbis import OggVorbis
from mutagen.wave import WAVE
from probe_builders import handmade
from probe_media import atom, chunk, chunks_of, cover, form, frame, id3, id3v1, picture, sample, saved
from probe_movie import movie, sound, table, text, trak
from probe_movie import picture as film
from probe_old import old_files


def shapes() -> dict[str, bytes]:
    """All of them by name."""
    media = {**_mpeg(), **_vorbis(), **_mp4(), **_riff(), **_matroska(), **_others()}
    return {**media, **old_files(), **handmade(), **marks()}


# -- MPEG audio --------------------------------------------------------------------------------------------------------


def ape(*items: tuple[bytes, bytes], flags: int = 0) -> bytes:
    """An APEv2 tag, header and footer."""
    body = b"".join(struct.pack("<II", len(value), flags) + key + b"\0" + value for key, value in items)
    rest = struct.pack("<III", 2000, len(body) + 32, len(items))
    head, foot = (b"APETAGEX" + rest + edge + bytes(8) for edge in (b"\0\0\0\xa0", b"\0\0\0\x80"))
    return head + body + foot


def lyrics3(text: bytes) -> bytes:
    """Lyrics3 v2, to be followed by ID3v1."""
    body = b"LYRICSBEGININD0000210LYR%05d%s" % (len(text), text)
    return body + b"%06dLYRICS200" % len(body)


def _mpeg() -> dict[str, bytes]:
    audio = sample("cbr.mp3")[:4000]
    title = frame("TIT2", b"\1\xff\xfeT\0o\0n\0e\0")
    chapter = frame("CHAP", b"ch1\0" + bytes(16) + frame("TIT2", b"\0One"))
    much = [title, frame("COMM", b"\0eng\0Text"), frame("TXXX", b"\3Mood\0calm"), chapter, frame("USLT", b"\0eng\0La")]
    packed = frame("TIT2", b"\0\0\0\x05" + zlib.compress(b"\0Tone"), flags=0x80)
    vbri = struct.pack(">4sHHHIIHHHH", b"VBRI", 1, 0, 75, 4417, 10, 1, 1, 2, 10)
    return {
        "hand-v22.mp3": id3(frame("TT2", b"\0x", version=2), picture(900, version=2), version=2) + audio,
        "hand-v23.mp3": id3(*much, picture(2000), title) + audio + id3v1(b"Tone", b"Sine", 3, 17),
        "hand-v24.mp3": id3(frame("TIT2", b"\3Tone\0Two", version=4), version=4, padding=99) + audio,
        "hand-v24-end.mp3": audio
        + id3(frame("TIT2", b"\3Tone", version=4), version=4, flags=16)
        + b"3DI\4\0\x10\0\0\0\x0f",
        "hand-v23-unsynchronised.mp3": id3(*much, flags=0x80) + audio,
        "hand-v23-extended.mp3": id3(b"\0\0\0\x06\0\0\0\0\0\0", title, flags=0x40) + audio,
        "hand-v23-compressed.mp3": id3(packed) + audio,
        "hand-vbri.mp3": (b"\xff\xfb\x90\x64" + bytes(32) + vbri).ljust(417, b"\0") + audio,
        "hand-ape.mp3": audio + ape((b"Title", b"Tone"), (b"Artist", b"Sine\0Two")) + id3v1(b"Tone"),
        "hand-ape-front.mp3": ape((b"Title", b"Tone")) + audio,
        "hand-ape-cover.mp3": audio + ape((b"Cover Art (Front)", b"a.jpg\0" + cover(900)), flags=2),
        "hand-lyrics.mp3": audio + lyrics3(b"La la") + id3v1(b"Tone"),
        "hand-lyrics-old.mp3": audio + b"LYRICSBEGINLa laLYRICSEND" + id3v1(b"Tone"),
    }


# -- Vorbis comments ---------------------------------------------------------------------------------------------------


def _vorbis() -> dict[str, bytes]:
    image = Picture()
    image.type, image.mime, image.data = 3, "image/jpeg", cover(1500)
    block = base64.b64encode(image.write()).decode("ascii")

    def fill(file):
        file["metadata_block_picture"] = [block]
        file["coverart"] = [block]
        file["comment"] = ["a" * 9000, "two"]

    return {
        "hand-picture.flac": _changed(FLAC, "tone.flac", lambda file: file.add_picture(image)),
        "hand-id3.flac": id3(frame("TIT2", b"\0Tone")) + sample("tone.flac"),
        "hand-picture.opus": _changed(OggOpus, "tone.opus", fill),
        "hand-pages.ogg": _changed(OggVorbis, "tone.ogg", fill),
    }


def _changed(kind, name: str, change) -> bytes:
    """What mutagen makes of a sample, by one of its classes, when something has set tags."""
    file = kind(io.BytesIO(sample(name)))
    change(file)
    return saved(file, sample(name))


# -- MP4 ---------------------------------------------------------------------------------------------------------------


def _mp4() -> dict[str, bytes]:
    last = sample("last.m4a")
    kind = last[: int.from_bytes(last[:4], "big")]
    names = atom(b"keys", struct.pack(">II", 0, 1), atom(b"mdta", b"com.apple.quicktime.title"))
    value = atom(b"data", struct.pack(">II", 1, 0), b"Tone")
    free = atom(b"----", atom(b"mean", bytes(4), b"com.apple.iTunes"), atom(b"name", bytes(4), b"ISRC"), value)
    texts = atom(b"ilst", atom(b"\0\0\0\1", value), free, atom(b"covr", atom(b"data", b"\0\0\0\x0d", bytes(900))))
    user = atom(
        b"udta",
        atom(b"\xa9nam", b"\0\4\0\0Tone\0\4\x55\xc4Tone"),
        atom(b"titl", b"\0\0\0\0\x55\xc4Tone\0"),
        atom(b"perf", b"\0\0\0\0\x55\xc4\xfe\xff\0T\0\0"),
        atom(b"albm", b"\0\0\0\0\x55\xc4Low\0\3"),
        atom(b"yrrc", b"\0\0\0\0\x07\xe8"),
        atom(b"kywd", b"\0\0\0\0\x55\xc4\2\5Tone\0\4Two\0"),
        atom(
            b"Xtra",
            struct.pack(">II", 44, 8),
            b"WM/Genre",
            struct.pack(">IIH", 1, 24, 8),
            "Folk, low".encode("utf-16-le"),
        ),
        atom(b"chpl", b"\1\0\0\0\0\0\0\0\1", bytes(8), b"\3One"),
    )
    fragmented = sample("fragmented.m4a")
    at = fragmented.index(b"moof") - 4
    sidx = atom(b"sidx", struct.pack(">IIIIIHHIII", 0, 1, 44100, 0, 0, 0, 1, len(fragmented) - at, 132300, 0))
    places = struct.pack(">IIII", 0, 1, 0, 1) + struct.pack(">II", 0, fragmented.rindex(b"moof") - 4) + b"\1\1\1"
    mfra = atom(b"mfra", atom(b"tfra", places), atom(b"mfro", struct.pack(">II", 0, 59)))
    sound = b"sowt" + bytes(6) + b"\0\1\0\2" + bytes(6) + b"\0\3\0\x10\xff\xfe" + bytes(4) + b"\0\1\0\0"
    sound += struct.pack(">IdIIIIII", 72, 44100.0, 2, 0x7F000000, 16, 12, 4, 1)
    table = atom(b"stsd", struct.pack(">II", 0, 1), struct.pack(">I", len(sound) + 4), sound)
    media = atom(b"mdia", _mdhd(), atom(b"hdlr", bytes(8), b"soun", bytes(12)), atom(b"minf", atom(b"stbl", table)))

    def fill(file):
        file["trkn"], file["covr"] = [(3, 12)], [MP4Cover(cover(900))]
        file["----:com.apple.iTunes:ISRC"] = [b"CZ1", b"CZ2"]

    return {
        "hand-keys.mov": kind + atom(b"moov", user, atom(b"meta", bytes(4), names, texts)),
        "hand-sound.mov": kind + atom(b"moov", atom(b"trak", media), user),
        "hand-index.m4a": fragmented + mfra,
        "hand-mutagen.m4a": _changed(MP4, "last.m4a", fill),
        "hand-sidx.m4a": fragmented[:at] + sidx + fragmented[at:],
        "hand-tracks.mov": _tracks(),
        "hand-fragments.m4a": kind + atom(b"moof", atom(b"traf", atom(b"tfdt", bytes(8)))) + last,
    }


def _tracks() -> bytes:
    """Tracks of each kind with all that is told of them, chapters twice, and two pictures."""
    samples = [b"\0\3One", b"\0\4\xfe\xff\0T" + atom(b"encd", b"\0\0\1\0")]
    tables = [table(b"stts", [(2, 2000)]), table(b"stsc", [(1, 1, 1)]), table(b"co64", [(0, 24), (0, 29)])]
    tables.append(atom(b"stsz", struct.pack(">5I", 0, 0, 2, *map(len, samples))))
    named = atom(b"udta", atom(b"name", b"Main"))
    places = atom(b"chan", struct.pack(">4I", 0, 0, 0, 2), struct.pack(">I16xI16x", 1, 2))
    colours = atom(b"colr", b"nclx", struct.pack(">HHHB", 9, 16, 9, 0)), atom(b"btrt", bytes(8), b"\0\1\0\0")
    tags = [atom(b"covr", atom(b"data", b"\0\0\0\x0d", bytes(40)), atom(b"data", bytes(8), b"BM", bytes(9)))]
    tags += [atom(name, atom(b"data", b"\0\0\0\x15", bytes(4), b"\0\2")) for name in (b"stik", b"tves", b"cnID")]
    user = atom(b"udta", atom(b"meta", bytes(4), atom(b"ilst", *tags)), atom(b"chpl", b"\1", bytes(7), b"\1", bytes(9)))
    return movie(
        trak(1, b"soun", sound(b"sowt", places), code=0x1234, before=atom(b"tref", atom(b"chap", b"\0\0\0\2"))),
        trak(2, b"text", text(), *tables, enabled=False),
        trak(3, b"vide", film(b"hvc1", *colours), matrix=(0, 1, -1, 0), behind=named, version=1),
        trak(4, b"sbtl", text(b"tx3g", 0xC0000000), media=atom(b"elng", bytes(4), b"pt-BR\0"), name=b"Names\0"),
        user,
        brand=b"qt  ",
        front=atom(b"mdat", *samples),
    )


def _mdhd() -> bytes:
    return atom(b"mdhd", bytes(12), struct.pack(">IIHH", 44100, 88200, 0x55C4, 0))


# -- RIFF and IFF ------------------------------------------------------------------------------------------------------


_PCM = UUID("00000001-0000-0010-8000-00aa00389b71").bytes_le


def _riff() -> dict[str, bytes]:
    sound = struct.pack("<HHIIHH", 0xFFFE, 2, 44100, 176400, 4, 16) + struct.pack("<HHI", 22, 16, 3) + _PCM
    bext = b"A low water".ljust(256, b"\0") + b"Sine".ljust(32, b"\0") + bytes(32) + b"2024-01-0110:00:00" + bytes(260)
    info = chunks_of(b"INFO", chunk(b"INAM", b"Tone\0"), chunk(b"IART", b"Sine"))
    sizes = chunk(b"ds64", struct.pack("<QQQI", 5000, 4000, 1000, 0))
    wave = [chunk(b"fmt ", sound), chunk(b"fact", struct.pack("<I", 1000)), chunk(b"bext", bext), info]
    data = chunk(b"data", bytes(4000))
    main = struct.pack("<IIIIIIIIII", 40000, 0, 0, 0, 50, 0, 2, 0, 320, 240) + bytes(16)
    video = b"vidsXVID" + bytes(12) + struct.pack("<IIII", 1, 25, 0, 50) + bytes(24)
    image = struct.pack("<IiiHH4s", 40, 320, 240, 1, 24, b"XVID") + bytes(20)
    tracks = [chunks_of(b"strl", chunk(b"strh", video), chunk(b"strf", image), chunk(b"strn", b"Film"))]
    tracks.append(chunks_of(b"strl", chunk(b"strh", b"auds" + bytes(52)), chunk(b"strf", sound)))
    odml = chunks_of(b"odml", chunk(b"dmlh", struct.pack("<I", 500) + bytes(244)))
    head = chunks_of(b"hdrl", chunk(b"avih", main), *tracks, odml)
    film = [head, chunk(b"IDIT", b"Mon Jan 01"), chunks_of(b"movi", chunk(b"00dc", bytes(900))), info]

    def tag(file):
        if file.tags is None:
            file.add_tags()
        file.tags.add(TIT2(encoding=1, text="Tone"))
        file.tags.add(APIC(mime="image/jpeg", type=3, data=cover(900)))

    comments = struct.pack(">HIHH", 1, 0, 0, 4) + b"Tone"
    aiff = chunk(b"COMT", comments, ">") + chunk(b"ANNO", b"Tone", ">") + chunk(b"(c) ", b"Sine", ">")
    return {
        "hand-bext.wav": form(b"RIFF", b"WAVE", *wave, data),
        "hand-rf64.wav": b"RF64\xff\xff\xff\xffWAVE" + sizes + b"".join(wave) + b"data\xff\xff\xff\xff" + bytes(4000),
        "hand-id3.wav": _changed(WAVE, "tone.wav", tag),
        "hand-film.avi": form(b"RIFF", b"AVI ", *film),
        "hand-id3.aiff": _changed(AIFF, "tone.aiff", tag),
        "hand-texts.aiff": sample("tone.aiff")[:12] + aiff + sample("tone.aiff")[12:],
    }


# -- Matroska ----------------------------------------------------------------------------------------------------------


def element(name: str, *bodies: bytes) -> bytes:
    """An element of EBML, its size in four bytes; a name is given in hexadecimal."""
    body = b"".join(bodies)
    return bytes.fromhex(name) + (1 << 28 | len(body)).to_bytes(4, "big") + body


def _matroska() -> dict[str, bytes]:
    head = element("1a45dfa3", element("4282", b"matroska"))
    info = element(
        "1549a966",
        element("2ad7b1", b"\x0f\x42\x40"),
        element("4489", struct.pack(">d", 5e3)),
        element("7ba9", b"Tone"),
    )
    sound = element("e1", element("b5", struct.pack(">f", 44100.0)), element("9f", b"\2"), element("6264", b"\x10"))
    audio = element(
        "ae", element("d7", b"\1"), element("73c5", b"\x09"), element("83", b"\2"), element("86", b"A_PCM/INT/LIT"),
        element("536e", b"Main"), element("22b59c", b"cze"), sound,
    )  # fmt: skip
    image = struct.pack("<IiiHH4s", 40, 320, 240, 1, 24, b"XVID") + bytes(20)
    picture = element("e0", element("b0", b"\1\x40"), element("ba", b"\xf0"))
    video = element(
        "ae", element("d7", b"\2"), element("83", b"\1"), element("86", b"V_MS/VFW/FOURCC"), element("63a2", image),
        element("23e383", b"\2\x62\x5a\0"), element("2383e3", struct.pack(">f", 25.0)), picture,
    )  # fmt: skip
    nested = element("67c8", element("45a3", b"ARTIST"), element("4487", b"Sine"), _simple(b"SORT_WITH", b"S"))
    target = element("63c0", element("68ca", b"\x32"), element("63c5", b"\x09"))
    tags = element(
        "1254c367", element("7373", target, _simple(b"TITLE", b"Tone"), nested, _simple(b"PART_NUMBER", b"3"))
    )
    files = element(
        "1941a469",
        element("61a7", element("466e", b"cover.jpg"), element("4660", b"image/jpeg"), element("465c", cover(900))),
    )
    group = element("a0", element("a1", b"\x81\0\x10\0" + bytes(90)), element("9b", b"\x28"))
    cluster = element("1f43b675", element("e7", b"\x0f\xa0"), element("a3", b"\x81\0\x20\x80" + bytes(90)), group)
    tracks = element("1654ae6b", audio, video)
    body = b"".join([_seek(len(_seek(0) + info + tracks)), info, tracks, tags, files, cluster])
    live = bytes.fromhex("1f43b675") + b"\x01" + b"\xff" * 7 + cluster[8:]
    unending = bytes.fromhex("18538067") + b"\x01" + b"\xff" * 7
    short = element("1549a966", element("2ad7b1", b"\x0f\x42\x40"))
    colour = element("e0", element("55b0", element("55ba", b"\x10"), element("55bb", b"\x09")))
    turned = element("e0", element("7670", element("7671", b"\0"), element("7675", struct.pack(">f", 90.0))))
    more = element("ae", element("83", b"\1"), element("86", b"V_VP9"), colour, turned)
    more += element("ae", element("83", b"\x11"), element("86", b"S_TEXT/UTF8"), element("55aa", b"\1"))
    inner = element("b6", element("91", b"\1"), element("80", element("85", b"One"), element("437d", b"de")))
    chapter = element("b6", element("91", b"\0"), element("92", b"\x0f\x42\x40"), element("98", b"\0"), inner, inner)
    chapters = element("1043a770", element("45b9", element("45bd", b"\0"), element("45db", b"\1"), chapter))
    parts = [info, element("1654ae6b", audio, more), chapters, files, cluster]
    return {
        "hand-parts.mkv": head + element("18538067", *parts),
        "hand-all.mkv": head + element("18538067", body),
        "hand-live.webm": head + unending + short + tracks + live * 3,
        "hand-tags-last.mkv": head
        + element("18538067", _seek(len(_seek(0) + info + tracks + cluster)), info, tracks, cluster, tags),
    }


def _seek(tags_at: int) -> bytes:
    """A seek head that says where in the segment the tags stand."""
    place = element("53ac", tags_at.to_bytes(2, "big"))
    return element("114d9b74", element("4dbb", element("53ab", bytes.fromhex("1254c367")), place))


def _simple(name: bytes, text: bytes) -> bytes:
    return element("67c8", element("45a3", name), element("447a", b"und"), element("4487", text))


# -- ASF, FLV, Musepack, Monkey's Audio --------------------------------------------------------------------------------


def _object(name: str, *bodies: bytes) -> bytes:
    body = b"".join(bodies)
    return UUID(name).bytes_le + struct.pack("<Q", 24 + len(body)) + body


def _asf() -> bytes:
    """A header with an Extended Stream Properties Object in its extension, and a codec list."""
    times = struct.pack("<QQ8IHHQHH", 0, 0, *range(8), 1, 0, 400_000, 1, 1)
    names = struct.pack("<HH", 0, 8) + "Main".encode("utf-16-le") + bytes(16) + struct.pack("<HI", 0, 4) + bytes(4)
    kind = UUID("F8699E40-5B4D-11CF-A8FD-00805F5C442B").bytes_le
    sound = struct.pack("<HHIIHHH", 0x161, 2, 44100, 16000, 4, 16, 0)
    stream = _object(
        "B7DC0791-A9B7-11CF-8EE6-00C00C205365", kind, bytes(16), bytes(8), struct.pack("<IIHI", 18, 0, 1, 0), sound
    )
    extended = _object("14E6A5CB-C672-4332-8399-A96952065B5A", times, names, stream)
    extension = _object("5FBF03B5-A92E-11CF-8EE3-00C00C205365", bytes(18), struct.pack("<I", len(extended)), extended)
    words = "Audio 9.2\0".encode("utf-16-le"), "64 kbps, VBR\0".encode("utf-16-le")
    listed = b"".join(struct.pack("<H", len(word) // 2) + word for word in words) + struct.pack("<HH", 2, 0x161)
    codecs = _object("86D15240-311D-11D0-A3A4-00A0C90348F6", bytes(16), struct.pack("<IH", 1, 2), listed)
    body = extension + codecs + stream
    return UUID("75B22630-668E-11CF-A6D9-00AA0062CE6C").bytes_le + struct.pack("<QIBB", 30 + len(body), 3, 1, 2) + body


def _fill_asf(file) -> None:
    image = b"\3" + struct.pack("<I", 900) + "image/jpeg\0\0".encode("utf-16-le") + cover(900)
    file["WM/Picture"] = [ASFByteArrayAttribute(image)]
    file["WM/Lyrics"] = [ASFUnicodeAttribute("la " * 400)]
    file["WM/TrackNumber"], file["IsVBR"], file["WM/Genre"] = [3], [True], ["Folk", "Low"]


def _amf_text(text: bytes) -> bytes:
    return struct.pack(">H", len(text)) + text


def _flv() -> bytes:
    numbers = [
        _amf_text(b"duration") + b"\0" + struct.pack(">d", 12.5),
        _amf_text(b"width") + b"\0" + struct.pack(">d", 320),
    ]
    places = b"\3" + _amf_text(b"times") + b"\x0a\0\0\0\2" + (b"\0" + bytes(8)) * 2 + b"\0\0\x09"
    more = [
        _amf_text(b"keyframes") + places,
        _amf_text(b"mixed") + b"\x0a\0\0\0\2\2\0\1a\5",
        _amf_text(b"title") + b"\2\0\4Tone",
    ]
    more += [_amf_text(b"typed") + b"\x10\0\1c\0\0\x09", _amf_text(b"date") + b"\x0b" + bytes(10)]
    script = b"\2" + _amf_text(b"onMetaData") + b"\x08\0\0\0\5" + b"".join([*numbers, *more]) + b"\0\0\x09"
    out = b"FLV\1\5\0\0\0\x09\0\0\0\0"
    for kind, body in (
        (0x12, script),
        (8, b"\xaf\0\x12\x10"),
        (9, b"\x17\0\0\0\0" + bytes(40)),
        (9, b"\x27\1" + bytes(900)),
    ):
        out += (
            bytes([kind])
            + struct.pack(">I", len(body))[1:]
            + b"\0\x10\0\0\0\0\0"
            + body
            + struct.pack(">I", len(body) + 11)
        )
    return out


def _others() -> dict[str, bytes]:
    packets = (
        b"RG\x0c\1" + bytes(8) + b"SH\x0e" + bytes(4) + b"\x08\x83\xd0\x90\x40\0\x17\x14" + b"AP\x82\x03" + bytes(256)
    )
    old = struct.pack("<I", 7 << 24 | 0x2B504D) + struct.pack("<IIIII", 90, 0, 0, 0, 1 << 31) + bytes(900)
    new = b"MAC " + struct.pack("<HHIIIIIII", 3990, 0, 52, 24, 40, 44, 900, 0, 0) + bytes(16)
    new += struct.pack("<HHIIIHHI", 2000, 0, 294912, 90, 10, 16, 2, 44100)
    picture = bytes.fromhex("000001b31400f013ffffe018 000001b8000800 40 00000100000ffff8 00000101") + bytes(900)
    older = b"MAC " + struct.pack("<HHHHIIIII", 3970, 2000, 0, 2, 44100, 44, 0, 10, 90)
    tail = ape((b"Title", b"Tone"), (b"Artist", b"Sine"))
    return {
        "hand-extended.wma": _asf() + bytes(900),
        "hand-picture.wma": _changed(ASF, "tone.wma", _fill_asf),
        "hand-script.flv": _flv(),
        "hand-8.mpc": b"MPCK" + packets + tail,
        "hand-7.mpc": old + tail,
        "hand-film.m1v": picture * 3,
        "hand-new.ape": new + bytes(900) + tail,
        "hand-old.ape": older + bytes(900) + tail,
        "hand-tagged.wv": sample("tone.wv") + tail,
        "hand-id3.tta": id3(frame("TIT2", b"\0Tone")) + sample("tone.tta"),
    }
