"""Podcast frames of ID3v2, which iTunes made, as an episode of a podcast has them."""

import io

import pytest
from mutagen import id3
from probe_media import audio, frame
from probe_media import id3 as tag
from tag_writers import record, write_id3

FEED = "https://example.org/feed.xml"
TEXTS = {
    "TDES": ["What it is about"],
    "TKWD": ["one,two"],
    "TGID": ["urn:uuid:1"],
    "TCAT": ["Science"],
    "TIT3": ["The subtitle"],
    "TIT2": ["Episode"],
}


def keys(item):
    return {each["key"]: each["text"] for each in item.tags}


@pytest.mark.parametrize("version", [3, 4])
def test_an_episode_says_what_it_is(version):
    data = write_id3(TEXTS, version)
    tags = id3.ID3(io.BytesIO(data))
    tags.add(id3.PCST(value=0))
    tags.add(id3.WFED(url=FEED))
    tags.add(id3.MVNM(encoding=3, text=["Adagio"]))
    tags.add(id3.GRP1(encoding=3, text=["Group"]))
    out = io.BytesIO(audio(4))
    tags.save(out, v2_version=version)
    item = record(out.getvalue())
    assert (item.media_kind, item.description, item.keywords) == ("podcast", "What it is about", "one,two")
    assert (item.title, item.identifiers) == ("Episode", {"episode": ["urn:uuid:1"]})
    found = keys(item)
    assert (found["podcasturl"], found["category"], found["subtitle"]) == (FEED, "Science", "The subtitle")
    assert (found["movement"], found["grouping"]) == ("Adagio", "Group")


@pytest.mark.parametrize(
    "body",
    [FEED.encode(), b"\0" + FEED.encode(), b"\1" + FEED.encode("utf-16"), b"\3" + FEED.encode() + b"\0"],
)
def test_the_address_of_the_feed_is_a_text_or_a_plain_address(body):
    assert keys(record(tag(frame("WFED", body)) + audio(4)))["podcasturl"] == FEED


def test_version_two_has_its_own_names():
    old = {"TDS": "About", "TID": "urn:1", "TCT": "Science", "WFD": FEED, "TCP": "1", "MVN": "Adagio", "GP1": "Group"}
    frames = [frame(name, b"\0" + text.encode(), version=2) for name, text in old.items()]
    item = record(tag(*frames, frame("PCS", bytes(4), version=2), version=2) + audio(4))
    assert (item.media_kind, item.description, item.identifiers) == ("podcast", "About", {"episode": ["urn:1"]})
    found = keys(item)
    assert (found["podcasturl"], found["category"], found["compilation"]) == (FEED, "Science", "1")
    assert (found["movement"], found["grouping"]) == ("Adagio", "Group")
