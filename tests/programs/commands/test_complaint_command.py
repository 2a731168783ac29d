"""``scrapy complaint``, called as an operator calls it who has just got a mail."""

import gzip
import json
from datetime import UTC, datetime, timedelta

import pytest
from command_line import MEDIACRAWL, crawl, run

from mediacrawl.log import archive
from mediacrawl.log.request_log import RequestLine, RequestLog
from mediacrawl.programs.demo.answers import Resource

DAY = 86_400.0
FIRST = 1_785_585_600.0  # 2026-08-01 12:00:00 UTC
EVIL = "https://www.a.example/\x1b]0;owned\x07\x9b2J"


class Log:
    """A request log that is written as a crawl would have, some days ago."""

    def __init__(self, folder):
        self.folder = folder
        self.now = FIRST

    def __enter__(self):
        self._log = RequestLog(self.folder, keep_days=10_000, clock=lambda: self.now)
        return self

    def __exit__(self, *_):
        self._log.wait()
        self._log.close()

    def asked(self, after, path="/", host="www.a.example", **fields):
        """A request so many seconds after the first one, half a second long."""
        self.now = FIRST + after
        sent = {"status": 200, "duration": 0.5, "bytes": 1_000, "kind": "page", "delay": 15.0, "address": "192.0.2.7"}
        site = host.removeprefix("www.")
        line = {"time": self.now, "url": f"https://{host}{path}", "site": site, **sent, **fields}
        self._log.write(RequestLine(**line))

    def robots(self, after, text, status=200, host="www.a.example"):
        self.now = FIRST + after
        authority = f"https://{host}"
        url, site = f"{authority}/robots.txt", host.removeprefix("www.")
        self._log.write_robots(self.now, url, status, text.encode(), authority=authority, site=site)


@pytest.fixture
def folder(tmp_path):
    """Three days of a crawl that behaved to a.example, and did not to b.example."""
    with Log(tmp_path / ".mediacrawl" / "log") as log:
        log.asked(0, "/robots.txt", kind="robots")
        log.robots(0.5, "User-agent: *\nDisallow: /private/\n")
        log.asked(3, host="b.example")
        for number in range(1, 40):
            log.asked(20 * number, f"/{number}", status=404 if number == 7 else 200)
        log.asked(900, "/private/x", status=None, duration=None, drop="robots", error="RefusedRequest", bytes=0)
        log.asked(DAY - 60, "/robots.txt", kind="robots")
        log.robots(DAY - 59, "User-agent: *\nDisallow: /private/\n")
        log.asked(DAY, "/busy", status=503, retry_after="600", bytes=0)
        log.asked(DAY + 700, "/later")
        log.asked(DAY + 710, host="b.example")
        log.asked(2 * DAY - 70, "/robots.txt", kind="robots")
        log.robots(2 * DAY - 69, "User-agent: *\nDisallow: /secret/\n")
        log.asked(2 * DAY, "/private/now-free", location=EVIL)
    return tmp_path


def complaint(folder, *words):
    return run(folder, *MEDIACRAWL, "complaint", *words)


def words_of(done):
    """The output without the line breaks of the letter."""
    return " ".join(done.out.split())


def test_an_operator_gets_sums_robots_txt_the_judgement_the_list_and_a_draft(folder):
    done = complaint(folder, "a.example").check()
    assert done.out.startswith("a.example with all its hosts (log since 2026-08-01)\n")
    for text in (
        "requests      45, all by GET, 44 KB of answers",
        "2026-08-01 12:00:00 to 2026-08-03 12:00:00 UTC",
        "busiest hour  2026-08-01 12:00 to 13:00 UTC, 40 requests",
        "gaps          least 19.5 s, median 19.5 s",
        "answers       200 43, 404 1, 503 1",
        "not asked     robots 1",
        "  2026-08-01 12:00:00 UTC  200, 34 B: what it says to us\n        User-agent: *\n        Disallow: /private/",
        "the same 1 time more, last on 2026-08-02 11:59:01",
        "  2026-08-03 11:58:51 UTC  200, 33 B: what it says to us\n        User-agent: *\n        Disallow: /secret/",
        "\nWe behaved.\n",
        "The last 20 of 46 lines",
        "Retry-After: 600",
        "Subject: Our crawler on a.example",
        "We found none",
        "    User-agent: mediacrawl\n    Disallow: /",
        "[your name and address: set MEDIACRAWL_CONTACT]",
    ):
        assert text in done.out, done.out
    assert len([line for line in done.out.splitlines() if "200     1000" in line]) == 18


def test_a_breach_is_told_with_its_lines_and_apologized_for_and_the_exit_code_says_so(folder):
    strict = ("-s", "POLITENESS_MIN_DELAY=600", "-s", "MEDIACRAWL_CONTACT=https://me.example/bot")
    done = complaint(folder, "b.example", "-s", "MEDIACRAWL_OPERATOR=The Archive", *strict)
    assert done.code == 3, done.err
    assert "We did not behave: 1 of 2 requests was wrong (robots_unknown 1)." in done.out
    assert "Not proved: of 1 request " in done.out
    assert "asked before the robots.txt of its host was read" in words_of(done)
    assert "! 2026-08-02 12:11:50.000" in done.out
    assert "we apologize for it" in words_of(done)
    assert "\nThe Archive\nhttps://me.example/bot\n" in done.out
    late = words_of(complaint(folder, "a.example", *strict))
    assert "asked 19.5 s after the answer to 2026-08-01 12:00:00.000" in late
    assert "600 s were owed" in late


def test_nothing_that_a_server_sent_reaches_the_terminal_or_the_draft_raw(tmp_path):
    with Log(tmp_path / "log") as log:
        log.robots(0, "User-agent: *\nDisallow: /\x1b[2Jx\u202e\n")
        log.asked(
            1, "/\x1b]0;owned\x07", error="\x9b2J", address="\x1bc", kind="\x1bc", retry_after="\x1bc", status=429
        )
    done = complaint(tmp_path, "a.example", "--log", "log")
    for text in (done.out, done.err):
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(text)
    assert "\\x1b]0;owned" in done.out


def test_a_host_or_a_url_means_its_site_and_can_narrow_it(folder):
    with Log(folder / ".mediacrawl" / "log") as log:
        log.asked(3 * DAY, host="media.a.example", site="a.example")
    assert "requests      46," in complaint(folder, "https://media.a.example/x?y#z").out
    assert "requests      46," in complaint(folder, "WWW.a.example.").out
    narrow = complaint(folder, "media.a.example", "--host").out
    assert narrow.startswith("media.a.example alone")
    assert "requests      1," in narrow
    by_prefix = complaint(folder, "a.example", "--url", "https://www.a.example/3").check().out
    assert "requests      11," in by_prefix
    assert "Subject: Our crawler on a.example" in by_prefix
    assert "is no URL of a.example" in complaint(folder, "a.example", "--url", "https://b.example/").err


def test_with_block_the_site_is_on_the_list_and_the_draft_says_from_when_on(folder):
    (folder / "never.txt").write_text("# mine\nother.example\n")
    before = datetime.now(UTC)
    done = complaint(folder, "www.a.example", "--block", "-s", "NEVERCRAWL_FILES=never.txt").check()
    line = (folder / "never.txt").read_text().splitlines()[-1]
    assert line.startswith("a.example ")
    assert "complaint" in line
    assert any(day.strftime("%Y-%m") in line for day in (before, datetime.now(UTC)))
    assert "We have put a.example and all hosts below it on the list" in done.out
    assert "Disallow: /\n\nThey" not in done.out
    again = complaint(folder, "a.example", "--block", "-s", "NEVERCRAWL_FILES=never.txt").check()
    assert "covered already" in again.err
    assert len((folder / "never.txt").read_text().splitlines()) == 3


def test_a_request_after_the_domain_was_listed_is_a_breach(folder):
    (folder / "never.txt").write_text("a.example  # asked by phone, 2026-08-02\n")
    done = complaint(folder, "a.example", "-s", "NEVERCRAWL_FILES=never.txt")
    assert done.code == 3
    assert "We did not behave: 2 of 45 requests were wrong (nevercrawl 2)." in done.out
    assert "list of domains never to be asked: a.example, never.txt:1, of 2026-08-02" in words_of(done)


def test_without_a_log_one_sentence_says_so_but_the_site_is_blocked(tmp_path):
    done = complaint(tmp_path, "a.example")
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert "There is no request log in" in done.err
    assert not (tmp_path / ".mediacrawl").exists()
    (tmp_path / "log").mkdir()
    assert "no crawl has run there" in complaint(tmp_path, "a.example", "--log", "log").err
    (tmp_path / "never.txt").write_text("# mine\n")
    blocked = complaint(tmp_path, "a.example", "--block", "-s", "NEVERCRAWL_FILES=never.txt")
    assert blocked.code == 1
    assert "a.example" in (tmp_path / "never.txt").read_text()


def test_a_log_without_a_line_denies_nothing(tmp_path):
    """As the disk leaves it that was full from the start."""
    (tmp_path / ".mediacrawl" / "log").mkdir(parents=True)
    (tmp_path / ".mediacrawl" / "log" / "requests-2026-08-01.jsonl").touch()
    done = run(tmp_path, *MEDIACRAWL, "complaint", "a.example")
    assert done.code == 1
    assert "has no line, so nothing can be said of any site" in done.err
    assert "Kind regards" not in done.out


def cut_within_a_line(log):
    log.write_bytes(log.read_bytes()[:-30])


def tear_a_line(log):
    lines = log.read_bytes().splitlines()
    log.write_bytes(b"\n".join([lines[0][:40], *lines[1:], b""]))


def overwrite_a_page(log):
    data = log.read_bytes()
    log.write_bytes(data[:20] + bytes(100) + data[120:])


def remove(log):
    log.unlink()


def unpacked(log):
    plain = log.with_suffix("")
    plain.write_bytes(gzip.decompress(log.read_bytes()))
    log.unlink()
    return plain


@pytest.mark.parametrize("damage", [cut_within_a_line, tear_a_line, overwrite_a_page, remove])
@pytest.mark.parametrize("plain", [True, False])
def test_a_letter_denies_nothing_if_the_log_is_not_complete(folder, damage, plain):
    packed = folder / ".mediacrawl" / "log" / "requests-2026-08-02.jsonl.gz"
    day = unpacked(packed) if plain else packed
    if not plain and damage is tear_a_line:
        damage(unpacked(packed))
    else:
        damage(day)
    done = complaint(folder, "never.example").check()
    words = words_of(done)
    assert "it is not complete, so we may have sent some" in words
    assert "uses our name" not in words
    assert "2026-08-02" in words
    assert "Nothing was asked" not in words
    assert "holds no request there, and is not complete" in words


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ({"written": FIRST + 5 * DAY}, "There is no log of 2026-08-04, 2026-08-05, 2026-08-06"),
        ({"written": FIRST + 2 * DAY, "lost_lines": 7}, "7 lines could not be written"),
    ],
)
def test_a_letter_knows_of_what_the_log_lost_from_the_state_of_the_crawl(folder, state, sentence):
    (folder / ".mediacrawl" / "status.json").write_text(json.dumps(state))
    words = words_of(complaint(folder, "never.example"))
    assert sentence in words
    assert "uses our name" not in words


def test_a_real_crawl_behaved_while_it_runs_and_after_it(tmp_path, site):
    site.at("/robots.txt", Resource(b"User-agent: *\nDisallow: /private/\nCrawl-delay: 0.3\n"))
    site.page("/", "/a", "/private/b", "/busy")
    site.page("/a")
    site.status("/busy", 503, ("Retry-After", "1"))
    crawl(tmp_path, {"FRONTIER_ATTEMPTS": 1}, seed=site.url()).check()
    assert {"/", "/a", "/busy"} <= set(site.paths)
    done = complaint(tmp_path, site.url("/some/page"), "-s", "POLITENESS_MIN_DELAY=0.05").check()
    assert "We behaved." in done.out
    assert f"requests      {len(site.log)}," in done.out
    assert "not asked     robots 1" in done.out
    assert "Crawl-delay: 0.3" in done.out
    assert "Retry-After: 1" in done.out
    assert "addresses     127.0.0.1" in done.out
    forgetful = complaint(tmp_path, "127.0.0.1")
    assert forgetful.code == 3
    later = datetime.now(UTC).date() + timedelta(days=2)
    archive.tidy(tmp_path / ".mediacrawl" / "log", later, 31)
    packed = complaint(tmp_path, "127.0.0.1", "-s", "POLITENESS_MIN_DELAY=0.05").check()
    assert packed.out == done.out
