"""Values of secrets are removed from wherever else they stand."""

from collections import Counter
from urllib.parse import quote

import pytest
from fuzz_growth import check_growth
from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import examples

from mediacrawl.site_adapters.har import removal
from mediacrawl.site_adapters.har.found import TooManySecretsError
from mediacrawl.site_adapters.har.removal import Removal
from mediacrawl.site_adapters.har.secrets import REMOVED


def removed(text, *values, kind="token"):
    counts = Counter()
    return Removal(dict.fromkeys(values, kind), counts).clean(text), counts.total()


@pytest.mark.parametrize(
    ("text", "left", "count"),
    [
        ("abcdefgh", "REMOVED", 1),
        ("xabcdefghx abcdefgh", "xREMOVEDx REMOVED", 2),
        ("abcdefgabcdefgh", "abcdefgREMOVED", 1),
        ("abcdefghabcdefghi", "REMOVEDREMOVEDi", 2),
        ("éabcdefghé", "éREMOVEDé", 1),
        ("ABCDEFGH abcdefg", "ABCDEFGH abcdefg", 0),
        ("", "", 0),
    ],
)
def test_a_value_is_removed_wherever_it_stands(text, left, count):
    assert removed(text, "abcdefgh") == (left, count)


def test_of_values_that_begin_alike_the_longest_is_removed():
    assert removed("abcdefgh-1234 abcdefgh", "abcdefgh", "abcdefgh-1234") == ("REMOVED REMOVED", 2)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("a/b+c=d==", "a%2Fb%2Bc%3Dd%3D%3D"),
        ("a/b+c=d==", "a/b%2Bc%3Dd%3D%3D"),
        ("a/b+c=d==", "a%2fb%2bc%3dd%3d%3d"),
        ("a/b+c=d==", "a%252Fb%252Bc%253Dd%253D%253D"),
        ("a/b+c=d==", r"a\/b+c=d=="),
        ("a b c d e", "a+b+c+d+e"),
        ('a"b"c"d"e', r"a\"b\"c\"d\"e"),
        ('a"b"c"d"e', "a&quot;b&quot;c&quot;d&quot;e"),
        ("a&b&c&d&e", "a&amp;b&amp;c&amp;d&amp;e"),
        ("päßwörter", r"p\u00e4\u00dfw\u00f6rter"),
        ("päßwörter", quote("päßwörter")),
        ("päßwörter", "päßwörter"),
    ],
)
def test_a_value_is_removed_in_each_way_to_write_it(value, written):
    assert removed(f'["{written}"]', value) == ('["REMOVED"]', 1)


def test_digits_inside_a_longer_number_stand_there_by_chance():
    assert removed("12345678 9123456780 x12345678y 123456789", "12345678") == (
        "REMOVED 9123456780 xREMOVEDy 123456789",
        2,
    )


def test_removals_are_counted_by_kind():
    counts = Counter()
    Removal({"abcdefgh": "cookie", "ijklmnop": "jwt"}, counts).clean("abcdefgh ijklmnop abcdefgh")
    assert counts == {"cookie": 2, "jwt": 1}


def test_many_texts_are_cleaned_as_each_of_them_is():
    texts = ["abcdefgh", "", "x", "1abcdefgh2", "abcd", "efgh", "é" * 9, "\n", "abcdefgh"]
    cleaner = Removal({"abcdefgh": "token"}, Counter())
    assert cleaner.clean_all(texts) == [cleaner.clean(text) for text in texts]
    assert cleaner.clean_all([]) == []


def test_without_values_a_text_stays_the_same_object():
    text = "abcdefgh" * 3
    assert Removal({}, Counter()).clean(text) is text
    assert Removal({"12345678": "token"}, Counter()).clean(text) is text


TEXTS = st.text(alphabet="ab1é\n", max_size=60)


@given(st.lists(st.text(alphabet="ab1é", min_size=8, max_size=12), max_size=5), st.lists(TEXTS, max_size=4), st.data())
@settings(max_examples=examples(200), deadline=None)
def test_what_is_left_has_no_value_and_nothing_else_is_lost(values, texts, data):
    texts = [text + data.draw(st.sampled_from([*values, ""])) + text for text in texts]
    values = [value for value in values if not value.isdigit()]
    counts = Counter()
    cleaner = Removal(dict.fromkeys(values, "token"), counts)
    cleaned = cleaner.clean_all(texts)
    for text, left in zip(texts, cleaned, strict=True):
        assert not any(value in piece for piece in left.split(REMOVED) for value in values)
        # What is left stands in the text in the same order.
        place = 0
        for piece in left.split(REMOVED):
            place = text.index(piece, place) + len(piece)
    assert counts.total() == sum(left.count(REMOVED) for left in cleaned)


def test_values_are_found_at_the_border_of_blocks(monkeypatch):
    monkeypatch.setattr(removal, "_BLOCK", 16)
    for before in range(40):
        text = "." * before + "abcdefgh-longer" + "." * 20
        assert removed(text, "abcdefgh-longer") == (text.replace("abcdefgh-longer", REMOVED), 1)


def test_thousands_of_values_are_searched_at_once():
    values = [f"value-{number * 7919:08x}" for number in range(20_000)]
    text = " ".join(values[::2]) + " value-none " + "x" * 100_000
    left, count = removed(text, *values)
    assert count == 10_000
    assert left == " ".join([REMOVED] * 10_000) + " value-none " + "x" * 100_000


def test_values_made_to_begin_alike_are_an_error_and_take_no_hours(monkeypatch):
    values = ["a" * length for length in range(9, 500)]
    monkeypatch.setattr(removal, "_MOST_COMPARED", 1_000_000)
    with pytest.raises(TooManySecretsError):
        removed(("a" * 8 + "b") * 5_000, *(value + "c" for value in values))


def test_too_many_ways_to_write_values_are_an_error(monkeypatch):
    monkeypatch.setattr(removal, "_MOST_FORMS", 100)
    Removal({f"value-{number:03}": "token" for number in range(100)}, Counter())
    with pytest.raises(TooManySecretsError):
        Removal({f"a/b+c={number:03}": "token" for number in range(50)}, Counter())


def test_the_time_grows_as_the_text_does():
    cleaner = Removal({f"value-{number:06}": "token" for number in range(2_000)}, Counter())
    unit = "value-x https://a.example/b?c=value-000001&d "
    check_growth(cleaner.clean, lambda size: unit * (size // len(unit)), 50_000, 400_000)
