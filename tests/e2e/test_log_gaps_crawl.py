"""The disk of the request log is full for a while: whatever is read from the log says that lines are missing."""

import pytest
from crawling import Crawl
from lists_web import ListsWeb
from small_disk import small_disk

from mediacrawl.log.archive import read
from mediacrawl.log.request_log import LINES_LOST

SITES = 6
PAGES = 4
ROOM = 4 * 4096
"""Bytes that are left on the disk of the log: for both files, the slots, and little more."""


class Pages(ListsWeb):
    """Sites of a few pages, all in a chain."""

    def start(self):
        super().start()
        for number in range(SITES):
            host = f"site{number}"
            for page in range(PAGES):
                link = f"<a href='/{page + 1}{'x' * 900}'>next</a>" if page < PAGES - 1 else ""
                path = f"/{page}{'x' * 900}" if page else "/"
                self.put(host, path, f"<title>{page} of {host}</title><p>{host}, page {page}</p>{link}")
        self.seeds = [self.url(f"site{number}", "/") for number in range(SITES)]


@pytest.fixture
def crawl(tmp_path):
    with Pages() as web, small_disk(tmp_path / "state" / "log", 256 << 10, ROOM), Crawl(web, tmp_path) as crawl:
        yield crawl


def make_room(crawl):
    (crawl.folder / "state" / "log" / "filler").unlink()


def missing(crawl):
    """Requests that the server saw and the log does not have, and what the log says of them."""
    lines = list(read(crawl.folder / "state" / "log"))
    sent = sum(line["duration"] is not None for line in lines)
    return len(crawl.web.settled_log()) - sent, [line for line in lines if line["error"] == LINES_LOST]


def judge_uses(crawl):
    """The summary is not looked at: a killed crawl has none."""
    for host in (f"site{SITES - 1}", "never-asked"):
        answer = crawl.command("complaint", f"{host}.example")
        assert "is not complete" in " ".join(answer.stdout.split()), answer.stdout
        assert "its disk refused" in answer.stdout
        assert "somebody else" not in answer.stdout
        assert "Nothing was asked" not in answer.stdout
    crawl.command("report", "-o", str(crawl.folder / "report.html"))
    assert "the request log has gaps" in (crawl.folder / "report.html").read_text(encoding="utf-8")


def test_a_log_whose_disk_stays_full_says_that_lines_are_missing(crawl):
    crawl.run("-s", "POLITENESS_FACTOR=0")
    lost, _ = missing(crawl)
    assert lost > 0
    assert "lost: the disk refused them" in crawl.text()
    judge_uses(crawl)
    assert "lost: the disk refused them" in crawl.command("top", "--once").stdout
    # The next start finds the number where the first one left it.
    make_room(crawl)
    crawl.run("-s", "POLITENESS_FACTOR=0", seed="")
    still_lost, gaps = missing(crawl)
    assert still_lost == lost
    assert sum(gap["lost"] for gap in gaps) >= lost
    judge_uses(crawl)


@pytest.mark.parametrize("killed", [False, True])
def test_a_log_that_can_be_written_again_has_a_line_for_its_gap(crawl, killed):
    crawl.start("-s", "POLITENESS_FACTOR=0")
    crawl.until(lambda log: "lines are lost until" in crawl.text() and len(log) >= SITES * PAGES)
    if killed:
        crawl.kill()
        judge_uses(crawl)
    make_room(crawl)
    if killed:
        crawl.start("-s", "POLITENESS_FACTOR=0", seed="")
    assert crawl.wait() == 0
    lost, gaps = missing(crawl)
    assert lost > 0
    assert sum(gap["lost"] for gap in gaps) >= lost
    judge_uses(crawl)
