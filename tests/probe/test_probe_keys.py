"""Fields that writers name in several ways have one common name, whatever the container."""

import io

import pytest
from mutagen import File
from mutagen.apev2 import APEv2
from mutagen.asf import ASF
from mutagen.mp4 import MP4
from mutagen.oggspeex import OggSpeex
from probe_media import run, sample, saved, texts

from mediacrawl.probe import build_item
from mediacrawl.probe.formats.keys import asf_key, flv_key, matroska_key

VARIANTS = [
    ("COMMENTS", "comment"),
    ("TRACKTOTAL", "totaltracks"),
    ("TOTALTRACKS", "totaltracks"),
    ("Total Tracks", "totaltracks"),
    ("DISCTOTAL", "totaldiscs"),
    ("TOTALDISCS", "totaldiscs"),
    ("TOTAL_DISCS", "totaldiscs"),
    ("ORIGINALDATE", "originaldate"),
    ("Original_Date", "originaldate"),
]
ITUNES = "----:com.apple.iTunes:"


def named(name, change):
    """What mutagen makes of a sample."""
    file = io.BytesIO(sample(name))
    file.name = name
    tagged = File(file)
    change(tagged)
    return saved(tagged, sample(name))


@pytest.mark.parametrize(("written", "key"), VARIANTS)
@pytest.mark.parametrize("name", ["tone.ogg", "tone.opus", "tone.spx", "tone.oga", "tone.flac", "tone.wv", "tone.tta"])
def test_a_name_of_the_writers_choice_is_the_common_one(name, written, key):
    if name == "tone.tta":
        tag = APEv2()
        tag[written] = "12"
        data = saved(tag, sample(name))
    else:
        data = named(name, lambda tagged: tagged.tags.update({written: ["12"]}))
    assert texts(run(data).result, key) == ["12"]


@pytest.mark.parametrize(("written", "key"), VARIANTS)
def test_so_it_is_in_containers_with_names_of_their_own(written, key):
    itunes = saved_as(MP4, "first.m4a", lambda tagged: tagged.tags.update({ITUNES + written: [b"12"]}))
    assert texts(run(itunes).result, key) == ["12"]
    windows = saved_as(ASF, "tone.wma", lambda tagged: tagged.tags.update({written: "12"}))
    assert texts(run(windows).result, key) == ["12"]
    assert (asf_key(f"WM/{written}"), flv_key(written), matroska_key(written)) == (key, key, key)


def saved_as(kind, name, change):
    tagged = kind(io.BytesIO(sample(name)))
    change(tagged)
    return saved(tagged, sample(name))


def test_the_author_of_speech_is_its_artist():
    # speexenc has the options --title, --author and --comment, each of which becomes a comment of that name.
    def spoken(tagged):
        tagged.tags.clear()
        tagged.update({"TITLE": "Tone", "AUTHOR": "Sine", "COMMENTS": "Recorded in one take"})

    data = saved_as(OggSpeex, "tone.spx", spoken)
    probed = run(data)
    item = build_item(probed.result, probed.probe, url="http://example.org/tone.spx")
    assert (item.title, item.artist, item.comment) == ("Tone", "Sine", "Recorded in one take")
    assert item.tags[1]["frame"] == "AUTHOR"


@pytest.mark.parametrize(
    ("name", "key"),
    [("WM/Description", "description"), ("WM/TitleSortOrder", "titlesort"), ("WM/Anything", "anything")],
)
def test_names_of_windows_media_stay(name, key):
    assert asf_key(name) == key
