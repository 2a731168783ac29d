"""CSS selectors, compared with those that lxml evaluates as XPath."""

import pytest
from cssselect import HTMLTranslator
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from mediacrawl.site_adapters.selectors import Selector

PAGE = etree.HTML("""
    <html><body class="a"><div class="big player" data-key="k-1" id="p"><!-- x --><p lang="de-AT"><a href="/x.mp4">1</a>
    </p></div><div class=" player\t"><a data-empty="" href="/y">2</a></div></body></html>
""")


def first(written, root=PAGE):
    element = Selector(written).first(root)
    return None if element is None else (element.tag, element.text, element.get("href"))


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("a", "1"),
        ("A", "1"),
        ("div > a", "2"),
        ("div a", "1"),
        ("body.a > div.player > a[href]", "2"),
        ("#p a", "1"),
        ("a[data-empty]", "2"),
        ("a[href$='.mp4']", "1"),
        ("a[href^='/y']", "2"),
        ("a[href*='y']", "2"),
        ("a[href*='']", None),
        ("a[data-empty^='']", None),
        ("p[lang|=de] > a", "1"),
        ("p[lang=de] > a", None),
        ("a a", None),
        ("p > div", None),
        ("* > p > *", "1"),
    ],
)
def test_the_first_element_is_selected(written, text):
    found = first(written)
    assert (found and found[1]) == text


@pytest.mark.parametrize(
    "written",
    [
        *("", " ", "a, b", "a:hover", "a::before", "div:has(a)", "a + b", "a ~ b", "a b c d e", "a >", "> a", "a[b"),
        *("a|b", "*|a", "a[b|c]", "a[*|c]", "a[b=c i]", "a[b~=c]", "a[b!=c]", "a:not(b)", "a" * 501, "é\ud800("),
    ],
)
def test_other_selectors_are_refused(written):
    with pytest.raises(ValueError, match=r"is no (CSS )?selector"):
        Selector(written)


_COMPOUNDS = st.sampled_from(["a", "b", "*", ".x", "a.y", "b[k]", "#i", "[k=v]", "[k^=v]", "[k$=w]", "[k*=v]"])
_SELECTORS = st.lists(st.tuples(_COMPOUNDS, st.sampled_from([" ", " > "])), min_size=1, max_size=4).map(
    lambda pairs: "".join(compound + joined for compound, joined in pairs).strip(" >")
)
_TREES = st.recursive(
    st.just(""),
    lambda inner: st.builds(
        lambda name, attributes, children: f"<{name} {attributes}>{''.join(children)}</{name}>",
        st.sampled_from("ab"),
        st.sampled_from(["", "class='x'", "class='y x'", "id='i'", "k='v'", "k='vw'", "k=''"]),
        st.lists(inner, max_size=3),
    ),
    max_leaves=25,
)


@settings(max_examples=examples(200), deadline=None)
@given(_SELECTORS, _TREES)
def test_they_select_what_lxml_selects(written, tree):
    # As XML, since HTML closes an <a> before another one.
    root = etree.XML(f"<r>{tree}</r>")
    expected = etree.XPath(HTMLTranslator().css_to_xpath(written))(root)
    assert Selector(written).first(root) is (expected[0] if expected else None)


def test_each_element_is_compared_once_however_deep_it_is():
    compared = []

    def test(element):
        compared.append(element)
        return element.tag != "i"

    selector = Selector("b b b i")
    selector._compounds = tuple(each._replace(tests=(test,)) for each in selector._compounds)
    root = etree.XML("<b>" * 200 + "</b>" * 200)
    selector.first(root)
    assert len(compared) <= 4 * 200
