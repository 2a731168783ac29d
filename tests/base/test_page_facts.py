import json

from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.base.facts import EXTERNAL_SOURCES, KEYS, LONGEST_TEXT, MOST_FACTS, Fact, fact, of_tags, pack, unpack
from mediacrawl.record.build import document_elements
from mediacrawl.record.values import best_values


def element_of(fact):
    return document_elements([fact])[0]


TEXTS = st.text(max_size=40)
FACTS = st.lists(
    st.builds(
        fact,
        st.sampled_from(sorted(EXTERNAL_SOURCES)),
        st.sampled_from(["og:title", "x"]),
        st.sampled_from(sorted(KEYS)),
        TEXTS,
    ),
    max_size=10,
).map(lambda found: [each for each in found if each])


@settings(max_examples=examples(50), deadline=None)
@given(FACTS)
def test_facts_come_back_as_they_were_packed_each_once(facts):
    assert unpack(pack(facts)) == list(dict.fromkeys(facts))
    assert of_tags([element_of(each) for each in facts]) == facts


def test_a_fact_is_folded_cut_and_free_of_lone_surrogates():
    assert fact("page", "og:title", "title", " Der\n  Nachtzug ") == Fact("page", "og:title", "title", "Der Nachtzug")
    assert len(fact("page", "og:title", "title", "x" * 10_000).text) == LONGEST_TEXT
    assert fact("page", "json-ld:name", "title", "\ud83d caf\xe9").text == "? caf\xe9"
    assert fact("page", "json-ld:duration", "duration", 213.5).text == "213.5"


def test_what_says_nothing_is_no_fact():
    for nothing in ("", " \n", None, True, [], {}, 10**400):
        assert fact("page", "og:title", "title", nothing) is None
    assert fact("page", "og:title", "no such key", "x") is None


def test_too_many_facts_keep_the_first_ones():
    many = [fact("page", "og:title", "title", f"{number} " + "x" * 5) for number in range(2 * MOST_FACTS)]
    assert unpack(pack(many)) == many[:MOST_FACTS]
    long = [fact("page", "og:title", "title", f"{number}" + "x" * 490) for number in range(20)]
    assert 0 < len(unpack(pack(long))) < 20


def test_what_other_programs_wrote_into_the_frontier_is_read_as_far_as_it_is_facts():
    good = ["page", "og:title", "title", "Ein Lied"]
    spoiled = [good, ["id3v2.3", "TIT2", "title", "x"], ["page", "a", "title"], [1, 2, 3, 4], "page", None]
    assert unpack(json.dumps(spoiled)) == [Fact(*good)]
    for text in ("", "{", '{"a": 1}', "[" * 100_000, "null", '"x"', json.dumps([good] * 100_000)):
        assert unpack(text) == []


def test_the_file_goes_before_its_page_and_its_id3v1_before_that():
    def element(source, text):
        return {"source": source, "frame": "T", "key": "title", "text": text, "declared": "utf-8"}

    page, old, new = element("page", "of the page"), element("id3v1", "of ID3v1"), element("id3v2.3", "of ID3v2")
    assert best_values([page, old, new])["title"] == "of ID3v2"
    assert best_values([page, old])["title"] == "of ID3v1"
    assert best_values([page])["title"] == "of the page"
