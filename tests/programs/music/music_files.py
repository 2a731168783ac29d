"""Real media files of every format, dressed with texts whose encoding is wrong."""

import struct
from pathlib import Path

import mutagen
from mutagen import apev2, asf, flac, id3, mp4, ogg

SAMPLES = Path(__file__).parents[2] / "probe" / "samples"
TEXTS = {"title": "Вечерняя песня", "artist": "Тихая Пристань", "album": "Письма на север"}
CODE_PAGE = "cp1251"
COVER = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9


def raw(text):
    return text.encode(CODE_PAGE)


def misread(text):
    """As text that somebody read as Latin-1."""
    return raw(text).decode("latin-1")


def patched(path, texts=TEXTS):
    """Puts code-page bytes in the place of ASCII stand-ins of the same length, which mutagen wrote."""
    data = path.read_bytes()
    for text in texts.values():
        assert data.count(stand_in(text).encode()) == 1, path
        data = data.replace(stand_in(text).encode(), raw(text))
    path.write_bytes(data)


def stand_in(text):
    return ("zq" + "".join("abcdefghij"[ord(letter) % 10] for letter in text))[: len(text)]


def sample(folder, name, to):
    path = folder / to
    path.write_bytes((SAMPLES / name).read_bytes())
    return path


def size7(size):
    return bytes(size >> shift & 0x7F for shift in (21, 14, 7, 0))


def id3v2(version, texts=TEXTS, extra=(), padding=0):
    """An ID3v2 tag with code-page bytes that are declared as Latin-1, written by hand."""
    names = {"title": "TT2 TIT2", "artist": "TP1 TPE1", "album": "TAL TALB"}
    frames = [(names[key].split()[version > 2], b"\0" + raw(text)) for key, text in texts.items()]
    body = b"".join(frame(name, data, version) for name, data in (*frames, *extra)) + bytes(padding)
    return b"ID3" + bytes([version, 0, 0]) + size7(len(body)) + body


def frame(name, body, version):
    if version == 2:
        return name.encode() + struct.pack(">I", len(body))[1:] + body
    size = size7(len(body)) if version == 4 else struct.pack(">I", len(body))
    return name.encode() + size + b"\0\0" + body


def id3v1(texts=TEXTS):
    fields = [raw(texts.get(key, "")).ljust(30, b"\0")[:30] for key in ("title", "artist", "album")]
    return b"TAG" + b"".join(fields) + b"1998" + b"a remark".ljust(28, b"\0") + b"\0\x07" + b"\x11"


def mp3(folder, version=3, *, v1=False, name=None, texts=TEXTS, padding=0, cover=True):
    picture = b"\0PNG\x03\0" if version == 2 else b"\0image/png\0\x03\0"
    extra = [("PIC" if version == 2 else "APIC", picture + COVER)] if cover else []
    if version > 2:
        extra.append(("PRIV", b"example.org\0" + bytes(range(200))))
        extra.append(("XYZQ", b"what nobody knows \xff\xfe\x00"))
    path = folder / (name or f"v2{version}.mp3")
    tag = id3v2(version, texts, extra, padding)
    path.write_bytes(tag + (SAMPLES / "cbr.mp3").read_bytes() + (id3v1(texts) if v1 else b""))
    return path


def mp3_lying(version, label):
    """The bytes of the code page under the label of UTF-8 or UTF-16, as some programs wrote them."""

    def make(folder):
        path = mp3(folder, version)
        data = path.read_bytes()
        for text in TEXTS.values():
            assert data.count(b"\0" + raw(text)) == 1
            data = data.replace(b"\0" + raw(text), bytes([label]) + raw(text))
        path.write_bytes(data)
        return path

    return make


def mp3_misread(folder):
    """UTF-16 that was made of misread bytes: the bytes themselves are lost."""
    path = sample(folder, "cbr.mp3", "misread.mp3")
    tags = id3.ID3()
    for kind, text in zip((id3.TIT2, id3.TPE1, id3.TALB), TEXTS.values(), strict=True):
        tags.add(kind(encoding=1, text=[misread(text)]))
    tags.add(id3.APIC(encoding=0, mime="image/png", type=3, desc="", data=COVER))
    tags.save(path, v2_version=3)
    return path


def mp3_v1_alone(folder):
    path = folder / "v1.mp3"
    path.write_bytes((SAMPLES / "cbr.mp3").read_bytes() + id3v1())
    return path


def mp3_ape(folder):
    """APE, then ID3v1 behind it."""
    path = sample(folder, "cbr.mp3", "ape.mp3")
    _ape(path, misread)
    path.write_bytes(path.read_bytes() + id3v1())
    return path


def wavpack(folder):
    path = sample(folder, "tone.wv", "ape.wv")
    _ape(path, misread)
    return path


def wavpack_raw(folder):
    path = sample(folder, "tone.wv", "raw.wv")
    _ape(path, stand_in)
    patched(path)
    return path


def _ape(path, made):
    tags = apev2.APEv2()
    for key, text in TEXTS.items():
        tags[key.capitalize()] = made(text)
    tags["Cover Art (front)"] = apev2.APEValue(b"a.png\0" + COVER, apev2.BINARY)
    tags["Odd"] = apev2.APEValue(b"\x01\x02\xff", apev2.BINARY)
    tags.save(path)


def flac_raw(folder):
    path = sample(folder, "tone.flac", "raw.flac")
    tags = flac.FLAC(path)
    tags.update({key: [stand_in(text)] for key, text in TEXTS.items()})
    picture = flac.Picture()
    picture.data, picture.mime, picture.type = COVER, "image/png", 3
    tags.add_picture(picture)
    tags.save()
    patched(path)
    return path


def misread_vorbis(name, to):
    def make(folder):
        path = sample(folder, name, to)
        file = mutagen.File(path)
        file.update({key: [misread(text)] for key, text in TEXTS.items()})
        file["comment"] = ["Plain", "and plain"]
        file.save()
        return path

    return make


def ogg_raw(folder):
    """Code-page bytes in Vorbis comments, with right check sums of the pages."""
    path = misread_vorbis("tone.ogg", "raw.ogg")(folder)
    with path.open("r+b") as file:
        pages = []
        while True:
            try:
                pages.append(ogg.OggPage(file))
            except EOFError:
                break
        file.seek(0)
        for page in pages:
            page.packets = [swapped(packet) for packet in page.packets]
            file.write(page.write())
        file.truncate()
    return path


def swapped(packet):
    for key, text in TEXTS.items():
        old = f"{key.upper()}={misread(text)}".encode()
        for spelt in (old, old.replace(key.upper().encode(), key.encode())):
            new = spelt.partition(b"=")[0] + b"=" + raw(text)
            packet = packet.replace(struct.pack("<I", len(spelt)) + spelt, struct.pack("<I", len(new)) + new)
    return packet


def mp4_raw(name, to):
    def make(folder):
        path = sample(folder, name, to)
        file = mp4.MP4(path)
        for key, text in zip(("©nam", "©ART", "©alb"), TEXTS.values(), strict=True):
            file[key] = [stand_in(text)]
        file["----:com.apple.iTunes:ODD"] = [mp4.MP4FreeForm(b"\xff\x01", mp4.AtomDataType.IMPLICIT)]
        file["covr"] = [mp4.MP4Cover(COVER, mp4.MP4Cover.FORMAT_PNG)]
        file["trkn"] = [(3, 9)]
        file.save()
        patched(path)
        return path

    return make


def wma(folder):
    path = sample(folder, "tone.wma", "misread.wma")
    file = asf.ASF(path)
    file.tags.clear()
    for key, text in zip(("Title", "Author", "WM/AlbumTitle"), TEXTS.values(), strict=True):
        file[key] = [misread(text)]
    file["WM/Other"] = [asf.ASFByteArrayAttribute(b"\x01\xff")]
    file.save()
    return path


def info(texts=TEXTS):
    body = b"INFO" + b"".join(
        chunk(name, raw(text) + b"\0") for name, text in zip((b"INAM", b"IART", b"IPRD"), texts.values(), strict=True)
    )
    return chunk(b"LIST", body + chunk(b"ISFT", b"Writer\0"))


def chunk(name, body):
    return name + struct.pack("<I", len(body)) + body + bytes(len(body) % 2)


def riff(name, to, *, where):
    """INFO behind everything, or before the media."""

    def make(folder):
        data = (SAMPLES / name).read_bytes()
        at, kept = 12, []
        while at + 8 <= len(data):
            kind, size = struct.unpack("<4sI", data[at : at + 8])
            whole = data[at : at + 8 + size + size % 2]
            if whole[8:12] != b"INFO" and kind != b"JUNK":
                kept.append(whole)
            at += 8 + size + size % 2
        place = 1 if where == "front" else len(kept)
        kept.insert(place, info())
        body = data[8:12] + b"".join(kept)
        path = folder / to
        path.write_bytes(data[:4] + struct.pack("<I", len(body)) + body)
        return path

    return make


def with_id3_chunk(name, to):
    def make(folder):
        path = sample(folder, name, to)
        file = mutagen.File(path)
        if file.tags is None:
            file.add_tags()
        for kind, text in zip((id3.TIT2, id3.TPE1, id3.TALB), TEXTS.values(), strict=True):
            file.tags.add(kind(encoding=0, text=[misread(text)]))
        file.save(v2_version=3)
        return path

    return make


FORMATS = {
    "id3v2.3": lambda folder: mp3(folder, 3, padding=500),
    "id3v2.4": lambda folder: mp3(folder, 4, v1=True),
    "id3v2.3 text": mp3_misread,
    "id3v1": mp3_v1_alone,
    "ape in mp3": mp3_ape,
    "ape in wavpack": wavpack,
    "flac bytes": flac_raw,
    "flac text": misread_vorbis("tone.flac", "text.flac"),
    "vorbis bytes": ogg_raw,
    "vorbis text": misread_vorbis("tone.ogg", "text.ogg"),
    "opus": misread_vorbis("tone.opus", "text.opus"),
    "speex": misread_vorbis("tone.spx", "text.spx"),
    "mp4 first": mp4_raw("first.m4a", "first.m4a"),
    "mp4 last": mp4_raw("last.m4a", "last.m4a"),
    "wma": wma,
    "wav id3": with_id3_chunk("tone.wav", "id3.wav"),
    "aiff id3": with_id3_chunk("tone.aiff", "id3.aiff"),
}

UNWRITTEN = {
    "wav info behind": riff("tone.wav", "behind.wav", where="end"),
    "wav info before": riff("tone.wav", "before.wav", where="front"),
    "avi info": riff("film.avi", "info.avi", where="front"),
    "id3v2.2": lambda folder: mp3(folder, 2),
    "id3v2.4 no utf-8": mp3_lying(4, 3),
    "ape bytes": wavpack_raw,
}
"""mutagen does not write their texts."""
