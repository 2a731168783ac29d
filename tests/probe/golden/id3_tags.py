"""ID3v2: texts in all encodings, how frames are packed, pictures, chapters, loudness, podcasts, and hostile tags."""

import io
import struct
import zlib

from mutagen import id3 as by_mutagen
from probe_media import ape, audio, cover, frame, id3, id3v1, picture, saved, size7

from golden import Case
from mediacrawl.probe import ProbePolicy

TITLE = frame("TIT2", b"\0Tone")
ARTIST = frame("TPE1", b"\1" + "Синус".encode("utf-16"))
FRONT = id3(frame("TIT2", b"\0Front"), frame("TALB", b"\0Low Water"))
UNKNOWN = 0xFFFFFFFF
RAW = "Подмосковные вечера".encode("cp1251")
FEED = "https://example.org/feed.xml"


def files():
    yield from texts()
    yield from packed()
    yield from hostile()
    yield from several()
    yield from covers()
    yield from chapters()
    yield from odd_chapters()
    yield from loudness()
    yield from podcasts()


# -- texts -------------------------------------------------------------------------------------------------------------


def texts():
    bodies = [
        *(b"\0caf\xe9\0", b"\0\xcf\xf0\xe8\xe2\xe5\xf2", b"\1\xff\xfea\0\0\0", b"\1\xfe\xff\0a", b"\1a\0b\0"),
        *(b"\2\0a\0\0", b"\3\xc3\xa9", b"\3caf\xe9", b"\1\xff\xfe\x00\xd8a\0", b"\x07Tone", b"Tone"),
    ]
    for body in bodies:
        yield f"text {body!r}", id3(frame("TIT2", body)) + audio()
    two = b"\1" + "Ab".encode("utf-16-be").join([b"\xfe\xff", b"\0\0", b"\0\0"])
    yield "two values, one with a mark", id3(frame("TPE1", two, version=4), version=4) + audio()
    frames = [
        frame("COMM", b"\0eng\0Hello"),
        frame("COMM", b"\0rusnote\0\xcf\xf0"),
        frame("COMM", b"\1deu" + "a".encode("utf-16") + b"\0\0" + "b".encode("utf-16")),
        frame("COMM", b"\0\xff\xff\xff\0No language"),
        frame("COMM", b"\0engNo terminator"),
        frame("COMM", b"\1eng\0\xcf\xf0\xe8"),
        frame("COMM", b"\1eng\0A\0B"),
        frame("TXXX", b"\0Mood\0Calm"),
    ]
    yield "comments with language and description", id3(*frames) + audio()
    yield "small letters", id3(frame("tit2", b"\0Tone"), frame("Comm", b"\0eng\0Hello")) + audio()
    old = [frame(name, b"\0x", version=2) for name in ("TT2", "TP1", "TAL", "TYE", "TCO")]
    yield "names of version two", id3(*old, version=2) + audio()
    v1 = id3v1(b"\xd2\xee\xed  ", b"Sine\0rest of something", 7, 17)
    yield "id3v1 beside id3v2", id3(TITLE) + audio() + v1
    fields = b"TAG" + b"T" * 30 + b"A" * 30 + b"L" * 30 + b"2004"
    yield "full fields of id3v1", audio() + fields + b"C" * 30 + b"\xff"
    yield "full fields of id3v1 with a track", audio() + fields + b"C" * 28 + b"\0\7\xff"
    for genre in (b"(17)", b"17", b"Polka", b"9" * 5000, b"(" + b"9" * 5000 + b")", b"(" * 200):
        yield f"genre {genre[:6].decode()} of {len(genre)}", id3(frame("TCON", b"\0" + genre)) + audio()
    long = b"A title that is longer than thirty bytes"
    yield "title that id3v1 cuts", id3(frame("TIT2", b"\0" + long)) + audio() + id3v1(long[:30], b"Sine")
    yield "several artists and titles", id3(frame("TPE1", b"\0A\0B\0A"), frame("TIT2", b"\0One\0Two")) + audio()


# -- how the bytes are packed ------------------------------------------------------------------------------------------


def packed():
    whole = frame("TIT2", b"\1\xff\xfea\0") + frame("TPE1", b"\0\xff\0\xff\xe0")
    yield "unsynchronised tag", id3(whole.replace(b"\xff", b"\xff\0"), flags=0x80) + audio()
    one = frame("TIT2", b"\0\0\0\4" + b"\0\xff\0\xe0x", version=4, flags=0x0003)
    yield "unsynchronised frame", id3(one + frame("TPE1", b"\0b", version=4), version=4) + audio()
    two = [frame(name, b"\1\xff\0\xfe\xff\0\0", version=4) for name in ("TIT2", "TPE1")]
    yield "unsynchronised frames with their sizes", id3(*two, version=4, flags=0x80) + audio()
    wrong = b"TIT2" + (300).to_bytes(4, "big") + b"\0\0" + b"\0" + b"a" * 299
    yield "plain sizes in version four", id3(wrong, frame("TPE1", b"\0b", version=4), version=4) + audio()
    yield "extended header", id3((6).to_bytes(4, "big") + bytes(6), TITLE, flags=0x40) + audio()
    yield "missing extended header", id3(TITLE, flags=0x40) + audio()
    new = id3(b"\0\0\0\6\1\0", frame("TIT2", b"\0Tone", version=4), version=4, flags=0x40)
    yield "extended header of version four", new + audio()
    for version, flags in ((3, 0x80), (4, 0x09)):
        body = b"\0\0\0\5" + zlib.compress(b"\0Tone")
        yield f"compressed {version}", id3(frame("TIT2", body, version=version, flags=flags), version=version) + audio()
    for version, flags in ((3, 0x40), (4, 0x04)):
        secret = frame("TIT2", b"\x80secret", version=version, flags=flags)
        yield f"encrypted {version}", id3(secret, version=version) + audio()


# -- hostile tags ------------------------------------------------------------------------------------------------------


def hostile():
    bomb = b"\x7f\xff\xff\xff" + zlib.compress(b"\0" + bytes(30_000_000), 9)
    yield "compressed bomb", id3(frame("TXXX", bomb, flags=0x80), TITLE) + audio()
    for size in (60_000, 70_000):
        body = b"\0\0\0\0" + zlib.compress(bytes(size), 9)
        yield f"a hundred texts of {size} zeros", id3(*[frame("TXXX", body, flags=0x80)] * 100) + audio()
    many = id3(*[frame("TIT2", b"")] * 30_000) + audio()
    yield "many frames", Case(many, ProbePolicy(max_bytes=2**20))
    yield "many values", id3(frame("TPE1", b"\0" + b"a\0" * 5000)) + audio()
    yield "long text", id3(frame("USLT", b"\0eng\0" + b"la " * 100_000), TITLE) + audio()
    yield "tag that claims more than the file", b"ID3\3\0\0" + b"\x7f\x7f\x7f\x7f" + TITLE + bytes(20_000)
    yield "frame longer than its tag", id3(TITLE, b"TPE1\x00\xff\xff\xff\0\0x") + audio()


# -- several tags ------------------------------------------------------------------------------------------------------


def text(name, value):
    return frame(name, b"\0" + value, version=4)


def seek(offset):
    return frame("SEEK", struct.pack(">I", offset), version=4)


def tag(*frames, footer=False):
    """A tag of ID3v2.4."""
    made = id3(*frames, version=4, flags=0x10 if footer else 0)
    return made + (b"3DI" + made[3:10] if footer else b"")


def several():
    song = audio()
    title, artist, album = text("TIT2", b"Tone"), text("TPE1", b"Sine"), text("TALB", b"Low Water")
    by_ape, v1 = ape((b"Title", b"Ape")), id3v1(b"V1")
    yield "stacked", tag(title) + tag(text("TIT2", b"New"), artist) + song
    yield "stacked with padding", id3(TITLE) + id3(ARTIST, padding=300) + song
    second = id3(frame("TPE1", b"\0Sine"), padding=2000)
    yield "second behind a long cover", id3(picture(500_000), TITLE) + second + song
    yield "ape before id3", by_ape + id3(TITLE) + song
    yield "id3 before ape", id3(TITLE) + by_ape + song
    yield "a hundred stacked", tag(title) * 100 + song
    for footer in (False, True):
        for name, behind in (("nothing", b""), ("id3v1", v1), ("ape and id3v1", by_ape + v1)):
            late = tag(artist, album, footer=footer)
            about = f"{name}{', footer' * footer}"
            yield f"sought before {about}", tag(title, seek(len(song))) + song + late + behind
            # The comment names ID3, as a tag begins.
            late = tag(title, text("COMM", b"eng\0ID3\3 ID3\2"), footer=footer)
            yield f"appended before {about}", song + late + behind
    late = tag(artist, text("COMM", b"eng\0" + b"la " * 20_000))
    yield "long one that is sought", tag(title, seek(len(song))) + song + late + v1
    yield "later than the least offset", tag(title, seek(len(song) - 900)) + song + tag(artist)
    for offset in (7000, 2**31, 2**32 - 1):
        yield f"sought nowhere {offset}", tag(title, seek(offset), artist) + song
    yield "a chain of tags", b"".join(tag(text("TIT2", b"%d" % n), seek(50)) + bytes(50) for n in range(100)) + song
    late = tag(text("TIT2", b"Late"), footer=True)
    yield "front, ape, v1", FRONT + song + by_ape + v1
    yield "ape, v1", song + by_ape + v1
    yield "v1, ape", song + v1 + by_ape
    yield "ape, late, v1", song + by_ape + late + v1
    yield "ape in front, late", by_ape + song + late
    yield "ape and id3 in front", by_ape + FRONT + song
    yield "v1 alone", song + v1
    yield "what one lacks is in the next", id3(TITLE) + song + by_ape + id3v1(b"V1", b"Sine")
    body = frame("TIT2", b"\0Tone", version=4)
    yield "footer without its header", song + b"ID3\4\0\x10" + size7(len(body)) + body + b"3DI\4\0\x10" + size7(2**27)


# -- pictures ----------------------------------------------------------------------------------------------------------


def covers():
    song = audio()
    yield "no tag", song
    yield "cover behind the title", id3(TITLE, picture(500_000)) + song
    yield "cover of 2 MB before the title", id3(picture(2_000_000), TITLE) + song
    yield "cover between texts", id3(TITLE, picture(2_000_000), ARTIST) + song
    old = id3(picture(54_000, version=2), frame("TT2", b"\0Tone", version=2), version=2)
    yield "cover of version two", old + song
    yield "long padding", id3(TITLE, padding=100_000) + song
    for version in (2, 3, 4):
        yield f"cover of version {version} alone", id3(picture(300_000, version=version), version=version) + song
    sizes = {3: 700, 4: 40_000, 17: 300_000}
    for version in (3, 4):
        for desc in ("", "Титул"):
            tags = by_mutagen.ID3()
            for kind, size in sizes.items():
                about = {"encoding": 1 if desc else 0, "mime": "image/jpeg", "desc": f"{desc}{kind}"}
                tags.add(by_mutagen.APIC(type=kind, data=cover(size), **about))
            yield f"three pictures {version} {desc}", saved_as(tags, version)
    frames = [frame("PIC", b"\0JPG%c\0" % kind + cover(size), version=2) for kind, size in sizes.items()]
    yield "three pictures 2", id3(*frames, version=2) + song
    image = b"\0image/jpeg\0\x03\0" + cover(700)
    for version, extra, flags in ((3, b"g", 0x0020), (4, size7(722), 0x0001)):
        body = frame("APIC", extra + image, version=version, flags=flags)
        yield f"length that a flag adds {version}", id3(body, version=version) + audio(4)
    plain = frame("APIC", image).replace(b"\xff", b"\xff\0")
    yield "picture whose bytes are changed", b"ID3\3\0\x80" + size7(len(plain)) + plain + audio(4)
    link = b"https://example.org/p.jpg"
    yield "picture that is only linked", id3(frame("APIC", b"\0-->\0\x03\0" + link)) + audio(4)
    yield "linked 2", id3(frame("PIC", b"\0-->\x03\0" + link, version=2), version=2) + audio(4)
    yield "type that nobody defined", id3(frame("APIC", b"\0image/png\0\x63\0" + cover(50))) + audio(4)
    yield "a hundred pictures", id3(*[frame("APIC", b"\0image/jpeg\0\x03\0" + cover(20))] * 100) + audio(4)
    for size in (0, 1, 3, 12, 13, 14):
        yield f"picture cut at {size}", id3(frame("APIC", image[:size])) + audio(4)


# -- chapters ----------------------------------------------------------------------------------------------------------


def saved_as(tags, version, seconds=60):
    if version == 3:
        tags.update_to_v23()
    out = io.BytesIO(audio(seconds))
    tags.save(out, v2_version=version, v1=0)
    return out.getvalue()


def song(*frames, version=4):
    tags = by_mutagen.ID3()
    for each in frames:
        tags.add(each)
    return saved_as(tags, version)


def chapter(name, start, end, *frames):
    return by_mutagen.CHAP(element_id=name, start_time=start, end_time=end, sub_frames=list(frames))


def contents(name, *children, flags=3):
    """A table of contents; flag 2 is the top one, 1 an ordered one."""
    return by_mutagen.CTOC(element_id=name, flags=flags, child_element_ids=list(children), sub_frames=[])


def titled(words, kind=by_mutagen.TIT2):
    return kind(encoding=3, text=[words])


def image(size):
    return by_mutagen.APIC(encoding=0, mime="image/jpeg", type=3, desc="", data=cover(size))


def link(url):
    return by_mutagen.WXXX(encoding=3, desc="link", url=url)


def chapters():
    two = [
        chapter("a", 0, 61_500, titled("Начало")),
        chapter("b", 61_500, UNKNOWN, titled("Second"), link("https://example.org/two"), image(2000)),
    ]
    for version in (3, 4):
        yield f"chapters {version}", song(*two, contents("toc", "a", "b"), version=version)
        forty = [chapter(f"c{n}", n * 5000, n * 5000 + 5000, titled(f"No {n}")) for n in range(40)]
        yield f"forty chapters {version}", song(*forty, version=version)
    many = [chapter(name, at, UNKNOWN, titled(name)) for name, at in (("c", 3000), ("a", 1000), ("b", 2000))]
    tables = [
        [],
        [contents("toc", "a", "b", "c")],
        [contents("toc", "b", "c", "a")],
        # Not ordered, or not the top one: by their times.
        [contents("toc", "b", "c", "a", flags=2)],
        [contents("toc", "b", "c", "a", flags=1)],
        # Tables in tables; one that names itself.
        [contents("toc", "p", "q"), contents("p", "c", flags=1), contents("q", "b", "a", flags=0)],
        [contents("toc", "b", "toc", "p"), contents("p", "p", "toc", "a", "c", flags=0)],
        [contents("toc", "b", "a")],
        [contents("toc", "nothing")],
        [contents("toc")],
    ]
    for number, listed in enumerate(tables):
        yield f"ordered by tables {number}", song(*many, *listed)
        yield f"ordered by tables {number} in front", song(*listed, *many)
    both = [chapter(name, 1000, 2000, titled(name)) for name in ("y", "x")]
    yield "chapters of one time", song(*both, contents("toc", "x", "y"))
    frames = [*many, chapter("p", 500, 700, image(500)), chapter("t", 600, 700, titled("t"))]
    yield "there for its picture", song(*frames, contents("toc", "a", "b", "c"))
    yield "there for its picture, no table", song(*frames)
    yield "subtitle", song(chapter("a", 0, UNKNOWN, titled("sub", by_mutagen.TIT3)), chapter("b", 9000, UNKNOWN))
    for mime in ("-->", "image/jpeg"):
        elsewhere = by_mutagen.APIC(encoding=0, mime=mime, type=3, desc="", data=b"https://example.org/p.jpg")
        yield f"picture elsewhere {mime}", song(chapter("a", 0, 1000, elsewhere))
    for url in ("no address", "javascript:alert(1)", "https://example.org/a b", "http://", "x" * 3000):
        yield f"no address {url[:20]}", song(chapter("a", 0, 1000, link(url)))
    podcast = [chapter(f"chp{n:02}", n * 60_000, n * 60_000 + 60_000, titled(f"{n}"), image(50_000)) for n in range(30)]
    yield "podcast with pictures", song(*podcast, titled("Episode"), version=3)
    small = [chapter(f"chp{n}", n * 60_000, n * 60_000 + 60_000, titled(f"Part {n}")) for n in range(200)]
    yield "200 small chapters", song(*small)
    yield "more than the policy allows", Case(song(*small[:30]), ProbePolicy(max_chapters=10))


def chap(name=b"a", start=1000, end=2000, *, inner=b"", **more):
    body = name + b"\0" + struct.pack(">IIII", start, end, UNKNOWN, UNKNOWN) + inner
    return frame("CHAP", body, **more)


def apart(body):
    return body.replace(b"\xff", b"\xff\0")


def odd_chapters():
    images = [frame("CHAP", b"c%d\0" % n + cover(60_000)) for n in range(30)]
    yield "images do not cost the duration", id3(TITLE, *images, frame("TALB", b"\0Late")) + audio() + id3v1(b"Tone")
    wrong = frame("TIT2", b"\0" + "Тихая песня моряка".encode("cp1251"))
    first = chap(b"b", 60_000, 90_000, inner=frame("TIT2", b"\0Plain"))
    yield "titles in cp1251", id3(wrong, chap(inner=frame("TIT2", b"\0" + RAW)), first) + audio(8)
    times = b"a\0" + struct.pack(">IIII", 1000, 2000, UNKNOWN, UNKNOWN)
    yield "version two has none", id3(frame("CHA", times, version=2), version=2) + audio(4)
    body = times + frame("TIT2", b"\0One")
    yield "grouped", id3(frame("CHAP", b"g" + body, flags=0x0020)) + audio(4)
    pressed = len(body).to_bytes(4, "big") + zlib.compress(body)
    yield "compressed chapter", id3(frame("CHAP", pressed, flags=0x0080)) + audio(4)
    yield "encrypted chapter", id3(frame("CHAP", b"e" + body, flags=0x0040)) + audio(4)
    yield "unsynchronised chapter", id3(apart(chap(inner=frame("TIT2", b"\0\xff"))), flags=0x80) + audio(4)
    body = times + frame("TIT2", b"\0\xff", version=4)
    framed = b"CHAP" + size7(len(apart(body)) + 4) + b"\0\x03" + size7(len(body)) + apart(body)
    yield "unsynchronised frame of a chapter", id3(framed, version=4) + audio(4)
    good = chap(b"z", 7000, 8000, inner=frame("TIT2", b"\0Good"))
    for number, broken in enumerate(
        [
            frame("CHAP", b"no end of the id" * 30),
            frame("CHAP", b"a\0short"),
            frame("CHAP", b""),
            frame("CTOC", b""),
            frame("CTOC", b"toc\0\x03\xff" + b"a\0" * 3),
            chap(start=UNKNOWN),
            chap(inner=b"TIT2\x7f\xff\xff\xff\0\0"),
            chap(start=5000, end=6000, inner=b"junk" * 10),
        ]
    ):
        yield f"broken before a good one {number}", id3(broken, good, frame("TIT2", b"\0Song")) + audio(4)
        yield f"broken behind a good one {number}", id3(good, broken, frame("TIT2", b"\0Song")) + audio(4)
    body = b"\0\0\0\0" + zlib.compress(bytes(60_000), 9)
    yield "many compressed chapters", id3(*[frame("CHAP", body, flags=0x80)] * 300) + audio(4)


# -- loudness ----------------------------------------------------------------------------------------------------------


def gain(kind, origin, tenths):
    """A gain in 16 bits: what for, who set it, the sign, tenths of a decibel."""
    return (kind << 13 | origin << 10 | (tenths < 0) << 9 | abs(tenths)).to_bytes(2, "big")


def lame(peak=0.0, track=b"\0\0", album=b"\0\0", name=b"LAME3.100"):
    return name + bytes(2) + struct.pack(">I", round(peak * (1 << 23))) + track + album + bytes(17)


def with_lame(part):
    """A mono frame of 128 kbit/s whose header counts the others, with LAME's part, before 4 seconds of such frames."""
    header, size = b"\xff\xfb\x90\xc4", 417
    fields = struct.pack(">4sIIII", b"Info", 0xB, 153, 154 * size, 80)
    return (header + bytes(17) + fields + part).ljust(size, b"\0") + header.ljust(size, b"\0") * 153


def loudness():
    for name, volume, peak in (("track", -6.5, 0.5), ("Album", 1.25, 1.25), ("track", 3, 0), ("normalize", 3, 0.5)):
        tags = by_mutagen.ID3()
        tags.add(by_mutagen.RVA2(desc=name, channel=1, gain=volume, peak=peak))
        yield f"volume {name} {volume} 4", saved(tags, audio(4)) + audio(4)
        body = name.encode() + b"\0" + struct.pack(">Bh", 1, round(volume * 512)) + b"\x10"
        body += struct.pack(">H", round(peak * 32768))
        yield f"volume {name} {volume} 3", id3(frame("XRVA", body)) + audio(4)
    left, master = b"\x03\x02\x00\x08\x40", b"\x01\xf3\x00"
    for body in (
        *(b"track\0" + left + master + b"\0", b"track\0" + master + b"\x10\x40\0", b"album\0" + master + b"\x0c\x0c\0"),
        *(b"track\0" + master + b"\x20\x80\0", b"track\0" + left, b"track\0" + master, b"track"),
    ):
        yield f"channels of a volume {body.hex()}", id3(frame("RVA2", body)) + audio(4)
    # Flags: the right channel is raised, the left one too; 16 bits; a quarter of full volume each.
    for body in ("031040004000", "00108000800000000000", "011040004000", "001000000000", "0300", "031040"):
        yield f"older volume {body}", id3(frame("RVAD", bytes.fromhex(body))) + audio(4)
        yield f"older volume 2 {body}", id3(frame("RVA", bytes.fromhex(body), version=2), version=2) + audio(4)
    frames = [frame("RVAD", b"\x03\x10\x40\x00\x40\x00"), frame("TXXX", b"\0replaygain_track_gain\x00-3 dB")]
    yield "measured gain before a volume", id3(*frames) + audio(4)
    parts = [
        *(lame(0.988547, gain(1, 3, -65), gain(2, 3, 12)), lame(), lame(0.5), lame(track=gain(1, 3, -511))),
        *(lame(album=gain(2, 3, -7)), lame(track=gain(1, 0, -65)), lame(track=gain(3, 3, -65))),
        *(lame(track=gain(1, 3, -65), name=b"LAME3.93 "), lame(track=gain(1, 3, -65), name=b"LAME3.97b")),
        *(lame(0.5)[:14], b""),
    ]
    for number, part in enumerate(parts):
        yield f"gains of lame {number}", with_lame(part)
    measured = ape((b"REPLAYGAIN_TRACK_GAIN", b"-3.00 dB"))
    yield "tagger's gain before lame's", with_lame(lame(0.5, gain(1, 3, -65))) + measured
    oldest = struct.pack(">f", 0.75) + gain(1, 1, -65) + gain(2, 1, 12)
    yield "oldest frame of gains", id3(frame("RGAD", oldest)) + audio(4)
    yield "oldest frame of gains, no peak", id3(frame("RGAD", struct.pack(">f", float("nan")) + bytes(4))) + audio(4)


# -- podcasts ----------------------------------------------------------------------------------------------------------


def podcasts():
    for body in (FEED.encode(), b"\0" + FEED.encode(), b"\1" + FEED.encode("utf-16"), b"\3" + FEED.encode() + b"\0"):
        yield f"feed {body[:2]!r}", id3(frame("WFED", body)) + audio(4)
    old = {"TDS": "About", "TID": "urn:1", "TCT": "Science", "WFD": FEED, "TCP": "1", "MVN": "Adagio", "GP1": "Group"}
    frames = [frame(name, b"\0" + words.encode(), version=2) for name, words in old.items()]
    yield "podcast 2", id3(*frames, frame("PCS", bytes(4), version=2), version=2) + audio(4)
    words = {"TDES": "What it is about", "TKWD": "one,two", "TGID": "urn:uuid:1", "TCAT": "Science"}
    words |= {"TIT3": "The subtitle", "TIT2": "Episode", "MVNM": "Adagio", "GRP1": "Group"}
    for version in (3, 4):
        tags = by_mutagen.ID3()
        for name, each in words.items():
            tags.add(getattr(by_mutagen, name)(encoding=3, text=[each]))
        tags.add(by_mutagen.PCST(value=0))
        tags.add(by_mutagen.WFED(url=FEED))
        yield f"podcast {version}", saved_as(tags, version, 4)
