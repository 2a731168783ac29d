"""FLAC and Ogg: comments, pictures that are stepped over, chapters, blocks of wrong length, several streams."""

import base64
import struct

from mutagen import flac as by_mutagen
from mutagen.flac import FLAC, Picture
from mutagen.oggopus import OggOpus
from mutagen.oggvorbis import OggVorbis
from probe_media import changed, comments, cover, page, sample, saved

from golden import Case
from mediacrawl.probe import ProbePolicy

INFO, PADDING, APPLICATION, SEEK_TABLE, COMMENT, CUE_SHEET, PICTURE = range(7)
WHOLE = sample("tone.flac")
AUDIO = WHOLE[WHOLE.index(b"\xff\xf8") :]
TAGS = COMMENT, comments(b"TITLE=Tone", b"ARTIST=Sine"), 0
GARBAGE = bytes(10) + (300_164 << 44 | 8_589_934_592).to_bytes(8, "big") + bytes(16)
"""A STREAMINFO of 300,164 Hz and 28,617 seconds."""


def files():
    yield from blocks()
    yield from wrong_lengths()
    yield from pictures()
    yield from chapters()
    yield from streams()


def image(size, kind=3, mime="image/png"):
    made = Picture()
    made.type, made.mime, made.data = kind, mime, cover(size)
    return made


def picture(size):
    return image(size).write()


def flac(*parts, last=True, audio=AUDIO, info=WHOLE[8:42]):
    """A FLAC file of STREAMINFO and other blocks: (type, body, what its length is wrong by)."""
    parts, out = [(INFO, info, 0), *parts], b"fLaC"
    for place, (kind, body, wrong) in enumerate(parts):
        flag = 0x80 if last and place == len(parts) - 1 else 0
        out += bytes([kind | flag]) + struct.pack(">I", (len(body) + wrong) % 2**24)[1:] + body
    return out + audio


def long(*parts, **more):
    return flac(*((*part, 0) for part in parts), audio=bytes(500_000), **more)


def blocks():
    bodies = {COMMENT: comments(b"TITLE=Tone"), PICTURE: picture(2_000_000), PADDING: bytes(100)}
    for order in ((4, 6, 1), (6, 4, 1), (6, 6, 4)):
        yield f"picture in the order {order}", long(*((kind, bodies[kind]) for kind in order))
    yield "picture is not in the bit rate", long((PICTURE, picture(300_000)))
    entries = {
        "comment without a name": [b"nothing", b"TITLE=Tone", b"=x", b"ARTIST=\xff"],
        "comments without names": [b"\xcf\xf0\xe8", b"=x", b"a" * 100 + b"=y"],
        "names of other letters": ["Имя".encode("cp1251") + b"=x", "Дом".encode("cp1251") + b"=x", "Имя=x".encode()],
    }
    for name, listed in entries.items():
        yield name, long((COMMENT, comments(*listed)))
    for info in (bytes(34), b"short"):
        yield f"broken streaminfo {len(info)}", long((COMMENT, comments(b"TITLE=Tone")), info=info)
    yield "four billion comments", long((COMMENT, comments(b"TITLE=Tone", count=2**32 - 1)))
    yield "many empty comments", Case(long((COMMENT, comments(*[b""] * 60_000))), ProbePolicy(max_requests=100))
    over = comments(b"TITLE=Tone", count=2) + struct.pack("<I", 2**31) + b"ARTIST=x"
    yield "comment longer than its block", long((COMMENT, over))
    exact = bytes.fromhex("1000100000000e0000100ac442f0000000ff") + bytes(15) + b"\x01"
    yield "streaminfo to the bit", long(info=exact)


def wrong_lengths():
    for place in (1, 2):
        parts = [TAGS, (PADDING, bytes(20), 0)]
        parts.insert(place, (INFO, GARBAGE, 0))
        yield f"second streaminfo at {place}", flac(*parts)
    yield "valid streaminfo behind a broken one", b"fLaC" + bytes([INFO, 0, 0, 34]) + bytes(34) + flac(TAGS)[4:]
    for wrong in (4, 18, 60, 2**23):
        whole = flac(TAGS)
        yield f"length of streaminfo and {wrong}", whole[:5] + (34 + wrong).to_bytes(3, "big") + whole[8:]
    for size in (1000, 200_000):
        for wrong in (-1, 1, -300, 300, -900, 12_000, 2**23):
            made = flac((PICTURE, picture(size), wrong), TAGS, (PADDING, bytes(100), 0))
            yield f"length of a picture of {size} and {wrong}", made
    yield "picture of more than the largest length", flac((PICTURE, picture(2**24 + 5000), 0), TAGS)
    cut = (PADDING, bytes(16 * 1024 - 60), 0), (PICTURE, picture(50_000), -40)
    yield "picture whose fields are not at hand", flac(*cut, TAGS)
    body = bytearray(picture(1000))
    body[-1004:-1000] = (700_000).to_bytes(4, "big")
    yield "picture whose own length is wrong", flac((PICTURE, bytes(body), 0), TAGS)
    for wrong in (-1, 1, -15, 15, -28, 3000, 2**23):
        for name, behind in (("padding", (PADDING, bytes(100), 0)), ("a picture", (PICTURE, picture(90), 0))):
            yield f"length of comments and {wrong} before {name}", flac((COMMENT, TAGS[1], wrong), behind)
        yield f"length of comments and {wrong}", flac((COMMENT, TAGS[1], wrong))
    body = (b"\xff" * 8 + b"\1" * 10) * 4
    for kind in (PADDING, APPLICATION, SEEK_TABLE, CUE_SHEET):
        for wrong in (-36, -18, 5, 18, 40):
            yield f"length of block {kind} and {wrong}", flac((kind, body, wrong), (PICTURE, picture(700), 0), TAGS)
    late = flac((APPLICATION, b"ab" * 20_000, -7), TAGS, audio=AUDIO + bytes(300_000))
    yield "comments searched for behind the head", late
    yield "nothing to be found", flac((PADDING, bytes(40), -9), audio=b"\0" * 500_000, last=False)
    yield "type that is not defined", flac((9, b"\x04" * 300, 0), TAGS)
    yield "cut off in a picture", flac((PICTURE, picture(300_000), 0), TAGS)[:100_000]


def pictures():
    kinds = {3: 700, 4: 40_000, 17: 300_000}
    made = [image(size, kind, "image/jpeg") for kind, size in kinds.items()]

    def add(file):
        for each in made:
            file.add_picture(each)

    yield "three pictures in flac", changed(FLAC, "tone.flac", add)
    coded = [base64.b64encode(each.write()).decode() for each in made]
    block = {"metadata_block_picture": coded}
    yield "three pictures among comments", changed(OggVorbis, "tone.ogg", lambda file: file.update(block))
    for size in (700, 701, 702):
        old = {"coverart": [base64.b64encode(cover(size)).decode()], "coverartmime": ["image/jpeg"]}
        yield f"older comment of {size}", changed(OggVorbis, "tone.ogg", lambda file, old=old: file.update(old))
    large = {"metadata_block_picture": base64.b64encode(picture(2_000_000)).decode(), "zz_after": "behind the picture"}
    data = changed(OggVorbis, "tone.ogg", lambda file: file.update(large))
    at = data.rindex(b"OggS")
    yield "picture among comments of 100 KB", data[:at] + page(99, 0, bytes(60_000)) * 2 + data[at:]
    small = {"metadata_block_picture": base64.b64encode(picture(100_000)).decode()}
    yield "picture in opus", changed(OggOpus, "tone.opus", lambda file: file.update(small))


def chapters():
    marks = {
        "CHAPTER001": ["00:00:00.000"], "CHAPTER001NAME": ["Начало"], "CHAPTER002": ["00:01:01.500"],
        "CHAPTER002NAME": ["Second"], "CHAPTER002URL": ["https://example.org/two"], "CHAPTER010": ["01:00:00"],
    }  # fmt: skip
    for kind, name in ((OggVorbis, "tone.ogg"), (OggOpus, "tone.opus"), (FLAC, "tone.flac")):
        yield f"chapters of comments in {name}", with_fields(kind, name, {**marks, "TITLE": ["Song"]})
    for fields in (
        {"CHAPTER01": ["00:00:05.5-->00:00:07.25"]}, {"CHAPTER01": ["0:0:5,5 --> 0:0:7"]},
        {"CHAPTER001": ["soon"], "CHAPTER001NAME": ["One"]}, {"CHAPTER001": ["1:2"]}, {"CHAPTER001NAME": ["One"]},
        {"CHAPTER001": ["00:00:01", "00:00:02"]}, {"CHAPTER001": ["00:00:01"], "CHAPTER001URL": ["nothing"]},
    ):  # fmt: skip
        yield f"odd chapters {fields}", with_fields(FLAC, "tone.flac", fields)
    raw = "Подмосковные вечера".encode("cp1251")
    plain = with_fields(OggVorbis, "tone.ogg", {"CHAPTER001": ["00:00:00"], "CHAPTER001NAME": ["x" * len(raw)]})
    yield "title of a chapter in cp1251", plain.replace(b"x" * len(raw), raw)
    # A disc of three tracks with pauses; the sample has 8,000 Hz.
    sheet = by_mutagen.CueSheet(None)
    sheet.media_catalog_number, sheet.lead_in_samples, sheet.compact_disc = b"4006408126348", 88_200, True
    for number, offset, first in ((1, 0, 0), (2, 8000, 4000), (3, 24_000, 8000)):
        track = by_mutagen.CueSheetTrack(number, offset, b"", 0, False)
        track.indexes += [by_mutagen.CueSheetTrackIndex(0, 0), by_mutagen.CueSheetTrackIndex(1, first)]
        sheet.tracks.append(track)
    sheet.tracks.append(by_mutagen.CueSheetTrack(170, 80_000, b"", 0, False))
    for name, fields in (("alone", {}), ("and comments", marks)):
        data = with_fields(FLAC, "tone.flac", fields)
        yield f"cue sheet {name}", with_block(data, sheet)
    text = 'TRACK 01 AUDIO\n  TITLE "One"\n  INDEX 01 00:00:00'
    yield "cue sheet among the comments", with_fields(FLAC, "tone.flac", {"CUESHEET": [text]})


def with_fields(kind, name, fields):
    def change(file):
        file.tags.clear()
        file.update(fields)

    return changed(kind, name, change)


def with_block(data, block):
    import io

    file = FLAC(io.BytesIO(data))
    file.metadata_blocks.append(block)
    return saved(file, data)


# -- several streams of Ogg --------------------------------------------------------------------------------------------


def vorbis(channels=2):
    return b"\1vorbis" + struct.pack("<IBIiiiB", 0, channels, 44_100, 0, 128_000, 0, 0xB8) + b"\1"


def of_vorbis(*entries):
    return b"\3vorbis" + comments(*entries, vendor=b"") + b"\1"


def fisbone(serial, messages, *, offset=44):
    return b"fisbone\0" + struct.pack("<III", offset, serial, 3) + bytes(32) + messages


def streams():
    fishead = page(9, 0, b"fishead\0" + bytes(56), flags=2)
    kate = b"\x80kate\0\0\0" + bytes(24) + b"ru".ljust(16, b"\0") + b"subtitles".ljust(16, b"\0")
    first, second = page(1, 0, vorbis(), flags=2), page(2, 0, vorbis(1), flags=2)
    skeleton = [
        page(9, 1, fisbone(1, b"Content-Type: audio/vorbis\r\nLanguage: en\r\nTitle: Titel\r\n")),
        page(9, 2, fisbone(3, b"language: de\r\nTitle: " + "Текст".encode() + b"\r\n")),
    ]
    said = [page(1, 1, of_vorbis(b"LANGUAGE=fra")), page(2, 1, of_vorbis(b"LANGUAGE=deu", b"TITLE=Tone"))]
    last = page(1, 2, b"sound", granule=44_100)
    yield "skeleton", b"".join([fishead, first, second, page(3, 0, kate, flags=2), *skeleton, *said, last])
    alone = fishead + first + page(9, 1, fisbone(1, b"Language: de\r\n")) + page(1, 1, of_vorbis())
    yield "one stream beside its skeleton", alone
    for offset in (0, 44, 1000, 2**32 - 1):
        bone = page(9, 1, fisbone(1, bytes(8), offset=offset)) + page(9, 2, b"fisbone\0")
        data = fishead + first + page(2, 0, vorbis(), flags=2) + bone
        yield f"broken messages {offset}", data + page(1, 1, of_vorbis()) + page(2, 1, of_vorbis())
