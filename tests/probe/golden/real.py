"""Real files, made by ffmpeg (``samples/make.sh``), as they are, grown, cut and behind a foreign tag."""

import struct

from probe_media import SAMPLES, atom, cover, frame, grow_mdat, id3, id3v1, page, picture, sample

from golden import Case

NAMES = sorted(path.name for path in SAMPLES.iterdir() if path.suffix != ".sh")
FRONT = id3(frame("TIT2", b"\0Front"), frame("TALB", b"\0Low Water"))
TAGGED = [
    *("tone.flac", "tone.ogg", "tone.opus", "tone.spx", "tone.wav", "tone.aiff", "first.m4a", "tone.wma", "tone.wv"),
    *("film.mov", "film.avi", "film.flv", "tone.tta"),
]


def grown_ogg(data, more):
    """Puts pages of another stream before the last page."""
    at = data.rindex(b"OggS")
    return data[:at] + page(99, 0, bytes(60_000)) * (more // 60_000 + 1) + data[at:]


def files():
    for name in NAMES:
        yield name, sample(name)
        yield f"{name}, half of it", sample(name)[: len(sample(name)) // 2]
    for name in ("vbr.mp3", "tone.aac", "tone.ac3", "tone.eac3", "tone.dts"):
        yield f"{name}, many times", sample(name) * (3_000_000 // len(sample(name)))
    yield "vbr.mp3, nine times", sample("vbr.mp3") * 9
    for name in ("cbr.mp3", "tone.mp2"):
        yield f"{name}, 20 times", sample(name) * 20
    for name in ("tone.ogg", "tone.opus", "tone.spx", "tone.oga", "film.ogv"):
        yield f"{name}, 2 MB", grown_ogg(sample(name), 2_000_000)
    for name in ("first.m4a", "last.m4a", "fragmented.m4a"):
        yield f"{name}, 1 MB", grow_mdat(sample(name), 1_000_000)
    yield "first.m4a, 60 KB of 1 MB", grow_mdat(sample("first.m4a"), 1_000_000)[:60_000]
    for name in ("tone.wv", "tone.tta"):
        at = sample(name).index(b"APETAGEX")
        long = sample(name)[:at] + bytes(2_000_000) + sample(name)[at:]
        yield f"{name}, 2 MB", id3(frame("TIT2", b"\0Front")) + long + id3v1(b"End")
    bare = sample("tone.tta").partition(b"APETAGEX")[0] + bytes(100_000)
    yield "tags are not in the bit rate", bare + id3v1(b"Tone")
    yield "tags at both ends", id3(frame("TIT2", b"\0Front")) + sample("tone.tta") + id3v1(b"Tone")
    for name in TAGGED:
        yield f"foreign tag before {name}", FRONT + sample(name)
    long = id3(picture(500_000), frame("TALB", b"\0Low Water")) + sample("tone.flac") + bytes(1_000_000)
    yield "foreign tag with a long cover", long
    for name in ("film.mp4", "fragmented.m4a", "tone.flac", "live.webm"):
        yield f"{name}, of unknown size", Case(sample(name), sized=False)
    yield "tables of a long film", long_tables()
    data = sample("tone.ogg")
    for missing in (1, 1000, 1410):
        yield f"last page cut off by {missing}", data[:-missing]
    at = data.rindex(b"OggS")
    granule, serial = struct.unpack_from("<qI", data, at + 6)
    yield "long last page", data[:at] + bytes(500_000) + page(serial, 9, bytes(60_000), granule=granule)
    yield "tail of another stream", data + page(7, 0, bytes(60_000)) * 3
    raw = data.replace(b"TITLE=Tone", b"TITLE=\xcf\xf0\xe8\xe2").replace(b"title=Tone", b"title=\xcf\xf0\xe8\xe2")
    yield "comment that is not utf-8", raw
    for offset in (0, 10, 7200):
        yield f"recording of a live stream at {offset} s", moved(data, 5, 44_100 * offset)
    for name, rate in (("tone.opus", 48_000), ("tone.spx", 16_000)):
        chain = b"".join(moved(sample(name), 7000 + n, rate) for n in range(30))
        yield f"chain of {name}", sample(name) + chain
    for front in (b"", FRONT):
        for name in ("tone.ogg", "tone.opus"):
            other = moved(sample(name).replace(b"Tone", b"Next"), 7)
            yield f"chain of two {name}{' behind a tag' * bool(front)}", front + sample(name) + other
    tag = id3(frame("TIT2", b"\0Tone"), frame("APIC", b"\0image/jpeg\0\3\0" + cover(90_000)))
    yield "cover before aac", tag + sample("tone.aac") * 9 + id3v1(b"Tone")


def pages(data):
    """The pages of an Ogg file."""
    starts = [at for at in range(len(data)) if data.startswith(b"OggS\0", at)]
    return [data[at:stop] for at, stop in zip(starts, [*starts[1:], len(data)], strict=True)]


def moved(data, serial, offset=0):
    """The same stream under another number, its clock put forward by some samples."""
    out = b""
    for part in pages(data):
        (granule,) = struct.unpack_from("<q", part, 6)
        out += part[:6] + struct.pack("<qI", granule + (offset if granule > 0 else 0), serial) + part[18:]
    return out


def long_tables():
    """A film with a table of 600 KB at the end of each track's ``stbl``, as an hour has it."""
    data = sample("film.mp4")
    at = data.index(b"moov") - 4
    moov, table = bytearray(data[at:]), atom(b"stsz", bytes(600_000))
    for name in (b"stbl", b"minf", b"mdia", b"trak", b"moov"):
        for place in places(moov, name):
            (size,) = struct.unpack_from(">I", moov, place)
            struct.pack_into(">I", moov, place, size + len(table) * (2 if name == b"moov" else 1))
    for place in sorted(places(moov, b"stbl"), reverse=True):
        end = place + struct.unpack_from(">I", moov, place)[0] - len(table)
        moov[end:end] = table
    return data[:at] + bytes(moov)


def places(data, name):
    found, at = [], data.find(name)
    while at >= 0:
        found.append(at - 4)
        at = data.find(name, at + 4)
    return found
