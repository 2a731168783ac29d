"""``scrapy crawl recheck`` as a user types it: one clear sentence for what is wrong, small files from end to end."""

import gzip
import json

import pytest
from command_line import recheck

from mediacrawl.base.evidence import tag_element
from mediacrawl.base.terms import Tag
from mediacrawl.programs.demo.answers import Resource
from mediacrawl.programs.demo.library import grow_mp3, media_bytes
from mediacrawl.store import Catalogue

LOST = "\ufffd\ufffd\ufffd"


@pytest.fixture
def song(site):
    """A server with one MP3 in windows-1251, and its URL."""
    site.at("/ozero.mp3", Resource(grow_mp3(media_bytes("ozero.mp3"), 60), "audio/mpeg"))
    return site.url("/ozero.mp3")


def catalogue(path, *records):
    with Catalogue(path) as made:
        for record in records:
            made.upsert(record)
    return path


def stored(path):
    with Catalogue(path, read_only=True) as made:
        return {record["content_url"]: record for record in made.newest()}


# -- what cannot be used -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("items.jl", b"", "has no records"),
        ("items.jl", b"hello\nworld\n", "has no records"),
        ("items.jl", b'{"title": "no url"}\n', "has no records"),
        ("items.jl", b"\x00" * 10_000, "has no records"),
        ("items.jl", b"[" * 100_000, "has no records"),
        ("items.jl.gz", b"\x1f\x8b\x08 no gzip at all", "damaged or cut short"),
        ("media.db", b"SQLite format 3\0 and no more", "is no SQLite database"),
        ("items.txt", b"{}", "does not tell what it holds"),
    ],
)
def test_a_file_without_records_is_told_in_one_sentence(tmp_path, name, data, words):
    (tmp_path / name).write_bytes(data)
    sentence = recheck(tmp_path, items=name).sentence
    assert words in sentence
    assert f"items={name}" in sentence


def test_records_are_doubted_by_the_models_of_the_settings(tmp_path, song, breton):
    raw = "Zo amañ".encode("cp850")
    element = tag_element(Tag("id3v2.3", "TIT2", "title", "latin-1", raw, raw.decode("latin-1")))
    items = catalogue(tmp_path / "items.db", {"content_url": song, "title": element["text"], "tags": [element]})
    for settings, doubtful in (({"MOJIBAKE_MODELS": str(breton)}, False), ({}, True)):
        done = recheck(tmp_path, settings, items=items, below="0.9").check()
        assert ("None of the 1 records" in done.err) is not doubtful


# -- what it does ------------------------------------------------------------------------------------------------


def test_packed_json_lines_are_read_too(tmp_path, song, site):
    lines = [{"content_url": song, "title": LOST}, {"content_url": site.url("/b.mp3"), "title": "Sure"}]
    (tmp_path / "items.jl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    recheck(tmp_path, items="items.jl.gz").check()
    assert stored(tmp_path / ".mediacrawl" / "media.db").keys() == {song}
    assert set(site.paths) == {"/ozero.mp3"}


BREAKING = """
from mediacrawl.record.fixer import Fixer

fix = Fixer.fix

def fix_all_but_one(self, item):
    if item["title"] == "hostile":
        raise ZeroDivisionError
    return fix(self, item)

class Breaking:
    def __init__(self):
        Fixer.fix = fix_all_but_one
"""


def test_records_that_nobody_can_decide_do_not_end_the_reading(tmp_path, song, site):
    (tmp_path / "breaking.py").write_text(BREAKING)
    odd = {"source": "id3v1", "frame": "title", "key": "title", "declared": "latin-1", "text": "odd"}
    lines = [
        {"content_url": site.url("/a.mp3"), "title": "hostile"},
        {"content_url": site.url("/b.mp3"), "title": "odd", "tags": [{**odd, "confidence": 10**400}]},
        {"content_url": site.url("/c.mp3"), "title": "odd", "tags": [{**odd, "decision": []}]},
        {"content_url": song, "title": LOST},
    ]
    (tmp_path / "items.jl").write_text("\n".join(map(json.dumps, lines)))
    done = recheck(tmp_path, {"EXTENSIONS": '{"breaking.Breaking": 1}'}, items="items.jl").check()
    assert "1 lines of items.jl are no record, have no http(s) URL, or cannot be decided; they are skipped" in done.err
    assert stored(tmp_path / ".mediacrawl" / "media.db").keys() == {song}
    assert set(site.paths) == {"/ozero.mp3"}
