"""The sources that are polled: who is listed, and by whom."""

import pytest

from mediacrawl.crawl.polled_sources import Source, Sources

LIST, FEED, OTHER = (f"http://{name}.example/" for name in ("list", "feed", "other"))


@pytest.fixture
def sources(tmp_path):
    made = Sources(tmp_path)
    yield made
    made.close()


def name(sources, origin, *urls):
    return sources.add(Source(url, origin=origin) for url in urls)


def test_only_what_is_listed_is_polled_and_what_was_learned_of_the_others_stays(sources):
    sources.listing([FEED, OTHER])
    known = sources.get(OTHER)
    known.etag, known.due = '"1"', 50.0
    sources.save(known)
    sources.listing([FEED])
    assert sources.polled() == [FEED]
    assert [source.url for source in sources.due(100.0, -1)] == [FEED]
    sources.listing([OTHER])
    assert (sources.polled(), sources.get(OTHER).etag) == ([OTHER], '"1"')


def test_what_a_list_names_is_polled_as_long_as_the_list_is(sources):
    sources.listing([LIST])
    assert name(sources, LIST, FEED, OTHER) == 2
    assert name(sources, LIST, FEED, OTHER) == 0
    sources.listing([LIST])
    assert set(sources.polled()) == {LIST, FEED, OTHER}
    sources.listing([OTHER])
    assert sources.polled() == [OTHER]


def test_what_a_list_in_a_list_names_is_polled_too(sources):
    sources.listing([LIST])
    name(sources, LIST, OTHER)
    name(sources, OTHER, FEED, LIST)
    sources.listing([LIST])
    assert set(sources.polled()) == {LIST, FEED, OTHER}


@pytest.mark.parametrize("is_listed", [True, False])
def test_what_was_given_by_hand_before_is_polled_when_a_list_names_it(sources, is_listed):
    sources.listing([FEED])
    sources.listing([LIST, FEED] if is_listed else [LIST])
    assert name(sources, LIST, FEED) == 0
    assert set(sources.polled()) == {LIST, FEED}
    sources.listing([LIST])
    assert set(sources.polled()) == {LIST, FEED}


@pytest.mark.slow
def test_of_many_sources_all_are_listed(sources):
    # Looked for one by one among all this takes half a minute.
    urls = [f"http://h{number}.example/" for number in range(30_000)]
    sources.listing(urls)
    assert len(sources.polled()) == len(urls)
