"""Seeds with the parts of a record: chapters, tracks, pictures, identifiers, people, loudness, in each container."""

from __future__ import annotations

import base64
import io
import struct

from fuzz_shapes import ape, element
from mutagen.asf import ASF, ASFByteArrayAttribute
from mutagen.flac import FLAC, Picture
from mutagen.oggopus import OggOpus
from mutagen.oggvorbis import OggVorbis
from probe_media import atom, cover, frame, id3, sample, saved

UUID = b"00000001-5eed-4001-9abc-000000001eef"


def parts() -> dict[str, bytes]:
    """All of them by name."""
    return {**_mpeg(), **_mp4(), **_matroska(), **_comments(), **_transport()}


# -- ID3v2 -------------------------------------------------------------------------------------------------------------


def _chapter(number: int, version: int) -> bytes:
    title = frame("TIT2", b"\1" + f"Část {number}".encode("utf-16"), version=version)
    link = frame("WXXX", b"\0chapter url\0https://a.example/", version=version)
    image = frame("APIC", b"\0image/jpeg\0\0\0" + cover(60), version=version)
    times = struct.pack(">IIII", number * 500, number * 500 + 500, 0xFFFFFFFF, 0xFFFFFFFF)
    return frame("CHAP", b"c%d\0" % number + times + title + link + image, version=version)


def _contents(name: bytes, children: list[bytes], flags: int, version: int) -> bytes:
    listed = b"".join(child + b"\0" for child in children)
    return frame("CTOC", name + b"\0" + bytes([flags, len(children)]) + listed, version=version)


def _people(version: int) -> list[bytes]:
    pairs = b"\3producer\0Ann Lee\0mix\0Cy Vee\0violin\0Fay Wu"
    if version == 3:
        return [frame("IPLS", b"\0" + pairs[1:])]
    return [frame("TIPL", pairs, version=4), frame("TMCL", b"\3violin\0Fay Wu\0piano\0Gil Oz", version=4)]


def _mpeg() -> dict[str, bytes]:
    audio = sample("cbr.mp3")[:3000]
    found = {}
    for version in (3, 4):
        chapters = [_chapter(number, version) for number in range(4)]
        contents = [
            _contents(b"toc", [b"one", b"two"], 3, version),
            _contents(b"one", [b"c0", b"c1"], 1, version),
            _contents(b"two", [b"c2", b"c3"], 1, version),
        ]
        others = [
            frame("UFID", b"http://musicbrainz.org\0" + UUID, version=version),
            frame("TXXX", b"\0MusicBrainz Artist Id\0" + UUID + b"/" + UUID, version=version),
            frame("TXXX", b"\0REPLAYGAIN_TRACK_GAIN\x00-7.25 dB", version=version),
            frame("COMM", b"\0eng" + b"iTunNORM\0 00000FA0 000007D0 00003E80 00001F40", version=version),
            frame("PCST", bytes(4), version=version),
            frame("TLAN", b"\0ces", version=version),
            frame("TSRC", b"\0CZ-AB1-23-45678", version=version),
            frame("APIC", b"\0image/png\0\4back\0" + cover(300), version=version),
        ]
        tag = id3(*contents, *chapters, *_people(version), *others, version=version)
        found[f"parts-chapters-v2{version}.mp3"] = tag + audio
    return found


# -- MP4 ---------------------------------------------------------------------------------------------------------------


def _track(number: int, kind: bytes, entry: bytes, *more: bytes, sizes: tuple[int, ...] = (), place: int = 0) -> bytes:
    """A track with the tables of its samples, one chunk, of a second each."""
    matrix = struct.pack(">iiiiiiiii", 0, 65536, 0, -65536, 0, 0, 0, 0, 1 << 30)
    size = struct.pack(">II", 320 << 16, 180 << 16)
    head = atom(b"tkhd", struct.pack(">IIIIII", 7, 0, 0, number, 0, 4000), bytes(16), matrix, size)
    table = atom(
        b"stbl",
        atom(b"stsd", struct.pack(">II", 0, 1), entry),
        atom(b"stts", struct.pack(">IIII", 0, 1, len(sizes), 1000)),
        atom(b"stsc", struct.pack(">IIIII", 0, 1, 1, len(sizes), 1)),
        atom(b"stsz", struct.pack(">III", 0, 0, len(sizes)), struct.pack(f">{len(sizes)}I", *sizes)),
        atom(b"stco", struct.pack(">III", 0, 1, place)),
    )
    language = struct.pack(">HH", 0x0CB3 if kind == b"text" else 0x10B5, 0)
    media = atom(
        b"mdia",
        atom(b"mdhd", bytes(12), struct.pack(">II", 1000, 4000), language),
        atom(b"elng", bytes(4), b"pt-BR\0"),
        atom(b"hdlr", bytes(8), kind, bytes(12), b"Zvuk\0"),
        atom(b"minf", table),
    )
    return atom(b"trak", head, *more, media)


def _mp4() -> dict[str, bytes]:
    titles = [struct.pack(">H", len(text)) + text for text in (b"Opening", "Část".encode(), b"\xff\xfe" + b"x\0", b"")]
    data = b"".join(titles)
    kind = atom(b"ftyp", b"M4B \0\0\0\0isom")
    sizes = tuple(map(len, titles))
    colour = atom(b"colr", b"nclx", struct.pack(">HHHB", 9, 16, 9, 0))
    picture = atom(b"hvc1", bytes(6), b"\0\1", bytes(16), struct.pack(">HH", 320, 180), bytes(50), colour)
    sound = atom(b"mp4a", bytes(6), b"\0\1", bytes(8), struct.pack(">HHHHHH", 2, 16, 0, 0, 44100, 0))
    words = atom(b"text", bytes(6), b"\0\1", bytes(43))
    listed = b"".join(struct.pack(">QB", at * 10_000_000, 4) + b"Part" for at in range(4))
    chpl = atom(b"chpl", b"\1\0\0\0\0\0\0\0\4", listed)
    names = [(b"stik", b"\x0a", 21), (b"pcst", b"\1", 21), (b"rtng", b"\4", 21), (b"tves", struct.pack(">I", 7), 21)]
    names += [(b"tvsn", struct.pack(">I", 2), 21), (b"cnID", struct.pack(">I", 99), 21), (b"egid", b"guid", 0)]
    texts = [atom(name, atom(b"data", struct.pack(">II", form, 0), value)) for name, value, form in names]
    for name in (b"MusicBrainz Album Id", b"iTunNORM", b"replaygain_track_gain"):
        mean, named = atom(b"mean", bytes(4), b"com.apple.iTunes"), atom(b"name", bytes(4), name)
        texts.append(atom(b"----", mean, named, atom(b"data", struct.pack(">II", 1, 0), UUID)))
    covers = [atom(b"data", struct.pack(">II", form, 0), cover(200)) for form in (13, 14)]
    texts.append(atom(b"covr", *covers))
    user = atom(
        b"udta", chpl, atom(b"meta", bytes(4), atom(b"hdlr", bytes(8), b"mdir", bytes(12)), atom(b"ilst", *texts))
    )
    found = {}
    for name, first in (("parts-book.m4b", sound), ("parts-phone.mp4", picture)):
        chapters = atom(b"tref", atom(b"chap", struct.pack(">I", 3)))
        tracks = [
            _track(1, b"soun" if first is sound else b"vide", first, chapters, sizes=(10, 10), place=36),
            _track(2, b"soun", sound, sizes=(10,), place=36),
            _track(3, b"text", words, sizes=sizes, place=len(kind) + 8),
            _track(4, b"sbtl", atom(b"tx3g", bytes(6), b"\0\1", bytes(30)), sizes=(10,), place=36),
        ]
        header = atom(b"mvhd", bytes(12), struct.pack(">II", 1000, 4000), bytes(80))
        found[name] = kind + atom(b"mdat", data) + atom(b"moov", header, *tracks, user)
    return found


# -- Matroska ----------------------------------------------------------------------------------------------------------


def _number(name: str, value: int) -> bytes:
    return element(name, value.to_bytes(8, "big"))


def _atom_of_chapter(number: int, *inner: bytes) -> bytes:
    shown = element("80", element("85", f"Část {number}".encode()), element("437c", b"cze"), element("437d", b"cs-CZ"))
    other = element("80", element("85", b"Part"), element("437c", b"eng"))
    times = _number("91", number * 10**9), _number("92", (number + 1) * 10**9)
    return element("b6", _number("73c4", number), *times, element("98", b"\0"), shown, other, *inner)


def _simple(name: bytes, text: bytes) -> bytes:
    return element("67c8", element("45a3", name), element("4487", text))


def _matroska() -> dict[str, bytes]:
    head = element("1a45dfa3", element("4282", b"matroska"))
    about = element("1549a966", element("2ad7b1", b"\x0f\x42\x40"), element("4489", struct.pack(">d", 4e3)))
    colour = element("55b0", element("55ba", b"\x10"), element("55bb", b"\x09"))
    turned = element("7670", element("7675", struct.pack(">f", 90.0)))
    picture = element("e0", element("b0", b"\1\x40"), element("ba", b"\xb4"), colour, turned)
    tracks = [element("ae", element("d7", b"\1"), element("83", b"\1"), element("86", b"V_AV1"), picture)]
    for number, (kind, codec) in enumerate(
        ((b"\2", b"A_OPUS"), (b"\x11", b"S_TEXT/UTF8"), (b"\x11", b"S_HDMV/PGS")), 2
    ):
        named = element("536e", "Původní znění".encode()), element("22b59c", b"chi"), element("22b59d", b"zh-Hant")
        flags = element("88", b"\0"), element("55aa", b"\1"), element("73c5", bytes([number]))
        tracks.append(
            element("ae", element("d7", bytes([number])), element("83", kind), element("86", codec), *named, *flags)
        )
    chapters = [_atom_of_chapter(0, _atom_of_chapter(1), _atom_of_chapter(2)), _atom_of_chapter(3)]
    edition = element("45b9", element("45db", b"\1"), element("45dd", b"\1"), *chapters)
    hidden = element("45b9", element("45bd", b"\1"), _atom_of_chapter(9))
    files = [("cover.jpg", b"image/jpeg"), ("small_cover.png", b"image/png"), ("a.ttf", b"font/ttf")]
    attached = [
        element("61a7", element("466e", name.encode()), element("4660", mime), element("465c", cover(200)))
        for name, mime in files
    ]
    film = element("63c0", element("68ca", b"\x32"))
    texts = [_simple(b"IMDB", b"tt0076759"), _simple(b"ACTOR", b"Jan Fox"), _simple(b"REPLAYGAIN_GAIN", b"-7.25 dB")]
    tags = [element("7373", film, *texts), element("7373", element("63c0", element("63c5", b"\2")), *texts)]
    cluster = element("1f43b675", element("e7", b"\0"), element("a3", b"\x81\0\0\x80" + bytes(90)))
    named = ("1043a770", [edition, hidden]), ("1941a469", attached), ("1254c367", tags)
    more = [element(name, *bodies) for name, bodies in named]
    listed = element("1654ae6b", *tracks)
    return {
        "parts-first.mkv": head + element("18538067", about, listed, *more, cluster),
        "parts-last.mkv": head + element("18538067", _seek(about, listed, cluster, *more)),
    }


def _seek(*elements: bytes) -> bytes:
    """Elements with a head that says where in the segment each stands."""

    def place(name: bytes, at: int) -> bytes:
        return element("4dbb", element("53ab", name), element("53ac", at.to_bytes(4, "big")))

    at = len(element("114d9b74", *(place(each[:4], 0) for each in elements)))
    places = []
    for each in elements:
        places.append(place(each[:4], at))
        at += len(each)
    return element("114d9b74", *places) + b"".join(elements)


# -- Vorbis comments, APEv2, ASF ---------------------------------------------------------------------------------------


def _pictures() -> list[Picture]:
    found = []
    for kind, mime in ((3, "image/jpeg"), (4, "image/png")):
        image = Picture()
        image.type, image.mime, image.data = kind, mime, cover(300)
        found.append(image)
    return found


def _fill(file) -> None:
    for number in range(4):
        file[f"CHAPTER{number:03}"] = [f"00:00:0{number}.500"]
        file[f"CHAPTER{number:03}NAME"] = [f"Část {number}"]
    file["MUSICBRAINZ_TRACKID"] = [UUID.decode()]
    file["PERFORMER"] = ["Fay Wu (violin)", "Gil Oz (piano)"]
    file["REPLAYGAIN_TRACK_GAIN"], file["R128_TRACK_GAIN"] = ["-7.25 dB"], ["-1152"]
    if not isinstance(file, FLAC):
        file["metadata_block_picture"] = [base64.b64encode(image.write()).decode() for image in _pictures()]


def _fill_flac(file) -> None:
    _fill(file)
    for image in _pictures():
        file.add_picture(image)


def _fill_asf(file) -> None:
    head = "image/jpeg\0\0".encode("utf-16-le") + cover(200)
    file["WM/Picture"] = [ASFByteArrayAttribute(struct.pack("<BI", kind, 200) + head) for kind in (3, 4)]
    file["MusicBrainz/Album Id"], file["WM/Conductor"] = [UUID.decode()], ["Václav Talich"]
    file["replaygain_track_gain"], file["WM/ISRC"] = ["-7.25 dB"], ["CZ-AB1-23-45678"]


def _comments() -> dict[str, bytes]:
    files = [("tone.flac", FLAC, _fill_flac), ("tone.ogg", OggVorbis, _fill), ("tone.opus", OggOpus, _fill)]
    found = {}
    for name, kind, fill in [*files, ("tone.wma", ASF, _fill_asf)]:
        file = kind(io.BytesIO(sample(name)))
        fill(file)
        found[f"parts-{name}"] = saved(file, sample(name))
    items = [
        (b"MUSICBRAINZ_ALBUMID", UUID), (b"Performer", b"Fay Wu (violin)\0Gil Oz (piano)"),
        (b"MP3GAIN_MINMAX", b"110,205"), (b"REPLAYGAIN_TRACK_PEAK", b"0.871124"), (b"MixArtist", b"Low Tide"),
    ]  # fmt: skip
    found["parts-ape.wv"] = sample("tone.wv") + ape(*items)
    found["parts-ape-pictures.mp3"] = sample("cbr.mp3")[:3000] + ape(
        (b"Cover Art (Front)", b"front.jpg\0" + cover(200)), (b"Cover Art (Back)", b"back.png\0" + cover(100)), flags=2
    )
    return found


# -- MPEG transport streams --------------------------------------------------------------------------------------------


def _crc(data: bytes) -> int:
    """CRC-32 of MPEG sections (ISO/IEC 13818-1, annex A)."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ (0x04C11DB7 if value & 0x80000000 else 0)) & 0xFFFFFFFF
    return value


def _transport() -> dict[str, bytes]:
    """A stream of ffmpeg whose map of programs names languages of sound, subtitles and teletext."""
    data = sample("film.ts")
    packets = [data[at : at + 188] for at in range(0, len(data) - 187, 188)]
    language = b"\x0a\x04ces\0"
    streams = [
        (0x1B, 0x100, b""),
        (0x0F, 0x101, language),
        (0x06, 0x102, b"\x6a\1\0" + b"\x0a\x08deu\0eng\3"),
        (0x06, 0x103, b"\x59\x08fra\x10\0\1\0\1"),
        (0x06, 0x104, b"\x56\x05ces\x09\x00"),
    ]
    listed = b"".join(
        struct.pack(">BHH", kind, 0xE000 | pid, 0xF000 | len(about)) + about for kind, pid, about in streams
    )
    body = struct.pack(">HBBBHH", 1, 0xC1, 0, 0, 0xE100, 0xF000) + listed
    section = b"\2" + struct.pack(">H", 0xB000 | len(body) + 4) + body
    section += struct.pack(">I", _crc(section))
    for number, packet in enumerate(packets):
        pid = int.from_bytes(packet[1:3], "big") & 0x1FFF
        if pid == 0x1000:
            packets[number] = (packet[:4] + b"\0" + section).ljust(188, b"\xff")
    return {"parts-languages.ts": b"".join(packets)}
