"""From the URL of a page to its data requests, and from their answers to media."""

import base64
import json
from contextlib import suppress

import pytest
from adapter_files import CLIP, WATCH, adapter
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.site_adapters.engine import FoundRecord, Miss, data_request, page_slots, read_answer
from mediacrawl.site_adapters.paths import Pattern, script_state
from mediacrawl.site_adapters.registry import SiteAdapters

PAGE = "https://player.example/watch/12-ein-h%C3%BCt.html?x=1&v=77"
KEY = base64.b64encode(b'{"k": "zz/9"}').decode()
HTML = (
    f'<html><div class="big player" data-key="{KEY}"></div>'
    "<script>var a = 1; window.__STATE__ = {a: [{b: 5}]};</script></html>"
).encode()
LIST = {
    "items": [{"f": "a/b", "t": " Low\n Water ", "d": 61500, "at": "1700000000", "p": "/p.jpg"}, {"f": "c"}, {"x": 1}]
}


def found(body, written=CLIP, url="https://clips.example/api/x.json", **changes):
    answer = read_answer(adapter(written, **changes), 1, {}, json.dumps(body).encode(), url)
    return [each.media for each in answer.records]


def test_a_chain_goes_from_the_page_to_records():
    watch = adapter(WATCH)
    slots = watch.match(PAGE)
    assert slots == {"id": "12", "title": "ein-hüt", "v": "77"}
    assert watch.fetches_page
    slots = page_slots(watch, slots, HTML, PAGE)
    first = data_request(watch, 1, slots)
    assert first.url == "https://api.player.example/00000012/zz%2F9?s=5"
    assert first.headers == {"Accept": "application/json", "Referer": "https://player.example/watch/12"}
    slots = read_answer(watch, 1, slots, b'{"t": "q&r"}', first.url).slots
    second = data_request(watch, 2, slots)
    assert (second.url, second.read) == ("https://api.player.example/list?t=q%26r&v=77", "jsonp")
    answer = read_answer(watch, 2, slots, b"/**/call(" + json.dumps(LIST).encode() + b");", second.url)
    assert answer.records == (
        FoundRecord(
            ("https://cdn.example/77/a/b.mp4",),
            title="Low Water",
            duration="61.5",
            date="2023-11-14T22:13:20Z",
            thumbnail="https://api.player.example/p.jpg",
            places={"title": "t", "duration": "d", "date": "at", "thumbnail": "p"},
        ),
        FoundRecord(("https://cdn.example/77/c.mp4",), places={}),
    )
    assert answer.next == "https://api.player.example/list?t=q%26r&v=77&page=2"


@pytest.mark.parametrize(
    "url",
    [
        "https://player.example/watch/12-x.html",
        "https://player.example/watch/12-x.html?v=",
        "https://player.example/watch/x-x.html?v=1",
        "https://player.example/watch/12-x.html/?v=1",
        "https://player.example/watch/12-a/b.html?v=1",
        "https://other.example/watch/12-x.html?v=1",
        "https://a.player.example/watch/12-x.html?v=1",
        "https://player.example:8080/watch/12-x.html?v=1",
        "ftp://player.example/watch/12-x.html?v=1",
        "https://[player.example/watch/12-x.html?v=1",
        "no url",
        "",
    ],
)
def test_another_url_is_no_page_of_the_adapter(url):
    assert adapter(WATCH).match(url) is None


@pytest.mark.parametrize("written", ["/vidéos/{{x}}/{id}", "/vid%C3%A9os/%7bx%7D/{id}", "/vid%c3%a9os/{{x}}/{id}"])
@pytest.mark.parametrize("url", ["/vidéos/{x}/a-1", "/vid%C3%A9os/%7Bx%7d/a-1", "/vid%c3%a9os/{x}/%61-1"])
def test_a_path_is_the_same_however_it_is_percent_encoded(written, url):
    assert adapter(page__path=written).match(f"http://clips.example{url}") == {"id": "a-1"}


@pytest.mark.parametrize(
    ("url", "slot", "data"),
    [
        ("a%2Fb", "a/b", "a%2Fb"),
        ("%252F", "%2F", "%252F"),
        ("h%C3%BCt%20x", "hüt x", "h%C3%BCt%20x"),
        ("a+b&c=d", "a+b&c=d", "a%2Bb%26c%3Dd"),
        ("%0D%0AX:y", "\r\nX:y", "%0D%0AX%3Ay"),
    ],
)
def test_a_slot_is_decoded_once_and_encoded_once(url, slot, data):
    made = adapter(slots__id={"in": "url"})
    slots = made.match(f"http://clips.example/v/{url}")
    assert slots == {"id": slot}
    assert data_request(made, 1, slots).url == f"https://clips.example/api/{data}.json"


def test_a_slot_that_is_not_percent_encoded_utf_8_is_no_slot():
    assert adapter(slots__id={"in": "url"}).match("http://clips.example/v/%FC") is None
    assert adapter(slots__id={"in": "url"}).match("http://clips.example/v/a/b") is None


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("clips.example", "http://CLIPS.example/v/1"),
        ("clips.example", "https://clips.example/v/1"),
        ("clips.example:8080", "http://Clips.example:8080/v/1"),
        ("*.clips.example:8080", "http://a.clips.example:8080/v/1"),
        ("xn--bcher-kva.example", "http://xn--bcher-kva.example/v/1"),
    ],
)
def test_hosts_are_compared_with_their_ports_in_lower_case(host, url):
    made = SiteAdapters([adapter(page__host=host)])
    found = made.match(url)
    assert found is not None
    assert found[1] == {"id": "1"}
    assert made.match(url.replace("/v/", ":81/v/", 1).replace(":8080:", ":")) is None


@pytest.mark.parametrize("host", ["clips.example", "a.clips.example", "a.b.clips.example"])
def test_a_star_means_the_host_and_all_below(host):
    assert adapter().match(f"http://{host}/v/a_B-9?utm=1") == {"id": "a_B-9"}
    assert adapter().match("http://badclips.example/v/a") is None


@pytest.mark.parametrize(
    ("place", "body", "media"),
    [
        ({"json": 'a."b c".d'}, {"a": {"b c": {"d": "/x.mp4"}}}, ["https://clips.example/x.mp4"]),
        ({"json": "a[-1]"}, {"a": ["/x.mp4", "y.mp4"]}, ["https://clips.example/api/y.mp4"]),
        (
            {"json": "a[*].f"},
            {"a": [{"f": "/1.mp4"}, {}, {"f": "/2.mp4"}]},
            ["https://clips.example/1.mp4", "https://clips.example/2.mp4"],
        ),
        ({"json": "a.*"}, {"a": {"x": "/1.mp4", "y": "/1.mp4"}}, ["https://clips.example/1.mp4"]),
        (
            {"json": "a[?p == 'https'].f"},
            {"a": [{"p": "hls", "f": "/1.m3u8"}, {"p": "https", "f": "/2.mp4"}]},
            ["https://clips.example/2.mp4"],
        ),
        ({"json": "f", "as": ["base64"]}, {"f": "aHR0cHM6Ly9jZG4uZXhhbXBsZS94Lm1wNA"}, ["https://cdn.example/x.mp4"]),
        ({"json": "f", "url": "//cdn.example/{!value}"}, {"f": "x y.mp4"}, ["https://cdn.example/x y.mp4"]),
        (
            {"json": "f", "as": [{"regex": "src='([^']+)'"}]},
            {"f": "<a src='/x.mp4'>"},
            ["https://clips.example/x.mp4"],
        ),
    ],
)
def test_media_are_found_at_their_places(place, body, media):
    assert found(body, records={"media": [place]}) == [tuple(media)]


def test_the_answer_may_be_xml_html_or_text():
    xml = b"<r xmlns='urn:x'><i n='1'><u>http://cdn.example/1.mp4</u><t>One</t></i><i n='2'><u>http://cdn.example/2.mp4</u></i></r>"
    made = adapter(
        requests=[{"url": "https://clips.example/{id}", "read": "xml"}],
        records={"each": "r.i[*]", "media": [{"json": "u"}], "title": {"json": "t"}, "artist": {"json": '"@n"'}},
    )
    records = read_answer(made, 1, {}, xml, "https://clips.example/1").records
    assert [(each.media, each.title, each.artist) for each in records] == [
        (("http://cdn.example/1.mp4",), "One", "1"),
        (("http://cdn.example/2.mp4",), "", "2"),
    ]
    made = adapter(
        requests=[{"url": "https://clips.example/{id}", "read": "html"}],
        records={"media": [{"css": "#p > video", "attribute": "data-file"}], "title": {"css": "h1"}},
    )
    html = b"<h1>A <b>film</b></h1><div id=p><video data-file='/f.mp4'></video></div>"
    record = read_answer(made, 1, {}, html, "https://clips.example/1").records[0]
    assert (record.media, record.title) == (("https://clips.example/f.mp4",), "A film")
    made = adapter(
        requests=[{"url": "https://clips.example/{id}", "read": "text"}],
        records={"media": [{"regex": "file=([^&]+)", "as": ["url_decode"]}]},
    )
    assert read_answer(made, 1, {}, b"a=1&file=%2Fx.mp4&b=2", "https://clips.example/1").records[0].media == (
        "https://clips.example/x.mp4",
    )


def test_json_behind_a_guard_against_scripts_is_read():
    answer = read_answer(adapter(), 1, {}, b')]}\',\n{"file": "/x.mp4"}', "https://clips.example/api/x.json")
    assert answer.records[0].media == ("https://clips.example/x.mp4",)


def test_the_next_page_is_named_or_counted():
    body, url = b'{"file": "/x.mp4", "n": "?cursor=b"}', "https://clips.example/list?page=4&x=%20"
    named = adapter(records__next={"json": "n"})
    assert read_answer(named, 1, {}, body, url).next == "https://clips.example/list?cursor=b"
    counted = adapter(records__next={"parameter": "page", "step": 1, "first": 1})
    assert read_answer(counted, 1, {}, body, url, page_number=4).next == "https://clips.example/list?page=5&x=+"
    offset = adapter(records__next={"parameter": "from", "step": 20, "first": 0})
    assert read_answer(offset, 1, {}, body, "https://clips.example/list", page_number=2).next.endswith("?from=40")
    # The number in the URL counts, not the one that the first page is expected to have.
    assert read_answer(counted, 1, {}, body, "https://clips.example/list?page=0").next.endswith("?page=1")
    assert read_answer(counted, 1, {}, body, "https://clips.example/list?page=a").next.endswith("?page=2")


def test_a_list_ends_with_a_page_without_records():
    counted = adapter(records__next={"parameter": "page"})
    answer = read_answer(counted, 1, {}, b"{}", "https://clips.example/list?page=9", page_number=9)
    assert (answer.records, answer.next) == ((), "")


@pytest.mark.parametrize(
    ("step", "call"),
    [
        ("page", lambda watch: page_slots(watch, {}, b"<p>nothing</p>", PAGE)),
        ("page", lambda watch: page_slots(watch, {}, b"", PAGE)),
        ("request 1", lambda watch: data_request(watch, 1, {"id": "1", "key": "x"})),
        ("request 1", lambda watch: data_request(watch, 1, {"id": "1", "key": "x" * 1990, "state": "1"})),
        ("answer 1", lambda watch: read_answer(watch, 1, {}, b"<html>", "https://api.player.example/")),
        ("answer 1", lambda watch: read_answer(watch, 1, {}, b"[" * 100_000, "https://api.player.example/")),
        ("answer 1", lambda watch: read_answer(watch, 1, {}, b" " * 2_000_001, "https://api.player.example/")),
        ("answer 1", lambda watch: read_answer(watch, 1, {}, b'{"t": null}', "https://api.player.example/")),
        ("answer 2", lambda watch: read_answer(watch, 2, {}, b"call(1)", "https://api.player.example/")),
        ("records", lambda watch: read_answer(watch, 2, {}, b'c({"items": []})', "https://api.player.example/")),
    ],
)
def test_what_is_not_as_the_adapter_says_is_a_miss_with_its_step(step, call):
    with pytest.raises(Miss) as caught:
        call(adapter(WATCH))
    assert caught.value.step == step
    assert caught.value.why


@pytest.mark.parametrize(
    "steps", [[], ["base64_encode"], ["url_encode"], [{"regex": "(.+)"}], ["lower"], [{"split": "-", "take": 0}]]
)
def test_half_a_pair_of_surrogates_becomes_a_replacement_character(steps):
    """No encoder accepts it, and JSON may hold it."""
    place = {"json": "f", "url": "https://cdn.example/{value}", "as": steps}
    made = adapter(records={"media": [place], "title": {"json": "t"}})
    (record,) = read_answer(made, 1, {}, b'{"f": "a\\ud800", "t": "x\\udfff"}', "https://clips.example/").records
    assert record.title == "x\ufffd"
    assert record.media[0].isascii()


@pytest.mark.parametrize("written", ["false", "true", '"#"', '" "', '""', "null", "NaN", '"javascript:play()"'])
def test_what_is_no_link_is_no_medium(written):
    with pytest.raises(Miss, match="names no media"):
        read_answer(adapter(), 1, {}, f'{{"file": {written}}}'.encode(), "https://clips.example/api/x.json")


def test_of_many_attributes_in_xml_the_first_are_read():
    body = b"<r xmlns:x='u' x:file='/x.mp4' " + b" ".join(b"a%d=''" % n for n in range(50_000)) + b"/>"
    made = adapter(
        requests=[{"url": "https://clips.example/{id}", "read": "xml"}], records={"media": [{"json": 'r."@file"'}]}
    )
    assert read_answer(made, 1, {}, body, "https://clips.example/").records[0].media == ("https://clips.example/x.mp4",)


def test_a_name_of_an_attribute_is_read_as_html_writes_it():
    made = adapter(
        requests=[{"url": "https://clips.example/{id}", "read": "html"}],
        records={"media": [{"css": "a", "attribute": "data-File"}]},
    )
    record = read_answer(made, 1, {}, b"<a data-File=/x.mp4>", "https://clips.example/").records[0]
    assert record.media == ("https://clips.example/x.mp4",)


def test_a_fact_may_be_in_an_earlier_answer_and_a_page_may_be_without_it():
    made = adapter(
        slots={
            "id": {"in": "url"},
            "key": {"in": "answer 1", "json": "key"},
            "length": {"in": "answer 1", "json": "ms"},
        },
        requests=[
            {"url": "https://clips.example/a/{id}", "read": "json"},
            {"url": "https://clips.example/b/{key}", "read": "json"},
        ],
        records={"media": [{"json": "file"}], "duration": {"slot": "length", "unit": "ms"}},
    )
    for first, duration in ((b'{"key": 7, "ms": 61000}', "61"), (b'{"key": 7}', "")):
        slots = read_answer(made, 1, {"id": "1"}, first, "https://clips.example/a/1").slots
        (record,) = read_answer(made, 2, slots, b'{"file": "/x.mp4"}', "https://clips.example/b/7").records
        assert record.duration == duration
    assert made.needed_slots(1) == {"key", "length"}


def test_of_a_script_each_variable_is_read_once(monkeypatch):
    read = []

    def counted(root, name):
        read.append(name)
        return script_state(root, name)

    monkeypatch.setattr("mediacrawl.site_adapters.documents.script_state", counted)
    slots = {f"k{n}": {"in": "page", "script": "__STATE__", "json": f"a[{n}]"} for n in range(3)}
    url = "https://clips.example/{id}/{k0}/{k1}/{k2}"
    made = adapter(slots={**CLIP["slots"], **slots}, requests=[{"url": url, "read": "json"}])
    found = page_slots(made, {"id": "1"}, b"<script>__STATE__ = {a: [1, 2, 3]}</script>", PAGE)
    assert (found["k2"], read) == ("3", ["__STATE__"])


def test_matches_of_an_expression_in_a_long_text_are_few():
    """Each search for the next one may read the rest of the text."""
    pattern = Pattern("(a)(?:[^b]*b)?")
    assert len(list(pattern.find("a" * 10_000, 1_000))) == 1_000
    assert 0 < len(list(pattern.find("a" * 2_000_000, 1_000))) < 200


def test_a_miss_is_told_in_one_printable_line():
    made = adapter(requests=[{"url": "{!id}", "read": "json"}])
    with pytest.raises(Miss) as caught:
        data_request(made, 1, {"id": "http://x/\r\n\x1b[2J"})
    assert caught.value.why.isprintable()


def test_a_header_never_takes_a_line_break_from_a_page():
    made = adapter(WATCH, requests__0__headers={"Referer": "https://player.example/{!title}"})
    with pytest.raises(Miss, match="no header may have"):
        data_request(made, 1, {"id": "1", "title": "a\r\nCookie: x", "key": "x", "state": "1"})


_ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)
"""With lone surrogates, which JSON may hold."""
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _ANY_TEXT,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["items", "f", "t", "d", "at", "p", "a"]), inner, max_size=4)
    ),
    max_leaves=20,
)


@settings(max_examples=examples(100))
@given(_JSON)
def test_no_answer_raises_anything_but_a_miss(value):
    watch = adapter(WATCH)
    body = json.dumps(value).encode()
    for step, slots in ((1, {}), (2, {"v": "7"})):
        with suppress(Miss):
            read_answer(watch, step, slots, body if step == 1 else b"c(" + body + b")", "https://api.player.example/")


@settings(max_examples=examples(100))
@given(st.binary(max_size=300))
def test_no_bytes_raise_anything_but_a_miss(body):
    for form in ("json", "jsonp", "xml", "html", "text"):
        place = {"json": {"json": "a"}, "jsonp": {"json": "a"}, "xml": {"json": 'a.b[0]."@c"'}}.get(
            form, {"regex": "(a+)"}
        )
        made = adapter(requests=[{"url": "https://clips.example/{id}", "read": form}], records={"media": [place]})
        with suppress(Miss):
            read_answer(made, 1, {}, body, "https://clips.example/")
