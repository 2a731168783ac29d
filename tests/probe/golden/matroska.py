"""Matroska and WebM: parts in front and behind, tags and their targets, tracks, chapters, attachments, live streams."""

import struct

from probe_media import cover, element, sample, uint

from golden import Case
from mediacrawl.probe import ProbePolicy

UNKNOWN = b"\x01\xff\xff\xff\xff\xff\xff\xff"
SEGMENT, CLUSTER, SEEK_HEAD, VOID, CUES = 0x18538067, 0x1F43B675, 0x114D9B74, 0xEC, 0x1C53BB6B
INFO, TRACKS, TAGS, ATTACHMENTS, CHAPTERS = 0x1549A966, 0x1654AE6B, 0x1254C367, 0x1941A469, 0x1043A770
HEADER = element(0x1A45DFA3, element(0x4282, b"matroska"))
LENGTH = element(0x4489, struct.pack(">d", 4000))
SOUND = element(0xAE, uint(0xD7, 1), uint(0x73C5, 7), uint(0x83, 2), element(0x86, b"A_OPUS"))
VIDEO = element(0xAE, uint(0xD7, 2), uint(0x73C5, 8), uint(0x83, 1), element(0x86, b"V_VP9"))


def files():
    yield from places()
    yield from tags()
    yield from tracks()
    yield from chapters()
    yield from attachments()
    yield from lengths()
    yield from behind_the_clusters()
    yield from broken()


def file(*parts, tracks=SOUND, info=LENGTH):
    return HEADER + element(SEGMENT, element(INFO, info), element(TRACKS, tracks), *parts)


def seek(*listed):
    """A seek head of one size, whatever it tells."""
    return element(SEEK_HEAD, *(
        element(0x4DBB, element(0x53AB, name.to_bytes(4, "big")), uint(0x53AC, position)) for name, position in listed
    ))  # fmt: skip


def listed(front, behind, *, head=()):
    """A segment whose seek head tells of what comes last; `head` are further entries of it."""
    at = len(seek(*head, *((name, 0) for name, _ in behind))) + len(front)
    found = []
    for name, part in behind:
        found.append((name, at))
        at += len(part)
    return HEADER + element(SEGMENT, seek(*head, *found), front, *(part for _, part in behind))


def with_places(front, behind):
    """A file whose seek head tells of what follows a megabyte of clusters."""
    before = element(INFO, LENGTH) + element(TRACKS, SOUND) + front + element(CLUSTER, bytes(1_000_000))
    return listed(before, behind)


def attached(name, mime, data):
    return element(0x61A7, element(0x466E, name), element(0x4660, mime), element(0x465C, data))


def simple(name, text, *more):
    return element(0x67C8, element(0x45A3, name.encode()), element(0x4487, text), *more)


def tag(*parts, targets=b""):
    return element(0x7373, element(0x63C0, targets), *parts)


def places():
    artist = element(TAGS, tag(simple("ARTIST", "Тон".encode())))
    yield "tags behind the clusters", with_places(b"", [(TAGS, artist)])
    parts = element(ATTACHMENTS, attached(b"cover.jpg", b"image/jpeg", cover(700_000)))
    yield "cover in front", with_places(parts, [(TAGS, artist)])
    yield "cover behind", with_places(b"", [(ATTACHMENTS, parts), (TAGS, artist)])
    font = attached(b"a.ttf", b"font/ttf", bytes(300_000))
    yield "font", with_places(element(ATTACHMENTS, font), [])
    yield "cover behind a font", with_places(element(ATTACHMENTS, font, attached(b"c.png", b"image/png", b"x")), [])
    yield "long part before the clusters", file(parts, artist, element(CLUSTER, bytes(9)))
    both = element(INFO, LENGTH), element(TRACKS, SOUND)
    yield "seek heads of each other", HEADER + element(SEGMENT, seek(*[(SEEK_HEAD, 0)] * 3), *both)
    wrong = seek((TAGS, 5), (TAGS, 2**60), (TAGS, 10**6))
    yield "seek head that leads elsewhere", HEADER + element(SEGMENT, wrong, *both, element(CLUSTER, bytes(99)))
    chapter = element(CHAPTERS, edition(atom(0, (b"eng", b"One"))))
    yield "chapters behind the clusters", with_places(b"", [(CHAPTERS, chapter)])


# -- tags --------------------------------------------------------------------------------------------------------------


def tags():
    levels = [
        tag(simple("TITLE", b"Album"), simple("ARTIST", b"Band"), targets=uint(0x68CA, 50)),
        tag(simple("TITLE", b"Song"), simple("ARTIST", b"Singer"), targets=uint(0x68CA, 30)),
        tag(simple("PART_NUMBER", b"2"), targets=uint(0x68CA, 40)),
        tag(simple("TITLE", b"Box"), targets=uint(0x68CA, 70)),
        tag(simple("TITLE", b"First"), targets=uint(0x63C4, 99)),
        tag(simple("BPS", b"99000"), targets=uint(0x63C5, 9)),
        tag(simple("NUMBER_OF_FRAMES", b"10"), simple("BPS", b"64000"), targets=uint(0x63C5, 7)),
    ]
    yield "targets", file(element(TAGS, *levels))
    whole = tag(simple("TITLE", b"x"), simple("ARTIST", b"y"), targets=uint(0x68CA, 50))
    song = tag(simple("ARTIST", b"z"), targets=uint(0x68CA, 30))
    yield "title of the whole alone", file(element(TAGS, whole, song))
    titles = [tag(simple("TITLE", b"x"), targets=uint(0x68CA, level)) for level in (50, 30, 60)]
    yield "titles of a film", file(element(TAGS, *titles), tracks=SOUND + VIDEO)
    of_track = element(TAGS, tag(simple("TITLE", b"x"), targets=uint(0x63C5, 7)))
    yield "title of the one track", file(of_track)
    yield "title of one of two tracks", file(of_track, tracks=SOUND + VIDEO)
    inner = simple("SORT_WITH", b"Beatles, The"), simple("COMPOSER", b"Lennon")
    yield "nested texts", file(element(TAGS, tag(simple("ARTIST", b"The Beatles", *inner))))
    raw = simple("TITLE", b"\xcf\xf0\xe8\xe2\0\0", element(0x447A, b"rus"))
    yield "bytes and language of a text", file(element(TAGS, tag(raw)))
    bad = element(0x7373, element(0x63C0, element(0x68CA, bytes(9))), simple("TITLE", b"x"))
    yield "broken tag before another", file(element(TAGS, bad, tag(simple("ARTIST", b"A"))))
    rates = tag(simple("BPS", b"64000"), targets=uint(0x63C5, 8))
    both = SOUND + element(0xAE, uint(0x83, 2), element(0x86, b"A_OPUS"), uint(0x73C5, 8))
    yield "bit rate of a track", file(element(TAGS, rates), tracks=both)


# -- tracks ------------------------------------------------------------------------------------------------------------


def track(kind, codec, *more, name=b"", language=b"", default=None, forced=None):
    parts = [uint(0x83, kind), element(0x86, codec), *more]
    parts += [element(0x536E, name)] if name else []
    parts += [element(0x22B59C, language)] if language else []
    parts += [] if default is None else [uint(0x88, default)]
    parts += [] if forced is None else [uint(0x55AA, forced)]
    return element(0xAE, *parts)


def tracks():
    bitmap = struct.pack("<IiiHH4sIiiII", 40, 96, 64, 1, 24, b"XVID", 0, 0, 0, 0, 0)
    wave = struct.pack("<HHIIHHH", 0x55, 2, 44_100, 16_000, 1, 0, 0)
    for codec, private, depth in [
        (b"A_AAC/MPEG4/LC/SBR", b"", 0), (b"A_MPEG/L3", b"", 0), (b"A_PCM/INT/LIT", b"", 24),
        (b"A_PCM/INT/BIG", b"", 16), (b"A_PCM/INT/LIT", b"", 8), (b"A_PCM/FLOAT/IEEE", b"", 32),
        (b"A_MS/ACM", wave, 0), (b"A_MS/ACM", b"short", 0), (b"A_REAL/COOK", b"", 0), (b"A_OPUS/EXPERIMENTAL", b"", 0),
        (b"V_MPEG4/ISO/AVC", b"", 0), (b"V_MPEG4/ISO/ASP", b"", 0), (b"V_MPEGH/ISO/HEVC", b"", 0), (b"V_AV1", b"", 0),
        (b"V_MS/VFW/FOURCC", bitmap, 0), (b"", b"", 0),
    ]:  # fmt: skip
        more = element(0x63A2, private), element(0xE1, uint(0x6264, depth))
        made = track(1 if codec.startswith(b"V") else 2, codec, *more)
        yield f"codec {codec.decode()} {len(private)} {depth}", file(tracks=made)
    yield "two channels", file(tracks=track(2, b"A_OPUS", element(0xE1, uint(0x9F, 2))))
    rates = element(0xE1, element(0xB5, struct.pack(">f", 22050)), element(0x78B5, struct.pack(">d", 44_100)))
    yield "rate that is heard", file(tracks=track(2, b"A_AAC", rates))
    yield "title of a track", file(tracks=track(2, b"A_VORBIS", name=b"DVD", language=b"ger"))
    for number, made in enumerate(
        [
            [(b"ger", 0), (b"fre", 1)], [(b"ger", 0), (b"fre", 0)], [(b"ger", None), (b"fre", None)],
            [(b"", None), (b"fre", None)], [(b"und", 1)],
        ]
    ):  # fmt: skip
        sounds = [track(2, b"A_OPUS", language=code, default=default) for code, default in made]
        yield f"sound that plays by itself {number}", file(tracks=b"".join(sounds))
    bcp = track(2, b"A_OPUS", element(0x22B59D, b"pt-BR"), language=b"por")
    yield "language of bcp 47", file(tracks=bcp)
    for codec in (
        *(b"S_TEXT/UTF8", b"S_TEXT/ASS", b"S_TEXT/SSA", b"S_SSA", b"S_ASS", b"S_TEXT/WEBVTT", b"D_WEBVTT/SUBTITLES"),
        *(b"S_VOBSUB", b"S_HDMV/PGS", b"S_HDMV/TEXTST", b"S_DVBSUB", b"S_KATE"),
    ):
        yield f"subtitles {codec.decode()}", file(tracks=SOUND + track(17, codec, language=b"ice", forced=1))
    others = [track(kind, b"B_VOBBTN") for kind in (3, 16, 18, 32, 33)]
    yield "buttons and metadata", file(tracks=SOUND + b"".join(others))
    for codes in ((16, 9), (2, 2), (2**40, 99)):
        colour = element(0xE0, element(0x55B0, uint(0x55BA, codes[0]), uint(0x55BB, codes[1])))
        yield f"colours {codes}", file(tracks=track(1, b"V_VP9", colour))
    # A sphere (projection 1) is turned when it is projected.
    for roll, projection in [(-90, 0), (90, 0), (180, 0), (0, 0), (90, 1), (float("nan"), 0), (1e300, 0)]:
        projected = element(0x7670, uint(0x7671, projection), element(0x7675, struct.pack(">d", roll)))
        shown = element(0xE0, uint(0xB0, 640), uint(0xBA, 360), projected)
        yield f"roll of {roll:g} {projection}", file(tracks=track(1, b"V_VP9", shown))
    yield "more tracks than anyone has", file(tracks=SOUND * 70)


# -- chapters ----------------------------------------------------------------------------------------------------------


def atom(start, *titles, end=None, hidden=0, nested=b""):
    """A chapter: seconds, and titles as (language, bytes)."""
    displays = [element(0x80, element(0x85, raw), element(0x437C, code)) for code, raw in titles]
    parts = [uint(0x91, round(start * 1e9)), uint(0x98, hidden), *displays, nested]
    return element(0xB6, *parts, *([] if end is None else [uint(0x92, round(end * 1e9))]))


def edition(*atoms, default=0, hidden=0):
    return element(0x45B9, uint(0x45DB, default), uint(0x45BD, hidden), *atoms)


def chapters():
    one, two = (b"eng", b"One"), (b"eng", b"Two")
    hidden = edition(atom(0, (b"eng", b"Hidden")), default=1, hidden=1)
    other = edition(atom(0, (b"eng", b"Other")))
    chosen = edition(atom(0, one), atom(60.5, two, end=90), default=1)
    inner = atom(10, (b"eng", b"Inner"))
    parts = edition(atom(0, one, nested=inner), atom(20, (b"eng", b"No"), hidden=1), atom(30, two))
    whole = atom(0, (b"eng", b"Disc"), nested=atom(0, one) + atom(10, two))
    raw = "Глава".encode("cp1251")
    editions = {
        "default edition": (hidden, other, chosen), "hidden and another": (hidden, other), "hidden": (hidden,),
        "hidden chapters and parts": (parts,), "only chapter": (edition(atom(0, nested=whole)),),
        "only chapter with a hidden part": (edition(atom(0, one, nested=atom(5, two, hidden=1))),),
        "cp1251": (edition(atom(0, (b"rus", raw)), atom(5)),),
        "broken chapter": (edition(element(0xB6, element(0x91, bytes(9))), atom(5, two)),),
    }  # fmt: skip
    for name, made in editions.items():
        yield f"chapters: {name}", file(element(CHAPTERS, *made))
    for language in (b"rus", b"eng", b"fre", b""):
        titled = edition(atom(0, two, (b"rus", "Два".encode())))
        sound = track(2, b"A_OPUS", language=language)
        yield f"title in the language of the sound {language.decode()}", file(element(CHAPTERS, titled), tracks=sound)
    for count in (500, 501, 20_000):
        many = file(element(CHAPTERS, element(0x45B9, element(0xB6, uint(0x91, 5)) * count)))
        yield f"{count} chapters", Case(many, ProbePolicy(max_parts=50_000))
    nested = atom(0, one)
    for _ in range(1000):
        nested = element(0xB6, nested)
    yield "chapters in chapters", file(element(CHAPTERS, element(0x45B9, nested)))


def attachments():
    pictures = [
        (b"small_cover.png", b"image/png", bytes(50)),
        (b"cover_land.jpg", b"image/jpeg", cover(900)),
        (b"Cover.JPG", b"image/jpeg", cover(800)),
        (b"other.jpg", b"image/jpeg", cover(700)),
        (b"a.ttf", b"font/ttf", b"x"),
    ]
    yield "pictures among attachments", file(element(ATTACHMENTS, *(attached(*each) for each in pictures)))
    chapter = element(CHAPTERS, edition(atom(0, (b"eng", b"One")), atom(5, (b"eng", b"Two"))))
    subtitles = track(17, b"S_VOBSUB", name="Тон".encode(), forced=1)
    small = element(ATTACHMENTS, attached(b"c", b"image/a", b"x"))
    yield "small parts", file(chapter, small, tracks=SOUND + subtitles)


# -- lengths -----------------------------------------------------------------------------------------------------------


def live(*clusters):
    return HEADER + element(SEGMENT, element(TRACKS, SOUND), *clusters, size=UNKNOWN)


def block(time):
    return element(0xA3, b"\x81", struct.pack(">hB", time, 0x80), b"sound")


def lengths():
    first = element(CLUSTER, uint(0xE7, 50_000), block(0), size=UNKNOWN)
    group = element(0xA0, element(0xA1, b"\x81" + struct.pack(">hB", 1000, 0)), uint(0x9B, 500))
    last = element(CLUSTER, uint(0xE7, 52_000), block(20), group, size=UNKNOWN)
    yield "time of the first cluster", live(first, bytes.fromhex("ec4fff") + bytes(4095), last)
    clusters = [element(CLUSTER, uint(0xE7, 1000 * n), *(block(20 * i) for i in range(50))) for n in range(9)]
    yield "recording that was cut off", live(*clusters)[:-7]
    yield "no cluster at the end", live(element(CLUSTER, uint(0xE7, 0), element(0xA3, bytes(300_000)), size=UNKNOWN))
    for parts in (element(0xA3, b"\x81\0\0\0"), uint(0xE7, 5), b""):
        yield f"cluster of {parts.hex()}", file(element(CLUSTER, parts), info=b"")
    for length in (b"", b"\x7f\xf0\0\0\0\0\0\0", b"\x7f\xf8\0\0\0\0\0\0", b"\xff" * 8, b"abc"):
        yield f"length of {length.hex()}", file(info=element(0x4489, length))


# -- parts behind the clusters -----------------------------------------------------------------------------------------


def number(data, at, *, marked):
    """A number of EBML, and where it ends."""
    length = 9 - data[at].bit_length()
    value = int.from_bytes(data[at : at + length], "big")
    return (value if marked else value & (1 << 7 * length) - 1), at + length


def elements(data, at=0):
    """The elements of some bytes: (name, body)."""
    while at < len(data):
        name, at = number(data, at, marked=True)
        size, at = number(data, at, marked=False)
        yield name, data[at : at + size]
        at += size


def taken_apart(name):
    """The header of a sample, and its parts but for seek heads and indices."""
    (header, head), (_, body) = elements(sample(name))
    return element(header, head), [(kind, part) for kind, part in elements(body) if kind not in {SEEK_HEAD, VOID, CUES}]


def joined(*parts, size=None):
    return element(SEGMENT, *(element(kind, part) for kind, part in parts), size=size)


def behind_the_clusters():
    long = CLUSTER, bytes(400_000)
    for name in ("film.mkv", "tone.weba"):
        header, parts = taken_apart(name)
        for number_, last in enumerate(
            [{TRACKS}, {TRACKS, TAGS}, {INFO, TRACKS, TAGS}, {INFO, TRACKS, TAGS, CHAPTERS}]
        ):
            front = [part for part in parts if part[0] not in last]
            behind = [part for part in parts if part[0] in last]
            yield f"{name} searched from the end {number_}", header + joined(*front, long, *behind)
    header, parts = taken_apart("film.mkv")
    others = [part for part in parts if part[0] != CLUSTER]
    yield "before a long index", header + joined(long, *others, (CUES, b"\xbb" * 60_000))
    for size in (None, UNKNOWN):
        yield f"stream that ends with its tracks {size is None}", header + joined(long, *others, size=size)
    made = [(kind, element(kind, part)) for kind, part in others]
    yield "listed behind the clusters", listed(element(*long), made)
    for tags_ in ([], [(TAGS, b"")]):
        yield f"seek head at the end{', tags' * len(tags_)}", header + at_the_end(long, made, tags_)
    at, found = len(element(*long)), []
    for kind, part in made:
        found.append((kind, at))
        at += len(part)
    middle = b"".join(part for _, part in made)
    body = element(*long) + middle + element(*long) + seek(*found)
    yield "seek head at the end alone", header + element(SEGMENT, body)
    wrong = seek((TRACKS, 5000), (INFO, 9000))
    yield "seek head that leads into clusters", header + element(SEGMENT, wrong, element(*long), middle)
    text = element(0x7373, element(0x67C8, element(0x45A3, b"ARTIST"), element(0x4487, b"Sine")))
    webm, of_webm = taken_apart("live.webm")
    yield "live", webm + joined(*of_webm, size=UNKNOWN)
    yield "live with tags at the end", webm + joined(*of_webm, (TAGS, text), size=UNKNOWN)
    untagged = [part for part in parts if part[0] != TAGS]
    yield "stated length and tags at the end", header + joined(*untagged, long, (TAGS, text))
    yield "no tracks", header + joined(*[part for part in parts if part[0] == INFO], long)
    names = b"".join(kind.to_bytes(4, "big") + bytes([0x80 + kind % 50]) for kind in (TRACKS, INFO, TAGS)) * 50
    inner = CLUSTER, bytes(900) + names + seek((TRACKS, 1), (INFO, 2))[12:]
    yield "names of parts in the clusters", header + joined(long, inner, *others)
    yield "small, parts last", header + joined((CLUSTER, bytes(300)), *others)
    # Only parts that something known follows are found.
    body = element(INFO, LENGTH) + element(*long)
    for number_, rest in enumerate([b"", element(TAGS), element(VOID), element(VOID) + element(TAGS), b"xyz"]):
        yield (
            f"tracks in junk before {number_}",
            HEADER + element(SEGMENT, body + b"junk" + element(TRACKS, SOUND) + rest),
        )


def at_the_end(long, made, tags_):
    """The first seek head lists the last one; free space keeps that from being found by searching."""
    empty = len(seek((SEEK_HEAD, 0), *((kind, 0) for kind, _ in tags_)))
    at, found = empty + len(element(*long)), []
    for kind, part in made:
        found.append((kind, at))
        at += len(part)
    behind = seek(*found)
    front = seek((SEEK_HEAD, at), *((kind, at + len(behind)) for kind, _ in tags_))
    parts = [part for _, part in made]
    rest = [element(kind, part) for kind, part in [*tags_, (VOID, bytes(200_000))]]
    return element(SEGMENT, front, element(*long), *parts, behind, *rest)


def broken():
    artist = tag(simple("ARTIST", b"A"))
    yield "elements of no size", Case(file(bytes.fromhex("ec80") * 200_000), ProbePolicy(max_requests=100))
    for size in (b"\x01\xff\xff\xff\xff\xff\xff\xfe", b"\x08\x7f\xff\xff\xff", UNKNOWN):
        yield f"size {size.hex()}", file(element(TAGS, artist, size=size) + bytes(50_000))
    yield "segments in segments", HEADER + element(SEGMENT, size=UNKNOWN) * 3000
    yield "tags without an end", HEADER + element(SEGMENT, element(TAGS, size=UNKNOWN) * 3000, size=UNKNOWN)
    yield "nothing in it", HEADER + element(SEGMENT, b"\xec\x80")
    text = b""
    for _ in range(1000):
        text = simple("A", b"x", text)
    yield "text in text", file(element(TAGS, tag(text)))
