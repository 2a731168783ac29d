"""A real crawl of a web where every host misbehaves in its own way: it stays polite, loses nothing, and ends."""

import itertools
import re
import ssl
from collections import Counter
from pathlib import Path

import crawling
import pytest
from crawling import Crawl
from judging import Verdict, stat
from misbehaving import SINS, MisbehavingWeb
from scripted_server import certificate_in
from sins_media import PLAYED, STATION, TRUE_NAMES, song

from mediacrawl.log.archive import read
from mediacrawl.scope.urls import authority_of
from mediacrawl.settings import DOWNLOADER_MIDDLEWARES, PAGE_MAX_BYTES, PROBE_MAX_BYTES, PROBE_MAX_REQUESTS

ATTEMPTS = 2
REST_AFTER = 4
"""Troubles in a row: two for each of the two URLs of a host."""
CHUNK = 65_536
"""Bytes that the crawler reads at a time: a cut is never finer than this."""
BUFFERS = 12 * 1024 * 1024
"""Bytes that the kernel takes from a server and the client never sees: the largest send and receive buffers."""

SONG, PAGE = "/song.mp3", "/"


def both(*verdict):
    """The same for the URL that looks like a file and for the one that looks like a page."""
    return {SONG: verdict, PAGE: verdict}


# The site is left alone; its URLs wait.
RESTS = both("open", REST_AFTER // 2)
ONCE = both("done", 1)
# A page that the host shows everywhere: the first is read, whatever its name, the others are copies of it.
COPY = ("duplicate", 1)
READ = {SONG: ("done", 1), PAGE: COPY}
BROKEN_OFF = {SONG: ("done", ATTEMPTS), PAGE: ("duplicate", ATTEMPTS)}
LINK = {**READ, "/a.html": COPY}

# Sin -> path -> how it ends (the status of its record, if it gives one), and how often the server is asked.
EXPECTED = {
    # The connection
    "reset": RESTS,
    "silent-close": RESTS,
    "hang": RESTS,
    "hang-in-head": RESTS,
    "hang-in-body": RESTS,
    "slow-drip": RESTS,
    "garbage": RESTS,
    "version-octets": RESTS,
    "status-huge": RESTS,
    "two-lengths": RESTS,
    "bad-length": RESTS,
    "endless-head": RESTS,
    "long-header": RESTS,
    # Half a page has links, too, and is requested again.
    "reset-in-body": BROKEN_OFF,
    "short-length": READ,
    "long-length": BROKEN_OFF,
    "bad-chunks": BROKEN_OFF,
    "endless-body": READ,
    # Status
    "status-500": RESTS,
    "status-503": RESTS,
    "retry-seconds": RESTS,
    "retry-date": RESTS,
    "too-many": RESTS,
    "too-many-silent": RESTS,
    "retry-nonsense": RESTS,
    "retry-for-ever": {SONG: ("open", 1), PAGE: ("open", 0)},
    "status-unknown": both("http_status", 1),
    "retry-once": {SONG: ("soft_404", 2), PAGE: ("done", 1)},
    # Redirects
    "redirect-self": both("redirect_broken", 1),
    "redirect-no-location": both("redirect_broken", 1),
    "redirect-ftp": both("redirect_broken", 1),
    "redirect-file": both("redirect_broken", 1),
    "redirect-data": both("redirect_broken", 1),
    "redirect-pair": {**ONCE, "/a": ("done", 1), "/b": ("done", 1)},
    "redirect-bytes": {**ONCE, "/m%FCsik.mp3": ("redirect_broken", 1)},
    "redirect-long": ONCE,
    "redirect-metadata": ONCE,
    # Media
    "ignores-range": both("partial", 1),
    "lies-about-range": both("partial", 1),
    # Without a range it sends the whole file, and a place that cannot be.
    "wrong-content-range": {SONG: ("content_type", 1), PAGE: ("partial", 1)},
    "nonsense-content-range": both("partial", 1),
    "no-content-range": both("partial", 1),
    "unknown-size": both("partial", 1),
    "short-range": both("complete", PROBE_MAX_REQUESTS),
    "never-satisfied": {SONG: ("partial", 2), PAGE: ("partial", 1)},
    "multipart": {SONG: ("complete", 2), PAGE: ("content_type", 1)},
    "packs-all": both("partial", 1),
    "packs-ranges": both("partial", 1),
    "deaf-to-if-range": both("complete", 3),
    # What was requested as a page is asked once more, for its song.
    "icy": {SONG: ("stream", 1), PAGE: ("stream", 2)},
    "station": {SONG: ("stream", 1), PAGE: ("stream", 2)},
    "changing": both("partial", 3),
    "changing-silently": both("partial", 2),
    # The page waits alone at last: nothing tells whether it fails or its site does.
    "head-then-500": {SONG: ("partial", PROBE_MAX_REQUESTS), PAGE: ("open", REST_AFTER)},
    "head-then-hang": {SONG: ("open", 3), PAGE: ("open", 2)},
    "head-then-page": {SONG: ("partial", 2), PAGE: ("done", 1), "/login.html": COPY},
    "head-then-moved": {SONG: ("partial", 2), PAGE: ("done", 1), "/login.html": ("redirect_broken", 1)},
    "no-content-type": both("complete", 2),
    # What is labelled as a page and is none is probed, and a page is one under any label.
    "wrong-content-type": both("complete", 2),
    "page-as-media": {SONG: ("done", 1), PAGE: COPY, "/login.html": COPY},
    "empty-file": {SONG: ("http_status", 1), PAGE: ("content_type", 1)},
    # What claims to be MPEG audio is searched for frames up to 64 KB behind its beginning.
    "noise-file": {SONG: ("content_type", 3), PAGE: ("content_type", 2)},
    "huge-tag": both("partial", 1),
    **{sin: both("complete", 2) for sin in TRUE_NAMES},
    # Pages
    "huge-page": {**READ, "/first.html": COPY},
    "gzip-bomb": READ,
    "gzip-cut": {**BROKEN_OFF, "/0.html": ("duplicate", ATTEMPTS)},
    # What we cannot unpack says nothing of the site.
    **dict.fromkeys(("gzip-lie", "brotli-lie", "zstd-broken", "deflate-lie"), both("unreadable", ATTEMPTS)),
    "unknown-encoding": LINK,
    "encoding-octets": LINK,
    "many-links": {**READ, "/0.html": COPY, "/9999.html": COPY},
    "deep-html": READ,
    "unclosed-html": LINK,
    "nul-page": {**READ, "/after.html": COPY},
    "charset-lie": LINK,
    "charset-unknown": LINK,
    "untyped-page": LINK,
    "binary-page": READ,
    "strange-links": {**READ, **dict.fromkeys(("/%", "/%zz", "/a", "/good.html"), COPY)},
    "own-maze": {**ONCE, "/0/": ("done", 1), "/0/0/": ("done", 1), "/0/0/0/": ("done", 1)},
    "xml-bomb": ONCE,
    # Wishes, and what pages say of themselves
    "meta-nofollow": READ,
    "own-nofollow": READ,
    "header-nofollow": READ,
    "feed-nofollow": ONCE,
    "rel-nofollow": {**READ, **dict.fromkeys(("/1.html", "/2.html", "/3.html"), COPY)},
    "noindex-page": {**READ, "/file.mp3": ("complete", 2)},
    "noindex-file": both("noindex", 1),
    "past-file": both("noindex", 1),
    # A claim that is wrong hides nothing; one that the text bears out does.
    "canonical-front": {**READ, **dict.fromkeys(("/1", "/2", "/3"), ("done", 1))},
    "canonical-copies": {
        **READ,
        **dict.fromkeys(("/album/one?from=1", "/of/1.html"), ("done", 1)),
        **dict.fromkeys(("/album/one?from=2", "/album/one?from=3", "/album/one?from=4"), ("near_duplicate", 1)),
        "/album/one": ("near_duplicate", 1),
        "/of/.html": COPY,
    },
    "canonical-header": {**READ, "/own.html": COPY},
}
APART = {"redirect-endless"}
"""This has a test of its own."""
ENDLESS = ("endless-body", "endless-head", "icy", "long-header", "station")
"""These pour for as long as they are listened to."""

# Followed no further than this, or these hosts would fill the test's time with what they have endlessly many of.
NARROW = {
    "gzip-cut": r"(song\.mp3|0\.html)?",
    "many-links": r"((0|9999|10000)\.html|song\.mp3)?",
    "own-maze": r"(song\.mp3|(0/)*)",
}


def whitelist(folder):
    path = folder / "include.txt"
    lines = [f"{sin}.example" for sin in SINS if sin not in NARROW]
    lines += [rf"re:^https?://{sin}\.example:\d+/{pattern}$" for sin, pattern in NARROW.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module", params=["http", pytest.param("https", marks=pytest.mark.slow)])
def web(request, tmp_path_factory):
    tls = None
    if request.param == "https":
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate_in(tmp_path_factory.mktemp("tls")))
    with MisbehavingWeb(tls=tls) as web:
        web.never_crawl = "# nobody\n"
        yield web


@pytest.fixture(scope="module")
def crawl(web, tmp_path_factory):
    """One whole crawl of all sins, for all tests that only look at it."""
    crawl = Crawl(web, tmp_path_factory.mktemp("misbehaving"))
    crawl.imports.append(Path(__file__).parent)
    web.seeds = [web.url(sin, path) for sin in SINS for path in (SONG, PAGE)]
    settings = {
        # Of what hangs; all others have longer.
        "DOWNLOAD_TIMEOUT": 3,
        "DOWNLOADER_MIDDLEWARES": {**DOWNLOADER_MIDDLEWARES, "patience.Patience": 340},
        "BACKOFF_MAX": 5,
        "BACKOFF_REST_AFTER": REST_AFTER,
        "FRONTIER_ATTEMPTS": ATTEMPTS,
        "FRONTIER_EXPLORE": 0,
        "MEMUSAGE_CHECK_INTERVAL_SECONDS": 0.2,
        "SCOPE_MAX_DEPTH": 3,
    }
    crawl.start("-a", f"include={whitelist(crawl.folder)}", **settings)
    crawl.code = crawl.wait(150)
    return crawl


@pytest.fixture(scope="module")
def verdict(crawl):
    return Verdict(crawl)


@pytest.fixture(scope="module")
def lines(crawl):
    return list(read(crawl.folder / "state" / "log"))


def test_every_sin_has_an_expectation():
    assert EXPECTED.keys() | APART == SINS.keys()


def test_the_crawl_ends_by_itself(crawl):
    assert crawl.code == 0, crawl.text()[-3000:]


def test_all_that_waits_is_on_sites_that_rest(verdict, web):
    open_hosts = {
        authority_of(web.url(sin)) for sin, paths in EXPECTED.items() if "open" in {end for end, _ in paths.values()}
    }
    assert {authority_of(url) for url in verdict.waiting} == open_hosts
    assert verdict.leased == 0
    assert verdict.seen == len(verdict.waiting) + sum(verdict.ended.values()) > 200


@pytest.mark.parametrize("sin", EXPECTED)
def test_each_sin_ends_as_it_should(verdict, web, sin):
    seen = verdict.of_host(f"{sin}.example")
    unasked = {path: verdict.of(web.url(sin, path)) for path in EXPECTED[sin].keys() - seen.keys()}
    assert {**seen, **unasked} == EXPECTED[sin]


def test_nothing_is_logged_as_an_error_and_warnings_take_a_line_each(crawl):
    text = crawl.text()
    assert "Traceback" not in text
    warnings = re.findall(r"^\S+ \S+ (\[\S+\] (?:WARNING|ERROR|CRITICAL): .*)", text, re.MULTILINE)
    told = ("exceeded DOWNLOAD_MAXSIZE", "went beyond a limit")
    assert [line for line in warnings if not any(words in line for words in told)] == []


def test_no_site_was_asked_sooner_than_its_delay(crawl):
    least = crawling.MIN_DELAY - crawling.CLOCK
    gaps = list(crawl.gaps())
    assert len(gaps) > 200
    assert [gap for gap in gaps if gap[3].received_monotonic - gap[2].received_monotonic < least] == []
    # Counted from the end of the answer, except where the server still sent when the client had gone already.
    assert [gap for gap in gaps if gap[0] < least and gap[2].bytes_sent < CHUNK] == []


def test_a_chain_of_redirects_ends_at_the_cap(verdict):
    steps = verdict.of_host("redirect-endless.example")
    assert len(steps) == 2 * 4
    assert sorted(steps.values()) == [("done", 1)] * 6 + [("redirect_cap", 1)] * 2


def test_a_file_that_changes_between_two_ranges_is_never_glued(verdict, web):
    for sin, begun in (("changing", 2), ("changing-silently", 1)):
        of_host = [
            entry for entry in web.settled_log() if entry.host == f"{sin}.example" and "robots" not in entry.path
        ]
        visits = [number for number, entry in enumerate(of_host, 1) if entry.path == SONG]
        record = verdict.records[web.url(sin, SONG)]
        # The version that was begun last: under If-Range the second, which came whole in place of a range.
        assert record["content_size"] == len(song(100 + visits[begun - 1]))
        assert record["head_bytes"] == 16_384


def test_what_is_odd_about_answers_is_counted(crawl):
    odd = {"ignored_if_range": 2, "multipart": 2, "content_encoding": 4}
    assert {name: stat(crawl, f"media/odd/{name}") for name in odd} == odd
    # Hosts with other sins have these as well.
    least = {"ignored_range": 2, "changed": 6, "not_satisfiable": 1, "wrong_content_range": 6}
    assert {name for name in least if stat(crawl, f"media/odd/{name}") < least[name]} == set()


def test_stations_are_told_by_their_headers(verdict, web):
    for sin, name in (("station", STATION), ("icy", "Радио")):
        for path in (SONG, PAGE):
            record = verdict.records[web.url(sin, path)]
            assert (record["type"], record["title"], record["bitrate"]) == ("BroadcastService", name, 128_000)
            assert (record["codec"], record["content_size"], record["duration"]) == ("mp3", None, None)
            assert (record["is_live"], record["now_playing"]) == (True, PLAYED if sin == "station" else None)


@pytest.mark.parametrize("sin", ["ignores-range", "packs-all", "packs-ranges"])
def test_a_server_without_ranges_gives_the_tags_of_the_head(verdict, web, sin):
    for path in (SONG, PAGE):
        assert verdict.records[web.url(sin, path)]["title"] == "Nachtzug nach Köln"


@pytest.mark.parametrize(
    ("sin", "path", "gives"),
    [
        ("ignores-range", SONG, False),
        ("lies-about-range", SONG, False),
        ("ignores-range", PAGE, None),
        ("never-satisfied", SONG, False),
        ("deaf-to-if-range", SONG, True),
        ("changing", PAGE, None),
        ("short-range", PAGE, True),
        ("no-content-type", PAGE, True),
        ("never-satisfied", PAGE, None),
    ],
)
def test_a_record_says_whether_the_server_gave_ranges_if_it_was_asked_for_one(verdict, web, sin, path, gives):
    value = verdict.records[web.url(sin, path)]["server_accepts_ranges"]
    assert value == gives if gives is not None else value is None


@pytest.mark.parametrize("sin", TRUE_NAMES)
def test_a_file_whose_tags_lie_is_shown_as_its_maker_meant_it(verdict, web, sin):
    for path in (SONG, PAGE):
        record = verdict.records[web.url(sin, path)]
        assert (record["title"], record["artist"], record["album"]) == TRUE_NAMES[sin]


def test_no_probe_costs_more_than_its_budget(verdict):
    assert verdict.records
    for record in verdict.records.values():
        assert record["requests"] <= PROBE_MAX_REQUESTS
        assert record["bytes_fetched"] <= PROBE_MAX_BYTES + CHUNK


def test_an_answer_is_cut_when_enough_of_it_has_come(lines):
    sizes = {}
    for line in lines:
        sizes.setdefault(line["kind"], []).append(line["bytes"])
    assert max(sizes["page"]) > PAGE_MAX_BYTES
    assert max(sizes["page"] + sizes["media"]) <= PAGE_MAX_BYTES + CHUNK


def test_an_endless_answer_costs_its_server_no_more_than_the_kernels_buffers(verdict, web):
    for sin in ENDLESS:
        for path in (SONG, PAGE):
            for entry in verdict.asked[web.url(sin, path)]:
                assert entry.bytes_sent < PAGE_MAX_BYTES + BUFFERS, sin


def test_the_crawl_takes_little_memory_whatever_is_served(crawl):
    assert 0 < crawl.peak < 250 * 1024 * 1024


def test_the_request_log_has_a_line_for_every_request_the_server_saw(verdict, lines):
    # A URL that was dropped on its way out has a line too, without status.
    logged = Counter(line["url"] for line in lines if line["status"] or line["error"])
    asked = itertools.chain.from_iterable(verdict.asked.values())
    seen = Counter(entry.url for entry in asked)
    assert seen.total() > 300
    # A few more may be logged than seen: those sent on a connection that the server was just closing.
    assert seen <= logged


def test_what_a_site_wishes_is_counted(crawl):
    assert stat(crawl, "drop/nofollow") == 3 * 5 + 2 * 2 + 1
    assert stat(crawl, "drop/noindex") == 4
    assert stat(crawl, "page/named_copy") >= 3
