"""Object literals of scripts that are not run."""

import time

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.extract.literals import literals


def read(text, **options):
    return [tuple(each) for each in literals(text, **options)]


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("a({b: 1})", [("a", {"b": 1})]),
        ("x.y.a({b: 1})", [("a", {"b": 1})]),
        ("new A.B({b: 1})", [("B", {"b": 1})]),
        ("a('x', {b: 1}, [2])", [("a", "x"), ("a", {"b": 1}), ("a", [2])]),
        ("var a = {b: 1}, c = [2];", [("a", {"b": 1}), ("c", [2])]),
        ("window['a'] = {b: 1}", [("a", {"b": 1})]),
        ("a.b.c = 'x';", [("c", "x")]),
        ("a = 'x'\nb = 'y'", [("a", "x"), ("b", "y")]),
        ("return {a: 1}", [("", {"a": 1})]),
        ("() => ({a: 1})", [("", {"a": 1})]),
        # Keys and values as scripts write them.
        ("a({'b': 'c', \"d\": \"e\", f_$1: `g`, 2: 3,})", [("a", {"b": "c", "d": "e", "f_$1": "g", "2": 3})]),
        ("a({b: true, c: false, d: null, e: undefined})", [("a", {"b": True, "c": False, "d": None, "e": None})]),
        ("a([0x1F, 1.5, -2, .5, 1e3, 007])", [("a", [31, 1.5, -2, 0.5, 1000.0, 7])]),
        (
            r"a('\u00e9\x41\u{1F600}\ud83d\ude00\n\'\
x')",
            [("a", "éA😀😀\n'x")],
        ),
        (r"a('https:\/\/b.example\u002Fc')", [("a", "https://b.example/c")]),
        ("a({b /* c */ : // d: 'e',\n 'f'})", [("a", {"b": "f"})]),
        # What is computed has no value.
        ("a({b: c, d: e(), f: 'g' + h, i: 1 + 2, j: k ? 'l' : 'm', n: 'o'})", [("a", {"n": "o"})]),
        ("a({b: `c${d}`, e, ...f, [g]: 1, h() { return 2 }, get i() { return 3 }, j: 4})", [("a", {"j": 4})]),
        ("a('b' + c, 'd'.e, 'f'[0], g + 'h')", []),
        ("a(b['c'], 'd')", [("a", "d")]),
        ("x = 'a' + b; y = c + 'd';", []),
        # Code between.
        ("if (a) { b({c: 1}) } else { d({e: 2}) }", [("b", {"c": 1}), ("d", {"e": 2})]),
        ("function a(b) { c({d: 1}) }", [("c", {"d": 1})]),
        ("a({b: function () { c({d: 1}) }, e: 2})", [("c", {"d": 1}), ("a", {"e": 2})]),
        ("a({b: () => { c({d: 1}) }, e: 2})", [("c", {"d": 1}), ("a", {"e": 2})]),
        ("a = b[0]; c = [1]; d[2] = {e: 3}", [("c", [1]), ("d", {"e": 3})]),
        ("a = /[\"'/]{2}/g; b({c: 1})", [("b", {"c": 1})]),
        ("a = b / 2; c = 'd' / e; f({g: 1})", [("f", {"g": 1})]),
        # Brackets that are missing, or too many.
        ("a({b: 1", [("a", {"b": 1})]),
        ("a({b: [1, {c: 2", [("a", {"b": [1, {"c": 2}]})]),
        ("}]) a({b: 1})", [("a", {"b": 1})]),
        ("a({b: [1}); c({d: 2})", [("a", {"b": [1]}), ("c", {"d": 2})]),
        ("a({b: 'c\n, d: 1}); e({f: 2})", [("a", {"d": 1}), ("e", {"f": 2})]),
        ("", []),
        ("'", []),
        ("a('", []),
        ("/*", []),
    ],
)
def test_a_literal_is_found_with_what_it_is_given_to(script, found):
    assert [each for each in read(script) if each[1] != {}] == found


def test_brackets_beyond_the_limit_of_depth_are_passed_over():
    for opened, closed in (("[", "]"), ("{a:", "}"), ("(", ")")):
        script = f"b({opened * 30_000}{closed * 30_000}); c({{d: 1}})"
        assert ("c", {"d": 1}) in read(script)


def test_tokens_beyond_the_limit_are_not_read():
    assert read("a({b: 1});" * 10, most=12) == [("a", {"b": 1}), ("a", {})]


HOSTILE = (
    *("{", "[", "(", "}", ")]", '"', "'", "`", '"\\"', "\\", "/", "/*", "//", "/[", "=/[a]", "=/", "a=", "a:", "${"),
    *('{"a":', "[{a:[", "a({b:'c'}),", "'a'+", "<!--", "1e", "-", ".", "\n", " ", "é", "\ud800", "a b", "{a:1 'b':"),
)


@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("is_json", [False, True])
def test_a_text_is_read_once_whatever_it_repeats(unit, is_json):
    text = "a({b: '" + unit * (400_000 // len(unit))
    began = time.process_time()
    read(text, is_json=is_json, most=100_000)
    # What is read again for each token takes minutes.
    assert time.process_time() - began < 5


PIECES = st.sampled_from(
    [*"{}[]():,;=/\\\"'`+.?\n $-<>!1aé", "return", "=>", "/*", "*/", "//", "true", "0x", "\\u", "${", "-->"]
)


@settings(max_examples=examples(150))
@given(st.lists(PIECES, max_size=60), st.booleans())
def test_no_text_raises_and_every_value_is_plain(pieces, is_json):
    for each in literals("".join(pieces), is_json=is_json):
        assert isinstance(each.name, str)
        stack = [each.value]
        while stack:
            value = stack.pop()
            assert value is None or type(value) in (dict, list, str, int, float, bool)
            if isinstance(value, dict):
                assert all(isinstance(key, str) for key in value)
                stack += value.values()
            elif isinstance(value, list):
                stack += value
            elif isinstance(value, str):
                value.encode("utf-8")
