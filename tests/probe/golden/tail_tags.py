"""Tags at the end of a file: APE, Lyrics3, ID3v1, ID3v2 with a footer, in the orders in which programs left them."""

import struct

from mutagen import apev2
from mutagen.apev2 import APEv2
from probe_media import ape, ape_item, audio, cover, frame, id3, id3v1, saved

from golden import Case
from mediacrawl.probe import ProbePolicy

TITLE = ape_item(b"Title", b"Tone")
V1 = id3v1(b"Tone")


def lyrics3v2(*fields):
    body = b"LYRICSBEGIN" + b"".join(name + b"%05d" % len(text) + text for name, text in fields)
    return body + b"%06dLYRICS200" % len(body)


def lyrics3v1(text):
    return b"LYRICSBEGIN" + text + b"LYRICSEND"


def footed(*frames):
    """An ID3v2.4 tag that is at the end of a file."""
    tag = id3(*frames, version=4, flags=0x10)
    return tag + b"3DI" + tag[3:10]


def files():
    song, plain = audio(), ape(TITLE)
    lyrics = lyrics3v2((b"IND", b"00"), (b"LYR", b"La la"), (b"EAR", b"Sine"), (b"IMG", b"a.jpg"))
    late = footed(frame("TIT2", b"\0Tone", version=4))
    orders = {
        "ape": plain, "ape, v1": plain + V1, "v1, ape": V1 + plain, "v1, v1": V1 + V1, "lyrics, v1": lyrics + V1,
        "ape, lyrics, v1": plain + lyrics + V1, "lyrics, ape, v1": lyrics + plain + V1,
        "old lyrics, v1": lyrics3v1(b"La la") + V1, "v2": late, "v2, ape, v1": late + plain + V1,
        "ape without a header, v1": ape(TITLE, header=False) + V1,
        "ape of version 1, v1": ape(TITLE, version=1000) + V1,
    }  # fmt: skip
    for name, tags in orders.items():
        yield name, song + tags
    # A tag of 131 bytes: what stands 128 bytes before the end are the last letters of its name.
    yield "preamble that is no id3v1", song + ape(ape_item(b"Title", b"x" * 53))
    tag = APEv2()
    tag.update({"Title": "Тон", "Artist": ["A", "B"], "Track": "3/12", "Year": "2004"})
    yield "by mutagen", saved(tag, song)
    items = TITLE, ape_item(b"Cover Art (Front)", b"front.jpg\0" + cover(500_000), 1), ape_item(b"Year", b"2004")
    for order in ((0, 1, 2), (1, 0, 2), (0, 2, 1)):
        yield f"cover {order}", song + ape(*(items[place] for place in order)) + V1
    wrong = ape_item(b"Title", b"\xcf\xf0\xe8\xe2"), ape_item(b"Artist", "Синус".encode()), ape_item(b"A", b"x")
    yield "value that is not unicode", song + ape(*wrong)
    yield "first version", song + ape(ape_item(b"Title", b"\xd2\xee\xed\0", 1), version=1000)
    others = ape_item(b"Blob", bytes(50), 1), ape_item(b"Related", b"http://example.org/", 2)
    yield "binary items and links", song + ape(*others, ape_item(b"Artist", b"A\0B"))
    yield "longer than the tail", song + ape(TITLE, ape_item(b"Lyrics", b"la " * 5000), ape_item(b"Year", b"2004")) + V1
    image = ape_item(b"Cover Art (Front)", b"a.png\0\x89PNG" + bytes(90_000), 1)
    yield "in front", ape(TITLE, image) + song
    tags = apev2.APEv2()
    for name, size in (("Cover Art (Front)", 700), ("COVER ART (BACK)", 40_000), ("Cover Art (Fish)", 300_000)):
        tags[name] = apev2.APEValue(b"p.jpg\0" + cover(size), apev2.BINARY)
    tags["Title"] = "Tone"
    yield "three pictures", saved(tags, song)
    fields = (b"LYR", b"\xcb\xe0"), (b"INF", b"note"), (b"EAL", b"Album"), (b"ETT", b"Title"), (b"AUT", b"Poet")
    yield "fields of lyrics", song + lyrics3v2(*fields) + V1
    yield "old lyrics that begin before the tail", song + lyrics3v1(b"la " * 1650) + V1
    for foot in (b"la la LYRICSEND", b"000004LYRICS200", b"99999xLYRICS200"):
        yield f"no begin of {foot.decode()}", song + foot + V1
    for claim in (-40, 10_000_000, 2**31):
        yield f"claim of {claim}", song + ape(TITLE, header=False, claim=claim) + V1
    for bad in (struct.pack("<II", 2**32 - 1, 0) + b"Long\0x", struct.pack("<II", 1, 0) + b"k" * 300, bytes(40)):
        yield f"item that does not fit {bad[:5].hex()}", song + ape(TITLE, bad)
    yield "begins before the audio", id3(padding=5000) + song + ape(TITLE, header=False, claim=len(song) + 500)
    yield "many items", Case(song + ape(*[ape_item(b"k", b"")] * 9000), ProbePolicy(max_requests=50))
    yield "many values", song + ape(ape_item(b"Artist", b"a\0" * 400))
    yield "a hundred of id3v1", song + V1 * 100
