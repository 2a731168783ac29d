"""Writers of tags for the tests: the same fields into each container, by mutagen where it can, else by hand."""

import io
import struct

from mutagen import apev2, asf, flac, id3, mp4, oggopus, oggvorbis
from probe_media import audio, element, sample, saved, uint


def _id3_frame(name, values, version):
    if name.startswith("TXXX:"):
        return id3.TXXX(encoding=3, desc=name[5:], text=values)
    if name.startswith("UFID:"):
        return id3.UFID(owner=name[5:], data=values[0].encode())
    if name.startswith("COMM:"):
        return id3.COMM(encoding=3, lang="eng", desc=name[5:], text=values)
    if name in {"TIPL", "TMCL", "IPLS"}:
        return getattr(id3, name)(encoding=3, people=values)
    if name.startswith("W"):
        return getattr(id3, name)(url=values[0])
    return getattr(id3, name)(encoding=3, text=values)


def write_id3(fields, version=4, data=None):
    """MP3 with frames: name, or name and description behind a colon -> values."""
    tags = id3.ID3()
    for name, values in fields.items():
        tags.add(_id3_frame(name, values, version))
    if version == 3:
        tags.update_to_v23()
    out = io.BytesIO(data or audio(4))
    tags.save(out, v2_version=version, v1=0)
    return out.getvalue()


def write_mp4(fields):
    """M4A with atoms; a name of more than four letters is one of the freely named."""
    file = mp4.MP4(io.BytesIO(sample("last.m4a")))
    file.tags.clear()
    for name, values in fields.items():
        if len(name) == 4:
            file[name] = values
        else:
            file[f"----:com.apple.iTunes:{name}"] = [mp4.MP4FreeForm(value.encode()) for value in values]
    return saved(file, sample("last.m4a"))


def write_vorbis(fields, kind=oggvorbis.OggVorbis, name="tone.ogg"):
    file = kind(io.BytesIO(sample(name)))
    file.tags.clear()
    file.update(fields)
    return saved(file, sample(name))


def write_opus(fields):
    return write_vorbis(fields, oggopus.OggOpus, "tone.opus")


def write_flac(fields):
    return write_vorbis(fields, flac.FLAC, "tone.flac")


def write_ape(fields):
    tags = apev2.APEv2()
    for name, values in fields.items():
        tags[name] = values
    return saved(tags, audio(4))


def write_asf(fields):
    """WMA with attributes; numbers and truth values get the types that they have in the files of Windows."""
    file = asf.ASF(io.BytesIO(sample("tone.wma")))
    file.tags.clear()
    for name, values in fields.items():
        file[name] = values
    return saved(file, sample("tone.wma"))


# Matroska, by hand: mutagen does not write it.

_SEGMENT, _INFO, _TRACKS, _TAGS = 0x18538067, 0x1549A966, 0x1654AE6B, 0x1254C367


def _simple(name, value):
    """One text, and those that nest in it: a value may be a text, or a text and more fields."""
    text, inner = value if isinstance(value, tuple) else (value, {})
    nested = [_simple(*each) for each in inner.items()]
    return element(0x67C8, element(0x45A3, name.encode()), element(0x4487, text.encode()), *nested)


def matroska(*tags, film=False):
    """A file of sound, or of pictures, with tags: level (0 for none) and fields."""
    kind, codec = (1, b"V_VP9") if film else (2, b"A_OPUS")
    track = element(0xAE, uint(0xD7, 1), uint(0x73C5, 7), uint(0x83, kind), element(0x86, codec))
    made = []
    for level, fields in tags:
        target = element(0x63C0, uint(0x68CA, level) if level else b"")
        texts = [_simple(name, value) for name, values in fields.items() for value in values]
        made.append(element(0x7373, target, *texts))
    length = element(_INFO, element(0x4489, struct.pack(">d", 4000)))
    body = length + element(_TRACKS, track) + element(_TAGS, *made)
    return element(0x1A45DFA3, element(0x4282, b"matroska")) + element(_SEGMENT, body)


def write_matroska(fields):
    return matroska((0, fields))


def write_film(fields):
    return matroska((0, fields), film=True)


WRITERS = {
    "id3v2.4": write_id3,
    "id3v2.3": lambda fields: write_id3(fields, version=3),
    "mp4": write_mp4,
    "ogg": write_vorbis,
    "opus": write_opus,
    "flac": write_flac,
    "ape": write_ape,
    "asf": write_asf,
    "matroska": write_matroska,
}
"""By container."""
COLUMNS = {
    "id3v2.4": "id3",
    "id3v2.3": "id3",
    "mp4": "mp4",
    "ogg": "vorbis",
    "opus": "vorbis",
    "flac": "vorbis",
    "ape": "ape",
    "asf": "asf",
    "matroska": "matroska",
}
"""Which column of a table of names holds for a container."""
