"""JMESPath, CSS selectors and the state of scripts, as site adapters have them."""

import json

import pytest
from lxml import etree

from mediacrawl.site_adapters.paths import JsonPath, Selector, script_state

PAGE = etree.HTML("""
    <html><body class="a"><div class="big player" data-key="k-1" id="p"><!-- x --><p lang="de-AT"><a href="/x.mp4">1</a>
    </p></div><div class=" player\t"><a data-empty="" href="/y">2</a></div></body></html>
""")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("a", "1"),
        ("A", "1"),
        ("div > a", "2"),
        ("body.a > div.player > a[href]", "2"),
        ("#p > p > a", "1"),
        ("a[data-empty]", "2"),
        ("a[href$='.mp4']", "1"),
        ("p[lang|=de] > a", "1"),
        ("p[lang=de] > a", None),
        ("* > p > *", "1"),
    ],
)
def test_the_first_element_is_selected(written, text):
    element = Selector(written).first(PAGE)
    assert (None if element is None else element.text) == text


@pytest.mark.parametrize(
    "written",
    [
        *("", " ", "a, b", "a:hover", "a::before", "a::text", "div:has(a)", "a + b", "a ~ b", "a b", "a >", "> a"),
        *("a[b", "a|b", "*|a", "a[b|c]", "a[*|c]", "a:not(b)", "a:nth-child(2)", "a" * 501, "é\ud800("),
    ],
)
def test_selectors_that_take_long_or_are_none_are_refused(written):
    with pytest.raises(ValueError, match=r"is no (CSS )?selector"):
        Selector(written)


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("a[*].b[*].c", [1, 2, 3]),
        ("a[?p == 'x'].b[0].c", [1]),
        ("a[-1].p", ["y"]),
        ('"x-y"."1"', ["q"]),
        ("a[0].b", [{"c": 1}, {"c": 2}]),
        ("a[?missing > `1`].p", []),
        ("a[::0].p", None),
        ("nothing[0].here", []),
        ("a[?p == 'x'] | [0].p", None),
    ],
)
def test_a_path_gives_the_values_in_their_order(written, found):
    value = {"a": [{"b": [{"c": 1}, {"c": 2}], "p": "x"}, {"b": [{"c": 3}], "p": "y"}], "x-y": {"1": "q"}}
    if found is None:
        with pytest.raises(ValueError, match="is no JMESPath of at most"):
            JsonPath(written)
    else:
        assert JsonPath(written).find(value) == found


def test_values_that_are_nested_deep_are_compared_or_not():
    deep = json.loads("[" * 900 + "1" + "]" * 900)
    assert JsonPath("[?a == b].c").find([{"a": deep, "b": json.loads(json.dumps(deep)), "c": 1}]) in ([], [1])


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("$.videos[0].title", r"of the old form; paths are JMESPath now: write videos\[0\].title"),
        ("$['file name'][*].x-y", r'write "file name"\[\*\]."x-y"'),
        ("$", "write @"),
        ("a..b", "is no JMESPath"),
        ("[@, @]", "without|no functions"),
        ("sort(a)", "no functions"),
        ("!" * 200 + "a", "no functions"),
        ("a" * 501, "at most 500"),
        ("(" * 400, "is no JMESPath"),
    ],
)
def test_other_paths_are_refused_with_a_sentence(written, why):
    with pytest.raises(ValueError, match=why):
        JsonPath(written)


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ('X = {"id": 7};', {"id": "7"}),
        ("var X = {id: 7, list: ['a', `b`,], /* c */};", {"id": "7", "list": ["a", "b"]}),
        ("window['X'] = JSON.parse('{\\x22id\\x22: 7}')", {"id": "7"}),
        ('X = JSON.parse("{\\"id\\": 7}")', {"id": "7"}),
        ("X = 'it\\'s'; Y = {}", "it's"),
        ("({X: 12, Y: 3})", "12"),
        ("X = load({id: 7})", None),
        ("X = {id: ", None),
        ("X == {id: 7}", None),
        ("AX = {id: 7}", None),
        ("X = " + "[" * 20_000, None),
    ],
)
def test_the_state_of_a_script_is_read(code, value):
    assert script_state(etree.HTML(f"<script>{code}</script>"), "X") == value


def test_json_in_a_script_is_found_by_its_id():
    page = etree.HTML('<script id="X" type="application/json">\n{"id": 7} </script>')
    assert script_state(page, "X") == {"id": "7"}
