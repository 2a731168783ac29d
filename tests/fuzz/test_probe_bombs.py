"""Files made to take a reader's time or memory: each ends within the budget, and gives what can be read."""

import struct
import tracemalloc
import zlib

import pytest
from fuzz_drive import judge
from probe_builders import (
    adif,
    amr,
    amr_frame,
    au,
    caf,
    caf_chunk,
    caf_data,
    caf_desc,
    caf_info,
    dff,
    dff_chunk,
    dff_comments,
    dff_prop,
    loas,
    tak_block,
    w64,
    w64_chunk,
    w64_summary,
)
from probe_media import atom, audio, chunk, element, form, frame, id3, id3v1, run, sample, size7
from probe_movie import movie, sound, table, text, trak

MOST_BYTES = 16 * 1024 * 1024
"""A quarter of what a probe may take: one that comes near it has lost a limit."""
MILLION = 1_000_000
TITLE = frame("TIT2", b"\0Tone")
NO_FRAME = b"\0\0\0\0"
SILENCE = amr_frame(15, 1)


def memory_of(data):
    """Bytes that a probe takes at most, and its result."""
    tracemalloc.start()
    try:
        probed = run(data, restart=False)
        judge(probed.probe)
        return tracemalloc.get_traced_memory()[1], probed.result
    finally:
        tracemalloc.stop()


def bomb(size):
    packed = zlib.compress(b"\0bomb\0" + bytes(size), 9)
    return frame("TXXX", struct.pack(">I", size) + packed, flags=0x0080)


def v23(*frames):
    return id3(*frames) + audio(8) + id3v1(b"Tone")


def flac(*blocks):
    info = sample("tone.flac")[4:42]
    body = b"".join(bytes([kind]) + struct.pack(">I", len(data))[1:] + data for kind, data in blocks)
    return b"fLaC" + bytes([info[0] & 0x7F]) + info[1:] + body


def comments(count, *texts):
    listed = b"".join(struct.pack("<I", len(text)) + text for text in texts)
    return struct.pack("<I", 0) + struct.pack("<I", count) + listed


def nested(name, depth):
    data = b""
    for _ in range(depth):
        data = atom(name, data)
    return data


def ape_footer(size, count):
    return b"APETAGEX" + struct.pack("<IIII", 2000, size, count, 0x80000000) + bytes(8)


def lists(depth):
    data = b""
    for _ in range(depth):
        data = chunk(b"LIST", b"INFO" + data)
    return data


def chapters(depth):
    data = TITLE
    for _ in range(depth):
        data = frame("CHAP", b"c\0" + bytes(16) + data)
    return data


def asf(objects, *bodies):
    guid = bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c")
    body = b"".join(bodies)
    return guid + struct.pack("<QIBB", 30 + len(body), objects, 1, 2) + body


def asf_object(guid, body):
    return bytes.fromhex(guid) + struct.pack("<Q", 24 + len(body)) + body


EXTENDED = "40a4d0d207e3d21197f000a0c95ea850"
HEAD_OF_FLV = b"FLV\1\5\0\0\0\x09\0\0\0\0"


def flv(script):
    return HEAD_OF_FLV + b"\x12" + struct.pack(">I", len(script))[1:] + bytes(7) + script


def ebml(*elements):
    head = b"\x1aE\xdf\xa3\x8b\x42\x82\x88matroska"
    return head + b"\x18\x53\x80\x67\x01" + (2**56 - 1).to_bytes(7, "big") + b"".join(elements)


def simple_tags(depth):
    data = element(0x45A3, b"TITLE") + element(0x4487, b"Tone")
    for _ in range(depth):
        data = element(0x67C8, element(0x45A3, b"A") + data)
    return element(0x1254C367, element(0x7373, data))


def nested_chapters(depth):
    data = element(0x80, element(0x85, b"One"))
    for _ in range(depth):
        data = element(0xB6, data)
    return data


def pages(body):
    """One Ogg page a byte of the body."""
    head = b"OggS\0\0" + bytes(8) + b"\1\0\0\0"
    return b"".join(head + struct.pack("<II", n, 0) + b"\1\1" + body[n : n + 1] for n in range(len(body)))


TABLES = (b"stts", b"stsc", b"stsz", b"stco")
BOMBS = {
    # What research measured: gigabytes of memory, minutes of time, or no end.
    "a compressed text of 60 MB": lambda: v23(TITLE, bomb(60_000_000)),
    "many compressed texts": lambda: v23(TITLE, *[bomb(1 << 24)] * 50),
    "300 thousand frames": lambda: v23(TITLE, frame("TXXX", b"\0a\0b") * 300_000),
    "a million empty frames": lambda: v23(TITLE, frame("TXXX", b"") * MILLION),
    "a million frames without a name": lambda: v23(TITLE, NO_FRAME * MILLION),
    "a million values in one text": lambda: v23(TITLE, frame("TPE1", b"\0" + b"a\0" * MILLION)),
    "a tag that claims 256 MB": lambda: b"ID3\3\0\0" + size7(2**28 - 1) + TITLE + audio(4),
    "a frame that claims 4 GB": lambda: v23(TITLE, b"TPE1\xff\xff\xff\xff\0\0", b"x" * 9000),
    "chapters in chapters": lambda: v23(TITLE, chapters(300)),
    "a tag of tags": lambda: id3(TITLE) * 20_000 + audio(4),
    "4,294,967,295 comments in zeros": lambda: flac((4, comments(2**32 - 1, b"TITLE=Tone") + bytes(16_000_000))),
    "a comment that claims 4 GB": lambda: flac((4, comments(2, b"TITLE=Tone") + b"\xff\xff\xff\xff" + bytes(100))),
    "a million empty blocks": lambda: flac((4, comments(1, b"TITLE=Tone"))) + b"\1\0\0\0" * MILLION,
    "a million empty chunks of WAV": lambda: form(
        b"RIFF", b"WAVE", chunk(b"LIST", b"INFO" + chunk(b"INAM", b"Tone")), chunk(b"junk", b"") * MILLION
    ),
    "a million empty chunks of AIFF": lambda: (
        b"FORM\0\0\0\0AIFF" + chunk(b"NAME", b"Tone", ">") + chunk(b"ANNO", b"", ">") * MILLION
    ),
    "a million free atoms": lambda: sample("first.m4a")[:32] + atom(b"free") * MILLION,
    "moov in moov": lambda: sample("first.m4a")[:32] + nested(b"moov", 500),
    "meta in meta": lambda: sample("first.m4a")[:32] + atom(b"moov", atom(b"udta", nested(b"meta", 500))),
    "a sample table of 4,294,967,295": lambda: sample("last.m4a").replace(
        b"stsd\0\0\0\0\0\0\0\1", b"stsd\0\0\0\0\xff\xff\xff\xff"
    ),
    "a list of 4,294,967,295 chapters": lambda: movie(
        trak(1, b"soun", sound()), atom(b"udta", atom(b"chpl", b"\1\0\0\0\0\xff\xff\xff\xff", bytes(MILLION)))
    ),
    "a chapter track of 4,294,967,295 texts": lambda: movie(
        trak(1, b"soun", sound(), before=atom(b"tref", atom(b"chap", b"\0\0\0\2" * 90_000))),
        trak(2, b"text", text(), *(table(name, [(2**32 - 1,) * 3] * 20_000) for name in TABLES)),
    ),
    "10,000 tracks": lambda: movie(trak(1, b"soun", sound()) * 10_000),
    "a million pictures": lambda: movie(
        atom(b"udta", atom(b"meta", bytes(4), atom(b"ilst", atom(b"covr", atom(b"data", bytes(8)) * 60_000))))
    ),
    "chapters in chapters of Matroska": lambda: ebml(element(0x1043a770, element(0x45b9, nested_chapters(2000)))),
    "a million chapters of Matroska": lambda: ebml(element(0x1043a770, element(0x45b9, element(0xb6, b"") * 200_000))),
    "a million editions": lambda: ebml(element(0x1043a770, element(0x45b9, b"") * 200_000)),
    # The same ideas in the other formats.
    "an APE tag that claims all": lambda: audio(8) + ape_footer(2**32 - 1, 2**32 - 1) + id3v1(b"Tone"),
    "an APE tag of a million items": lambda: (
        audio(8) + b"\0\0\0\0\0\0\0\0ab\0" * 90_000 + ape_footer(90_000 * 11 + 32, MILLION) + id3v1(b"Tone")
    ),
    "lyrics that claim a megabyte": lambda: audio(8) + b"LYRICSBEGIN999999LYRICS200" + id3v1(b"Tone"),
    "lists in lists": lambda: form(b"RIFF", b"AVI ", lists(5000)),
    "a header of ASF with 4,294,967,295 objects": lambda: asf(2**32 - 1, asf_object("00" * 16, b"") * 200_000),
    "an object of ASF without a size": lambda: asf(9, bytes(16) + bytes(8) + bytes(5000)),
    "65,535 descriptors of ASF": lambda: asf(
        1, asf_object(EXTENDED, struct.pack("<H", 65535) + struct.pack("<HHH", 0, 0, 0) * 65535)
    ),
    "objects in objects of AMF": lambda: flv(b"\2\0\x0aonMetaData" + b"\3\0\1a" * 60_000),
    "arrays in arrays of AMF": lambda: flv(b"\2\0\x0aonMetaData" + b"\x0a\0\0\0\1" * 60_000),
    "an array of AMF with 4,294,967,295 values": lambda: flv(
        b"\2\0\x0aonMetaData\x0a\xff\xff\xff\xff" + b"\5" * 90_000
    ),
    "a million tags of FLV": lambda: HEAD_OF_FLV + (b"\x12" + bytes(10) + b"\0\0\0\x0b") * 300_000,
    "segments in segments": lambda: ebml(b"\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff" * 10_000),
    "tags in tags of Matroska": lambda: ebml(simple_tags(2000)),
    "a million empty elements": lambda: ebml(b"\xec\x80" * MILLION),
    "a million elements without a name": lambda: ebml(bytes(MILLION)),
    "an Ogg page for each byte": lambda: pages(b"\1vorbis" + bytes(60_000)),
    "a million sync words": lambda: b"\xff\xfb\x90\x64" * MILLION,
    "a million short frames of AAC": lambda: bytes.fromhex("fff1508000fffc") * 200_000,
    "a million packets": lambda: (b"G\x40\0\x10" + bytes(184)) * 20_000,
    "a million pack headers": lambda: b"\0\0\1\xba\x44\0\4\0\4\1\0\0\3\xf8" * 100_000,
    "a million empty chunks of CAF": lambda: caf(
        caf_desc(), caf_info((b"title", b"Tone")), caf_chunk(b"free", b"") * 200_000
    ),
    "4,294,967,295 texts of CAF in zeros": lambda: caf(
        caf_desc(), caf_info((b"title", b"Tone"), count=2**32 - 1), caf_chunk(b"info", b"\xff" * 4 + bytes(60_000))
    ),
    "audio of CAF that claims all": lambda: caf(caf_info((b"title", b"Tone")), caf_desc(), caf_data(b"", size=2**62)),
    "a million empty chunks of DSDIFF": lambda: dff(dff_prop(), dff_chunk(b"JUNK", b"") * 200_000),
    "comments in comments of DSDIFF": lambda: dff(
        dff_prop(), dff_chunk(b"DIIN", dff_comments(*[b"x"] * 3000) * 60), dff_comments(*[b"x"] * 60_000)
    ),
    "a million empty chunks of Wave64": lambda: w64(
        w64_summary((b"INAM", "Tone".encode("utf-16-le"))), w64_chunk(b"junk", b"") * 200_000
    ),
    "4,294,967,295 texts of Wave64": lambda: w64(
        w64_summary((b"INAM", "Tone".encode("utf-16-le")), *[(b"ICMT", b"")] * 200_000, count=2**32 - 1)
    ),
    "a million frames of silence": lambda: amr() + SILENCE * MILLION,
    "a million frames that lead nowhere": lambda: amr() + SILENCE * MILLION + b"\xff",
    "a million short frames of LATM": lambda: loas(b"\x20") * 250_000,
    "a text of AU of 4 GB": lambda: b".snd" + b"\xff" * 4 + au(b"")[8:] + bytes(90_000),
    "a million blocks of TAK": lambda: b"tBaK" + tak_block(5, b"") * 250_000,
    "a header of ADIF with many elements": lambda: adif(b"", fields=[(1, 1)] * 9000),
    "a page of comments": lambda: b"<!-->-->" * 100_000,
    "nothing": lambda: b"",
}  # fmt: skip
READABLE = {
    "a compressed text of 60 MB", "many compressed texts", "300 thousand frames", "a million empty frames",
    "a million frames without a name", "a million values in one text", "a tag that claims 256 MB",
    "a frame that claims 4 GB", "chapters in chapters", "a tag of tags", "a comment that claims 4 GB",
    "4,294,967,295 comments in zeros", "a million empty blocks", "a million empty chunks of WAV",
    "a million empty chunks of AIFF", "an APE tag that claims all", "an APE tag of a million items",
    "lyrics that claim a megabyte", "a sample table of 4,294,967,295", "a million empty chunks of CAF",
    "4,294,967,295 texts of CAF in zeros", "audio of CAF that claims all", "a million empty chunks of Wave64",
    "4,294,967,295 texts of Wave64",
}  # fmt: skip
"""Those whose title stands where it can be read."""


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_ends_small_and_gives_what_can_be_read(name):
    taken, result = memory_of(BOMBS[name]())
    assert taken < MOST_BYTES
    titles = [tag.text for tag in result.tags if tag.key == "title"]
    assert ("Tone" in titles) == (name in READABLE), (titles, result.status, result.notes)
