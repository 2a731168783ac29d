"""RDFa Lite about media."""

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.extract import parse_page, structured_data
from mediacrawl.extract.rdfa import read_resources

URL = "https://site.example/dir/page.html"
VIDEO = 'vocab="https://schema.org/" typeof="VideoObject"'


def page_of(html):
    return parse_page(html.encode(), URL)


def facts(html):
    (medium,) = page_of(html).media
    return {each.key: each.text for each in medium.facts if each.key != "type"}


def read(html, wanted=("VideoObject", "AudioObject")):
    return read_resources(page_of(html).tree, wanted)


@pytest.mark.parametrize(
    ("element", "value"),
    [
        ("<b property=x>One <i>two</i></b>", "One two"),
        ("<meta property=x content=' a '>", "a"),
        ("<span property=x content=a>b</span>", "a"),
        ("<b property='schema:x'>a</b>", "a"),
        ("<b property='https://schema.org/x'>a</b>", "a"),
        ("<b property='dc:title x og:y'>a</b>", "a"),
        ("<time property=x datetime=2024-05-01>May</time>", "2024-05-01"),
        ("<time property=x>2024-05-02</time>", "2024-05-02"),
        ("<a property=x href=u>b</a>", {"@id": "u", "name": "b"}),
        ("<a property=x href=u.mp4>b</a>", "u.mp4"),
        ("<link property=x href=u>", {"@id": "u"}),
        ("<img property=x src=u>", {"@id": "u"}),
        ("<p property=x resource='#r'>b</p>", {"@id": "#r"}),
    ],
)
def test_the_value_of_a_property_is_where_its_element_keeps_it(element, value):
    (found,) = read(f"<div {VIDEO}>{element}</div>")
    assert found == {"@type": ["VideoObject"], "x": [value]}


@pytest.mark.parametrize(
    ("html", "number"),
    [
        ("<p vocab='http://schema.org/' typeof=VideoObject>", 1),
        ("<body vocab='http://schema.org/'><p typeof=VideoObject>", 1),
        ("<p typeof='schema:VideoObject'>", 1),
        ("<p typeof='https://schema.org/VideoObject'>", 1),
        ("<html prefix='og: http://ogp.me/ns# s: http://schema.org/'><p typeof='s:VideoObject'>", 1),
        ("<p typeof='sioc:Item schema:VideoObject'>", 1),
        ("<p typeof=VideoObject>", 1),
        ("<p typeof='og:VideoObject'>", 0),
        ("<p vocab='http://ogp.me/ns#' typeof=VideoObject>", 0),
        ("<p vocab='http://ogp.me/ns#' typeof='schema:VideoObject'>", 1),
        ("<p vocab='http://schema.org/' typeof=Product>", 0),
        ("<p typeof=''>", 0),
    ],
)
def test_a_resource_is_known_by_its_type_of_schema_org(html, number):
    assert len(read(html)) == number


def test_resources_inside_are_values_and_others_inside_are_not():
    html = f"""<div {VIDEO}><b property=name>Film</b>
    <p property=author typeof=Person><b property=name>Ann</b></p>
    <p typeof=Offer><b property=price>3</b></p><p resource="#other"><b property=name>Other</b></p></div>"""
    assert read(html) == [
        {"@type": ["VideoObject"], "name": ["Film"], "author": [{"@type": ["Person"], "name": ["Ann"]}]}
    ]


def test_a_video_of_rdfa_is_a_medium_with_its_facts():
    html = f"""<body vocab=https://schema.org/><article typeof=Article><h1 property=name>Article</h1>
    <div property=video {VIDEO}><b property=name>Film</b><meta property=duration content=PT1M5S>
    <a property=contentUrl href=film.mp4>get</a><link property=license href=/cc><link property=embedUrl href=/e/1>
    <a property=author href=/ann>Ann</a><img property=thumbnailUrl src=t.jpg>
    <span property="interactionStatistic" typeof="InteractionCounter"><meta property="userInteractionCount" content="7">
    <meta property="interactionType" content="https://schema.org/WatchAction"></span></div>"""
    assert facts(html) == {
        "title": "Film",
        "duration": "65",
        "license_url": "https://site.example/cc",
        "embed_url": "https://site.example/e/1",
        "artist": "Ann",
        "thumbnail_url": "https://site.example/dir/t.jpg",
        "views": "7",
    }
    page = page_of(html)
    assert {each.frame.partition(":")[0] for each in page.media[0].facts} == {"rdfa"}
    assert [(link.via, link.href) for link in page.links if link.via == "rdfa"] == [("rdfa", "film.mp4")]


def test_a_resource_that_is_named_elsewhere_is_a_value():
    html = f"""<div {VIDEO}><link property=contentUrl href=a.mp4><link property=author resource="#ann"></div>
    <p vocab=https://schema.org/ typeof="VideoObject Person" resource="#ann"><b property=name>Ann</b></p>"""
    (film, *_) = page_of(html).media
    assert {each.key: each.text for each in film.facts}["artist"] == "Ann"


def test_the_same_work_in_microdata_and_rdfa_is_one_medium():
    html = f"""<div {VIDEO} itemscope itemtype=https://schema.org/VideoObject>
    <link property=contentUrl itemprop=contentUrl href=a.mp4><b property=name>Film</b></div>"""
    (medium,) = page_of(html).media
    assert (medium.via, [file.href for file in medium.files]) == ("microdata", ["a.mp4", "a.mp4"])
    assert facts(html) == {"title": "Film"}


@pytest.mark.parametrize("name", ["typeof", "typeof=Product", "typeof=VideoObjec", "property=VideoObject"])
def test_a_page_without_such_types_is_not_searched(name, monkeypatch):
    monkeypatch.setattr("mediacrawl.extract.media.read_resources", lambda *_: pytest.fail("it was searched"))
    page_of(f"<script>typeof x == 'VideoObject'</script><p {name}>" if "=" not in name else f"<p {name}>")


def counting(monkeypatch):
    """How many steps the resources of a page took."""
    readers = []
    original = structured_data.ItemReader.__init__

    def init(self, root):
        original(self, root)
        readers.append(self)

    monkeypatch.setattr(structured_data.ItemReader, "__init__", init)
    return lambda: structured_data.STEPS - readers[-1]._steps


def test_each_element_is_looked_at_once_however_deep_resources_nest(monkeypatch):
    spent = counting(monkeypatch)
    read(f"<div property=video {VIDEO}>" * 300)
    assert spent() <= 300


def test_many_resources_and_long_texts_take_bounded_steps(monkeypatch):
    spent = counting(monkeypatch)
    read(f"<p {VIDEO}>" + "<i property=x>y" * 20_000)
    assert spent() <= structured_data.STEPS * 2
    assert len(read(f"<p {VIDEO}></p>" * 5_000)) == structured_data.MOST_ITEMS


ATTRIBUTES = st.sampled_from(
    [
        *(VIDEO, "typeof", "typeof=schema:VideoObject", "property=name", "property=video", "property", "resource='#a'"),
        *("about=//[", "href=a.mp4", "href=//[", "content=x", "prefix='schema: x s:'", "vocab='x'", "datetime=1"),
    ]
)
ELEMENTS = st.tuples(st.sampled_from(["<div", "<b", "<meta", "<a", "</div"]), st.lists(ATTRIBUTES, max_size=4))


@settings(max_examples=examples(60))
@given(st.lists(ELEMENTS, max_size=25))
def test_no_page_raises(elements):
    page = page_of(f"<p {VIDEO}>" + "".join(f"{tag} {' '.join(words)}>" for tag, words in elements))
    for medium in page.media:
        for each in medium.facts:
            each.text.encode("utf-8")
