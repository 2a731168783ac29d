"""``scrapy probe``: each request, what was read, the record and its evidence; under the rules of every crawl."""

import json
import re
import time
from contextlib import closing

import harness
import pytest
from command_line import MEDIACRAWL, QUICK, run
from harness import environment, switches

from mediacrawl.base.terms import Evidence
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.stores import SQLITE_FILE, open_store
from mediacrawl.priority import Scores
from mediacrawl.priority.links import RULES
from mediacrawl.programs.demo.answers import Resource, Response
from mediacrawl.programs.demo.library import grow_mp3, media_bytes
from mediacrawl.scope import site_of
from mediacrawl.scope.candidates import candidate

SONG = grow_mp3(media_bytes("ozero.mp3"), 60)


def probe(folder, *words, **settings):
    return run(folder, *MEDIACRAWL, "probe", *words, *switches({**QUICK, **settings}))


def as_json(ended):
    return [json.loads(line) for line in ended.out.splitlines()]


@pytest.fixture
def song(site):
    site.at("/ozero.mp3", Resource(SONG, "audio/mpeg"))
    return site.url("/ozero.mp3")


@pytest.fixture
def short(site):
    """A file that one request is enough for."""
    site.at("/short.mp3", Resource(media_bytes("ozero.mp3"), "audio/mpeg"))
    return site.url("/short.mp3")


def paths(site):
    return [entry.path for entry in site.log]


def test_each_request_the_record_and_the_evidence_are_shown_and_little_is_stored(tmp_path, site, song):
    told = probe(tmp_path, song).check().out
    assert paths(site) == ["/robots.txt", "/ozero.mp3", "/ozero.mp3"]
    fetched = re.findall(r"^  (robots\.txt|bytes \d+-\d+) +(\d+) +([\d.]+ K?B) +[\d.]+ s", told, re.MULTILINE)
    assert [status for _, status, _ in fetched][1:] == ["206", "206"]
    assert fetched[1] == ("bytes 0-16383", "206", "16 KB")
    assert re.search(r"^  stage +id3v2: done$", told, re.MULTILINE)
    assert re.search(r"^  container +mp3$", told, re.MULTILINE)
    title = re.search(r"^  title +(.+)$", told, re.MULTILINE)[1]
    raw = title.encode("cp1251").hex(" ")
    assert f"    bytes     {raw[:140]}" in told
    assert "    declared  latin-1, which would be: " in told
    assert "    decided   fixed: cp1251, confidence " in told
    state = tmp_path / ".mediacrawl"
    # The request log, and the clocks of sites.
    assert sorted(path.name for path in state.iterdir()) == ["log", "probe"]
    assert (state / "probe" / SQLITE_FILE).exists()


def test_as_json_all_of_it_is_one_line_for_each_file_and_a_redirect_is_a_visit_of_its_own(tmp_path, site, song):
    moved = site.url("/moved.mp3")
    site.redirect("/moved.mp3", song)
    (found,) = as_json(probe(tmp_path, moved, "--json").check())
    assert [fetch["asked"].split()[0] for fetch in found["requests"]] == ["robots.txt", "bytes", "bytes", "bytes"]
    assert (found["target"], found["requests"][1]["remark"]) == (moved, f"to {song}")
    record = found["record"]
    assert (record["content_url"], record["requested_url"]) == (song, moved)
    assert (record["probe_status"], record["content_size"]) == ("complete", len(SONG))
    assert record["tags"]
    assert found["why"] is None
    assert found["ranges"][0] == {"start": 0, "bytes": 16_384}
    assert sum(piece["bytes"] for piece in found["ranges"]) == record["bytes_fetched"]


def test_a_site_is_left_alone_as_long_after_one_command_as_after_one_request(tmp_path, site, short):
    for _ in range(2):
        probe(tmp_path, short, POLITENESS_MIN_DELAY=0.7, POLITENESS_FIRST_DELAY=0.7).check()
    assert paths(site) == ["/robots.txt", "/short.mp3"] * 2
    assert min(site.gaps()) > 0.65


def test_a_long_delay_is_told_before_it_begins(tmp_path, site):
    site.status("/ozero.mp3", 503, ("Retry-After", "100"))
    arguments = ["probe", site.url("/ozero.mp3"), *switches(QUICK)]
    with (tmp_path / "out").open("wb") as out:
        process = harness.start("mediacrawl", arguments, tmp_path, environment(), out, out)
        site.until(lambda log: log and log[-1].path == "/ozero.mp3" and log[-1].finished_monotonic)
        end = time.monotonic() + 30
        while " 503 " not in (tmp_path / "out").read_text() and time.monotonic() < end:
            time.sleep(0.02)
        process.terminate()
        assert process.wait(30) == 1
        assert re.search(r" 503 .* the next in 1 min \d\d s$", (tmp_path / "out").read_text(), re.MULTILINE)


async def wrong_place(exchange):
    await exchange.send(Response(206, (("Content-Type", "audio/mpeg"), ("Content-Range", "bytes 900-999/5000")), SONG))


WITHOUT_RECORD = {
    "/gone.mp3": (Resource(b"", status=404), "the server answered 404"),
    "/page.mp3": (Resource(b"<html><title>Log in</title>", "text/html"), "it is no audio or video"),
    "/image.mp3": (Resource(b"\x89PNG\r\n" + bytes(99), "audio/mpeg"), "it is png, no audio or video"),
    "/wrong.mp3": (wrong_place, "wrong Content-Range"),
    "/closed/a.mp3": (Resource(SONG, "audio/mpeg"), "robots.txt does not allow it"),
}


def test_what_gives_no_record_says_why(tmp_path, site):
    site.at("/robots.txt", Resource(b"User-agent: mediacrawl\nDisallow: /closed/\n", "text/plain"))
    for path, (resource, _) in WITHOUT_RECORD.items():
        site.at(path, resource)
    ended = probe(tmp_path, *map(site.url, WITHOUT_RECORD))
    assert ended.code == 1
    assert "Traceback" not in ended.err
    assert "/closed/a.mp3" not in paths(site)
    shown = ended.out.split("\n\n")
    for path, (_, why) in WITHOUT_RECORD.items():
        (told,) = [part for part in shown if part.startswith(f"{site.url(path)}\n")]
        assert f"no record     {why}" in told


def test_a_site_that_a_running_crawl_asks_is_refused_unless_it_is_paused(tmp_path, short):
    with closing(open_store("sqlite", tmp_path / ".mediacrawl", FrontierPolicy(), 0.0)) as running:
        running.add([candidate(short, Evidence(), Scores(RULES))])
        running.commit()
        ended = probe(tmp_path, short)
        assert ended.code == 1
        assert f"mediacrawl frontier pause {site_of(short)}" in ended.err
        running.pause(site_of(short))
        running.commit()
        probe(tmp_path, short).check()
