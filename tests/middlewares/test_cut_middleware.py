"""How much of an answer is read, by what is known of its server."""

import gzip
import zlib
from importlib import import_module

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import Headers, HtmlResponse, Response
from scrapy.utils.test import get_crawler

from mediacrawl.base.terms import Evidence, Kind, Lease, Limit
from mediacrawl.base.visit import VISIT, FetchFacts, Visit
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.frontier import FrontierError
from mediacrawl.middlewares import CutMiddleware, UnpackMiddleware
from mediacrawl.programs.demo.library import media_bytes

URL = "http://music.example/song"
LIMITS = {"PROBE_HEAD_BYTES": 1000, "PAGE_MAX_BYTES": 9000}


@pytest.fixture
def crawler():
    return get_crawler(settings_dict=LIMITS)


@pytest.fixture
def cut(crawler):
    return CutMiddleware.from_crawler(crawler)


def asked(cut, kind=Kind.PAGE, *, by_range=0, **told):
    """The limit of a visit whose answer has these headers."""
    lease = Lease(1, URL, "music.example", "", kind, 0, 0, "", Evidence(), 0, b"", 0.0, 0.0)
    visit = Visit(lease, FetchFacts(URL, kind, sent=1.0, range_bytes=by_range))
    cut._headers_received(Headers({name.replace("_", "-"): value for name, value in told.items()}), request(visit))
    return visit


def request(visit):
    return Request(URL, meta={VISIT: visit})


def test_a_page_that_turns_out_to_be_media_is_read_as_its_server_is_known(cut, crawler):
    assert asked(cut, Content_Type="audio/mpeg").fetch.body_limit == 1000
    CrawlContext.of(crawler).habits.learn("http://music.example", obeys=False)
    assert asked(cut, Content_Type="audio/mpeg").fetch.body_limit == 65_536


def test_of_a_frontier_that_has_failed_nobody_asks_what_servers_do(cut, crawler, monkeypatch):
    def fail(authority):
        raise FrontierError(f"the disk is full: {authority}")

    monkeypatch.setattr(CrawlContext.of(crawler).habits, "ignores", fail)
    assert asked(cut, Content_Type="audio/mpeg").fetch.body_limit == 1000


def test_an_answer_ends_with_the_read_that_reaches_its_limit(cut):
    visit = asked(cut, Kind.MEDIA, by_range=1000, Content_Type="audio/mpeg")
    cut._bytes_received(bytes(65_535), request(visit))
    with pytest.raises(StopDownload) as stop:
        cut._bytes_received(b"x", request(visit))
    assert not stop.value.fail
    assert visit.fetch.bytes == 65_536


def test_what_is_no_media_and_no_page_ends_before_its_body(cut):
    with pytest.raises(StopDownload):
        asked(cut, Content_Type="image/png")


BLOCK = "".join(f"<p>Line {number * 7919 % 100_003}</p>" for number in range(3_000)).encode()
PACKED = {
    "gzip": gzip.compress(BLOCK) * 20,
    "deflate": zlib.compress(BLOCK * 20, 1),
    "br": import_module("brotli").compress(BLOCK * 20, quality=1, lgwin=10),
    "zstd": import_module("backports.zstd").compress(BLOCK * 20, level=1),
    "gzip, gzip": gzip.compress(gzip.compress(BLOCK) * 20, 1),
}


def received(cut, visit, body, step=1_000):
    """The bytes that are received before the download is ended."""
    for start in range(0, len(body), step):
        try:
            cut._bytes_received(body[start : start + step], request(visit))
        except StopDownload:
            return start + step
    return len(body)


@pytest.fixture
def wide():
    return get_crawler(settings_dict={**LIMITS, "PAGE_MAX_BYTES": 300_000, "LIST_MAX_BYTES": 900_000})


@pytest.mark.parametrize("coding", PACKED)
def test_a_packed_page_ends_where_it_is_long_enough_unpacked(wide, coding):
    cut, unpack, body = CutMiddleware.from_crawler(wide), UnpackMiddleware.from_crawler(wide), PACKED[coding]
    visit = asked(cut, Content_Type="text/html", Content_Encoding=coding)
    came = received(cut, visit, body)
    assert came == len(body) if len(body) < 65_536 else came <= len(body) // 2
    response = Response(URL, headers={"Content-Type": "text/html", "Content-Encoding": coding}, body=body[:came])
    page = unpack.process_response(request(visit), cut.process_response(request(visit), response))
    assert isinstance(page, HtmlResponse)
    assert page.body == (BLOCK * 20)[:300_001]
    assert not visit.fetch.broke_off
    assert not visit.fetch.packed


@pytest.mark.parametrize("coding", ["gzip", "br"])
def test_a_page_of_few_bytes_that_is_long_unpacked_is_cut_and_a_list_is_not(wide, coding):
    cut, unpack = CutMiddleware.from_crawler(wide), UnpackMiddleware.from_crawler(wide)
    text = b"<p>x</p>" * 100_000
    body = gzip.compress(text) if coding == "gzip" else import_module("brotli").compress(text)
    for kind, content_type, size in ((Kind.PAGE, "text/html", 300_001), (Kind.LIST, "text/xml", len(text))):
        visit = asked(cut, kind, Content_Type=content_type, Content_Encoding=coding)
        assert received(cut, visit, body) == len(body)
        response = Response(URL, headers={"Content-Type": content_type, "Content-Encoding": coding}, body=body)
        response = unpack.process_response(request(visit), cut.process_response(request(visit), response))
        assert (len(response.body), visit.fetch.broke_off) == (size, False)


def test_only_a_page_is_cut_and_anything_else_that_unpacks_to_too_much_is_refused(cut, crawler):
    unpack, visit = UnpackMiddleware.from_crawler(crawler), asked(cut, Kind.LIST, Content_Type="text/xml")
    answer = Response(URL, headers={"Content-Encoding": "gzip"}, body=gzip.compress(bytes(2_000)))
    with pytest.raises(IgnoreRequest):
        unpack.process_response(request(visit).replace(meta={VISIT: visit, "download_maxsize": 1_999}), answer)
    assert visit.limits == {Limit.SIZE}


@pytest.mark.parametrize(("length", "limits"), [(8_999, 9_001), (9_000, 9_001), (9_001, 9_001)])
def test_one_byte_more_shows_that_a_page_is_longer(cut, length, limits):
    visit = asked(cut, Content_Type="text/html")
    assert visit.fetch.body_limit == limits
    assert received(cut, visit, bytes(length), 1) == length


TYPES = ["application/octet-stream", "", "text/plain", "text/html"]


@pytest.mark.parametrize("content_type", TYPES)
@pytest.mark.parametrize(
    "head", [b"\x7fELF\x02\0\0", b"MZ\x90\0", b"PK\x03\x04\0", b"<html><p>x", "<html>".encode("utf-16")]
)
def test_a_program_of_an_unspecific_type_is_cut_at_its_beginning(wide, content_type, head):
    cut = CutMiddleware.from_crawler(wide)
    is_program = b"\0" in head and head[:1] != b"\xff"
    wanted = 65_536 if is_program and content_type != "text/html" else 300_032
    assert received(cut, asked(cut, Content_Type=content_type), head + b"x" * 400_000, 64) == wanted


@pytest.mark.parametrize("content_type", TYPES)
@pytest.mark.parametrize("name", ["folge-1.mp3", "folge-2.mp3"])
def test_media_in_place_of_a_page_are_cut_as_a_file(wide, content_type, name):
    cut = CutMiddleware.from_crawler(wide)
    # The first range of a probe has 1,000 bytes here.
    assert received(cut, asked(cut, Content_Type=content_type), media_bytes(name) * 100, 4_096) == 4_096
