"""Wrong tags of every format become right, nothing else changes, and the way back leads to the same bytes."""

import hashlib
import importlib.util
import shutil
import struct
import subprocess

import mutagen
import pytest
from harness import ROOT
from mending import mend
from music_files import COVER, FORMATS, SAMPLES, TEXTS, UNWRITTEN, id3v2, mp3, raw
from mutagen import flac, mp4

from mediacrawl.programs.music import writing
from mediacrawl.programs.music.originals import undo
from mediacrawl.programs.music.reading import read_tags
from mediacrawl.programs.music.writing import content_of

MEDIA = ROOT / "mediacrawl" / "programs" / "demo" / "media"


def texts_of(path):
    """Title, artist and album by our own readers; RIFF declares nothing, and there UTF-8 is right."""
    found = {}
    for tag in sorted(read_tags(path).tags, key=lambda tag: not tag.source.startswith("id3v2")):
        if tag.key in TEXTS and tag.source != "id3v1":
            found.setdefault(tag.key, tag.raw.decode(errors="replace") if tag.source == "riff" else tag.text)
    return found


def by_mutagen(path):
    """The same by mutagen; nothing of formats that it does not know."""
    file = mutagen.File(path, easy=True)
    if path.suffix in {".mp3", ".wv"} and not path.name.startswith("v"):
        file = mutagen.apev2.APEv2(path) if path.name.startswith("ape") else file
    names = {
        "title": ("title", "Title", "TIT2"),
        "artist": ("artist", "Author", "TPE1"),
        "album": ("album", "WM/AlbumTitle", "TALB"),
    }
    tags = file if hasattr(file, "keys") else file.tags
    return {key: str(next(tags[name][0] for name in spelt if name in tags)) for key, spelt in names.items()}


def sound(path):
    return content_of(path, read_tags(path).container).digest


@pytest.mark.parametrize("kind", FORMATS)
def test_wrong_texts_become_right_and_the_undo_gives_the_same_bytes(kind, tmp_path):
    folder = tmp_path / "Music"
    folder.mkdir()
    path = FORMATS[kind](folder)
    old, audio_before, tags_before = path.read_bytes(), sound(path), read_tags(path)
    assert texts_of(path) != TEXTS
    state = path.stat()
    outcome, told, originals = mend(folder, write=False)
    assert (outcome.counts["wrong"], outcome.counts["written"], told.troubles) == (1, 0, [])
    assert {field["new"] for _, fields in told.files for field in fields} >= set(TEXTS.values())
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (old, state.st_mtime_ns)
    outcome, told, originals = mend(folder)
    assert (outcome.counts["written"], told.troubles) == (1, [])
    assert texts_of(path) == TEXTS
    assert by_mutagen(path) == TEXTS
    assert sound(path) == audio_before
    after = read_tags(path)
    assert after.cover == tags_before.cover
    assert (COVER in old) == (COVER in path.read_bytes())
    assert [entry.name for entry in folder.iterdir()] == [path.name]
    assert mend(folder)[0].counts["wrong"] == 0
    assert [done.why for done in undo(originals)] == [""]
    assert path.read_bytes() == old


def test_of_two_tags_the_first_is_mended(tmp_path):
    # mutagen writes the first one alone.
    path = mp3(tmp_path)
    old = path.read_bytes()
    second = id3v2(3, {"title": "Утро"})
    end = 10 + int("".join(f"{byte:07b}" for byte in old[6:10]), 2)
    path.write_bytes(old[:end] + second + old[end:])
    outcome, told, _ = mend(tmp_path)
    assert (outcome.counts["written"], told.troubles, texts_of(path)) == (1, [], TEXTS)
    assert second in path.read_bytes()


def by_ffmpeg(path):
    """The same by ffmpeg, which shows more than the three."""
    ffmpeg = importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe()
    shown = subprocess.run([ffmpeg, "-i", path], capture_output=True, check=False).stderr.decode(errors="replace")
    return {key: next((text for text in (TEXTS[key],) if f": {text}\n" in shown), "") for key in TEXTS}


def heard(path):
    """What ffmpeg decodes."""
    ffmpeg = importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe()
    command = [ffmpeg, "-v", "error", "-i", path, "-map", "0:a", "-f", "s16le", "-"]
    return hashlib.sha256(subprocess.run(command, capture_output=True, check=True).stdout).hexdigest()


def by_taglib(path):
    """The same by taglib."""
    with importlib.import_module("taglib").File(str(path)) as file:
        return {key: file.tags[key.upper()][0] for key in TEXTS}


# What is not installed reads nothing; mutagen always is.
READERS = {"mutagen": (by_mutagen, sound)}
if importlib.util.find_spec("imageio_ffmpeg"):
    READERS["ffmpeg"] = by_ffmpeg, heard
if importlib.util.find_spec("taglib"):
    READERS["taglib"] = by_taglib, sound
UNKNOWN = {("ape in mp3", "ffmpeg")}
"""Formats whose tags a reader does not look for."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "reader"), [(kind, reader) for kind in FORMATS for reader in READERS if (kind, reader) not in UNKNOWN]
)
def test_other_programs_read_the_result_and_hear_the_same(kind, reader, tmp_path):
    read, hear = READERS[reader]
    path = FORMATS[kind](tmp_path)
    before = hear(path)
    mend(tmp_path, id3v1="remove", originals=tmp_path.parent / "originals")
    assert read(path) == TEXTS
    assert hear(path) == before


@pytest.mark.parametrize(("name", "key"), [("halling.aiff", "title"), ("baile.avi", "title")])
def test_utf8_where_nothing_is_declared_is_right(name, key, tmp_path):
    shutil.copy(MEDIA / name, tmp_path)
    outcome, told, _ = mend(tmp_path)
    assert (outcome.counts["wrong"], outcome.counts["unwritable"], told.files) == (0, 0, [])


def test_wrong_texts_that_nothing_here_writes_are_shown_and_stay(tmp_path):
    path = tmp_path / "tone.aiff"
    data = (SAMPLES / "tone.aiff").read_bytes()
    name = b"NAME" + struct.pack(">I", 14) + raw(TEXTS["title"])
    path.write_bytes(b"FORM" + struct.pack(">I", len(data) + len(name) - 8) + data[8:12] + name + data[12:])
    outcome, told, originals = mend(tmp_path)
    assert (outcome.counts["wrong"], outcome.counts["unwritable"], told.troubles) == (0, 1, [])
    ((_, (field,)),) = told.files
    assert (field["decision"], field["new"]) == ("unwritable", None)
    assert not originals.exists()


def spoil(path, change):
    """Changes what was written, as a fault of a writer would."""
    data = bytearray(path.read_bytes())
    change(data)
    path.write_bytes(data)


def flip_audio(data):
    data[-9] ^= 1


def flip_picture(data):
    data[data.index(COVER) + 700] ^= 1


def flip_private(data):
    data[data.index(b"example.org") + 60] ^= 1


def drop_private(data):
    at = data.index(b"PRIV")
    data[at : at + 10 + 212] = bytes(10 + 212)


def change_album(data):
    at = data.index(TEXTS["album"].encode("utf-16-le"))
    data[at] ^= 1


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (flip_audio, "its audio would not be the same"),
        (flip_picture, "frames of its tag would be lost"),
        (flip_private, "frames of its tag would be lost"),
        (drop_private, "frames of its tag would be lost"),
        (change_album, "it is damaged: its tags would not be as meant (album)"),
    ],
)
def test_a_file_stays_if_something_else_would_change(change, why, tmp_path, monkeypatch):
    path = FORMATS["id3v2.3"](tmp_path)
    old = path.read_bytes()
    write = writing._by_mutagen

    def faulty(draft, *rest):
        write(draft, *rest)
        spoil(draft, change)

    monkeypatch.setattr(writing, "_by_mutagen", faulty)
    outcome, told, originals = mend(tmp_path)
    assert (outcome.counts["written"], told.troubles) == (0, [(path.name, why)])
    assert path.read_bytes() == old
    assert not originals.exists()


@pytest.mark.parametrize("kind", FORMATS)
def test_another_audio_is_seen_in_every_format(kind, tmp_path):
    path = FORMATS[kind](tmp_path)
    found, data = sound(path), bytearray(path.read_bytes())
    # There is sound at this place of each of these files.
    data[len(data) * 7 // 8 if kind.startswith("id3v2") else len(data) * 5 // 8] ^= 1
    path.write_bytes(data)
    assert sound(path) != found


@pytest.mark.parametrize("kind", UNWRITTEN)
def test_texts_that_mutagen_does_not_write_are_shown_and_stay(kind, tmp_path):
    path = UNWRITTEN[kind](tmp_path)
    old = path.read_bytes()
    outcome, told, _ = mend(tmp_path)
    assert (outcome.counts["wrong"], outcome.counts["unwritable"], told.troubles) == (0, 3, [])
    assert {field["decision"] for _, fields in told.files for field in fields} == {"unwritable"}
    assert path.read_bytes() == old


def test_binary_values_are_no_text_and_their_siblings_keep_their_types(tmp_path):
    """As iTunes stores the parameters of an encoder, and others hashes."""
    path = tmp_path / "song.m4a"
    path.write_bytes((SAMPLES / "first.m4a").read_bytes())
    parameters = b"vers\0\0\0\1acbf\0\0\0\2brat\0\1\xf4\0cdcv\0\1\x0a\6"
    types = mp4.AtomDataType
    file = mp4.MP4(path)
    file["----:com.apple.iTunes:Encoding Params"] = [mp4.MP4FreeForm(parameters, types.IMPLICIT)]
    file["----:org.example:Hash"] = [mp4.MP4FreeForm(bytes(range(0xC0, 0xE0)), types.IMPLICIT)]
    wrong = raw(TEXTS["title"]).decode("latin-1")
    values = [wrong.encode(), b"\xff\xfe\x00", b"plain"]
    kinds = [types.UTF8, types.IMPLICIT, types.IMPLICIT]
    file["----:org.example:Mixed"] = [mp4.MP4FreeForm(*pair) for pair in zip(values, kinds, strict=True)]
    file.save()
    (_, fields), *_ = mend(tmp_path)[1].files
    assert {field["frame"] for field in fields} == {"----:org.example:Mixed"}
    file = mp4.MP4(path)
    assert bytes(file["----:com.apple.iTunes:Encoding Params"][0]) == parameters
    mixed = file["----:org.example:Mixed"]
    assert [bytes(value) for value in mixed] == [TEXTS["title"].encode(), *values[1:]]
    assert [value.dataformat for value in mixed] == kinds


def test_bytes_with_control_characters_are_no_text(tmp_path):
    path = mp3(tmp_path, texts=TEXTS | {"title": "\x01\x02 Вечерняя песня"})
    assert mend(tmp_path)[0].counts["written"] == 1
    assert b"\x01\x02 " + raw("Вечерняя песня") in path.read_bytes()


def broken_description(data):
    """A description of the cover in a code page, where FLAC wants UTF-8."""
    return data.replace(b"\0\0\0\x0aimage/jpeg\0\0\0\x06zqdesc", b"\0\0\0\x0aimage/jpeg\0\0\0\x06" + raw("Письма"))


def broken_vendor(data):
    return data.replace(b"reference libFLAC", b"reference \xffibFLAC")


def broken_picture(data):
    return data.replace(b"METADATA_BLOCK_PICTURE=AAAAAA", b"METADATA_BLOCK_PICTURE=AAAA\xff\xfe")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (broken_description, "its audio would not be the same"),
        (broken_vendor, "it has values besides its texts that are no UTF-8, and would be lost"),
        (broken_picture, "it has values besides its texts that are no UTF-8, and would be lost"),
    ],
)
def test_bytes_of_flac_that_are_no_utf8_are_not_lost(change, why, tmp_path):
    path = FORMATS["flac text"](tmp_path)
    file = mutagen.File(path)
    picture = flac.Picture()
    picture.data, picture.mime, picture.type, picture.desc = COVER, "image/jpeg", 3, "zqdesc"
    file.add_picture(picture)
    file.tags.vendor = "reference libFLAC"
    file.tags["METADATA_BLOCK_PICTURE"] = ["AAAAAA"]
    file.save()
    data = path.read_bytes()
    path.write_bytes(change(data))
    assert change(data) != data
    assert mend(tmp_path)[1].troubles == [(path.name, why)]
    assert path.read_bytes() == change(data)
    path.write_bytes(data)
    assert mend(tmp_path)[0].counts["written"] == 1
