"""MP4, QuickTime and 3GPP: texts, sample descriptions, tracks, fragments, chapters, covers, and broken atoms."""

import struct

from mutagen.mp4 import MP4, MP4Cover, MP4FreeForm
from probe_media import atom, changed, cover, grow_mdat, sample
from probe_movie import language, movie, picture, sound, stsd, table, text, tkhd, trak

from golden import Case
from mediacrawl.probe import ProbePolicy

FTYP = atom(b"ftyp", b"isom" + bytes(4))
MOST = 2**32 - 1
ITUNES = "----:com.apple.iTunes:"


def files():
    yield from texts()
    yield from of_itunes()
    yield from user_data()
    yield from descriptions()
    yield from tracks()
    yield from long_films()
    yield from fragments()
    yield from chapters()
    yield from chapter_tracks()
    yield from covers()
    yield from broken()


# -- texts -------------------------------------------------------------------------------------------------------------


def item(name, kind, raw):
    return atom(name, atom(b"data", struct.pack(">II", kind, 0), raw))


def ilst(*items):
    meta = atom(b"meta", bytes(4), atom(b"hdlr", bytes(8), b"mdir", bytes(13)), atom(b"ilst", *items))
    return movie(trak(1, b"soun", sound()), atom(b"udta", meta), brand=b"M4A ")


def texts():
    values = {"©nam": "Тон", "©ART": ["A", "B"], "aART": "C", "©day": "2001", "©cmt": "ü"}
    values |= {"trkn": [(3, 12)], "disk": [(1, 0)], f"{ITUNES}ISRC": [MP4FreeForm(b"XX-1", 1)]}
    yield "by mutagen", changed(MP4, "last.m4a", lambda file: file.update(values))
    plain = changed(MP4, "last.m4a", lambda file: file.update({"©nam": "abcd"}))
    yield "text that is not utf-8", plain.replace(b"abcd", b"\xcf\xf0\xe8\xe2")
    hdlr = atom(b"hdlr", bytes(8) + b"mdta" + bytes(13))
    names = [f"com.apple.quicktime.{name}" for name in ("title", "creationdate", "software", "description")]
    names += ["album_artist", "track", "encoder"]
    keys = atom(b"keys", struct.pack(">II", 0, len(names)), *(atom(b"mdta", name.encode()) for name in names))
    items = [item(struct.pack(">I", n), 1, b"Tone") for n in range(1, len(names) + 1)]
    meta = atom(b"meta", hdlr, keys, atom(b"ilst", *items))
    yield "quicktime keys in a meta without version", atom(b"ftyp", b"qt  " + bytes(4)) + atom(b"moov", meta)
    numbers = item(b"gnre", 0, b"\0\x12"), item(b"gnre", 0, b"\x03\xe8"), item(b"tmpo", 21, b"\0\x78")
    yield "numbers that mean something", ilst(*numbers, item(b"cpil", 21, b"\1"), item(b"cpil", 21, b"\0"))
    bad = atom(b"----", atom(b"mean"), atom(b"name")), atom(b"\xa9ART", struct.pack(">I4s", 4, b"data"))
    yield "broken items", ilst(*bad, item(b"\xa9nam", 1, b"Tone"))
    for raw in ("Песня".encode("cp1251") + b"\0", "うた".encode("iso2022_jp"), "Песня".encode()):
        yield f"text without a type {raw[:4].hex()}", ilst(item(b"\xa9nam", 0, raw))
    for raw in (b"brat\0\1\xf4\0cdcv", b"\xc0\xc1\xc2\xc3", "Песня".encode()):
        free = atom(b"----", atom(b"mean", bytes(4), b"a"), atom(b"name", bytes(4), b"b"), atom(b"data", bytes(8), raw))
        yield f"free form without a type {raw[:4].hex()}", ilst(free)


def of_itunes():
    named = [
        *((b"stik", 21, bytes([kind])) for kind in (0, 1, 2, 6, 0xA, 0xB, 0xE, 0x15, 0x17, 0x63)),
        *((b"stik", 0, b"\x09"), (b"stik", 21, b""), (b"pcst", 21, b"\1"), (b"pcst", 21, b"\0")),
        *((b"rtng", 21, bytes([rating])) for rating in (0, 1, 2, 4)),
        *((b"tvsn", 21, b"\0\0\0\3"), (b"tvsn", 1, b"3"), (b"tves", 21, b"\0\0\0\x0c"), (b"tves", 0, b"\0\0\0\x0c")),
        *((b"tves", 21, b"\xff\xff\xff\xff"), (b"tven", 1, b"S01E12"), (b"tvsh", 1, b"Show"), (b"egid", 0, b"guid-1")),
        *((b"purl", 0, b"http://a.example/f"), (b"catg", 1, b"Arts"), (b"keyw", 1, b"a, b"), (b"cpil", 21, b"\1")),
        *((b"cpil", 21, b"\0"), (b"cnID", 21, struct.pack(">I", 1_234_567)), (b"atID", 0, struct.pack(">I", 7))),
        *((b"plID", 21, struct.pack(">Q", 2**40)), (b"sfID", 21, struct.pack(">I", 143_441)), (b"hdvd", 21, b"\1")),
        (b"pgap", 21, b"\1"),
    ]
    for name, kind, raw in named:
        yield f"itunes {name.decode()} {kind} {raw.hex()}", ilst(item(name, kind, raw))
    numbers = {"cnID": [1440857781], "atID": [136975], "plID": [1440857778], "egid": ["tag:example.org,1"]}
    yield "identifiers of the store", changed(MP4, "last.m4a", lambda file: file.update(numbers))


def with_user_data(*atoms, brand=b"qt  "):
    mvhd = atom(b"mvhd", bytes(12) + struct.pack(">II", 600, 6000) + bytes(80))
    return atom(b"ftyp", brand + bytes(4)) + atom(b"moov", mvhd, atom(b"udta", *atoms))


def quicktime(*words):
    return b"".join(struct.pack(">HH", len(raw), code) + raw for code, raw in words)


def asset(name, body):
    return atom(name, struct.pack(">IH", 0, 0x15C7), body)


def attribute(name, *values):
    body = struct.pack(">I", len(name)) + name + struct.pack(">I", len(values))
    body += b"".join(struct.pack(">IH", len(raw) + 6, kind) + raw for kind, raw in values)
    return struct.pack(">I", len(body) + 4) + body


def user_data():
    for code, raw in [
        *((0, b"\x8eclair"), (32, b"\x8f\xf0\xe8"), (11, b"\x83e\x83X\x83g"), (14, b"\xa1\xe1"), (777, b"x")),
        *((0x15C7, "é".encode()), (0x55C4, "Тон".encode()), (0x7FFF, b"\xfe\xff\x04\x16\0\0")),
    ]:
        yield f"text of language {code}", with_user_data(atom(b"\xa9nam", quicktime((code, raw))))
    several = quicktime((0, b"Tone"), (2, b"T\x9an"), (0, b""))
    yield "one text in several languages", with_user_data(atom(b"\xa9nam", several))
    yield (
        "texts of 3gpp",
        with_user_data(
            asset(b"titl", "Тон\0".encode()),
            asset(b"auth", b"\xfe\xff" + "Тон\0".encode("utf-16-be")),
            asset(b"albm", b"Album\0\x05"),
            asset(b"kywd", b"\x02\x02a\0\x03bc\0"),
            atom(b"yrrc", bytes(4), struct.pack(">H", 2009)),
            asset(b"gnre", b""),
            brand=b"3gp5",
        ),
    )
    rating = attribute(b"WM/SharedUserRating", (19, bytes(8)))
    author = attribute(b"WM/Writer", (8, "Тон\0".encode("utf-16-le")), (8, "B\0".encode("utf-16-le")))
    yield "what windows writes", with_user_data(atom(b"Xtra", rating, author), brand=b"isom")
    bad = atom(b"Xtra", struct.pack(">III", 4000, 4, 0)), atom(b"titl", b"\0")
    title = atom(b"\xa9nam", quicktime((0, b"Tone")))
    yield "broken texts of user data", with_user_data(*bad, title)
    yield "what players keep for themselves", with_user_data(atom(b"chpl", bytes(100_000)), atom(b"name", b"x"), title)


# -- sample descriptions -----------------------------------------------------------------------------------------------


def heard(name, *boxes, channels=2, depth=16, rate=44_100, version=0, more=b"", list_version=0):
    """A movie with one description of sound."""
    head = struct.pack(">6xHHHIHHHHI", 1, version, 0, 0, channels, depth, 0, 0, rate << 16)
    described = atom(b"stsd", struct.pack(">II", list_version << 24, 1), atom(name, head, more, *boxes))
    return movie(trak(1, b"soun", described))


def descriptor(tag, body):
    return bytes([tag, 0x80, 0x80, 0x80, len(body)]) + body


def esds(kind, config="", flags=0, more=b""):
    stream = struct.pack(">BB3xII", kind, 0x15, 128_000, 64_000) + descriptor(5, bytes.fromhex(config))
    return atom(b"esds", bytes(4), descriptor(3, b"\0\1" + bytes([flags]) + more + descriptor(4, stream)))


def descriptions():
    # AAC-LC; SBR and parametric stereo, behind the plain form and in front of it; a rate in 24 bits; nothing.
    configs = ["1208", "1210", "1230", "138856e5a0", "138856e5a54880", "2b8a0800", "eb8a0800", "1780ac4400", ""]
    for config in configs:
        yield f"aac {config}", heard(b"mp4a", esds(0x40, config), rate=22_050)
    for kind in (0x6B, 0x69, 0xA5, 0xDD, 0x40, 0xA9):
        yield f"object type {kind:x}", heard(b"mp4a", esds(kind))
        yield f"object type {kind:x} with options", heard(b"mp4a", esds(kind, flags=0xE0, more=b"\0\0\1x\0\0"))
    alac = struct.pack(">IBBBBBBHIII", 4096, 0, 24, 40, 10, 14, 6, 255, 0, 1_000_000, 96_000)
    flac = struct.pack(">HH6xQ16x", 4096, 4096, 48_000 << 44 | 5 << 41 | 23 << 36)
    enda = atom(b"wave", atom(b"enda", b"\0\1"))
    sounds = {
        "alac": heard(b"alac", atom(b"alac", bytes(4), alac)),
        "flac": heard(b"fLaC", atom(b"dfLa", bytes(8), flac)),
        "ac-3": heard(b"ac-3", atom(b"dac3", bytes.fromhex("103dc0"))),
        "ac-3 of six channels": heard(b"ac-3", channels=6),
        "ec-3": heard(b"ec-3", atom(b"dec3", bytes.fromhex("0c00200f00"))),
        "ec-3 of several streams": heard(b"ec-3", atom(b"dec3", bytes.fromhex("0c01200f00"))),
        "ec-3 cut": heard(b"ec-3", atom(b"dec3", b"\x0c")),
        "truehd": heard(b"mlpa", channels=6),
        "opus": heard(b"Opus", rate=48_000),
        "mp2": heard(b".mp2"),
        "sowt": heard(b"sowt"),
        "twos": heard(b"twos", depth=8),
        "raw": heard(b"raw ", depth=8),
        "in24, little end first": heard(b"in24", enda, version=1, more=bytes(16)),
        "ipcm": heard(b"ipcm", atom(b"pcmC", bytes(4), b"\1\x18")),
        "fl32": heard(b"fl32"),
        "number of windows": heard(b"ms\0U"),
        "amr": heard(b"samr", channels=1, rate=8000),
        "encrypted ac-3": heard(b"enca", atom(b"sinf", atom(b"frma", b"ac-3"))),
        "unknown": heard(b"what"),
        "version 2": heard(b"lpcm", version=2, more=struct.pack(">IdIIIIII", 72, 96_000.0, 8, 0x7F000000, 32, 1, 0, 0)),
        "version 1 of the list": heard(b"mp4a", esds(0x40, "1208"), version=1, list_version=1),
        "descriptor in wave": heard(
            b"mp4a", atom(b"wave", atom(b"frma", b"mp4a"), esds(0x40, "1208")), version=1, more=bytes(16)
        ),
    }
    yield from ((f"sound of {name}", data) for name, data in sounds.items())
    pictures = [b"avc1", b"hev1", b"av01", b"vp09", b"s263", b"SVQ3", b"apcn", b"rle "]
    entries = {name.decode(): picture(name) for name in pictures}
    entries |= {f"mp4v {kind:x}": picture(b"mp4v", esds(kind)) for kind in (0x20, 0x61)}
    entries["encv"] = picture(b"encv", atom(b"sinf", atom(b"frma", b"avc1")))
    for name, entry in entries.items():
        yield f"picture of {name}", movie(trak(1, b"vide", entry))


# -- tracks ------------------------------------------------------------------------------------------------------------


def tracks():
    for brand, code, elng in [
        (b"isom", language("ger"), None), (b"isom", language("deu"), b"de-CH\0"), (b"isom", language("und"), None),
        (b"isom", language("und"), b"zh-hant\0"), (b"isom", 0x7FFF, None), (b"isom", 0, None), (b"qt  ", 0, None),
        (b"qt  ", 32, None), (b"qt  ", 200, None), (b"isom", language("eng"), b"\xff\xfe\0"),
    ]:  # fmt: skip
        media = b"" if elng is None else atom(b"elng", bytes(4), elng)
        made = movie(trak(1, b"soun", sound(), code=code, media=media), brand=brand)
        yield f"language {brand.decode()} {code} {elng}", made
    described = {b"vide": picture(), b"soun": sound(), b"sbtl": text(b"tx3g")}
    for number, listed in enumerate(
        [
            [(b"vide", "eng", True), (b"soun", "deu", False), (b"soun", "fra", True)],
            [(b"soun", "deu", False), (b"soun", "fra", False)],
            [(b"vide", "eng", True)],
            [(b"vide", "eng", True), (b"soun", "und", True)],
            [(b"sbtl", "eng", True)],
        ]
    ):
        made = [trak(n, kind, described[kind], code=language(code), enabled=on) for n, (kind, code, on) in
                enumerate(listed, 1)]  # fmt: skip
        yield f"language of the file {number}", movie(*made)
    for name in (
        *(b"Director's commentary\0", b"SoundHandler\0", b"VideoHandle\0", b"Apple Sound Media Handler"),
        *(b"Core Media Audio\0", b"GPAC ISO Audio Handler\0", b"L-SMASH Audio Handler\0", b"Stereo\0"),
        b"ISO Media file produced by Google Inc. Created on: 01/01/2020.\0",
        *(b"song.264#video:fps=25@GPAC0.5\0", b"Chandler's song\0", b"\0", b""),
    ):
        yield f"name {name[:24]!r}", movie(trak(1, b"soun", sound(), name=name))
    named = atom(b"udta", atom(b"name", "Тон".encode()))
    for place in ("before", "behind"):
        made = trak(1, b"soun", sound(), name=b"Main sound\0", **{place: named})
        yield f"name of a person {place} the media", movie(made)
    yield "name in the encoding of quicktime", counted_name()
    layouts = [
        sound(channels=1), sound(b"fLaC", channels=6), sound(b"sowt", channels=6),
        *(sound(b"sowt", atom(b"chan", struct.pack(">IIII", 0, *numbers)), channels=6) for numbers in
          [(121 << 16 | 6, 0, 0), (1 << 16, 0x60F, 0), (1 << 16, 3, 0), (999 << 16 | 6, 0, 0), (0, 0, 2**32 - 1)]),
        sound(b"sowt", atom(b"chan", struct.pack(">4I", 0, 0, 0, 3), *(struct.pack(">I16x", n) for n in (1, 2, 4))),
              channels=3),
        *(sound(b"ipcm", atom(b"chnl", *body), channels=6) for body in
          [(bytes(4), b"\1\6", bytes(8)), (b"\1\0\0\0\x10\6\6", bytes(8)), (bytes(4), b"\1\0", bytes(6)), ()]),
        sound(b"ac-3", channels=6), sound(b"ac-3", atom(b"chan", struct.pack(">4I", 0, 121 << 16 | 6, 0, 0)),
                                          channels=6),
        sound(b"mp4a", channels=8), sound(b"sowt", atom(b"chan", struct.pack(">4I", 0, 1 << 16, 0x63F, 0)), channels=8),
    ]  # fmt: skip
    for number, described_ in enumerate(layouts):
        yield f"layout {number}", movie(trak(1, b"soun", described_))
    nclx = [struct.pack(">HHHB", *numbers) for numbers in ((9, 18, 9, 0), (1, 13, 1, 0), (2, 2, 2, 0), (300, 99, 2, 0))]
    colours = [
        [atom(b"colr", b"nclx", nclx[0])], [atom(b"colr", b"nclc", struct.pack(">HHH", 6, 1, 6))],
        [atom(b"colr", b"prof", bytes(40)), atom(b"colr", b"nclx", nclx[1])], [atom(b"colr", b"nclx", nclx[2])],
        [atom(b"colr", b"nclx", nclx[3])], [atom(b"colr", b"nclx")],
        [atom(b"btrt", struct.pack(">III", 0, 9_000_000, 5_000_000))],
    ]  # fmt: skip
    for number, boxes in enumerate(colours):
        yield f"colours {number}", movie(trak(1, b"vide", picture(b"hvc1", *boxes)))
    for kind, entry, flags in [
        *((b"sbtl", b"tx3g", flags) for flags in (0, 0xC0000000, 0x40000000)), (b"text", b"text", 0),
        *((b"text", b"wvtt", 0), (b"subt", b"stpp", 0), (b"clcp", b"c608", 0), (b"subp", b"mp4s", 0)),
        (b"subt", b"abcd", 0),
    ]:  # fmt: skip
        made = movie(trak(1, kind, text(entry, flags), code=language("eng")))
        yield f"subtitles {kind.decode()} {entry.decode()} {flags:x}", made
    unplayed = [trak(number, kind, text(b"tmcd")) for number, kind in enumerate((b"tmcd", b"hint", b"meta"), 1)]
    yield "tracks that nobody plays", movie(*unplayed)
    # Plain, the three turns, mirrored only, mirrored and turned, nothing.
    turns = [(1, 0, 0, 1), (0, 1, -1, 0), (-1, 0, 0, -1), (0, -1, 1, 0), (-1, 0, 0, 1), (1, 0, 0, -1), (0, 0, 0, 0)]
    for matrix in turns:
        for version in (0, 1):
            made = movie(trak(1, b"vide", picture(), matrix=matrix, version=version))
            yield f"turned {matrix} {version}", made
    short = atom(b"tkhd", bytes(4), struct.pack(">IIIII", 0, 0, 1, 0, 0))
    yield "short header", exchanged(movie(trak(1, b"vide", picture())), tkhd(1), short, b"moov", b"trak")
    yield "more tracks than the limit", movie(*(trak(n, b"soun", sound()) for n in range(1, 71)))


def counted_name():
    """QuickTime counts the letters of a handler's name and has an encoding of its own."""
    name = "Übersetzung".encode("mac-roman")
    old = atom(b"hdlr", bytes(8), b"soun", bytes(12))
    new = atom(b"hdlr", bytes(4), b"mhlr", b"soun", bytes(12), bytes([len(name)]), name)
    return exchanged(movie(trak(1, b"soun", sound()), brand=b"qt  "), old, new, b"moov", b"trak", b"mdia")


def longer(data, more, *parents):
    """Corrects the sizes of the first atoms of some names."""
    for parent in parents:
        at = data.index(parent) - 4
        (size,) = struct.unpack_from(">I", data, at)
        data = data[:at] + struct.pack(">I", size + more) + data[at + 4 :]
    return data


def exchanged(data, old, new, *parents):
    return longer(data, len(new) - len(old), *parents).replace(old, new)


def long_films():
    def film(behind, *more):
        tables, kinds = atom(b"stsz", bytes(600_000)), ((1, b"vide", picture()), (2, b"soun", sound()))
        return movie(*(trak(number, kind, entry, tables, behind=behind) for number, kind, entry in kinds), *more)

    named, last = atom(b"udta", atom(b"name", b"Main")), atom(b"udta", atom(b"\xa9nam", b"\0\4\0\0Tone"))
    yield "tables of a long film", film(b"")
    yield "names behind the tables", film(named)
    yield "names behind the tables, texts behind them", film(named, last)
    long = atom(b"udta", atom(b"name", b"Main"), atom(b"free", bytes(9000)))
    yield "what is long behind the tables", film(long)


# -- fragments ---------------------------------------------------------------------------------------------------------


def fragments():
    whole, film = sample("fragmented.m4a"), sample("film.mp4")
    (scale,) = struct.unpack_from(">I", whole, whole.index(b"mdhd") + 16)
    first, last = whole.index(b"moof") - 4, whole.rindex(b"moof") - 4
    yield from last_listed(whole, last)
    second = whole.index(b"moof", first + 8) - 4
    yield "no last fragment", whole[:second] + whole[first:second] * 9 + atom(b"free", bytes(30_000))
    yield "no fragment at all", whole[:first] + atom(b"free", bytes(30_000))
    grown, mehd = grow_mdat(whole, 1_000_000), atom(b"mehd", bytes(4), struct.pack(">I", 180_000))
    at = grown.index(b"mvex") + 4
    yield "stated length", longer(grown[:at] + mehd + grown[at:], len(mehd), b"mvex", b"moov")
    for version in (0, 1):
        index = atom(b"styp", bytes(8)) + sidx(len(grown), version)
        yield f"index of the file {version}", grown[:first] + index + grown[first:]
    yield "index of one fragment", whole[:first] + sidx(900) + whole[first:]
    yield "rate of the frames of a fragment", of_fragment(film)
    at = film.index(b"stts", film.index(b"vide")) - 4
    (size,) = struct.unpack_from(">I", film, at)
    (of_film,) = struct.unpack_from(">I", film, film.index(b"mdhd") + 16)
    times = atom(b"stts", struct.pack(">IIIIII", 0, 2, 15, of_film // 30, 10, of_film // 20))
    changing = film[:at] + times + film[at + size :]
    yield "changing rate", longer(changing, len(times) - size, b"stbl", b"minf", b"mdia", b"trak", b"moov")
    tfhd = atom(b"tfhd", b"\0\0\0\x03", struct.pack(">IQI", 1, 0, 1))
    tfdt = atom(b"tfdt", b"\1\0\0\0", struct.pack(">Q", 9 * scale))
    trun = atom(b"trun", b"\0\0\3\5", struct.pack(">III", 4, 0, 0), struct.pack(">II", scale // 4, 100) * 4)
    yield "samples of their own lengths", whole[:last] + atom(b"moof", atom(b"traf", tfhd, tfdt, trun)) + atom(b"mdat")
    tfhd = atom(b"tfhd", b"\0\0\0\0", struct.pack(">I", 1))
    trun = atom(b"trun", b"\0\0\1\0", struct.pack(">I", MOST), bytes(40))
    yield "count that is a lie", whole[:last] + atom(b"moof", atom(b"traf", tfhd, trun))


def sidx(covered, version=0, seconds=6):
    """An index of three segments, in ticks of 1/45,000 s."""
    entry = struct.pack(">III", covered // 3, seconds * 15_000, 0)
    head = bytes([version, 0, 0, 0]) + struct.pack(">II", 1, 45_000) + bytes(16 if version else 8)
    return atom(b"sidx", head, struct.pack(">HH", 0, 3), entry * 3)


def last_listed(whole, last):
    media = whole.rindex(b"mdat") - 4
    (size,) = struct.unpack_from(">I", whole, media)
    long = struct.pack(">I4s", size + 200_000, b"mdat") + whole[media + 8 : media + size] + bytes(200_000)
    grown = grow_mdat(whole[:media], 200_000) + long + whole[media + size :]
    for version, layout in ((0, ">II"), (1, ">QQ")):
        entry = struct.pack(layout, 0, last + 200_000) + b"\1\1\1"
        tfra = atom(b"tfra", bytes([version, 0, 0, 0]) + struct.pack(">III", 1, 0, 1), entry)
        end = atom(b"mfra", tfra, atom(b"mfro", bytes(4), struct.pack(">I", len(tfra) + 24)))
        yield f"last fragment is listed {version}", grown[: grown.rindex(b"mfra") - 4] + end


def of_fragment(film):
    """A film whose time table became an empty one and something to skip, so that no size changes."""
    moov = film[film.index(b"moov") - 4 :]
    at = moov.index(b"stts") - 4
    (size,) = struct.unpack_from(">I", moov, at)
    (number,) = struct.unpack_from(">I", moov, moov.index(b"tkhd") + 16)
    (scale,) = struct.unpack_from(">I", moov, moov.index(b"mdhd") + 16)
    empty = atom(b"stts", bytes(8))
    moov = moov[:at] + empty + atom(b"free", bytes(size - len(empty) - 8)) + moov[at + size :]
    mvex = atom(b"mvex", atom(b"trex", bytes(4), struct.pack(">IIIII", number, 1, 0, 0, 0)))
    tfhd = atom(b"tfhd", b"\0\0\0\x08", struct.pack(">II", number, scale // 12))
    traf = atom(b"traf", tfhd, atom(b"tfdt", bytes(8)), atom(b"trun", bytes(4), struct.pack(">I", 24)))
    return FTYP + longer(moov + mvex, len(mvex), b"moov") + atom(b"moof", traf) + atom(b"mdat", bytes(100))


# -- chapters ----------------------------------------------------------------------------------------------------------


def chpl(*entries, version=1, count=None):
    """Nero's list: seconds and titles."""
    count = len(entries) if count is None else count
    head = struct.pack(">B3xBI", version, 0, count) if version else struct.pack(">4xB", count)
    return atom(b"chpl", head, *(struct.pack(">QB", start * 10_000_000, len(raw)) + raw for start, raw in entries))


def book(*parts):
    return movie(trak(1, b"soun", sound()), atom(b"udta", *parts), brand=b"M4A ")


def chapters():
    for version in (0, 1):
        listed = chpl((0, b"One"), (60, "Два".encode()), (90, b""), version=version)
        yield f"list of chapters {version}", book(listed)
    yield "300 chapters", book(chpl(*((n, b"Chapter %d" % n) for n in range(300))))
    russian = ("Первая глава", "Вторая глава и её продолжение", "Третья глава, последняя")
    yield "chapters in cp1251", book(chpl(*((60 * n, each.encode("cp1251")) for n, each in enumerate(russian))))
    for count in (MOST, 500, 501):
        yield f"list that claims {count}", book(chpl(*((n, b"x") for n in range(min(count, 600))), count=count))


def spoken(raw, more=b""):
    return struct.pack(">H", len(raw)) + raw + more


def with_chapter_track(samples, *, at, chunk=None, offsets=b"stco", sizes=None, more=b"", media=b""):
    """A book whose sound names a text track its chapters.

    Args:
        samples: the texts, in the order of time, ten seconds each.
        at: offset of the first one, or of each chunk.
        chunk: texts of a chunk; all in one unless it is given.
        offsets: the atom of the offsets.
        sizes: the atom of the sizes, if it is another one.
        more: in the movie's ``udta``.
        media: what stands before ``moov``.
    """
    places = at if isinstance(at, list) else [at]
    chunk = chunk or (1 if isinstance(at, list) else len(samples))
    rows = [(place,) if offsets == b"stco" else (place >> 32, place & MOST) for place in places]
    tables = [
        table(b"stts", [(len(samples), 10_000)]),
        table(b"stsc", [(1, chunk, 1)]),
        sizes or atom(b"stsz", struct.pack(">III", 0, 0, len(samples)), *(struct.pack(">I", len(s)) for s in samples)),
        table(offsets, rows),
    ]
    named = [trak(1, b"soun", sound(), before=tref(2)), trak(2, b"text", text(), *tables, enabled=False)]
    return movie(*named, atom(b"udta", more), brand=b"M4A ", front=media)


def tref(*numbers):
    return atom(b"tref", atom(b"chap", *(struct.pack(">I", number) for number in numbers)))


def near_book(samples, **more):
    return with_chapter_track(samples, at=24, media=atom(b"mdat", *samples), **more)


def chapter_tracks():
    encd, word = atom(b"encd", struct.pack(">I", 0x08000100)), "Глава"
    for number, (raw, more) in enumerate(
        [
            (word.encode(), b""), (word.encode(), encd), (b"\xfe\xff" + word.encode("utf-16-be"), b""),
            (b"\xff\xfe" + word.encode("utf-16-le"), encd),
            (word.encode("mac-cyrillic"), atom(b"styl", bytes(4)) + atom(b"encd", struct.pack(">I", 7))),
            ("Café".encode("mac-roman"), atom(b"encd", bytes(4))), (word.encode("cp1251"), b""),
            (word.encode(), b"\0\0\0\2encd"),
        ]
    ):  # fmt: skip
        yield f"encoding of a sample {number}", near_book([spoken(raw, more), spoken(b"Two")])
    four = [spoken(b"Chapter %d" % n) for n in range(4)]
    for offsets in (b"stco", b"co64"):
        for chunk in (4, 1, 2):
            places = [24 + sum(map(len, four[:n])) for n in range(0, 4, chunk)]
            made = with_chapter_track(four, at=places, chunk=chunk, offsets=offsets, media=atom(b"mdat", *four))
            yield f"chunks of {chunk}, {offsets.decode()}", made
    same = [spoken(b"A"), spoken(b"B"), spoken(b"C")]
    yield "samples of one size", near_book(same, sizes=atom(b"stsz", struct.pack(">III", 0, 3, 3)))
    yield "gap", near_book([spoken(b""), spoken(b"A"), spoken(b"B")])
    yield "nothing but gaps", near_book([spoken(b""), spoken(b"")])
    far, nine = atom(b"mdat", bytes(1_000_000)), [spoken(b"Chapter %d" % n) for n in range(9)]
    yield "book with media behind it", book() + far
    size = len(with_chapter_track(nine, at=0, more=chpl((0, b"Other")))) + len(far)
    yield "near each other", with_chapter_track(nine, at=size, more=chpl((0, b"Other"))) + far + b"".join(nine)
    places = [100_000, 200_000, 300_000]
    yield "scattered", with_chapter_track(nine[:3], at=places) + far
    yield "scattered, with a list", with_chapter_track(nine[:3], at=places, more=chpl((0, b"A"), (15, b"B"))) + far
    late = with_chapter_track(nine[:2], at=900_000) + far
    yield "budget ends before the texts", Case(late, ProbePolicy(max_requests=1))
    two = [spoken(b"One"), spoken(b"Two")]
    sizes = atom(b"stsz", struct.pack(">III", 0, 5, 2))
    tables = [table(b"stts", [(2, 10_000)]), table(b"stsc", [(1, 2, 1)]), sizes, table(b"stco", [(24,)])]
    for more in (0, 3000):
        behind = tref(2) + atom(b"free", bytes(more))
        sounds = trak(1, b"soun", sound(), atom(b"stsz", bytes(600_000)), behind=behind)
        parts = {"brand": b"M4A ", "front": atom(b"mdat", *two)}
        yield f"reference behind long tables and {more}", movie(sounds, trak(2, b"text", text(), *tables), **parts)
        yield f"reference behind long tables and {more}, no texts", movie(sounds, **parts)
    # As many as a slow film has: by their number alone they would be one.
    pictures = trak(2, b"vide", picture(b"jpeg"), table(b"stts", [(40, 100)]))
    yield "pictures of chapters", movie(trak(1, b"soun", sound(), before=tref(2)), pictures)
    for number, tables in enumerate(
        [
            [table(b"stts", [(MOST, MOST)]), table(b"stsc", [(1, MOST, 1)]),
             atom(b"stsz", struct.pack(">III", 0, 9, MOST)), table(b"stco", [(0,)])],
            [table(b"stts", [(1, 1)], count=MOST), table(b"stsc", [], count=MOST), table(b"stco", [], count=MOST)],
            [table(b"stts", [(1, 1000)] * 4000), table(b"stsc", [(1, 1, 1)] * 4000), table(b"stco", [(0,)] * 4000),
             atom(b"stsz", struct.pack(">III", 0, 4096, MOST))],
            [table(b"stts", [(9, 0)]), table(b"stsc", [(9, 1, 1)]), table(b"stco", [(0,)])],
            [table(b"stts", [(2, 1)]), atom(b"stsz", struct.pack(">III", 0, 2**31, 2)), table(b"stsc", [(1, 1, 1)]),
             table(b"co64", [(MOST, MOST), (MOST, MOST)])],
            [atom(b"stts"), atom(b"stsz"), atom(b"stsc"), atom(b"stco")],
            [],
        ]
    ):  # fmt: skip
        names = tref(2, 1, 2, 0)
        sounds = trak(1, b"soun", sound(), before=names)
        yield f"hostile tables {number}", movie(sounds, trak(2, b"text", text(), *tables, before=names))
    yield "track that names itself", movie(trak(1, b"text", text(), before=tref(1)))


# -- covers ------------------------------------------------------------------------------------------------------------


def data_atom(kind, raw):
    return atom(b"data", struct.pack(">II", kind, 0), raw)


def covers():
    def covered(name, size):
        image = [MP4Cover(cover(size), MP4Cover.FORMAT_JPEG)]
        return grow_mdat(changed(MP4, name, lambda file: file.__setitem__("covr", image)), 1_000_000)

    yield "cover of 2 MB, moov first", covered("first.m4a", 2_000_000)
    yield "cover of 500 KB, moov last", covered("last.m4a", 500_000)
    title = item(b"\xa9nam", 1, b"Tone")
    front = len(ilst(atom(b"free")))
    for more in (0, 12):
        # Nobody asks for the few bytes in between: what follows the cover is far away.
        free = atom(b"free", bytes(16 * 1024 - front - 24 + more))
        yield f"header cut by the head {more}", ilst(free, item(b"covr", 14, bytes(300_000)), title)
    kinds = [(13, cover(900)), (14, b"\x89PNG\r\n\x1a\n" + bytes(50)), (27, b"BM" + bytes(9)), (0, cover(30))]
    yield "five pictures", ilst(atom(b"covr", *(data_atom(*each) for each in [*kinds, (0, b"?" * 9)])))
    first = data_atom(13, cover(300_000))
    for second in (50, 200_000):
        yield f"second picture of {second}", ilst(atom(b"covr", first, data_atom(14, bytes(second))), title)
    two = ilst(atom(b"covr", first, data_atom(14, bytes(200_000))), title)
    yield "second picture beyond the budget", Case(two, ProbePolicy(max_requests=2))
    for size in (0, 7, 15, MOST):
        yield f"broken size {size}", ilst(atom(b"covr", (struct.pack(">I4sII", size, b"data", 13, 0) + bytes(90)) * 50))


# -- broken ------------------------------------------------------------------------------------------------------------


def broken():
    nested, deep = b"", b""
    for _ in range(500):
        nested = atom(b"moov", nested)
    yield "nested atoms", FTYP + nested
    for _ in range(3000):
        deep = atom(b"moov", deep)
    yield "nested sample description", movie(trak(1, b"soun", stsd(deep)))
    yield "many small atoms", Case(FTYP + atom(b"free") * 100_000, ProbePolicy(max_requests=100))
    for size in (0, 2, 7, MOST):
        yield f"size {size}", FTYP + struct.pack(">I4s", size, b"free") + bytes(50_000)
    yield "size of 64 bits", FTYP + struct.pack(">I4sQ", 1, b"mdat", 2**64 - 1) + bytes(50_000)
