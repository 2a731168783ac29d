"""The judge of the encodings: after a real crawl, the catalogue shows every file as its maker meant it."""

import json
import sqlite3
from contextlib import closing

import pytest
from demo_fields import UNTAGGED

from mediacrawl.demo.library import LEGACY_ENCODINGS, NAMES, media_bytes
from mediacrawl.encoding.records.evidence import raw_bytes
from mediacrawl.facts import EXTERNAL_SOURCES

FIELDS = ("title", "artist", "album")


@pytest.fixture(scope="module")
def shown(finished):
    """The records of each file by its name; some are on two hosts."""
    with closing(sqlite3.connect(finished.folder / "state" / "media.db")) as db:
        db.row_factory = sqlite3.Row
        rows = [dict(row) for row in db.execute("SELECT * FROM media")]
    by_name = {}
    for row in rows:
        if row["content_url"] in finished.web.files:
            row["tags"] = json.loads(row["tags"])
            by_name.setdefault(finished.web.files[row["content_url"]], []).append(row)
    return by_name


def elements(rows):
    """What the files themselves say of the three names."""
    found = [element for row in rows for element in row["tags"] if element["key"] in FIELDS]
    return [element for element in found if element["source"] not in EXTERNAL_SOURCES]


def test_the_demo_has_files_in_more_than_ten_wrong_encodings(finished):
    assert len(set(finished.web.encodings.values())) >= 16
    assert set(finished.web.files.values()) == set(NAMES)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_file_is_shown_as_its_maker_meant_it(shown, name):
    for row in shown[name]:
        assert tuple(row[field] or "" for field in FIELDS) == NAMES[name]


@pytest.mark.parametrize("name", sorted(LEGACY_ENCODINGS))
def test_both_tags_of_a_file_are_read_right(shown, name):
    """An ID3v1 tag holds the beginning of what the other tag says, in whatever encoding."""
    for element in elements(shown[name]):
        true, text = getattr(NAMES[name], element["key"]), element["text"]
        assert text
        assert true.startswith(text) if element["source"] == "id3v1" else text == true, element


@pytest.mark.parametrize("name", sorted(NAMES))
def test_the_bytes_of_every_text_can_be_had_back_from_the_record(shown, name):
    data = media_bytes(name)
    assert elements(shown[name]) or name in UNTAGGED
    for element in elements(shown[name]):
        assert raw_bytes(element) in data


@pytest.mark.parametrize("name", sorted(LEGACY_ENCODINGS))
def test_the_evidence_says_what_was_declared_and_what_was_decided(shown, name):
    decided = [element for element in elements(shown[name]) if element.get("decision") == "fixed"]
    assert decided
    for element in decided:
        assert element["text_declared"] != element["text"]
        assert element["encoding"]
        # UTF-8 tells what it is by its form; whose words it holds need not be known.
        assert element["language"] or element["encoding"] == "utf-8"
        assert 0.5 < element["confidence"] <= 1
        assert len(element["fixer"]) == 12


def test_what_is_declared_right_is_left_as_it_is(shown):
    for name in sorted(set(NAMES) - set(LEGACY_ENCODINGS) - UNTAGGED):
        decisions = {element.get("decision", "declared") for element in elements(shown[name])}
        assert decisions == {"declared"}, name
