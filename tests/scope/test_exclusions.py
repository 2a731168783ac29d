"""NeverCrawl: a mistake in the list never opens the gates."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.scope.exclusions import (
    RELOAD_INTERVAL,
    NeverCrawl,
    NeverCrawlError,
    parse_nevercrawl,
)


@pytest.fixture
def listed(tmp_path):
    path = tmp_path / "NeverCrawl.txt"
    path.write_text("# mine\nforbidden.example # asked us\nBücher.example\n", "utf-8")
    return path


def rewrite(path, data):
    path.write_bytes(data)
    stat = path.stat()
    # File systems with coarse clocks: a later write must look later.
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1_000_000_000))


@pytest.mark.parametrize(
    "host",
    [
        "forbidden.example",
        "www.forbidden.example",
        "a.b.c.forbidden.example",
        "WWW.Forbidden.Example.",
        "bücher.example",
        "xn--bcher-kva.example",
        "shop.BÜCHER.example",
    ],
)
def test_a_domain_covers_itself_and_what_is_below(listed, host):
    assert NeverCrawl.load(listed, 0.0).match(host) is not None


@pytest.mark.parametrize("host", ["example", "notforbidden.example", "forbidden.example.org", "", "[::1]"])
def test_it_covers_nothing_else(listed, host):
    assert NeverCrawl.load(listed, 0.0).match(host) is None


def test_an_entry_tells_why_and_where(listed):
    entry = NeverCrawl.load(listed, 0.0).match("www.forbidden.example")
    assert (entry.domain, entry.reason, entry.where) == ("forbidden.example", "asked us", "NeverCrawl.txt:2")


@pytest.mark.parametrize(
    ("line", "host"),
    [
        ("*.a.example", "b.a.example"),
        (".a.example", "a.example"),
        ("http://a.example/", "a.example"),
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:0::7", "[2001:db8::7]"),
        ("[2001:db8::7]", "[2001:db8::7]"),
    ],
)
def test_people_write_domains_in_many_ways(line, host):
    never = NeverCrawl(parse_nevercrawl(line.encode(), "list").entries)
    assert never.match(host)


def test_an_address_is_matched_as_a_whole():
    never = NeverCrawl(parse_nevercrawl(b"2.7\n0.2.8\n", "list").entries)
    assert never.match("192.0.2.7") is None


def test_a_bad_line_is_reported_and_the_others_count():
    parsed = parse_nevercrawl(b"a.example\r\n10.0.0.0/8\nb.example\n\xff\xfe.example\nc.example", "list")
    assert set(parsed.entries) == {"a.example", "b.example", "c.example"}
    assert [line.partition(": ")[0] for line in parsed.bad_lines] == ["list:2", "list:4"]


@pytest.mark.parametrize(
    "data",
    [b"", b"a.example\0b.example", b"<!doctype html>\n<p>Not found</p>\n", bytes(range(1, 256)) * 9],
)
def test_what_is_no_list_is_refused_as_a_whole(data):
    with pytest.raises(NeverCrawlError, match=r"^list "):
        parse_nevercrawl(data, "list")


@pytest.mark.parametrize("data", [b"", b"new.example\0", b"<p>\n<p>\nnew.example"])
def test_a_broken_file_keeps_the_last_good_list_and_says_so(listed, data):
    never = NeverCrawl.load(listed, 0.0)
    rewrite(listed, data)
    assert not never.reload_if_changed(RELOAD_INTERVAL)
    assert never.match("forbidden.example")
    assert not never.match("new.example")
    assert "NeverCrawl.txt" in never.problem
    rewrite(listed, b"new.example\n")
    assert never.reload_if_changed(2 * RELOAD_INTERVAL)
    assert (never.match("forbidden.example"), never.problem) == (None, "")
    assert never.match("new.example")


def test_a_removed_file_is_not_an_empty_list(listed):
    never = NeverCrawl.load(listed, 0.0)
    data = listed.read_bytes()
    listed.unlink()
    assert not never.reload_if_changed(RELOAD_INTERVAL)
    assert never.match("forbidden.example")
    assert str(listed.parent) in never.problem
    listed.write_bytes(data)
    assert never.reload_if_changed(2 * RELOAD_INTERVAL)
    assert never.problem == ""


def test_a_list_of_comments_is_an_empty_list(listed):
    never = NeverCrawl.load(listed, 0.0)
    rewrite(listed, b"# nobody\n")
    assert never.reload_if_changed(RELOAD_INTERVAL)
    assert never.match("forbidden.example") is None


def test_the_file_is_looked_at_once_an_interval(listed):
    never = NeverCrawl.load(listed, 100.0, interval=60.0)
    rewrite(listed, b"new.example\n")
    assert not never.reload_if_changed(159.0)
    assert not never.match("new.example")
    version = never.version
    assert never.reload_if_changed(160.0)
    assert never.match("new.example")
    assert never.version > version
    assert not never.reload_if_changed(220.0)


def test_a_clock_that_was_set_back_does_not_stop_the_looks(listed):
    never = NeverCrawl.load(listed, 1_000_000.0)
    rewrite(listed, b"new.example\n")
    assert never.reload_if_changed(5.0)


def test_the_crawl_does_not_start_without_its_list(tmp_path):
    with pytest.raises(NeverCrawlError, match=r"NeverCrawl.txt can not be read in .*: No such file"):
        NeverCrawl.load(tmp_path / "NeverCrawl.txt", 0.0)
    with pytest.raises(NeverCrawlError, match="can not be read"):
        NeverCrawl.load(tmp_path, 0.0)


def test_several_files_count_together(tmp_path, listed):
    ours = tmp_path / "ours.txt"
    ours.write_text("ours.example\n", "utf-8")
    never = NeverCrawl.load([listed, ours], 0.0)
    assert never.match("forbidden.example")
    assert never.match("ours.example")
    ours.unlink()
    rewrite(listed, b"other.example\n")
    assert never.reload_if_changed(RELOAD_INTERVAL)
    assert never.match("ours.example")
    assert never.match("other.example")
    assert never.match("forbidden.example") is None


def test_many_bad_lines_are_reported_shortly(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text("\n".join(f"h{n}.example\n?{n}" for n in range(500)), "utf-8")
    never = NeverCrawl.load(path, 0.0)
    assert len(never.entries) == 500
    assert len(never.bad_lines) == 101
    assert never.bad_lines[-1] == "... and 400 more bad lines."


@given(st.binary(max_size=200))
def test_any_bytes_are_a_list_or_refused(data):
    try:
        parsed = parse_nevercrawl(data, "list")
    except NeverCrawlError:
        return
    assert NeverCrawl(parsed.entries).match("a.example") in {None, *parsed.entries.values()}


def test_the_list_that_comes_with_it_is_good(exclusions):
    never = NeverCrawl.load(exclusions / "NeverCrawl.txt", 0.0)
    assert never.bad_lines == []
    assert never.match("www.nevercrawl.example")
