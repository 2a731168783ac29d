"""What is in the next queue, and in what order."""

import json

import pytest
from harness import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from segment_run import DAY, go, rows_of, write_lines

from mediacrawl.base.terms import Kind
from mediacrawl.priority.links import Scores
from mediacrawl.programs.segment import Rules
from mediacrawl.programs.segment.examine import Examiner
from mediacrawl.scope import Scope, ScopeRules, canonical, site_of, spelling
from mediacrawl.scope.gate import Traps
from mediacrawl.scope.urls import MEDIA_EXTENSIONS, extension_of

pytest.importorskip("duckdb", reason="pip install -e '.[segment]'")


HOSTS = st.sampled_from(["a.example", "www.a.example", "b.example", "B.EXAMPLE:80", "c.example", "", "x y"])
PATHS = st.sampled_from(["", "/", "/a/../b", "/b", "/song.mp3", "/?b=1&a=2", "/?a=2&b=1", "/%7ex", "/~x", "/b#here"])
SCHEMES = st.sampled_from(["http://", "HTTP://", "https://", "ftp://", "mailto:", ""])
LINKS = st.fixed_dictionaries(
    {"url": st.builds("{}{}{}".format, SCHEMES, HOSTS, PATHS).filter(bool)},
    optional={
        "score": st.sampled_from([None, 0.0, 0.25, 1.0, 7.5, -1.0]),
        "depth": st.sampled_from([None, 0, 1, 2, 30]),
        "parent": st.sampled_from(["http://p.example/", "http://q.example/"]),
        "via": st.sampled_from(["a", "feed", "seed", "audio"]),
        "kind": st.sampled_from(["page", "media", "robots", None]),
    },
)


def expected(links, seen, max_depth, per_site):
    """The queue, by the shortest program that can be written for it."""
    known = {canonical(url) for url in seen}
    best, scope, scores = {}, Scope(today=lambda: DAY), Scores()
    for link in links:
        url = canonical(link["url"])
        if url is None:
            continue
        row = best.setdefault(url, {"depth": None, "score": None, "link": link, "links": 0})
        score, depth = link.get("score"), link.get("depth")
        row["links"] += 1
        if score is not None and (row["score"] is None or score > row["score"]):
            row["score"], row["link"] = score, link
        if depth is not None and (row["depth"] is None or depth < row["depth"]):
            row["depth"] = depth
    sites = {}
    for url, row in best.items():
        if url in known or (row["depth"] or 0) > max_depth or scope.check(url):
            continue
        link, depth, extension = row["link"], row["depth"] or 0, extension_of(url)
        kind = link.get("kind") if link.get("kind") in ("page", "media") else None
        kind = kind or ("media" if extension in MEDIA_EXTENSIONS else "page")
        first = scores.first(Kind(kind), link.get("via", "a"), depth, extension)
        score = first if row["score"] is None else row["score"]
        written = spelling(link["url"]).requested
        found = (written, kind, score, depth, link.get("parent", ""), link.get("via", ""), row["links"])
        sites.setdefault(site_of(url), []).append(found)
    for rows in sites.values():
        rows.sort(key=lambda row: (-row[2], row[0]))
    kept = sorted(((site, rows[:per_site]) for site, rows in sites.items()), key=lambda each: (-each[1][0][2], each[0]))
    return [row for _, rows in kept for row in rows]


@pytest.mark.slow
@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    links=st.lists(LINKS, max_size=25),
    seen=st.lists(st.builds("{}{}{}".format, SCHEMES, HOSTS, PATHS).filter(bool), max_size=4),
    per_site=st.sampled_from([None, 1, 2]),
)
def test_the_queue_is_what_a_plain_program_makes_of_the_links(tmp_path, links, seen, per_site):
    source = write_lines(tmp_path / "links.jl", links)
    before = write_lines(tmp_path / "seen.jl", [{"url": url} for url in seen])
    out = tmp_path / "next.jl"
    rules = Rules(DAY, ScopeRules(max_depth=20))
    result = go(source, out, rules=rules, seen=[before], per_site=per_site, force=True)
    columns = ("url", "kind", "score", "depth", "parent", "via", "links")
    rows = [tuple(row[name] for name in columns) for row in rows_of(out)]
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
    scope = ScopeRules(
        traps=Traps(max_length=100, max_parameters=2),
        max_depth=2,
        extensions=tmp_path / "extensions.txt",
        nevercrawl=(tmp_path / "never.txt",),
    )
    rules = Rules(DAY, scope, include=tmp_path / "include.txt")
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
        "http://a.example/?one=1&two=2&three=3": "trap_facets",
        "mailto:x@a.example": "scheme",
        "http:// /": "bad_url",
        "http://a.example/seen": "seen",
    }
    links = [{"url": url} for url in urls] + [{"url": "http://a.example/deep", "depth": 3}]
    source = write_lines(tmp_path / "links.jl", links)
    before = write_lines(tmp_path / "seen.txt", ["http://a.example:80/seen#top"])
    result = go(source, tmp_path / "next.txt", rules=rules, seen=[before])
    reasons = [reason for reason in urls.values() if reason] + ["depth"]
    assert result.left_out == {reason: reasons.count(reason) for reason in reasons}
    assert set((tmp_path / "next.txt").read_text().split()) == {url for url, reason in urls.items() if not reason}


def test_a_session_id_is_taken_out_as_in_a_crawl(tmp_path):
    written = [
        f"http://a.example/x?{name}={value * 5}a&y=1" for name in ("PHPSESSID", "token") for value in ("1b2c", "3d4e")
    ]
    source = write_lines(tmp_path / "links.txt", written)
    before = write_lines(tmp_path / "seen.txt", ["http://a.example/seen;jsessionid=0123456789abcdef0"])
    source.write_text(source.read_text() + "http://a.example/seen\na.example/y?sid=0123456789abcdef\n")
    result = go(source, tmp_path / "next.txt", seen=[before])
    assert sorted((tmp_path / "next.txt").read_text().split()) == [
        "http://a.example/x?token=1b2c1b2c1b2c1b2c1b2ca&y=1",
        "http://a.example/x?token=3d4e3d4e3d4e3d4e3d4ea&y=1",
        "http://a.example/x?y=1",
        "https://a.example/y",
    ]
    assert (result.repeated, result.left_out) == (1, {"seen": 1})
    go(source, tmp_path / "left.txt", rules=Rules(DAY, ScopeRules(session_names=("token",))))
    assert "http://a.example/x?PHPSESSID=1b2c1b2c1b2c1b2c1b2ca&y=1" in (tmp_path / "left.txt").read_text()
    assert "token" not in (tmp_path / "left.txt").read_text()


SESSIONS = st.sampled_from(["/?a=0123456789abcdef", "/;A=0123456789abcdef", "/(S(0123456789abcdefghijkl))/x"])


@given(st.builds("{}{}{}".format, SCHEMES, HOSTS.filter(bool), PATHS | SESSIONS).filter(lambda url: "://" in url))
def test_a_url_is_examined_as_the_links_of_a_page_are(url):
    rules = Rules(DAY, ScopeRules(traps=Traps(max_length=18), session_names=("a",)))
    scope = Scope(lambda: DAY, ScopeRules(traps=Traps(max_length=18), session_names=("a",)))
    accepted, drops = scope.sift("http://other.example/", [url])
    found = Examiner(rules)([url])
    assert [name.requested for _, name in accepted] == (found.url if found.reason == [None] else [])
    drops.pop("session", None)
    assert list(drops) == [reason for reason in found.reason if reason]


def test_the_rules_for_scores_count(tmp_path):
    links = [
        {"url": "http://a.example/page"},
        {"url": "http://a.example/feed", "via": "feed"},
        {"url": "http://a.example/list.pls", "depth": 2},
        {"url": "http://a.example/song.mp3", "depth": 1},
        {"url": "http://a.example/stated", "score": 0.45},
    ]
    source = write_lines(tmp_path / "links.jl", links)
    rules = Rules(DAY, scores=Scores({"media": 0.5, ".pls": 0.8, "page": 0.1, "feed": 0.2, "depth": -0.1}))
    go(source, tmp_path / "next.jl", rules=rules)
    found = {row["url"].rpartition("/")[2]: row["score"] for row in rows_of(tmp_path / "next.jl")}
    assert list(found) == ["list.pls", "stated", "song.mp3", "feed", "page"]
    assert found == pytest.approx({"list.pls": 0.6, "stated": 0.45, "song.mp3": 0.4, "feed": 0.2, "page": 0.1})


def test_the_whole_limit_takes_the_head_of_the_queue(tmp_path):
    source = write_lines(tmp_path / "links.txt", [f"http://site{number}.example/" for number in range(9)])
    result = go(source, tmp_path / "next.txt", limit=4)
    assert (tmp_path / "next.txt").read_text().split() == [f"http://site{number}.example/" for number in range(4)]
    assert result.left_out == {"limit": 5}


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [2, 3])
def test_several_processes_and_little_memory_give_the_same_bytes(tmp_path, monkeypatch, jobs):
    monkeypatch.setattr("mediacrawl.programs.segment.engine.INPUT_A_THREAD", 1)
    links = [
        {"url": f"http://s{number % 97}.example/{number * 31 % 4001}", "score": number % 7 / 7, "parent": str(number)}
        for number in range(9000)
    ]
    source = write_lines(tmp_path / "links.jl", links)
    go(source, tmp_path / "one.jl", memory=800_000_000)
    go(source, tmp_path / "several.jl", memory=jobs * 100_000_000, jobs=jobs)
    assert (tmp_path / "one.jl").read_bytes() == (tmp_path / "several.jl").read_bytes()
    assert len(rows_of(tmp_path / "one.jl")) == len({json.dumps(link["url"]) for link in links})
