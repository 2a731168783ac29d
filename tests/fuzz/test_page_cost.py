"""What one page can cost the reactor, from its bytes to the frontier's write: `tests/fuzz/fuzz_texts.PAGES`."""

import pytest
from fuzz_page_pass import PagePass
from fuzz_texts import PAGES, Family, Plain

MOST = 200_000
"""Bytes of a page that are read (PAGE_MAX_BYTES)."""
TIMES = 6
"""Times that the dearest page may cost what one of 5,000 short links costs, which takes 0.1 s."""
ORDINARY = Family("5,000 links", lambda number: b'<li><a href="/%d/page.html">Page</a></li>' % number)
SPECIAL = {family.name: family for family in PAGES if not isinstance(family, Plain)}
DEAREST = (
    *("a long class around many links", "four long classes around many links", "many queries on a long base"),
    *("many files on a long base, and one video", "a list of files on a long base", "links to many hosts"),
    *("objects that hold many elements", "objects of JSON-LD by one author", "metas for robots of commas"),
    "one link with many attributes",
)
"""Those that took from half a second to half a minute once, and the dearest now; the short form tries every fifth."""


def seconds_of(family, folder):
    """Seconds of the processor for a page of a family, the least of three runs; and what was counted."""
    spent = []
    for number in range(3):
        page_pass = PagePass(folder / f"{family.name}-{number}")
        page_pass.read(family.make(MOST)[:MOST])
        spent.append(page_pass.seconds)
    return min(spent), page_pass.counted


def too_dear(families, folder):
    ordinary, counted = seconds_of(ORDINARY, folder)
    assert counted["frontier/new"] > 4_000
    taken = {family.name: seconds_of(family, folder)[0] for family in families}
    return {name: round(seconds / ordinary, 1) for name, seconds in taken.items() if seconds > TIMES * ordinary}


@pytest.mark.slow
def test_no_page_costs_much_more_than_one_of_many_links(tmp_path):
    assert too_dear([SPECIAL[name] for name in DEAREST[::5]], tmp_path) == {}


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_no_page_of_any_family_costs_much_more_than_one_of_many_links(part, tmp_path):
    assert too_dear(list(SPECIAL.values())[part::4], tmp_path) == {}


@pytest.mark.parametrize(
    ("name", "stat", "number"),
    [
        ("many queries on a base of 2,000 characters", "drop/long_base", 4_500),
        ("many links on a long base", "drop/bad_url", 5_000),
        ("many short links", "page/cut", 1),
        ("objects in each other", "page/anchors_cut", 1),
        ("one link with many attributes", "page/tags_cut", 1),
    ],
)
def test_what_is_beyond_the_bounds_of_a_page_is_counted(name, stat, number, tmp_path):
    page_pass = PagePass(tmp_path)
    page_pass.read(SPECIAL[name].make(MOST)[:MOST])
    assert page_pass.counted[stat] >= number
    assert page_pass.counted["page/read"] == page_pass.counted["frontier/end/done"] == 1


def test_a_base_that_is_too_long_takes_nothing_from_absolute_links(tmp_path):
    page_pass = PagePass(tmp_path)
    page_pass.read(b"<base href='/%s/'><a href=1>1</a><a href=http://b.example/ok>ok</a>" % (b"x" * 3_000))
    assert (page_pass.counted["frontier/new"], page_pass.counted["drop/bad_url"]) == (1, 1)


def test_a_base_that_is_no_url_of_the_web_does_not_count(tmp_path):
    page_pass = PagePass(tmp_path)
    page_pass.read(b"<base href='data:text/html,%s'><a href=1>1</a>" % (b"x" * 3_000))
    assert page_pass.counted["frontier/new"] == 1
