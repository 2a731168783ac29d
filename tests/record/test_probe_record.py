"""The record: best values on top, the evidence below, and raw bytes that always come back."""

import base64
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from probe_media import audio, frame, id3, run, sample

from mediacrawl.base.charsets import clean, decode
from mediacrawl.base.evidence import raw_bytes, tag_element
from mediacrawl.base.terms import Evidence, Tag
from mediacrawl.extract.manifests import Manifest
from mediacrawl.probe import FirstAnswer
from mediacrawl.record import build_item, build_manifest_item
from mediacrawl.record.values import fill_values

URL = "http://example.org/tone.mp3"


def item_of(data, **known):
    probed = run(data)
    return build_item(probed.result, probed.probe, url=URL, **known)


def test_the_id_is_the_hash_of_the_url():
    assert item_of(sample("tagged.mp3")).id == hashlib.sha256(URL.encode()).hexdigest()[:32]


def test_what_the_probe_cost_and_saw_is_in_the_record():
    data = sample("xing.mp3")
    item = item_of(data)
    assert (item.content_size, item.head_bytes) == (len(data), 16384)
    assert item.head_sha256 == hashlib.sha256(data[:16384]).hexdigest()
    assert (item.requests, item.bytes_fetched) == (2, len(data))
    assert (item.probe_status, item.type, item.codec) == ("complete", "AudioObject", "mp3")


@pytest.mark.parametrize(
    ("requested", "told"), [("", None), (URL, None), ("http://example.org/old", "http://example.org/old")]
)
def test_the_url_that_led_there_is_told_if_it_is_another_one(requested, told):
    answer = FirstAnswer("2026-11-22T10:00:00Z", 200, "audio/mpegurl")
    manifest = Manifest("hls", "application/vnd.apple.mpegurl")
    known = {"url": URL, "page_url": "", "site": "example.org"}
    items = [
        item_of(sample("tagged.mp3"), evidence=Evidence(requested_url=requested)),
        build_manifest_item(manifest, answer, Evidence(requested_url=requested), length=100, **known),
    ]
    assert [item.requested_url for item in items] == [told, told]


def test_evidence_and_answer_are_copied_and_what_is_empty_is_none():
    evidence = Evidence("enclosure", "Tone\0", "", guid="\ud83d", page_language="de-AT", page_charset="cp1252")
    item = item_of(sample("tagged.mp3"), evidence=evidence, first=FirstAnswer(status=206))
    assert (item.discovered_via, item.anchor_text, item.page_title) == ("enclosure", "Tone", None)
    assert (item.page_language, item.page_charset) == ("de-AT", "cp1252")
    assert (item.guid, item.http_status, item.requested_url) == ("\ufffd", 206, None)


def test_values_follow_the_tags_after_a_repair():
    item = item_of(id3(frame("TIT2", b"\0\xd2\xee\xed")) + audio())
    assert item.title == "Òîí"
    (element,) = item.tags
    element["text"] = raw_bytes(element).decode("cp1251")
    fill_values(item)
    assert item.title == "Тон"


def test_ascii_needs_no_second_copy():
    (element,) = item_of(id3(frame("TIT2", b"\0Tone")) + audio()).tags
    assert "raw_b64" not in element
    assert list(element) == ["source", "frame", "key", "index", "lang", "desc", "declared", "text"]


@given(st.binary(max_size=60), st.sampled_from(["latin-1", "utf-8", "utf-16", "utf-16-be", "shift_jis"]))
def test_raw_bytes_always_come_back(raw, declared):
    element = tag_element(Tag("id3v2.3", "TIT2", "title", declared, raw, decode(raw, declared)))
    given_back = base64.b64decode(element["raw_b64"]) if "raw_b64" in element else element["text"].encode("ascii")
    assert given_back == raw == raw_bytes(element)
    assert raw_bytes(json.loads(json.dumps(element))) == raw


@given(st.text(st.characters(codec=None)))
def test_clean_text_can_be_written_anywhere(text):
    result = clean(text)
    result.encode("utf-8")
    assert "\0" not in result
    assert clean(result) == result
