"""MIDI and karaoke, modules of trackers, RealAudio and RealMedia: names and remarks as raw bytes, and lengths."""

import struct

from probe_media import chunk, chunks_of
from probe_old import (
    COPYRIGHT,
    LYRIC,
    NAME,
    TEXT,
    end,
    it,
    karaoke,
    meta,
    midi,
    mod,
    notes,
    ra3,
    ra4,
    ra_header,
    real_video,
    realmedia,
    rm_chunk,
    rm_properties,
    rm_stream,
    rm_text,
    rmid,
    s3m,
    tempo,
    track,
    xm,
)  # fmt: skip

from golden import Case
from mediacrawl.probe import ProbePolicy

TITLE = "Вечерняя песня".encode("cp1251")
ARTIST = "Кино".encode("cp1251")


def files():
    yield from songs()
    yield from lengths()
    yield from long_songs()
    yield from modules()
    yield from real_audio()
    yield from real_media()


# -- MIDI --------------------------------------------------------------------------------------------------------------


def song(*events, **options):
    """One track of 8 quarter notes, 4 seconds."""
    return midi(track(*events, notes(8), end()), kind=0, **options)


def info(*fields):
    return chunks_of(b"INFO", *(chunk(name, body) for name, body in fields))


def songs():
    said = meta(NAME, TITLE + b"\0"), meta(COPYRIGHT, b"(c) 1997 Sine"), meta(TEXT, b"Two remarks")
    yield "midi: one track", song(*said)
    first = track(meta(NAME, b"Low Water"), meta(NAME, b"again"), tempo(500_000), end())
    others = [track(meta(NAME, name), notes(1), end()) for name in (b"Bass", b"", b"Piano ")]
    yield "midi: names of tracks", midi(first, *others)
    sung = meta(TEXT, b"before"), meta(LYRIC, b"la"), b"\x60\x90\x3c\x40", meta(TEXT, b"in it")
    yield "midi: words that are sung", song(*sung)
    yield "midi: karaoke", karaoke(TITLE, ARTIST)
    untitled = meta(NAME, b"Low Water"), meta(TEXT, b"@KMIDI KARAOKE FILE"), meta(TEXT, b"\\La")
    yield "midi: karaoke without titles", song(*untitled)
    for number, events in enumerate(
        [
            b"\0\xf0\x05\x7e\x7f\x09\x01\xf7",  # sysex, with the status that ends in it
            b"\0\xf7\x02\x01\xf7" * 2,  # continued ones
            b"\0\xff\x7f\x81\x00" + bytes(128),  # a maker's own data
            b"\0\xd0\x40\0\xe0\0\x40\0\xb0\7\x7f\0\x0a\x40\0\xa0\x3c\x40",  # all kinds of messages
            b"\0\xff\x58\4\4\2\x18\x08\0\xff\x59\2\0\0\0\xff\x21\1\0",
        ]
    ):
        yield f"midi: events without a text {number}", song(events, meta(NAME, b"Tone"))
    for number, broken in enumerate(
        [
            b"\0\x3c\x40",  # data without a status
            b"\0\xf4",  # a status for cables only
            b"\x80\x80\x80\x80\0\x90\x3c\x40",  # a number that does not end
            b"\0\xff\1\x7fshort",  # a text longer than its track
        ]
    ):
        yield f"midi: broken track {number}", midi(track(broken), track(meta(NAME, b"Bass"), notes(8), end()))
    whole = song()
    yield "midi: cut", whole[: len(whole) - 4 - 12]  # the end event, and two notes
    display = chunk(b"DISP", struct.pack("<I", 1) + TITLE + b"\0"), chunk(b"DISP", struct.pack("<I", 8) + bytes(40))
    listed = info((b"IART", ARTIST), (b"ICOP", b"(c) 1995"))
    yield "midi: texts of riff", rmid(chunk(b"data", song(meta(NAME, b"Tone"))), listed, *reversed(display))


def lengths():
    slow = [track(tempo(1_000_000), end()), track(notes(8), end(96))]
    eight = track(notes(8), end())
    made = {
        "plain": song(),  # 120 quarter notes a minute, if nothing else is said
        "end event": midi(*slow),  # the end event counts, not the last note
        "tempo behind": midi(*reversed(slow)),  # wherever the tempo stands
        # 4 quarter notes of half a second, 2 of 1 s, 2 of a quarter of a second
        "tempos": midi(track(tempo(500_000), tempo(1_000_000, 384), tempo(250_000, 192), end()), eight),
        "tempos of nine": midi(track(tempo(400_000), tempo(900_000, 384), tempo(250_000, 192), end()),
                               track(notes(9), end())),
        "no tempo": midi(track(tempo(0), end()), eight),
        "later tempo": midi(track(tempo(100_000), tempo(1_000_000), end()), eight),
        "late event": midi(track(tempo(500_000), tempo(1, 96 * 20), end()), eight),
        "frames": song(division=0xE728),  # 25 frames of 40 ticks
        "dropped frames": song(division=0xE350),  # 30 frames less the dropped ones, of 80 ticks
        "no ticks of a frame": song(division=0xE700), "no ticks": song(division=0),
        "pieces in no known order": midi(eight, eight, kind=2), "nothing": midi(track(end())),
        "another tempo": song(tempo(300_000)), "two tracks": midi(eight, eight),
        "running status over a meta event": midi(track(b"\0\x90\x3c\x40" + meta(6, b"mark") + b"\x60\x3c\0", end())),
        "number of four bytes": midi(track(end(0x0FFFFFFF))), "no end event": midi(track(notes(8))),
        "fewer tracks than stated": midi(eight, count=3),
    }  # fmt: skip
    for name, data in made.items():
        yield f"midi: {name}", data
    data, other = midi(eight), b"XFIH" + struct.pack(">I", 5) + b"other"
    yield "midi: other chunks", data[:14] + other + data[14:] + other
    yield "midi: longer header", b"MThd" + struct.pack(">I", 8) + song()[8:14] + b"\1\2" + song()[14:]


def long_song(size):
    first = track(meta(NAME, b"Long"), tempo(500_000), end())
    return midi(first, track(meta(NAME, b"Bass"), notes(size // 12), end()), track(notes(size // 12), end()))


def long_songs():
    yield (
        "midi: texts behind a long song",
        rmid(chunk(b"data", midi(track(notes(10_000), end()))), info((b"INAM", TITLE))),
    )
    for size in (200_000, 400_000):
        yield f"midi: song of {size}", long_song(size)
    yield "midi: of unknown size", Case(long_song(60_000), sized=False)
    yield "midi: more texts than the limit", Case(song(meta(TEXT, b"a") * 60), ProbePolicy(max_tags=50))
    many = [b"\0\xc0\1" + b"\1\2" * 100_000, b"\1\xff\x51\3\7\xa1\x20" * 28_000, b"\0\xff\1\1a" * 40_000]
    for number, events in enumerate([*many, b"\0\xff\6\0" * 50_000, b"\x81\x82\x83\4\xf0\0" * 33_000]):
        yield f"midi: many events {number}", midi(track(events, end()))
    yield "midi: 65,535 tracks", midi(*[track(end())] * 20_000, count=0xFFFF)


# -- trackers ----------------------------------------------------------------------------------------------------------


def modules():
    title, names = (
        "весна".encode("cp866"),
        [b"this song was made", b"", b"by Sine in 1994", "для друзей".encode("cp866")],
    )
    yield "mod", mod(title, names)
    yield "mod: left-overs", mod(b"tone\0old", [b"drum\0left over", b"\0left over", b"bass  "])
    yield "s3m", s3m(title, names)
    yield "s3m: far behind", s3m(b"tone", [b"name %d" % number for number in range(99)], gap=2000)
    message = b"Two\rlines\r\0left over"
    for version in (0x0214, 0x5128, 0xF000, 0x1020, 0x12A5):
        yield f"it: version {version:x}", it(title, names, [b"drum", b"bass"], message, version=version)
    yield "it: samples alone", it(b"tone", [], [b"drum"])
    yield "it: many", it(b"tone", [b"name %d" % number for number in range(90)], [b"drum"] * 90, b"Message")
    yield "it: message that is not there", it(b"tone", [b"by sine"], [], b"Message")[:-7]
    instruments = [(names[0], [(b"kick", 300), (b"", 20)]), (names[1], []), (names[2], [(b"snare", 9)]), (names[3], [])]
    yield "xm", xm(title, instruments, patterns=3)
    packed = bytearray(xm(b"tone", [(b"one", [(b"kick", 51)]), (b"two", [])]))
    sample = packed.index(b"kick") - 18
    packed[sample + 17] = 0xAD
    packed[sample : sample + 4] = (70).to_bytes(4, "little")  # 16 bytes of a table and 35 of data
    yield "xm: packed sample", bytes(packed)
    yield "xm: another version", xm(b"tone", [(b"one", [])], version=0x0103)
    yield "xm: long samples", xm(b"tone", [(b"name %d" % number, [(b"kick", 100_000)]) for number in range(20)])
    small = [("s3m", s3m(title, names)[:600], 34), ("it", it(b"tone", [b"by sine"], [b"drum"], b"Message"), 34)]
    for name, data, at in [*small, ("xm", xm(b"tone", [(b"by sine", [(b"drum", 50)]), (b"1997", [])]), 72)]:
        yield f"{name}: 65,535 names", data[:at] + b"\xff\xff" + data[at + 2 :] + b"\x1d\0\0\0" * 100_000


# -- RealAudio and RealMedia -------------------------------------------------------------------------------------------

TEXTS = [TITLE, ARTIST, b"(c) 1996", b"Recorded low\0"]


def real_audio():
    for codec in (b"lpcJ", b""):
        yield f"ra: first version {codec.decode()}", ra3(TEXTS, 20_000, codec=codec)
    yield "ra: second version", ra4(TEXTS, 19_000)
    yield "ra: third version", ra4(TEXTS, 19_000, version=5, codec=b"sipr")
    yield "ra: no texts", ra4([b"", b" ", b"\0", b""], 500)
    yield "ra: cut", ra3(TEXTS, 20_000)[:-5000]
    yield "ra: of unknown size", Case(ra3(TEXTS, 30_000)[:16_384], sized=False)
    data = bytearray(ra4([b"", b"", b"", b"abc"], 500))
    data[data.index(b"\3abc")] = 200
    yield "ra: texts that end behind the header", bytes(data)
    for version in (0, 2, 6):
        yield f"ra: version {version}", b".ra\xfd" + struct.pack(">H", version) + bytes(200)


def video(codec=b"RV40", rate=25.0, **options):
    return rm_stream(real_video(codec, 320, 240, rate), mime=b"video/x-pn-realvideo", **options)


def real_media():
    cook = ra_header(5, b"cook", 44_100, 2)
    yield "rm: texts and streams", realmedia(rm_text(*TEXTS), video(rate=30_000 / 1001), rm_stream(cook))
    yield "rm: sound alone", realmedia(rm_stream(ra_header(4, b"sipr", 8000, 1), bitrate=8500), millis=0)
    for letters in (b"lpcJ", b"28_8", b"dnet", b"cook", b"atrc", b"raac", b"racp", b"NEWX", b"\1\2\3\4"):
        for version in (4, 5):
            yield f"rm: {letters!r} {version}", realmedia(rm_stream(ra_header(version, letters, 22_050, 2)))
    for letters in (b"RV10", b"RV20", b"RVTR", b"RV30", b"RV40"):
        yield f"rm: {letters.decode()}", realmedia(video(letters))
    ralf = b"LSD:" + struct.pack(">HHHHII", 0x103, 0, 2, 16, 44_100, 8000)
    yield "rm: lossless", realmedia(rm_stream(ralf, mime=b"audio/x-ralf-mpeg4-generic"))
    two = ra_header(5, b"cook", 22_050, 1)
    rates = b"MLTI" + struct.pack(">HHHHI", 2, 0, 1, 2, len(cook)) + cook + struct.pack(">I", len(two)) + two
    yield "rm: several bit rates", realmedia(rm_stream(rates, mime=b"audio/x-pn-multirate-realaudio"))
    yield "rm: longest stream", realmedia(video(millis=90_000), rm_stream(cook, millis=91_500))
    pairs = [
        (b"Keywords", TITLE), (b"Generated By", b"Helix Producer\0"), (b"Creation Date", b"3/14/2003 12:00:00"),
        (b"Content Rating", 4), (b"Audiences", b"56k Dial-up;"),
    ]  # fmt: skip
    yield "rm: properties", realmedia(rm_properties(*pairs))
    events = rm_stream(b"", mime=b"application/x-pn-realevent")
    yield "rm: other kinds of streams", realmedia(events, rm_chunk(b"XTRA", bytes(40)), rm_text(*TEXTS), video())
    broken = rm_chunk(b"CONT", struct.pack(">H", 4) + b"Tone" + struct.pack(">H", 999) + b"Sine")
    yield "rm: texts longer than their chunk", realmedia(broken, video())
    streams = [rm_stream(b"x" * 6000, mime=b"image/rp")] * 3
    yield "rm: long header", realmedia(*streams, rm_text(*TEXTS), video(), sound=100_000)
    yield "rm: chunks without end", b".RMF\0\0\0\x12\0\0" + bytes(8) + rm_chunk(b"XTRA", b"") * 20_000
    data = realmedia(rm_text(*TEXTS), sound=0)
    at = data.index(b"CONT") + 4
    yield "rm: chunk longer than the file", data[:at] + b"\xff\xff\xff\xf0" + data[at + 4 :]
    nowhere = rm_properties(*[(b"A", b"b")] * 3).replace(struct.pack(">IH", 15, 0), struct.pack(">IH", 0, 0))
    yield "rm: properties that go nowhere", realmedia(nowhere)
