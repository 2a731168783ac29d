"""Microdata about media."""

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.extract import parse_page, structured_data

URL = "https://site.example/dir/page.html"
VIDEO = 'itemscope itemtype="https://schema.org/VideoObject"'


def page_of(html):
    return parse_page(html.encode(), URL)


def facts(html):
    (medium,) = page_of(html).media
    return {each.key: each.text for each in medium.facts if each.key != "type"}


def read(html, wanted=("VideoObject", "AudioObject")):
    return structured_data.read_items(page_of(html).tree, wanted)


@pytest.mark.parametrize(
    ("element", "value"),
    [
        ("<b itemprop=x>One <i>two</i></b>", "One two"),
        ("<meta itemprop=x content=' a '>", "a"),
        ("<span itemprop=x content=a>b</span>", "a"),
        ("<a itemprop=x href=u>b</a>", "u"),
        ("<a itemprop=x>b</a>", "b"),
        ("<link itemprop=x href=u>", "u"),
        ("<img itemprop=x src=u>", "u"),
        ("<video itemprop=x src=u>b</video>", "u"),
        ("<object itemprop=x data=u></object>", "u"),
        ("<time itemprop=x datetime=2024-05-01>May</time>", "2024-05-01"),
        ("<time itemprop=x>2024-05-02</time>", "2024-05-02"),
        ("<data itemprop=x value=3>three</data>", "3"),
        ("<b itemprop='y x'>a</b>", "a"),
    ],
)
def test_the_value_of_a_property_is_where_its_element_keeps_it(element, value):
    assert read(f"<div {VIDEO}>{element}</div>")[0]["x"] == [value]


def test_items_inside_are_values_and_others_inside_are_not():
    html = f"""<div {VIDEO}><b itemprop=name>Film</b>
    <p itemprop=author itemscope itemtype=http://schema.org/Person><b itemprop=name>Ann</b></p>
    <p itemscope itemtype=http://schema.org/Offer><b itemprop=price>3</b></p></div>"""
    assert read(html) == [
        {"@type": ["VideoObject"], "name": ["Film"], "author": [{"@type": ["Person"], "name": ["Ann"]}]}
    ]


def test_a_video_inside_an_article_becomes_a_medium_with_its_facts():
    html = f"""<body itemscope itemtype=https://schema.org/Article><h1 itemprop=name>Article</h1>
    <div itemprop=video {VIDEO}><b itemprop=name>Film</b><meta itemprop=duration content=PT1M5S>
    <meta itemprop=contentURL content=film.mp4><link itemprop=license href=/cc></div>"""
    assert facts(html) == {"title": "Film", "duration": "65", "license_url": "https://site.example/cc"}
    assert [(link.via, link.href) for link in page_of(html).links] == [("microdata", "film.mp4")]


def test_what_an_item_names_elsewhere_belongs_to_it():
    html = f'<div {VIDEO} itemref="a b nowhere a"></div><p id=a><b itemprop=name>Film</b></p><b id=b itemprop=x>1</b>'
    assert read(html) == [{"@type": ["VideoObject"], "name": ["Film"], "x": ["1"]}]


def test_a_circle_of_references_ends_where_it_began():
    html = f"""<div id=a itemprop=video {VIDEO} itemref=b><b itemprop=name>A</b></div>
    <div id=b itemprop=video {VIDEO} itemref=a></div>"""
    assert read(html) == [{"@type": ["VideoObject"], "name": ["A"], "video": [{"@type": ["VideoObject"]}]}]


def test_other_types_are_not_read():
    assert read("<div itemscope itemtype=https://schema.org/Product><b itemprop=name>x</b></div>") == []
    assert read("<div itemtype=https://schema.org/VideoObject><b itemprop=name>x</b></div>") == []


def counting(monkeypatch):
    """How many steps the items of a page took."""
    readers = []
    original = structured_data._ItemReader.__init__

    def init(self, root):
        original(self, root)
        readers.append(self)

    monkeypatch.setattr(structured_data._ItemReader, "__init__", init)
    return lambda: structured_data._STEPS - readers[-1]._steps


def test_items_that_all_name_the_same_long_part_take_bounded_steps(monkeypatch):
    spent = counting(monkeypatch)
    part = "<div id=a>" + "<i itemprop=x>y</i>" * 5_000 + "</div>"
    read(part + f"<p {VIDEO} itemref=a></p>" * 400)
    assert spent() <= structured_data._STEPS


def test_each_element_is_looked_at_once_however_deep_items_nest(monkeypatch):
    spent = counting(monkeypatch)
    read(f"<div itemprop=video {VIDEO}>" * 300)
    assert spent() <= 300


ATTRIBUTES = st.sampled_from(
    [
        VIDEO,
        "itemscope",
        "itemprop=name",
        "itemprop=video",
        "itemref=a",
        "itemref='b a'",
        "id=a",
        "id=b",
        "content=x",
        "itemprop",
    ]
)
ELEMENTS = st.tuples(st.sampled_from(["<div", "<b", "<meta", "<a", "</div"]), st.lists(ATTRIBUTES, max_size=4))


@settings(max_examples=examples(60))
@given(st.lists(ELEMENTS, max_size=25))
def test_no_page_raises(elements):
    page_of(VIDEO.join(["<p ", ">"]) + "".join(f"{tag} {' '.join(words)}>" for tag, words in elements))
