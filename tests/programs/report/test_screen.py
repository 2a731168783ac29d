"""The screen of ``scrapy top``."""

import os

from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.terms import SiteInfo, SiteState
from mediacrawl.base.text import columns
from mediacrawl.frontier.sqlite.reader import LISTED_ORDERS, LISTED_STATES
from mediacrawl.programs.report.screen import SORTS, STATES, TopView, screen_lines
from mediacrawl.watch.status import CrawlStatus, Sample

NOW = 1_790_000_000.0
EVIL = "\x1b[31m\u202eリング\n"


def site(name, **fields):
    known = {"release": NOW + 42, "delay": 15.0, "crawl_delay": 0.0, "samples": (), "visits": 31, "earned": 4}
    return SiteInfo(**{"name": name, "state": SiteState.WAITING, "waiting": 7, "classes": (), **known, **fields})


def status(**fields):
    known = {
        "written": NOW - 1,
        "began": NOW - 3600,
        "pid": os.getpid(),
        "requests": 1200,
        "records": 90,
        "pages": 800,
        "waiting": 5_000,
        "done": 1_000,
        "sites": {"ready": 1, "waiting": 30, "resting": 2},
        "next_release": NOW + 9,
        "formats": {"audio/mpeg": 80, "audio/ogg": 10},
        "drops": {"robots": 12},
        "finds": [[NOW - 5, "Ночной поезд", "http://a.example/1.mp3", "a.example"]],
        "recent_failures": [[NOW - 50, "b.example", "timeout", "http://b.example/x"]],
    }
    return CrawlStatus(**{**known, **fields})


def view(*statuses, **fields):
    return TopView([f"worker-{place}" for place in range(1, len(statuses) + 1)], statuses, **fields)


def test_it_says_what_was_found_how_fast_and_what_the_crawl_waits_for():
    before = Sample(NOW - 61, NOW - 3600, 1140, 700, 80, 0, 0, 900, 4_000, 0, 0, 0)
    samples = [before, Sample(NOW - 1, NOW - 3600, 1200, 800, 90, 0, 0, 1000, 5_000, 0, 0, 0)]
    lines = screen_lines(
        view(status(), earlier={"worker-1": before}, samples=samples, sites=[site("a.example")]), NOW, 110, 40
    )
    text = "\n".join(lines)
    assert lines[0] == "mediacrawl top · running · after 1 h 00 min"
    assert "90 media files (10 a minute) · 800 pages" in text
    assert "1,200 requests (60 a minute)" in text
    assert "1,000 done · 5,000 waiting · at least 50 min 00 s left" in text
    assert "1 ready · 30 waiting · 2 resting · next in 9.0 s" in text
    assert "audio/mpeg 80 · audio/ogg 10" in text
    assert "Ночной поезд  a.example" in text
    assert "b.example: timeout  http://b.example/x" in text
    assert any(line.split() == ["31", "4", "7", "waiting", "42.0", "s", "a.example"] for line in lines)


def test_processes_are_added_up_and_shown_by_themselves():
    text = "\n".join(screen_lines(view(status(), status(reason="finished"), status(written=NOW - 99)), NOW, 100, 40))
    assert "1 of 3 running · after 1 h 00 min · 3 processes" in text
    assert "270 media files" in text
    assert "worker-2: ended 1.0 s ago: finished" in text
    assert "worker-3: not responding for 1 min 39 s: its process lives and stands still" in text


@given(
    width=st.integers(1, 200),
    height=st.integers(1, 60),
    names=st.lists(st.text(), max_size=50),
    processes=st.integers(0, 5),
    text=st.text(),
)
def test_it_fits_every_terminal_and_obeys_nobody(width, height, names, processes, text):
    known = status(
        finds=[[NOW, text, EVIL, text]] * 12,
        recent_failures=[[NOW, EVIL, text, text]] * 12,
        drops={text: 3},
        reason=text,
    )
    shown = view(*[known] * processes, sites=[site(name) for name in names], message=text)
    lines = screen_lines(shown, NOW, width, height)
    assert len(lines) == height
    assert all(columns(line) <= width for line in lines)
    assert all(line.replace("\u200c", "").replace("\u200d", "").isprintable() for line in lines)


def test_the_selected_site_stays_on_the_screen():
    sites = [site(f"{place}.example") for place in range(100)]
    lines = screen_lines(view(status(), sites=sites, selected="77.example"), NOW, 100, 24)
    assert any(line.startswith("> ") and line.endswith("  77.example") for line in lines)


def test_its_states_and_orders_are_those_of_the_frontier():
    assert SORTS == LISTED_ORDERS
    assert set(STATES) <= set(LISTED_STATES)


def test_nothing_remains_and_nothing_is_ready_after_the_end():
    samples = [Sample(NOW - 61 + n, NOW - 3600, n, n, n, 0, 0, 10 * n, 5_000, 0, 0, 0) for n in range(60)]
    sites = [site("a.example"), site("b.example", state=SiteState.LEASED)]
    running = "\n".join(screen_lines(view(status(), samples=samples, sites=sites), NOW, 110, 40))
    assert "left" in running
    assert "next in" in running
    for ended in (status(reason="shutdown"), status(pid=2**22 + 1), status(written=NOW - 60)):
        earlier = {"worker-1": samples[0]}
        text = "\n".join(screen_lines(view(ended, earlier=earlier, samples=samples, sites=sites), NOW, 110, 40))
        assert " left" not in text
        assert "next in" not in text
        assert "a minute" not in text
        assert "42.0 s" not in text
        assert "leased" not in text
        assert "31 with URLs" in text
