"""Probing off the reactor's thread: what a visit comes to while a thread is at work, and after it."""

import asyncio
from dataclasses import replace

import pytest
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from mediacrawl.base.terms import End, Evidence, Kind, Lease
from mediacrawl.base.visit import FetchFacts, Visit
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.programs.demo.library import grow_mp3, media_bytes
from mediacrawl.reading import file_reader
from mediacrawl.reading.file_reader import FileReader
from mediacrawl.reading.response import is_stream

SONG = grow_mp3(media_bytes("nachtzug.mp3"), 100)
URL = "http://music.example/song.mp3"
HEAD = Response(
    URL, 206, {"Content-Type": "audio/mpeg", "Content-Range": f"bytes 0-16383/{len(SONG)}"}, body=SONG[:16_384]
)


@pytest.fixture
def visit():
    lease = Lease(1, URL, "music.example", "", Kind.MEDIA, 0, 0, "", Evidence(), 0, b"", 0.0, 0.0)
    return Visit(lease, FetchFacts(URL, Kind.MEDIA, sent=1.0, range_bytes=16_384))


@pytest.fixture
def reader():
    return FileReader(CrawlContext(Settings()), StatsCollector(get_crawler()))


def read(reader, visit, response, monkeypatch, meanwhile=lambda: None):
    async def in_thread(work, *args, **kwargs):
        meanwhile()
        return work(*args, **kwargs)

    monkeypatch.setattr(file_reader, "in_thread", in_thread)
    return asyncio.run(reader.read(visit, response, streams=is_stream(response)))


def test_whoever_ends_a_visit_while_a_thread_is_at_work_has_it_asked_again(reader, visit, monkeypatch):
    seen = []
    visit = replace(visit, lease=replace(visit.lease, state=b"before"))
    read(reader, visit, HEAD, monkeypatch, lambda: seen.append(visit.decision.outcome))
    assert [(outcome.end, outcome.state) for outcome in seen] == [(End.CONTINUE, b"before")]
    assert visit.decision.outcome.state not in {b"", b"before"}


def test_an_error_in_the_thread_is_an_error_of_the_callback(reader, visit, monkeypatch):
    def fails():
        raise MemoryError

    with pytest.raises(MemoryError):
        read(reader, visit, HEAD, monkeypatch, fails)
    assert visit.decision.outcome.end is End.CONTINUE


def test_a_server_that_ignores_a_range_is_asked_for_more_at_once_the_next_time(reader, visit, monkeypatch):
    whole = Response(URL, 200, {"Content-Type": "audio/mpeg", "Content-Length": str(len(SONG))}, body=SONG[:65_536])
    item = read(reader, visit, whole, monkeypatch)
    assert (item.probe_status, item.server_accepts_ranges, item.bytes_fetched) == ("partial", False, 65_536)
    assert reader._context.habits.ignores("http://music.example")
    assert reader._stats.get_value("media/odd/ignored_range") == 1
    visit.decision.outcome = None
    read(reader, visit, HEAD, monkeypatch)
    assert not reader._context.habits.ignores("http://music.example")


def test_a_small_file_that_comes_whole_says_nothing_of_its_server(reader, visit, monkeypatch):
    small = media_bytes("nachtzug.mp3")
    whole = Response(URL, 200, {"Content-Type": "audio/mpeg", "Content-Length": str(len(small))}, body=small)
    assert read(reader, visit, whole, monkeypatch).probe_status == "complete"
    assert not reader._context.habits.ignores("http://music.example")


def test_a_station_is_told_from_its_headers_in_one_visit(reader, visit, monkeypatch):
    head = {"Content-Type": "audio/mpeg", "icy-name": "Радио".encode("cp1251"), "icy-br": "64"}
    item = read(reader, visit, Response(URL, 200, head, body=b""), monkeypatch)
    assert (item.type, item.probe_status, item.bitrate) == ("BroadcastService", "stream", 64_000)
    assert visit.decision.outcome.end is End.DONE


def test_a_station_without_headers_is_known_by_its_status_line(reader, visit, monkeypatch):
    answer = Response(URL, 200, {"Content-Type": "audio/aacp"}, body=b"", protocol="ICY/1.0")
    assert read(reader, visit, answer, monkeypatch).codec == "aac"


def test_a_station_that_answers_a_range_with_one_is_no_file(reader, visit, monkeypatch):
    head = {"Content-Type": "audio/mpeg", "icy-name": "One", "Content-Range": "bytes 0-16383/*"}
    answer = Response(URL, 206, head, body=SONG[1000:9000])
    assert is_stream(answer)
    item = read(reader, visit, answer, monkeypatch)
    assert (item.type, item.probe_status, item.title) == ("BroadcastService", "stream", "One")
