"""The reader of JSON that holds a piece only."""

import io
import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import examples

from mediacrawl.site_adapters.har import json_stream
from mediacrawl.site_adapters.har.json_stream import JsonError, JsonStream

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=5), inside, max_size=4),
    max_leaves=20,
)


class Chunks:
    """A file that gives a few bytes at a time, and notes how many were asked for."""

    def __init__(self, text, size):
        self.file = io.BytesIO(text)
        self.size = size

    def read(self, most):
        return self.file.read(min(most, self.size))


def stream(text, size=1 << 20):
    return JsonStream(Chunks(text if isinstance(text, bytes) else text.encode(), size).read)


def walked(reader):
    """What a document has, taken apart by members and elements, its strings as texts."""
    first = reader._peek()
    if first == ord("{"):
        return {key: walked(reader) for key in reader.members()}
    if first == ord("["):
        return [walked(reader) for _ in reader.elements()]
    return reader.text(10_000) if first == ord('"') else reader.value(10_000)


@given(VALUES, st.integers(1, 9), st.booleans())
@settings(max_examples=examples(150), deadline=None)
def test_what_is_walked_over_is_what_json_loads_gives(value, size, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert walked(stream(text, size)) == value
    assert stream(text, size).value(10_000) == value


@given(VALUES, VALUES, st.integers(1, 9))
@settings(max_examples=examples(150), deadline=None)
def test_what_is_skipped_ends_where_the_next_value_begins(first, second, size):
    reader = stream(json.dumps({"a": first, "b": second, "c": "end"}, indent=1), size)
    assert [reader.text(10) if key == "c" else None for key in reader.members()] == [None, None, "end"]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1 << 20])
@pytest.mark.parametrize("text", [r'"a\"b"', r'"\\"', r'"\\\""', '""', r'"\u00e9\ud83d\ude00"', '"é"', r'"a\\\\\"\\"'])
def test_a_string_ends_at_its_quote_wherever_a_chunk_ends(text, size):
    reader = stream(f"[{text}, {text}, 5]", size)
    assert [reader.value(100) for _ in reader.elements()] == [json.loads(text)] * 2 + [5]
    reader = stream(f"[{text}, 5]", size)
    found = []
    for place, _ in enumerate(reader.elements()):
        reader.skip() if place == 0 else found.append(reader.value(9))
    assert found == [5]


def test_a_value_that_is_not_taken_is_skipped():
    reader = stream('{"a": {"b": [1, "]}"]}, "c": [[], {}], "d": 1}')
    assert list(reader.members()) == ["a", "c", "d"]


@pytest.mark.parametrize("size", [1, 5, 1 << 20])
def test_the_rest_of_an_array_is_skipped_at_once(size):
    reader = stream('{"a": [1, {"b": ["]"]}, [[2], "]"], 3], "c": 4}', size)
    found = []
    for key in reader.members():
        if key == "c":
            found.append(reader.value(9))
            continue
        for place, _ in enumerate(reader.elements()):
            found.append(reader.value(9) if place == 0 else reader.skip_rest())
    assert found == [1, None, 4]


def test_another_value_than_was_asked_for_is_skipped():
    reader = stream('[5, {"a": "b"}, "c", null, [1], "d"]')
    taken = [
        reader.members,
        reader.elements,
        list,
        lambda: reader.text(9),
        reader.members,
        lambda: reader.text(9),
    ]
    found = []
    for take, _ in zip(taken, reader.elements(), strict=False):
        result = take()
        found.append(result if result is None or isinstance(result, str) else list(result))
    assert found == [[], [], [], None, [], "d"]


@pytest.mark.parametrize("size", [1, 5, 1 << 20])
def test_a_value_beyond_its_limit_is_none_and_the_next_one_is_read(size):
    long = '"' + "x" * 50 + '"'
    assert [each for reader in [stream(f"[{long}, {long}, [{long}], 7]", size)] for _ in reader.elements() for each in [
        reader.value(20)
    ]] == [None, None, None, 7]  # fmt: skip
    reader = stream(f"[{long}, {long}]", size)
    assert [reader.text(52) for _ in reader.elements()] == ["x" * 50] * 2


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_a_short_object_is_taken_at_once_and_others_are_left(size):
    text = '[{"a": ["]", {"b": "}"}]}, 5, {"c": "' + "x" * 50 + '"}, {}, {"d": ' + "[" * 20 + "]" * 20 + "}]"
    reader = stream(text, size)
    found = []
    for _ in reader.elements():
        taken = reader.small(40)
        found.append(taken if taken is not None else ("left", reader.value(100)))
    at_once = {"a": ["]", {"b": "}"}]}
    # A piece that is not in memory yet is not waited for.
    assert found[0] == (at_once if size > 7 else ("left", at_once))
    assert found[1:3] == [("left", 5), ("left", {"c": "x" * 50})]
    assert found[3] in ({}, ("left", {}))
    assert found[4][0] == "left"


def test_a_value_of_thousands_of_lists_is_too_long():
    reader = stream(f"[[{'[],' * 6_000}0], [[], []]]")
    found = [(reader.value(1 << 20), reader.was_long) for _ in reader.elements()]
    assert found == [(None, True), ([[], []], False)]


def test_the_members_beyond_the_limit_are_passed_over(monkeypatch):
    monkeypatch.setattr(json_stream, "_MOST_MEMBERS", 3)
    reader = stream('[{"a": 1, "b": 2, "c": [], "d": {"e": "}"}, "f": 5}, {"g": 6}]')
    assert [list(reader.members()) for _ in reader.elements()] == [["a", "b", "c"], ["g"]]


def test_a_string_of_any_size_is_passed_over_without_being_held():
    pieces = [b'["', *[b"A" * json_stream._CHUNK] * 40, b'", "next"]']
    reader = JsonStream(lambda _: pieces.pop(0) if pieces else b"")
    longest, found = 0, []
    for _ in reader.elements():
        found.append(reader.text(1_000))
        longest = max(longest, len(reader._data))
    assert found == [None, "next"]
    assert longest <= 2 * json_stream._CHUNK


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("NaN", "nan"),
        ("-Infinity", "-inf"),
        ("1" * 5_000, "None"),
        ('"a\tb\nc"', "'a\\tb\\nc'"),
        (b'"\xff\xfe"', "'\ufffd\ufffd'"),
        ('{"a": 1, "a": 2}', "{'a': 2}"),
        ("[1 2,,3,]", "None"),
        ("[" * 5_000 + "]" * 5_000, "None"),
        ("wrong", "None"),
    ],
)
def test_odd_values_are_read_as_far_as_they_have_a_meaning(text, value):
    assert repr(stream(text).value(20_000)) == value


def test_commas_may_be_missing_or_too_many():
    reader = stream('{,"a":1 "b":2,, "c":3,}')
    assert [(key, reader.value(9)) for key in reader.members()] == [("a", 1), ("b", 2), ("c", 3)]


def test_a_key_beyond_its_limit_is_an_empty_key():
    reader = stream('{"' + "k" * 5_000 + '": 1, "b": 2}')
    assert [(key, reader.value(9)) for key in reader.members()] == [("", 1), ("b", 2)]


@pytest.mark.parametrize("text", ['{"a": 1', '{"a"', '{"a": "b', '["a", ', "[", '{"a": "\\', '[{"a": [1, {', ""])
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_a_text_that_ends_in_the_middle_is_told_apart(text, size):
    with pytest.raises(JsonError) as raised:
        walked(stream(text, size))
    assert raised.value.is_cut
    assert raised.value.offset == len(text)


@pytest.mark.parametrize(
    ("text", "offset"), [('{"a": }', 6), ("{1: 2}", 1), ('{"a" 5}', 5), ("[}", 1), ('{"a": 1]', 7)]
)
def test_what_is_no_json_is_an_error_at_its_place(text, offset):
    with pytest.raises(JsonError) as raised:
        walked(stream(text))
    assert not raised.value.is_cut
    assert raised.value.offset == offset


@pytest.mark.parametrize("unit", ["[", '{"a":', "[1,", '["]",'])
def test_brackets_of_any_depth_are_skipped_within_the_bound_of_steps(unit, monkeypatch):
    deep = stream(f'{{"a": {unit * 2_000}' + "".join("}" if "{" in unit else "]" for _ in range(2_000)) + ', "b": 1}')
    assert [(key, deep.value(100)) for key in deep.members()] == [("a", None), ("b", 1)]
    monkeypatch.setattr(json_stream, "_FREE_STEPS", 1_000)
    with pytest.raises(JsonError):
        stream(unit * 2_000).skip()


@given(st.binary(max_size=60), st.integers(1, 5))
@settings(max_examples=examples(150), deadline=None)
def test_any_bytes_give_values_or_the_error(text, size):
    reader = stream(text, size)
    with suppress(JsonError):
        walked(reader)
    assert reader.offset <= len(text)


@given(st.text(alphabet='{}[]",:\\ a1\n', max_size=60), st.integers(1, 5))
@settings(max_examples=examples(300), deadline=None)
def test_any_arrangement_of_signs_gives_values_or_the_error(text, size):
    reader = stream(text, size)
    with suppress(JsonError):
        walked(reader)
    assert reader.offset <= len(text)
