"""The lines of one site in plain and packed files."""

import gzip
import json
from datetime import date

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.log import archive
from mediacrawl.log import search as log_search
from mediacrawl.log.request_log import RequestLine, RequestLog
from mediacrawl.log.search import Search

DAY = date(2026, 8, 1)
PLAIN = f"requests-{DAY.isoformat()}.jsonl"
PACKED = f"{PLAIN}.gz"


def written(folder, sites, name=PLAIN):
    """A day's file with one line for each site, as the log writes it; the number in the URL is its place."""
    with RequestLog(folder / "fresh", clock=lambda: 0.0) as log:
        for number, site in enumerate(sites):
            log.write(RequestLine(time=0.0, url=f"https://{number}/", site=site))
    (folder / "fresh" / "requests-1970-01-01.jsonl").replace(folder / name)
    return (folder / name).read_bytes()


def packed(folder, sites):
    lines = written(folder, sites)
    return archive.pack(folder / PLAIN), lines


def numbers(search, folder, name="requests"):
    return [int(record["url"].split("/")[2]) for record in search.lines(folder, name)]


def places(sites, wanted):
    return [number for number, site in enumerate(sites) if site == wanted]


SITES = [f"site{number % 50}.example" for number in range(500)]


def test_a_packed_day_is_one_gzip_file_with_all_lines_in_their_order(tmp_path):
    path, lines = packed(tmp_path, SITES)
    assert gzip.decompress(path.read_bytes()) == lines


names = st.text(max_size=12) | st.sampled_from(["a.example", 'x","site":"a.example', "\\", '"', "münchen.example"])


@settings(max_examples=examples(60), deadline=None)
@given(sites=st.lists(names, max_size=60), wanted=names, chunk=st.integers(1, 2_000))
def test_whatever_names_sites_have_the_packed_file_gives_the_lines_of_the_plain_one(
    tmp_path_factory, sites, wanted, chunk
):
    folder = tmp_path_factory.mktemp("log")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(archive, "_CHUNK", chunk)
        lines = written(folder, sites)
        plain = numbers(Search(wanted), folder) if wanted else []
        path = archive.pack(folder / PLAIN)
    assert gzip.decompress(path.read_bytes()) == lines
    # The log writes what no UTF-8 can hold as U+FFFD, and a line without a site is nobody's.
    assert plain == places(sites, wanted) or "\ufffd" in wanted or not wanted
    assert (numbers(Search(wanted), folder) if wanted else []) == plain


def test_a_url_that_spells_another_site_is_not_taken_for_it(tmp_path):
    with RequestLog(tmp_path, clock=lambda: 0.0) as log:
        log.write(RequestLine(time=0.0, url='https://e.example/","site":"victim.example","x":"', site="e.example"))
        log.write(RequestLine(time=0.0, url="https://e.example/", location='"site":"victim.example"', site="e.example"))
    assert list(Search("victim.example").lines(tmp_path, "requests")) == []
    assert len(list(Search("e.example").lines(tmp_path, "requests"))) == 2


def test_a_day_that_was_cut_short_is_used_up_to_the_cut(tmp_path):
    path, _ = packed(tmp_path, SITES)
    path.write_bytes(path.read_bytes()[:-200])
    search = Search("site7.example")
    found = numbers(search, tmp_path)
    assert found == places(SITES, "site7.example")[: len(found)]
    assert len(found) >= 8
    assert search.damaged == [PACKED]


def test_todays_file_is_read_while_its_last_line_is_being_written(tmp_path):
    lines = written(tmp_path, SITES[:60])
    (tmp_path / PLAIN).write_bytes(
        lines + b'{"time":"2026-08-01T12:00:00.000Z","url":"https://99/","site":"site7.example"'
    )
    assert numbers(Search("site7.example"), tmp_path) == [7, 57]


@pytest.mark.parametrize("moment", ["listed", "opened"])
def test_a_day_that_is_packed_or_removed_while_it_is_read_is_found_once(tmp_path, monkeypatch, moment):
    written(tmp_path, SITES)

    def pack_and_give(given):
        if (tmp_path / PLAIN).exists():
            archive.pack(tmp_path / PLAIN)
            if moment == "opened":
                (tmp_path / PACKED).unlink()
        return given

    if moment == "listed":
        gone = [date(2026, 7, 1), DAY]
        monkeypatch.setattr(log_search, "days", lambda *_: pack_and_give(gone))
    else:
        whole_lines = archive._whole_lines
        monkeypatch.setattr(archive, "_whole_lines", lambda pieces: whole_lines(pack_and_give(pieces)))
    search = Search("site7.example")
    assert numbers(search, tmp_path) == places(SITES, "site7.example")
    assert search.damaged == []


def test_days_before_a_date_are_not_read(tmp_path):
    written(tmp_path, ["a.example"], "requests-2026-07-01.jsonl")
    written(tmp_path, ["a.example"], "requests-2026-08-01.jsonl")
    assert len(list(Search("a.example").lines(tmp_path, "requests", date(2026, 8, 1)))) == 1
    assert len(list(Search("a.example").lines(tmp_path, "requests"))) == 2


def test_robots_lines_of_earlier_versions_which_name_no_site_are_found_by_their_host(tmp_path):
    urls = ["https://www.a.example/robots.txt", "https://b.example/robots.txt", "https://[::1]:8000/robots.txt"]
    for name in ("robots-2026-08-01.jsonl", "robots-2026-08-02.jsonl"):
        lines = [json.dumps({"time": "2026-08-01T00:00:00.000Z", "url": url, "text": ""}) + "\n" for url in urls]
        (tmp_path / name).write_text("".join(lines).replace('": "', '":"'))
    archive.pack(tmp_path / "robots-2026-08-01.jsonl")
    search = Search("a.example", ["www.a.example"])
    assert [record["url"] for record in search.lines(tmp_path, "robots")] == 2 * [urls[0]]
    assert list(Search("a.example").lines(tmp_path, "robots")) == []


def test_lines_of_a_day_that_was_packed_already_come_once(tmp_path):
    """A crawl that was killed had lines left; its next start adds them."""
    packed(tmp_path, ["a.example", "b.example"])
    written(tmp_path, ["b.example", "b.example", "a.example"])
    assert numbers(Search("a.example"), tmp_path) == [0, 2]
    late = (tmp_path / PLAIN).read_bytes()
    archive.pack(tmp_path / PLAIN)
    (tmp_path / PLAIN).write_bytes(late)
    assert numbers(Search("a.example"), tmp_path) == [0, 2]
