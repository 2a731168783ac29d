"""A crawl of servers that fail: the reason of each failure is told, and what is no failure is none."""

import gzip
import re
import time
from types import SimpleNamespace

import pytest
from crawling import Crawl
from judging import Verdict
from lists_web import SONG
from scripted_server import ScriptedServer, certificate_in

from mediacrawl.log.archive import read

OK = b"HTTP/1.1 200 OK\r\n"
MP3 = OK + b"Content-Type: audio/mpeg\r\n"
PATIENT = b"User-agent: *\nCrawl-delay: 100000\n"
CODINGS = {
    "plain": (b"none", SONG),
    "charset": (b"utf-8", SONG),
    "binary": (b"binary", SONG),
    "cloud": (b"aws-chunked", SONG),
    "twice": (b"identity, identity", SONG),
    "packed": (b"utf-8, gzip", gzip.compress(SONG)),
}
FAILING = {
    "garbled": ([b"SSH-2.0-OpenSSH_9.2\r\n\r\n"], "bad status line"),
    "silent": ([], "connection closed without an answer"),
    "torn": ([OK + b"Content-Le"], "connection closed within the head"),
    "reset": (["reset"], "connection reset"),
    "late": ([MP3 + b"Content-Length: 99999\r\n\r\n" + bytes(3000), 0.2, "reset"], "connection reset after 3.0 KB"),
    "chunks": (
        [MP3 + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nno\r\n"],
        "bad chunk after 5 B",
    ),
}


def page(name):
    link = b"<title>%s</title><p>A page of %s and its song: <a href='/song.mp3'>song</a>" % ((name.encode(),) * 2)
    coding, _ = CODINGS[name]
    body = gzip.compress(link) if b"gzip" in coding else link
    head = b"Content-Type: text/html\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n" % (coding, len(body))
    return [OK + head + body]


def answer(request):
    path = request.split(b" ")[1].decode()
    name = request.partition(b"Host: ")[2].partition(b".example")[0].decode()
    if path == "/robots.txt" and name == "patient":
        return [OK + b"Content-Length: %d\r\n\r\n" % len(PATIENT) + PATIENT]
    if path == "/robots.txt":
        return [b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"]
    if name in FAILING:
        return FAILING[name][0]
    if name == "two":
        return [MP3 + b"Content-Length: %d\r\n\r\n" % len(SONG) + SONG]
    if path == "/":
        return page(name)
    coding, body = CODINGS[name]
    return [MP3 + b"Content-Encoding: %s\r\nContent-Length: %d\r\n\r\n" % (coding, len(body)) + body]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("failures")
    expired = certificate_in(folder, "expired.example", days=(-9, -1))
    with ScriptedServer(answer) as server, ScriptedServer(answer, certificate=expired) as tls:
        urls = {name: f"http://{name}.example:{server.port}/" for name in CODINGS}
        urls |= {name: f"http://{name}.example:{server.port}/song.mp3" for name in (*FAILING, "two", "patient")}
        urls["expired"] = f"https://expired.example:{tls.port}/"
        hosts = {f"{name}.example": "127.0.0.1" for name in urls} | {"two.example": ["127.0.0.9", "127.0.0.1"]}
        web = SimpleNamespace(hosts=hosts, seeds=list(urls.values()), never_crawl="# none\n", log=[], settled_log=list)
        crawl = Crawl(web, folder)
        settings = {"POLITENESS_FACTOR": 0, "DOWNLOAD_VERIFY_CERTIFICATES": True, "GUARD_ALLOW": "127.0.0.0/8"}
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SSL_CERT_FILE", str(expired))
            crawl.start("-o", "items.jl", **settings)
        crawl.urls, crawl.lines, log = urls, [], crawl.folder / "state" / "log"
        # The sites that fail would be tried for a week.
        wanted, end = {*FAILING, "expired", *CODINGS, "two"}, time.monotonic() + 60
        while {name for name in wanted if ends_of(crawl, name)} < wanted and time.monotonic() < end:
            time.sleep(0.2)
            crawl.lines = list(read(log)) if log.exists() else []
        crawl.interrupt()
        crawl.lines = list(read(log))
        yield crawl


def ends_of(crawled, name):
    """What became of the requests of a site that tell something of it."""
    lines = [line for line in crawled.lines if f"/{name}.example" in line["url"]]
    return [line for line in lines if line["error"] or line["url"].endswith(".mp3")]


def summary_of(crawled):
    return " ".join(re.split(r"\n\s+failures\s", crawled.text())[1].split())


def errors_of(crawled, name):
    return {line["error"] for line in crawled.lines if f"/{name}.example" in line["url"] and line["error"]}


@pytest.mark.parametrize(("name", "reason"), [*((name, reason) for name, (_, reason) in FAILING.items())])
def test_the_reason_is_in_the_log_in_the_summary_and_told_by_frontier_why(crawled, name, reason):
    assert errors_of(crawled, name) == {reason}
    assert f"{reason.partition(' after ')[0]} " in summary_of(crawled)
    said = crawled.command("frontier", "why", crawled.urls[name])
    assert reason in said.stdout + said.stderr


def test_a_certificate_that_expired_is_told(crawled):
    assert errors_of(crawled, "expired") == {"certificate expired"}
    assert "certificate expired " in summary_of(crawled)


@pytest.mark.parametrize("name", CODINGS)
def test_what_is_no_content_coding_hinders_neither_page_nor_file(crawled, name):
    found = [item for item in crawled.items() if f"/{name}.example" in item["content_url"]]
    assert [(item["encoding_format"], item["probe_status"]) for item in found] == [("audio/mpeg", "complete")]
    assert errors_of(crawled, name) == set()


def test_a_site_that_asks_for_a_day_between_two_requests_gets_it(crawled):
    url = crawled.urls["patient"]
    asked = [line["url"] for line in crawled.lines if "/patient.example" in line["url"]]
    assert asked == [url.replace("/song.mp3", "/robots.txt")]
    assert url in Verdict(crawled).waiting


def test_another_address_of_a_site_is_tried_in_the_same_visit(crawled):
    lines = [line for line in crawled.lines if "/two.example" in line["url"]]
    assert {line["address"] for line in lines} == {"127.0.0.1"}
    assert errors_of(crawled, "two") == set()
    assert [item["requests"] for item in crawled.items() if "/two.example" in item["content_url"]] == [1]
