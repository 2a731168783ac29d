"""What an answer lets join is bounded by its length, in bytes of the frontier's file."""

import pytest
from harness import slow
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.terms import Evidence
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.byte_budget import PACKED, FittedCandidates, byte_budget, fit_candidates, on_disk, text_bytes
from mediacrawl.frontier.stores import open_store
from mediacrawl.priority import Scores
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.urls import Base, Spelling

SCORES = Scores()
PAGES = 10
LINKS = 1_200
SIZE = 60_000
"""Bytes of a page of so many links."""
LEAST, FACTOR = 32_768, 4.5


def found(url, evidence=None, parent="http://a.example/p", requested=""):
    return candidate(Spelling(url, requested or url), evidence or Evidence("a"), SCORES, parent=parent)


# What makes a row of a link that costs a page some ten bytes -> its URL, from the number of the page and its own.
HOSTILE = {
    "short links": lambda page, link: found(f"http://a.example/{page}/{link}"),
    "a long base": lambda page, link: found(f"http://a.example/{'x' * 1_950}{page}/{link}"),
    "a long base on a long page": lambda page, link: found(
        f"http://a.example/{'x' * 1_950}{page}/{link}", parent=f"http://a.example/{'y' * 1_950}{page}"
    ),
    "two spellings": lambda page, link: found(
        f"http://a.example/?a={'x' * 1_900}{page}&b={link}",
        requested=f"http://a.example/?b={link}&a={'x' * 1_900}{page}",
    ),
    "facts": lambda page, link: found(
        f"http://a.example/{page}/{link}.mp3", Evidence("audio", "t" * 200, "p" * 200, facts="f" * 4_000)
    ),
    "titles of three bytes a letter": lambda page, link: found(
        f"http://a.example/{page}/{link}", Evidence("a", "\u3042" * 200, "\u3042" * 200)
    ),
    "sites": lambda page, link: found(f"http://s{page}x{link}.example/"),
    "long sites": lambda page, link: found(f"http://{'a' * 60}.{'b' * 60}.{'c' * 40}{page}x{link}.example/"),
    "classes": lambda page, link: found(f"http://s{page}.example/{'abcdefghij'[link % 10] * (link % 60 + 1)}/{link}"),
}
SHORT = ("short links", "two spellings", "facts", "long sites")
"""Those that the short form tries."""


@pytest.mark.parametrize("kind", [*SHORT, *slow(*(kind for kind in HOSTILE if kind not in SHORT))])
def test_a_page_writes_at_most_five_bytes_for_each_of_its_own(tmp_path, kind):
    frontier = open_store("sqlite", tmp_path, FrontierPolicy(), 1_000.0)
    (before,) = tmp_path.glob("*.db")
    before, joined = before.stat().st_size, 0
    for page in range(PAGES):
        links = [HOSTILE[kind](page, number) for number in range(LINKS)]
        kept = fit_candidates(links, byte_budget(SIZE, SIZE, LEAST, FACTOR)).candidates
        joined += frontier.add(kept).new
        frontier.commit()
    frontier.close()
    assert joined >= 20 * PAGES
    size = sum(file.stat().st_size for file in tmp_path.iterdir())
    assert size - before <= 5 * PAGES * SIZE


def test_an_honest_page_loses_nothing():
    page = Base("http://a.example/archive/2024/index.html")
    evidence = Evidence("a", "Episode 17, of some words", "The archive of a show", path="body/main/ul.items/li/a")
    links = [
        f'<li><a class="episode" href="/archive/2024/episode-{number}.html">{evidence.anchor}</a></li>'
        for number in range(900)
    ]
    urls = [page.resolve(link.split('"')[3]) for link in links]
    kept = [candidate(url, evidence, SCORES, parent=page.requested) for url in urls]
    size = len("".join(links))
    assert fit_candidates(kept, byte_budget(size, size // 8, LEAST, FACTOR)) == FittedCandidates(kept)


def test_the_best_go_first_and_the_order_stays():
    links = [found(f"http://a.example/{number}{'.mp3' if number % 10 == 9 else ''}") for number in range(1_000)]
    kept = fit_candidates(links, 20_000).candidates
    assert sum(link.url.endswith(".mp3") for link in kept) == 100
    assert kept == [link for link in links if link in kept]


def test_what_is_known_of_a_url_goes_before_the_url():
    evidence = Evidence("a", "anchor " * 20, "title " * 20, guid="7", facts="f" * 1_000, path="li/a")
    links = [found(f"http://a.example/{number}", evidence) for number in range(100)]
    fitting = fit_candidates(links, 30_000)
    assert 80 <= fitting.bare < 100
    assert fitting.dropped == 0
    assert [link.url for link in fitting.candidates] == [link.url for link in links]
    assert {link.evidence for link in fitting.candidates} == {evidence, Evidence("a", guid="7")}


@pytest.mark.parametrize(
    ("unpacked", "received", "bytes_"),
    [
        (0, 0, LEAST),
        (1_000, 1_000, LEAST),
        (200_000, 200_000, 900_000),
        (200_000, 20_000, 900_000),
        # A bomb
        (200_000, 2_000, 9 * PACKED * 1_000),
        # Out of a cache
        (200_000, 0, 900_000),
    ],
)
def test_a_packed_body_counts_for_some_times_what_was_received(unpacked, received, bytes_):
    assert byte_budget(unpacked, received, LEAST, FACTOR) == bytes_


@given(st.lists(st.tuples(st.text(max_size=300), st.text(max_size=300)), max_size=20), st.integers(0, 10_000))
def test_what_is_kept_fits(texts, most):
    links = [found(f"http://a.example/{n}", Evidence("a", anchor, title)) for n, (anchor, title) in enumerate(texts)]
    fitting = fit_candidates(links, most)
    assert sum(on_disk(text_bytes(link)) for link in fitting.candidates) <= most
    assert len(fitting.candidates) + fitting.dropped == len(links)


@given(st.integers(0, 100_000))
def test_a_longer_row_takes_no_less(size):
    assert size <= on_disk(size) <= size + 4096
