"""What is in the next queue, and in what order."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from segment_run import DAY, go, rows_of, write_lines

from mediacrawl.priority import first_score
from mediacrawl.records import Kind
from mediacrawl.scope import MEDIA_EXTENSIONS, Scope, canonical, site_of
from mediacrawl.scope.extensions import extension_of
from mediacrawl.segment import Rules

pytest.importorskip("duckdb", reason="pip install 'mediacrawl[segment]'")


HOSTS = st.sampled_from(["a.example", "www.a.example", "b.example", "B.EXAMPLE:80", "c.example", "", "x y"])
PATHS = st.sampled_from(["", "/", "/a/../b", "/b", "/song.mp3", "/?b=1&a=2", "/?a=2&b=1", "/%7ex", "/~x", "/b#here"])
SCHEMES = st.sampled_from(["http://", "HTTP://", "https://", "ftp://", "mailto:", ""])
LINKS = st.fixed_dictionaries(
    {"url": st.builds("{}{}{}".format, SCHEMES, HOSTS, PATHS).filter(bool)},
    optional={
        "score": st.sampled_from([None, 0.0, 0.25, 1.0, 7.5, -1.0]),
        "depth": st.sampled_from([None, 0, 1, 2, 30]),
        "parent": st.sampled_from(["http://p.example/", "http://q.example/"]),
    },
)


def expected(links, seen, max_depth, per_site):
    """The queue, by the shortest program that can be written for it."""
    known = {canonical(url) for url in seen}
    best, scope = {}, Scope(today=lambda: DAY)
    for link in links:
        url = canonical(link["url"])
        if url is None:
            continue
        row = best.setdefault(url, {"depth": None, "score": None, "parent": link.get("parent"), "links": 0})
        score, depth = link.get("score"), link.get("depth")
        row["links"] += 1
        if score is not None and (row["score"] is None or score > row["score"]):
            row["score"], row["parent"] = score, link.get("parent")
        if depth is not None and (row["depth"] is None or depth < row["depth"]):
            row["depth"] = depth
    sites = {}
    for url, row in best.items():
        if url in known or (row["depth"] or 0) > max_depth or scope.check(url):
            continue
        first = first_score(Kind.MEDIA if extension_of(url) in MEDIA_EXTENSIONS else Kind.PAGE)
        score = first if row["score"] is None else row["score"]
        found = (url, score, row["depth"] or 0, row["parent"] or "", row["links"])
        sites.setdefault(site_of(url), []).append(found)
    for rows in sites.values():
        rows.sort(key=lambda row: (-row[1], row[0]))
    kept = sorted(((site, rows[:per_site]) for site, rows in sites.items()), key=lambda each: (-each[1][0][1], each[0]))
    return [row for _, rows in kept for row in rows]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    links=st.lists(LINKS, max_size=25),
    seen=st.lists(st.builds("{}{}{}".format, SCHEMES, HOSTS, PATHS).filter(bool), max_size=4),
    per_site=st.sampled_from([None, 1, 2]),
)
def test_the_queue_is_what_a_plain_program_makes_of_the_links(tmp_path, links, seen, per_site):
    source = write_lines(tmp_path / "links.jl", links)
    before = write_lines(tmp_path / "seen.jl", [{"url": url} for url in seen])
    out = tmp_path / "next.jl"
    result = go(source, out, seen=[before], max_depth=20, per_site=per_site, force=True)
    rows = [(row["url"], row["score"], row["depth"], row["parent"], row["links"]) for row in rows_of(out)]
    assert rows == expected(links, seen, 20, per_site)
    assert result.links == len(links)
    assert result.links == result.repeated + sum(result.left_out.values()) + result.written
    assert result.written == len(rows)


def test_sites_come_by_their_best_score_and_urls_of_a_site_by_their_own(tmp_path):
    source = write_lines(
        tmp_path / "links.jl",
        [
            {"url": "http://low.example/", "score": 0.1},
            {"url": "http://high.example/2", "score": 0.2},
            {"url": "http://mid.example/", "score": 0.5},
            {"url": "http://www.high.example/1", "score": 0.9},
            {"url": "http://also.example/", "score": 0.5},
        ],
    )
    result = go(source, tmp_path / "next.txt")
    assert (tmp_path / "next.txt").read_text().split() == [
        "http://www.high.example/1",
        "http://high.example/2",
        "http://also.example/",
        "http://mid.example/",
        "http://low.example/",
    ]
    assert (result.written, result.sites) == (5, 4)


def test_of_equal_links_the_first_gives_the_words_and_the_best_gives_the_score(tmp_path):
    source = write_lines(
        tmp_path / "links.jl",
        [
            {"url": "http://a.example/x", "score": 0.5, "depth": 4, "anchor": "first", "via": "a", "hops": 1},
            {"url": "http://a.example:80/x", "score": 0.7, "depth": 5, "anchor": "best", "via": "audio", "hops": 2},
            {"url": "http://a.example/x#end", "score": 0.7, "depth": 3, "anchor": "late", "kind": "media"},
        ],
    )
    go(source, tmp_path / "next.jl")
    (row,) = rows_of(tmp_path / "next.jl")
    assert row == {
        "url": "http://a.example/x", "site": "a.example", "link_class": "a.example/x", "kind": "page", "score": 0.7,
        "depth": 3, "hops": 2, "parent": "", "via": "audio", "anchor": "best", "links": 3,
    }  # fmt: skip


def test_every_refusal_of_scope_is_counted_under_its_name(tmp_path):
    (tmp_path / "extensions.txt").write_text("zip\n")
    (tmp_path / "never.txt").write_text("bad.example # asked us not to\n")
    (tmp_path / "include.txt").write_text("a.example\nre:/music/\n")
    rules = Rules(
        DAY,
        max_length=100,
        extensions=tmp_path / "extensions.txt",
        nevercrawl=(tmp_path / "never.txt",),
        include=tmp_path / "include.txt",
    )
    urls = {
        "http://a.example/fine": None,
        "http://b.example/music/": None,
        "http://a.example/x.zip": "extension",
        "http://sub.bad.example/music/": "nevercrawl",
        "http://c.example/": "not_included",
        "http://a.example/" + "x" * 100: "length",
        "http://a.example/" + "y" * 2000: "length",
        "http://a.example/a/a/a/a/a": "trap_repeat",
        "http://a.example/calendar/2031/05/": "trap_calendar",
        "mailto:x@a.example": "scheme",
        "http:// /": "bad_url",
        "http://a.example/seen": "seen",
    }
    links = [{"url": url} for url in urls] + [{"url": "http://a.example/deep", "depth": 3}]
    source = write_lines(tmp_path / "links.jl", links)
    before = write_lines(tmp_path / "seen.txt", ["http://a.example:80/seen#top"])
    result = go(source, tmp_path / "next.txt", rules=rules, seen=[before], max_depth=2)
    reasons = [reason for reason in urls.values() if reason] + ["depth"]
    assert result.left_out == {reason: reasons.count(reason) for reason in reasons}
    assert set((tmp_path / "next.txt").read_text().split()) == {url for url, reason in urls.items() if not reason}


def test_the_whole_limit_takes_the_head_of_the_queue(tmp_path):
    source = write_lines(tmp_path / "links.txt", [f"http://site{number}.example/" for number in range(9)])
    result = go(source, tmp_path / "next.txt", limit=4)
    assert (tmp_path / "next.txt").read_text().split() == [f"http://site{number}.example/" for number in range(4)]
    assert result.left_out == {"limit": 5}


@pytest.mark.parametrize("jobs", [2, 3])
def test_several_processes_and_little_memory_give_the_same_bytes(tmp_path, jobs):
    links = [
        {"url": f"http://s{number % 97}.example/{number * 31 % 4001}", "score": number % 7 / 7, "parent": str(number)}
        for number in range(9000)
    ]
    source = write_lines(tmp_path / "links.jl", links)
    go(source, tmp_path / "one.jl", memory=800_000_000)
    go(source, tmp_path / "several.jl", memory=jobs * 100_000_000, jobs=jobs)
    assert (tmp_path / "one.jl").read_bytes() == (tmp_path / "several.jl").read_bytes()
    assert len(rows_of(tmp_path / "one.jl")) == len({json.dumps(link["url"]) for link in links})
