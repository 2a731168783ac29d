"""The lines of one site, found by the index of a packed day; without it the same, only slower."""

import gzip
import json
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import examples

from mediacrawl.observe import RequestLine, RequestLog, archive, finding, packing, site_index
from mediacrawl.observe.finding import Search
from mediacrawl.observe.site_index import IndexWriter, SiteIndex, index_path, site_key

DAY = date(2026, 8, 1)
PLAIN = f"requests-{DAY.isoformat()}.jsonl"
PACKED = f"{PLAIN}.gz"


@pytest.fixture
def small(monkeypatch):
    """Members of a few lines, so that a small file has many."""
    monkeypatch.setattr(packing, "MEMBER", 400)


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


def test_a_packed_day_is_one_gzip_file_with_all_lines_in_their_order(tmp_path, small):
    path, lines = packed(tmp_path, SITES)
    assert gzip.decompress(path.read_bytes()) == lines
    with path.open("rb") as file, SiteIndex(index_path(path), file) as index:
        assert index.members > 100


def test_a_site_is_found_in_few_members_and_no_line_is_missed(tmp_path, small):
    sites = [*SITES, "rare.example", *SITES]
    path, _ = packed(tmp_path, sites)
    with path.open("rb") as file, SiteIndex(index_path(path), file) as index:
        assert len(index.find([site_key(b"rare.example")])) == 1
        assert index.find([site_key(b"never.example")]) == []
    for site in ("rare.example", "site7.example", "never.example"):
        search = Search(site)
        assert numbers(search, tmp_path) == places(sites, site)
        assert (search.whole, search.damaged) == ([], [])


names = st.text(max_size=12) | st.sampled_from(["a.example", 'x","site":"a.example', "\\", '"', "münchen.example"])


@settings(max_examples=examples(60), deadline=None)
@given(sites=st.lists(names, max_size=60), wanted=names, member=st.integers(1, 2_000))
def test_whatever_names_sites_have_the_packed_file_gives_the_lines_of_the_plain_one(
    tmp_path_factory, sites, wanted, member
):
    folder = tmp_path_factory.mktemp("log")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "MEMBER", member)
        lines = written(folder, sites)
        plain = numbers(Search(wanted), folder) if wanted else []
        path = archive.pack(folder / PLAIN)
    assert gzip.decompress(path.read_bytes()) == lines
    # The log writes what no UTF-8 can hold as U+FFFD, and a line without a site is nobody's.
    assert plain == places(sites, wanted) or "\ufffd" in wanted or not wanted
    search = Search(wanted)
    assert (numbers(search, folder) if wanted else []) == plain
    assert search.whole == []


def test_a_url_that_spells_another_site_is_not_taken_for_it(tmp_path):
    with RequestLog(tmp_path, clock=lambda: 0.0) as log:
        log.write(RequestLine(time=0.0, url='https://e.example/","site":"victim.example","x":"', site="e.example"))
        log.write(RequestLine(time=0.0, url="https://e.example/", location='"site":"victim.example"', site="e.example"))
    assert list(Search("victim.example").lines(tmp_path, "requests")) == []
    assert len(list(Search("e.example").lines(tmp_path, "requests"))) == 2


def test_without_its_index_a_day_is_read_whole_and_that_is_told(tmp_path, small):
    path, _ = packed(tmp_path, SITES)
    index_path(path).unlink()
    search = Search("site7.example")
    assert numbers(search, tmp_path) == places(SITES, "site7.example")
    assert search.whole == [PACKED]


def test_the_index_of_an_earlier_state_of_the_file_is_not_believed(tmp_path, small):
    path, _ = packed(tmp_path, SITES[:100])
    old = index_path(path).read_bytes()
    written(tmp_path, SITES[:30])
    archive.tidy(tmp_path, DAY + timedelta(days=1), 31)
    assert numbers(Search("site7.example"), tmp_path) == [7, 57, 7]
    index_path(path).write_bytes(old)
    search = Search("site7.example")
    assert numbers(search, tmp_path) == [7, 57, 7]
    assert search.whole == [PACKED]


@settings(max_examples=examples(30), deadline=None)
@given(place=st.floats(0, 1, exclude_max=True), change=st.integers(1, 255), cut=st.booleans())
def test_a_damaged_index_never_hides_a_line(tmp_path_factory, place, change, cut):
    folder = tmp_path_factory.mktemp("log")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "MEMBER", 400)
        path, _ = packed(folder, SITES)
    raw = bytearray(index_path(path).read_bytes())
    at = int(place * len(raw))
    raw[at] ^= change
    index_path(path).write_bytes(raw[:at] if cut else raw)
    for site in ("site7.example", "never.example"):
        search = Search(site)
        assert numbers(search, folder) == places(SITES, site)
        assert search.damaged == []


def test_of_a_damaged_day_the_sound_members_are_used(tmp_path, small):
    path, _ = packed(tmp_path, SITES)
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 0x55
    path.write_bytes(raw)
    searches = [Search(f"site{number}.example") for number in range(50)]
    kept = [number for search in searches for number in numbers(search, tmp_path)]
    lost = set(range(500)).difference(kept)
    assert 1 <= len(lost) <= 10
    assert len(kept) == len(set(kept))
    assert [each.damaged for each in searches] == [
        [PACKED] if any(number in lost for number in range(place, 500, 50)) else [] for place in range(50)
    ]


def test_a_day_that_was_cut_short_and_has_no_index_is_used_up_to_the_cut(tmp_path, small):
    path, _ = packed(tmp_path, SITES)
    path.write_bytes(path.read_bytes()[:-200])
    search = Search("site7.example")
    found = numbers(search, tmp_path)
    assert found == places(SITES, "site7.example")[: len(found)]
    assert len(found) >= 8
    assert (search.whole, search.damaged) == ([PACKED], [PACKED])


def test_a_start_makes_missing_and_damaged_indexes_anew_also_of_files_of_earlier_versions(tmp_path):
    lines = written(tmp_path, SITES)
    (tmp_path / PLAIN).unlink()
    (tmp_path / PACKED).write_bytes(gzip.compress(lines))
    other = tmp_path / "requests-2026-07-31.jsonl.gz"
    other.write_bytes(gzip.compress(lines))
    index_path(other).write_bytes(b"nonsense")
    archive.tidy(tmp_path, DAY + timedelta(days=1), 31)
    search = Search("site7.example")
    assert numbers(search, tmp_path) == 2 * places(SITES, "site7.example")
    assert search.whole == []


def test_making_an_index_anew_gives_the_index_that_packing_made(tmp_path, small):
    path, _ = packed(tmp_path, SITES)
    made = index_path(path).read_bytes()
    index_path(path).unlink()
    archive.reindex(path)
    assert index_path(path).read_bytes() == made


def test_making_an_index_that_is_told_to_stop_leaves_nothing(tmp_path, small):
    path, _ = packed(tmp_path, SITES)
    index_path(path).unlink()
    archive.reindex(path, stop=lambda: True)
    assert [each.name for each in tmp_path.glob("requests*")] == [PACKED]


def test_an_index_whose_day_was_deleted_goes_too_and_other_files_stay(tmp_path, small):
    path, _ = packed(tmp_path, SITES)
    path.unlink()
    (tmp_path / "holidays.sites").write_text("mine")
    archive.tidy(tmp_path, DAY + timedelta(days=1), 31)
    assert [each.name for each in tmp_path.glob("*.sites")] == ["holidays.sites"]


def test_an_old_day_goes_with_its_index(tmp_path):
    packed(tmp_path, SITES)
    archive.tidy(tmp_path, DAY + timedelta(days=40), 31)
    assert list(tmp_path.glob("requests*")) == []


def test_todays_file_is_read_while_its_last_line_is_being_written(tmp_path):
    lines = written(tmp_path, SITES[:60])
    (tmp_path / PLAIN).write_bytes(
        lines + b'{"time":"2026-08-01T12:00:00.000Z","url":"https://99/","site":"site7.example"'
    )
    assert numbers(Search("site7.example"), tmp_path) == [7, 57]


def test_a_day_that_is_packed_while_it_is_looked_for_is_found(tmp_path, small, monkeypatch):
    packed(tmp_path, SITES)
    monkeypatch.setattr(finding, "files", lambda *_: [(DAY, tmp_path / PLAIN)])
    assert numbers(Search("site7.example"), tmp_path) == places(SITES, "site7.example")


def test_a_day_that_is_removed_while_it_is_looked_for_costs_nothing_else(tmp_path, small, monkeypatch):
    packed(tmp_path, SITES)
    gone = [(DAY, tmp_path / "requests-2026-07-01.jsonl"), (DAY, tmp_path / "requests-2026-07-02.jsonl.gz")]
    monkeypatch.setattr(finding, "files", lambda *_: [*gone, (DAY, tmp_path / PACKED)])
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
    assert search.whole == []
    assert list(Search("a.example").lines(tmp_path, "robots")) == []


def test_a_line_longer_than_a_member_stays_whole(tmp_path, small):
    sites = ["a.example", "x" * 5_000, "a.example"]
    packed(tmp_path, sites)
    assert numbers(Search("a.example"), tmp_path) == [0, 2]


def test_a_file_without_any_line_end_is_packed_within_bounds(tmp_path, monkeypatch):
    monkeypatch.setattr(packing, "_LONGEST", 10_000)
    (tmp_path / PLAIN).write_bytes(b"x" * 3_000_000)
    path = archive.pack(tmp_path / PLAIN)
    assert gzip.decompress(path.read_bytes()) == b"x" * 3_000_000


def test_an_index_of_several_segments_finds_members_of_each(tmp_path, monkeypatch):
    monkeypatch.setattr(site_index, "_ENTRIES", 7)
    path = tmp_path / "x.sites"
    with (tmp_path / "x").open("w+b") as of, path.open("wb") as out:
        of.write(b"0123456789")
        of.flush()
        writer = IndexWriter(out)
        for number in range(50):
            writer.add(1, {site_key(b"often"), site_key(str(number).encode())})
        writer.finish(of)
        out.flush()
        with SiteIndex(path, of) as index:
            assert [member.start for member in index.find([site_key(b"often")])] == list(range(50))
            for number in (0, 23, 49):
                assert number in [member.start for member in index.find([site_key(str(number).encode())])]


def test_lines_that_are_packed_while_they_are_read_come_once(tmp_path):
    """A crawl that was killed had lines left of a day that was packed already; its next start adds them."""

    class Watched(Search):
        def _file(self, path):
            yield from super()._file(path)
            if (tmp_path / PLAIN).exists():
                archive.pack(tmp_path / PLAIN)

    packed(tmp_path, ["a.example", "b.example"])
    late = written(tmp_path, ["b.example", "b.example", "a.example"])
    assert late.count(b"a.example") == 1
    assert numbers(Watched("a.example"), tmp_path) == [0, 2]
    written(tmp_path, ["b.example", "a.example"], PLAIN)
    (tmp_path / PACKED).unlink()
    assert numbers(Watched("a.example"), tmp_path) == [1]
