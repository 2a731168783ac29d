"""The page of the report: complete, small, harmless, and laid out well in a browser."""

import re
from datetime import UTC, datetime
from html.parser import HTMLParser

import browser
import pytest

from mediacrawl.base.terms import SiteInfo, SiteState
from mediacrawl.frontier.sqlite.reader import FrontierOverview
from mediacrawl.programs.report.page import report_page
from mediacrawl.store.figures import DURATIONS, CatalogueFigures
from mediacrawl.watch.facts import Named, Sources, busiest, make_report
from mediacrawl.watch.log_digest import LogDigest, Visit
from mediacrawl.watch.status import CrawlStatus, Sample

NOW = 1_790_000_000.0


def at(seconds):
    return datetime.fromtimestamp(seconds, UTC)


EVIL = "<script>alert(1)</script>\u202e\x1b[31m\"'&"
LONG = "a-very-long-host-name-that-no-column-was-made-for.and-a-domain-below-it.example"


def info(name, state=SiteState.WAITING):
    fields = {"release": 0.0, "delay": 15.0, "crawl_delay": 0.0, "samples": (), "visits": 3, "earned": 1}
    return SiteInfo(name=name, state=state, waiting=12_345, classes=(), **fields)


def large_report():
    """What a crawl of a million requests leaves, with names that a stranger chose."""
    log = LogDigest()
    for place in range(3_000):
        name = EVIL if place == 5 else LONG if place == 6 else f"site-{place}.example"
        for visit in range(1 + (place < 400) * 3):
            status, error = (0, "DownloadTimeoutError") if place % 7 == 0 else (200, "")
            time = NOW + 40 * place + 17.5 * visit
            log.add(Visit(at(time), f"http://{name}/{EVIL}", status, 0.7, 12_000, name, 15.0, "page", "", error), 15.0)
    found = CatalogueFigures(
        records=123_456_789,
        counted=200_000,
        formats={f"audio/format-{place}": 40 - place for place in range(40)} | {EVIL: 1},
        languages={f"l{place}": 90 - place for place in range(90)},
        mended={f"cp125{place}": 1000 - place for place in range(9)},
        examples=[("cp1251", EVIL * 40, "Ночной поезд " * 40)] * 12,
        durations={name: 1234 for _, name in DURATIONS},
        years={str(year): 5 for year in range(1950, 2027)},
        media_sites=500,
        by_site={f"site-{place}.example": 3 for place in range(500)},
        titled=150_000,
        seconds=5e8,
        media_bytes_total=10**15,
        media_bytes_read=10**12,
    )
    known = {name: info(name) for name in busiest(log)}
    statuses = [
        CrawlStatus(
            written=NOW + 9e4,
            first_began=NOW,
            reason="finished",
            drops={f"reason_{place}": place for place in range(60)} | {"robots": 9},
            examples={f"reason_{place}": f"http://{LONG}/{EVIL}" for place in range(60)},
            troubles={"timeout": 3},
            limits={"slow": 1},
            finds=[[NOW, EVIL, "http://a.example/", LONG]] * 12,
            settings={f"SETTING_{place}": "x" * 90 for place in range(80)},
            waiting=10**9,
            done=10**8,
        )
    ]
    rows = [(n, n, n, n, 0, 10 * n, 10_000 + n, 1, 2, 3, 10 * n, n, n, n // 50) for n in range(5_000)]
    samples = [Sample(NOW + 60 * n, NOW, *row) for n, row in enumerate(rows)]
    overview = FrontierOverview(10**10, 10**9, 1, {"resting": 999, "retired": 5}, {"done": 5}, None, 1)
    listed = {"resting": [LONG] * 20, "retired": [EVIL] * 20, "paused": ["p.example"]}
    report = make_report(Sources(statuses, [samples], log, found, overview, known, listed, now=NOW + 9e4))
    report.notes.append("the catalogue could not be read")
    return report


@pytest.fixture(scope="module")
def large():
    return report_page(large_report())


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.names, self.links = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.links += [value for name, value in attrs if name in {"href", "src", "action", "data", "poster", "srcset"}]
        if tag not in {"meta", "link", "input", "rect", "path", "br"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.names.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_it_has_at_most_300_kb_whatever_the_size_of_the_crawl(large):
    assert len(large.encode()) <= 300_000


def test_it_is_well_formed_and_refers_to_nothing_elsewhere(large):
    tags = Tags(large)
    assert tags.open in ([], ["html"])
    assert all(link.startswith(("#", "data:,")) for link in tags.links)
    assert tags.names.count("script") == 1
    assert "default-src 'none'" in large


def test_text_of_strangers_is_text(large):
    assert "<script>alert" not in large
    assert "\u202e" not in large
    assert "\x1b" not in large
    assert "&lt;script&gt;alert(1)" in large


def test_every_plot_has_a_title_a_description_and_a_table(large):
    plots = re.findall(r'<figure class="plot">.*?</figure>', large, re.DOTALL)
    assert len(plots) == 7
    for each in plots:
        assert "<title>" in each
        assert "<desc>" in each
        assert "<tbody><tr>" in each


def test_an_empty_crawl_has_a_page():
    text = report_page(make_report(Sources(now=NOW)))
    assert Tags(text).names.count("h2") >= 2
    assert "No record is stored yet" in text


def test_too_early_requests_are_said_first():
    report = large_report()
    assert "nothing is left of 1" in report_page(report)
    log = LogDigest()
    for time in (0.0, 3.0):
        log.add(Visit(at(NOW + time), "http://a.example/x", 200, 1.0, 1, "a.example", 15.0, "page", "", ""), 15.0)
    text = report_page(make_report(Sources(log=log, now=NOW)))
    assert "1 request was sent too soon" in text
    assert "was requested 2.000 s after the last response, and 15.000 s were owed" in text


def test_a_name_of_a_drop_that_a_later_version_brings_is_shown_without_a_sentence():
    report = make_report(Sources(now=NOW))
    report.named = [Named("drop", "brand_new", 3, "", "")]
    assert "brand_new" in report_page(report)


# -- in a browser ---------------------------------------------------------------------------------------------

LAYOUT = """(() => {
  document.querySelectorAll("details").forEach((one) => one.open = OPEN);
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const boxes = [...document.querySelectorAll(".x span, .y span, .key, figcaption b, h2, h3, dt, dd, nav a, .state")]
    .filter((one) => !one.closest("dd dd")).map((one) => [one, one.getBoundingClientRect()])
    .filter(([one, box]) => box.width && box.height);
  const overlaps = [];
  boxes.forEach(([one, a], place) => boxes.slice(place + 1).forEach(([other, b]) => {
    if (!one.contains(other) && !other.contains(one) && a.left < b.right - 1 && b.left < a.right - 1
        && a.top < b.bottom - 1 && b.top < a.bottom - 1) overlaps.push(one.textContent + " / " + other.textContent);
  }));
  const isOutside = ([, box]) => box.left < -1 || box.right > innerWidth + 1;
  const outside = boxes.filter(isOutside).map(([one]) => one.textContent);
  return {wide, overlaps, outside, count: boxes.length};
})()"""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    if browser.PROGRAM is None:
        pytest.skip("there is no Chromium")
    opened = browser.Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def stored(tmp_path_factory, large):
    path = tmp_path_factory.mktemp("page") / "crawl.html"
    path.write_text(large, encoding="utf-8")
    return path.as_uri()


@pytest.mark.slow
@pytest.mark.parametrize("unfolded", ["false", "true"])
@pytest.mark.parametrize("width", [360, 1400])
def test_nothing_overlaps_or_overflows_in_a_browser(chromium, stored, width, unfolded):
    chromium.open(stored, width)
    layout = chromium.value(LAYOUT.replace("OPEN", unfolded))
    assert layout["count"] > 60
    assert layout["wide"] <= 0
    assert layout["overlaps"] == []
    assert layout["outside"] == []


@pytest.mark.slow
def test_a_table_that_scrolls_shows_that_it_does(chromium, stored):
    chromium.open(stored, 390)
    chromium.value("document.querySelectorAll('details').forEach((one) => one.open = true)")
    wide = (
        "[...document.querySelectorAll('*')].filter((one) => one.tagName != 'HTML' && one.scrollWidth > one.clientWidth"
    )
    wide += " + 1 && getComputedStyle(one).overflowX == 'auto')"
    assert chromium.value(f"{wide}.length") >= 4
    # Two covers that move with the table, and two shadows at its edges that they hide where nothing more comes.
    styles = chromium.value(f"{wide}.map((one) => getComputedStyle(one).backgroundAttachment)")
    assert set(styles) == {"local, local, scroll, scroll"}


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_the_browser_requests_nothing_and_logs_nothing(chromium, stored, dark):
    chromium.open(stored, 1400, dark=dark)
    assert [url for url in chromium.requests if not url.startswith("data:")] == [stored]
    assert chromium.messages == []
    ground = chromium.value("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(20, 24, 28)" if dark else "rgb(255, 255, 255)")


@pytest.mark.slow
def test_the_table_of_hosts_is_sorted_and_filtered_without_a_network(chromium, stored):
    chromium.open(stored, 1400)
    column = (
        "[...document.querySelectorAll('table.sorted tbody tr:not([hidden])')].map(row => row.cells[0].textContent)"
    )
    chromium.value("document.querySelectorAll('table.sorted th button')[0].click()")
    names = chromium.value(column)
    assert len(names) == 250
    assert names != sorted(names)
    chromium.value("document.querySelectorAll('table.sorted th button')[0].click()")
    assert chromium.value("document.querySelectorAll('table.sorted th')[0].getAttribute('aria-sort')") == "ascending"
    assert chromium.value(column) == names[::-1]
    chromium.value("filter.value = 'SITE-13.'; filter.dispatchEvent(new Event('input'))")
    assert chromium.value(column) == ["site-13.example"]
