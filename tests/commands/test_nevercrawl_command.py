"""``scrapy nevercrawl``, called as an operator calls it."""

import json
import re
from datetime import UTC, date, datetime

import pytest
from command_line import MEDIACRAWL, run


@pytest.fixture
def folder(tmp_path):
    """Where the crawler is started: a list of the operator's own."""
    (tmp_path / "exclusions").mkdir()
    (tmp_path / "exclusions" / "NeverCrawl.txt").write_text(
        "# ours\nfirst.example  # asked by mail, 2026-11-02\nsecond.example/private/\n192.0.2.0/24\n", "utf-8"
    )
    return tmp_path


def nevercrawl(folder, *words):
    return run(folder, *MEDIACRAWL, "nevercrawl", *words)


def test_a_domain_is_added_with_its_reason_and_the_day_and_it_says_from_when_on_it_counts(folder):
    before = datetime.now(UTC).date()
    done = nevercrawl(folder, "add", "http://New.example/", "--reason", "asked by phone").check()
    (line,) = (folder / "exclusions" / "NeverCrawl.txt").read_text("utf-8").splitlines()[4:]
    written, _, day = line.rpartition(", ")
    assert written == "http://New.example/  # asked by phone"
    assert before <= date.fromisoformat(day) <= datetime.now(UTC).date()
    assert done.out.splitlines() == [
        "new.example is on NeverCrawl: exclusions/NeverCrawl.txt, line 5",
        "A crawl that runs asks nothing there any more within 15 minutes (NEVERCRAWL_RELOAD)",
    ]
    assert nevercrawl(folder, "check", "https://www.new.example/x?y").code == 1
    assert "within 90 s" in nevercrawl(folder, "add", "b.example", "-s", "NEVERCRAWL_RELOAD=90").check().out


def test_what_is_covered_already_is_told_with_its_line(folder):
    before = (folder / "exclusions" / "NeverCrawl.txt").read_bytes()
    done = nevercrawl(folder, "add", "www.first.example/x").check()
    assert done.out == (
        "www.first.example/x is covered already: first.example in exclusions/NeverCrawl.txt, line 2"
        " (asked by mail, 2026-11-02)\n"
    )
    assert (folder / "exclusions" / "NeverCrawl.txt").read_bytes() == before


def test_all_entries_are_listed_with_reason_date_file_and_line(folder):
    (folder / "more.txt").write_text("x.example  # \x1b[31mred\nno domain\n", "utf-8")
    files = ("-s", "NEVERCRAWL_FILES=exclusions/NeverCrawl.txt,none.txt,more.txt")
    done = nevercrawl(folder, "list", *files)
    assert [re.split(r"\s{2,}", line) for line in done.out.splitlines()] == [
        ["first.example", "2026-11-02", "exclusions/NeverCrawl.txt:2", "asked by mail"],
        ["second.example/private", "-", "exclusions/NeverCrawl.txt:3"],
        ["192.0.2.0/24", "-", "exclusions/NeverCrawl.txt:4"],
        ["x.example", "-", "more.txt:1", "\\x1b[31mred"],
    ]
    assert done.code == 1
    assert "none.txt can not be read" in done.err
    assert "more.txt:2: 'no domain' has more than one word" in done.err
    lines = [json.loads(line) for line in nevercrawl(folder, "list", "--json").check().out.splitlines()]
    assert lines[1] == {
        "domain": "second.example",
        "path": "/private",
        "reason": "",
        "date": None,
        "file": "exclusions/NeverCrawl.txt",
        "line": 3,
    }


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        (
            "https://www.first.example/x",
            1,
            "first.example in exclusions/NeverCrawl.txt, line 2 (asked by mail, 2026-11-02)",
        ),
        ("FIRST.example", 1, "first.example in"),
        ("second.example/private/x", 1, "second.example/private in exclusions/NeverCrawl.txt, line 3"),
        ("second.example", 0, "may be asked: no entry covers it"),
        ("192.0.2.9", 1, "192.0.2.0/24 in"),
        ("::ffff:192.0.2.9", 1, "192.0.2.0/24 in"),
        ("2001:db8::1", 0, "may be asked"),
        ("http://[", 2, "is no http or https URL"),
        ("ftp://first.example/", 2, "is no http or https URL"),
    ],
)
def test_check_says_whether_a_url_is_covered_by_its_exit_code_too(folder, asked, code, said):
    done = nevercrawl(folder, "check", asked)
    assert done.code == code
    assert said in (done.err if code == 2 else done.out)
