"""The file of a site adapter: what it may have, and how faults are told."""

import json
from contextlib import suppress

import pytest
from adapter_files import CLIP, WATCH, adapter, text_of
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mediacrawl.site_adapters.loading import LONGEST, AdapterError, load, parse
from mediacrawl.site_adapters.registry import SiteAdapters
from mediacrawl.site_adapters.schema import MOST_PROBLEMS, SCHEMA


def faults(written):
    with pytest.raises(AdapterError) as caught:
        parse(written if isinstance(written, bytes) else text_of(written), "a.json")
    return str(caught.value).splitlines()


def changed(**changes):
    try:
        adapter(WATCH, **changes)
    except AdapterError as error:
        return str(error).replace("adapter.json:", "").splitlines()
    return []


def test_the_schema_is_one_and_takes_what_the_linter_takes():
    Draft202012Validator.check_schema(SCHEMA)
    for written in (CLIP, WATCH):
        Draft202012Validator(SCHEMA).validate(written)
        assert parse(text_of(written), "a.json").name == written["name"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"form": 2}, "2: form is 2; this version of mediacrawl reads 1"),
        ({"name": "Player"}, "name is 'Player', which does not match"),
        ({"name": None}, "1: name is missing"),
        ({"extra": 1}, "extra is unknown; here may be form, name, comment"),
        ({"page__host": "Player.example/x"}, "page.host is 'Player.example/x', and no host in lower-case ASCII"),
        ({"page__host": "bücher.example"}, "page.host is 'bücher.example', and no host in lower-case ASCII (player.ex"),
        ({"page__host": "player.example:443"}, "page.host has the port that is left out in URLs"),
        ({"page__host": "{id}"}, "page.host is '{id}', and no host in lower-case ASCII"),
        ({"page__host": "*.com"}, "page.host is '*.com', below which are the sites of many; name one site"),
        ({"page__host": "*.co.uk:8080"}, "page.host is '*.co.uk:8080', below which are the sites of many"),
        ({"page__host": "192.0.2.7:8080"}, "page.host is '192.0.2.7:8080', an address; name a host"),
        ({"page__host": "[2001:db8::1]"}, "page.host is '[2001:db8::1]', an address; name a host"),
        ({"page__path": "/watch/{id}-{title}?x=1"}, "page.path has a ? or #; name parameters in page.query"),
        ({"requests__0__url": "https://x/{key}{state}{number}\r\nX: 1"}, "requests[0].url has a control character"),
        ({"page__path": "watch"}, "page.path does not begin with /"),
        ({"page__path": "/watch/{id}-{title}-{id}"}, "page.path has a slot twice"),
        ({"page__path": "/watch/{id}-{title}-{oops}"}, "page has the slot oops, which is not among the slots"),
        ({"page__path": "/{id}-{title}{"}, "page.path has a brace without a slot at '{'"),
        ({"page__fetched": False}, "page.fetched is false, but a slot is in the page"),
        ({"slots__id__like": "number"}, "slots.id.like is 'number', and none of digits, hex"),
        ({"slots__id__in": "cookie"}, "slots.id.in is 'cookie'; url, page, answer 1 to 3 or slot NAME is expected"),
        ({"slots__id__json": "a"}, "slots.id has a place, but is in no document"),
        ({"slots__number__in": "slot nothing"}, "slots.number is made of the slot nothing, which does not exist"),
        ({"slots__number__in": "slot number"}, "slots.number is made of the slot number, which does not exist or is"),
        ({"slots__number__as": [{"pad": 99}]}, "slots.number.as[0] is {'pad': 99}, and none of base64"),
        ({"slots__ticket__in": "answer 3"}, "slots.ticket is in answer 3, but there are 2 requests"),
        ({"slots__ticket__css": "a"}, "slots.ticket needs one place of json, css, regex, script"),
        ({"slots__ticket__xml": "/a"}, "slots.ticket.xml is of the old form; XML is read as JSON now"),
        (
            {"slots__ticket__json": "$.t[0]"},
            "slots.ticket.json is a path of the old form; paths are JMESPath now: write t[0]",
        ),
        ({"slots__ticket__json": ".t"}, "slots.ticket.json is no JMESPath"),
        ({"slots__key__css": "div:has(a)"}, "slots.key.css is no selector of types"),
        ({"slots__key__css": "a b"}, "slots.key.css is no selector of types"),
        ({"slots__key__attribute": "data key"}, "slots.key.attribute is no name of an attribute"),
        ({"slots__key__attribute": "{x"}, "slots.key.attribute is no name of an attribute"),
        ({"slots__key__css": "a|b"}, "slots.key.css is no selector of types"),
        ({"requests__0__url": "https://x:99999/{key}{state}{number}"}, "requests[0].url does not begin with https://"),
        ({"slots__spare": {"in": "page", "regex": "(a)"}}, "slots.spare is used nowhere; delete it"),
        ({"slots__spare": {"in": "page", "regex": "(a"}}, "slots.spare.regex is no regular expression of RE2"),
        ({"slots__spare": {"in": "page", "regex": "a"}}, "slots.spare.regex has 0 groups"),
        ({"slots__spare": {"in": "page", "regex": r"(?:a{1,900}){1,900}(b)"}}, "is no regular expression of RE2"),
        ({"slots__spare": {"in": "page", "regex": r"a{600}(b)"}}, "instructions in RE2, more than 500; shorten"),
        ({"requests": []}, "requests has 0 items; 1 to 3 are allowed"),
        ({"requests__0__url": "ftp://x/{key}{state}{number}"}, "requests[0].url does not begin with https://HOST/"),
        ({"requests__0__url": "https://me:x@h/{key}{state}{number}"}, "requests[0].url does not begin with https://"),
        ({"requests__0__url": "https://x/{ticket}"}, "has the slot ticket, which is known only after this request"),
        ({"requests__0__headers": {"Cookie": "a=b"}}, "requests[0].headers.Cookie has a name that is not allowed"),
        ({"requests__0__headers": {"Accept": "a\r\nCookie: x"}}, "has characters that no header may have"),
        ({"requests__0__method": "POST"}, "requests[0].method is unknown"),
        ({"requests__1__read": "html"}, "has a place by json, which html does not have"),
        ({"records__media": []}, "records.media has 0 items; 1 to 10 are allowed"),
        ({"records__media__0__url": "https://x/"}, "records.media[0].url has no {value}"),
        ({"records__title": {}}, "records.title needs one place"),
        ({"records__duration__unit": "h"}, "records.duration.unit is 'h', and none of s, ms, min"),
        ({"records__each": "/a"}, "records.each is no JMESPath"),
    ],
)
def test_a_fault_is_told_with_its_line_and_field(changes, told):
    lines = changed(**changes)
    assert any(told in line for line in lines), lines
    assert all(line.split(":")[0].isdigit() for line in lines)


def test_pages_whose_data_would_be_the_same_for_all_are_refused():
    def told(**changes):
        with pytest.raises(AdapterError) as caught:
            adapter(CLIP, **changes)
        return str(caught.value)

    same = "page has slots, but none is in a data URL, so that all pages would have the same data"
    request = {"url": "https://clips.example/all.json", "read": "json"}
    assert same in told(requests=[request])
    # Headers do not tell data requests apart in the frontier.
    assert same in told(requests=[{**request, "headers": {"Referer": "https://clips.example/{id}"}}])
    media = {"json": "file", "url": "https://cdn.example/{id}/{value}"}
    assert adapter(CLIP, requests=[request], records__media=[media])
    later = {"url": "https://clips.example/{number}", "read": "json"}
    number = {"in": "slot id", "as": [{"pad": 8}]}
    assert adapter(CLIP, slots__number=number, requests=[request, later])
    assert adapter(CLIP, slots={}, page__path="/live", requests=[request])


@pytest.mark.parametrize(
    "url",
    ["{!id}", "https://a.example:8080{!id}", "https://a.example{!id}", "https://{!id}/x", "https://{id}.a.example/"],
)
def test_a_slot_may_be_a_whole_url_or_its_host_or_its_path(url):
    assert adapter(CLIP, requests=[{"url": url, "read": "json"}])


@pytest.mark.parametrize(
    "url", ["{id}", "https://{!id}@a.example/", "https://{", "https:///{id}", "https://?{id}", "/{id}"]
)
def test_another_template_is_refused(url):
    with pytest.raises(AdapterError, match=r"requests\[0\]\.url "):
        adapter(CLIP, requests=[{"url": url, "read": "json"}])


def test_slots_in_the_page_are_few():
    slots = {f"k{n}": {"in": "page", "css": "div"} for n in range(11)}
    url = "https://clips.example/" + "".join(f"{{{name}}}" for name in ("id", *slots))
    with pytest.raises(AdapterError, match="slots has 11 slots in the page, more than 10"):
        adapter(CLIP, slots={**CLIP["slots"], **slots}, requests=[{"url": url, "read": "json"}])


def test_the_line_is_that_of_the_field():
    text = text_of(WATCH).decode()
    line = next(number for number, each in enumerate(text.splitlines(), 1) if '"data-key"' in each)
    assert faults(text.replace('"data-key"', "7").encode()) == [
        f"a.json:{line}: slots.key.attribute is 7, and not a text"
    ]


@pytest.mark.parametrize("written", [r'{"name": "\ud800"}', r'{"slots": {"\udfff": {}}}', r'{"\u001b[2J": 1}'])
def test_faults_of_a_strangers_file_are_printable(written):
    assert all(line.isprintable() for line in faults(written.encode()))


def test_of_many_faults_the_first_are_told():
    lines = faults(("{" + ",\n".join(f'"a{n}": 1' for n in range(20_000)) + "}").encode())
    assert len(lines) == MOST_PROBLEMS


def test_a_name_that_stands_twice_is_found_among_many():
    body = "{" + ", ".join(f'"a{n}": 1' for n in range(20_000)) + ', "a19999": 1}'
    assert faults(body.encode()) == ["a.json:1: the adapter cannot be read: the name a19999 stands twice in one object"]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "a.json:1: the adapter cannot be read: the file is no JSON"),
        (b'{\n"form": 1,\n}', "a.json:3: the adapter cannot be read: the file is no JSON"),
        (b'{"form": 1, "form": 1}', "a.json:1: the adapter cannot be read: the name form stands twice in one object"),
        (b"[" * 100_000, "a.json:1: the adapter cannot be read: the file is nested too deep"),
        (b"[" * 90 + b"]" * 90, "is nested too deep"),
        (b"\xff", "a.json:1: the adapter is no UTF-8 at byte 0"),
        (b"[]", "a.json:1: the adapter is [], and not an object"),
        (b"true", "a.json:1: the adapter is True, and not an object"),
    ],
)
def test_a_file_that_is_no_adapter_is_told_in_one_line(body, told):
    assert len(faults(body)) == 1
    assert told in faults(body)[0]


def test_a_folder_is_read_whole_or_all_faults_are_told(tmp_path):
    (tmp_path / "a.json").write_bytes(text_of(CLIP))
    (tmp_path / "b.json").write_bytes(text_of(WATCH))
    (tmp_path / "notes.txt").write_text("no adapter")
    adapters = SiteAdapters.load(tmp_path)
    assert [each.name for each in adapters] == ["clips.example", "player.example"]
    assert adapters.match("https://a.clips.example/v/9")[0] is adapters.named("clips.example")
    assert adapters.match("https://example/v/9") is None
    (tmp_path / "c.json").write_bytes(text_of(CLIP))
    (tmp_path / "d.json").write_bytes(b"{}")
    with pytest.raises(AdapterError) as caught:
        SiteAdapters.load(tmp_path)
    assert "c.json:1: name is clips.example, as that of another adapter in this folder" in str(caught.value)
    assert "d.json:1: form is missing" in str(caught.value)


def test_what_cannot_be_opened_is_told(tmp_path):
    with pytest.raises(AdapterError, match="it is no folder that can be read"):
        SiteAdapters.load(tmp_path / "nothing")
    with pytest.raises(AdapterError, match="cannot be read: No such file"):
        load(tmp_path / "nothing.json")
    (tmp_path / "big.json").write_bytes(b" " * (LONGEST + 1))
    with pytest.raises(AdapterError, match="has more than"):
        load(tmp_path / "big.json")


_SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=8) | st.sampled_from(["a", "{id}", "json"])


@settings(max_examples=examples(150))
@given(st.data())
def test_no_change_of_a_file_raises_anything_but_its_faults(data):
    written = json.loads(text_of(WATCH))
    inner = written
    while isinstance(inner, (dict, list)) and inner:
        outer, key = inner, data.draw(st.sampled_from(list(inner) if isinstance(inner, dict) else range(len(inner))))
        inner = inner[key]
        if data.draw(st.booleans()):
            break
    outer[key] = data.draw(_SCALARS | st.lists(_SCALARS, max_size=2) | st.dictionaries(st.text(max_size=4), _SCALARS))
    is_valid = Draft202012Validator(SCHEMA).is_valid(written)
    with suppress(AdapterError):
        parse(text_of(written), "a.json")
        assert is_valid
