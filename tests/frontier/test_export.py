"""Frontiers as files."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.queued import QueuedRequest, WaitingPage
from mediacrawl.base.terms import Candidate, Evidence, Kind
from mediacrawl.frontier.export import (
    evidence_of,
    is_json,
    json_line,
    kind_of,
    lines_of,
    read_json,
    seed_lines,
    write,
)

SONG = Candidate(
    "http://a.org/1.mp3",
    "a.org",
    "a.org/#.mp3",
    Kind.MEDIA,
    3,
    1,
    "http://a.org/",
    1.0,
    Evidence("enclosure", "Lied 1", "Seite", guid="g", path="main/ul.episodes/li/a"),
)


def test_a_line_holds_all_that_is_known():
    found = read_json(json_line(SONG))
    assert found["url"] == SONG.url
    assert (found["depth"], found["hops"], found["parent"], found["score"]) == (3, 1, "http://a.org/", 1.0)
    assert evidence_of(found, "seed") == SONG.evidence
    assert kind_of(found) is Kind.MEDIA


@given(st.text(), st.text())
def test_any_text_comes_back(anchor, url):
    line = json_line(Candidate(url, "s", evidence=Evidence(anchor=anchor)))
    assert line.count("\n") == 1
    found = read_json(line)
    assert found["url"] == url
    assert evidence_of(found, "x").anchor == anchor


@pytest.mark.parametrize("line", ["", "x", "[]", "{}", '{"url": 1}', '"http://a.org/"', "null"])
def test_a_line_without_a_url_is_refused(line):
    with pytest.raises(ValueError, match=r".+"):
        read_json(line)


def test_fields_of_another_kind_are_passed_over():
    found = read_json(json.dumps({"url": "http://a.org/", "anchor": 5, "via": None, "kind": "robots"}))
    assert evidence_of(found, "seed") == Evidence("seed")
    assert kind_of(found) is None


def test_seeds_have_a_comment_before_each_site():
    pages = [Candidate(f"http://{site}/{n}", site) for site in ("a.org", "b.org") for n in (1, 2)]
    assert list(seed_lines(pages)) == [
        "# a.org\n",
        "http://a.org/1\n",
        "http://a.org/2\n",
        "# b.org\n",
        "http://b.org/1\n",
        "http://b.org/2\n",
    ]


def test_a_data_request_is_written_as_its_page():
    queued = QueuedRequest("a.org", "0", 1, {"id": "1"}, page=WaitingPage("iframe", "7", "", "http://b.org/", 1))
    evidence = Evidence("adapter_request", "Lied", guid=queued.dump())
    told = {"kind": Kind.LIST, "depth": 3, "parent": "http://a.org/v/1", "evidence": evidence}
    data = Candidate("http://api.org/1#adapter:a.org", "api.org", requested="http://api.org/1", **told)
    assert list(seed_lines([data])) == ["# api.org\n", "http://a.org/v/1\n"]
    found = read_json(json_line(data))
    assert (found["url"], found["kind"], found["depth"], found["hops"]) == ("http://a.org/v/1", "page", 3, 1)
    assert (found["parent"], evidence_of(found, "seed")) == ("http://b.org/", Evidence("iframe", "Lied", guid="7"))


@pytest.mark.parametrize("name", ["next.txt", "next.jl", "next.JSONL.gz", "next.txt.gz"])
def test_what_is_written_is_read(tmp_path, name):
    path = tmp_path / name
    assert write([SONG], path) == 1
    with lines_of(path) as lines:
        read = list(lines)
    assert (SONG.url + "\n" in read) == (not is_json(path))
    assert path.read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_lone_surrogate_stops_nothing(tmp_path):
    write([Candidate("http://a.org/", "a.org", evidence=Evidence(anchor="\ud83d alone"))], tmp_path / "x.jl.gz")
    assert b"alone" in gzip.decompress((tmp_path / "x.jl.gz").read_bytes())


def test_an_export_that_fails_leaves_what_was_there(tmp_path):
    path = tmp_path / "next.txt"
    path.write_text("old")

    def some():
        yield SONG
        raise OSError(28, "no room")

    with pytest.raises(OSError, match="no room"):
        write(some(), path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["next.txt"]
