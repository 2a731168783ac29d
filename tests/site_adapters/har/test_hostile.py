"""A recording may be made by anybody: what comes of it is a recording or a sentence, in bounded time and memory."""

import gzip
import io
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from fuzz_growth import check_growth
from har_files import Har, outline
from hypothesis import given, settings
from hypothesis import strategies as st
from large_har import DOCUMENT, HEAD, KINDS
from long_forms import examples

from mediacrawl.site_adapters.har import json_stream, reading
from mediacrawl.site_adapters.har.reading import MOST_MEMORY, read_recording
from mediacrawl.site_adapters.har.recording import SKIPPED, Recording, RecordingError

PAGE = "https://a.example/watch/1"


def read(data, name="test.har"):
    return read_recording(io.BytesIO(data), name)


def whole():
    har = Har().page(PAGE)
    for number in range(8):
        har.document(f"{PAGE}{number}", f"<p>{number}", kind="document").add(
            f"https://a.example/{number}.json", "{}", kind="fetch"
        )
    return har.data(indent=1)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "test.har: ends at byte 0, before its first entry; export it as HAR again."),
        (b"{", "test.har: ends at byte 1, before its first entry; export it as HAR again."),
        (HEAD, f"test.har: ends at byte {len(HEAD)}, before its first entry; export it as HAR again."),
        (
            b'{"log": {"entries" []}}',
            "test.har: is no JSON at byte 19, before its first entry; export it as HAR again.",
        ),
        (b"<!DOCTYPE html>", "test.har: is no HAR, it has no log.entries; export it as HAR with content."),
        (b"[]", "test.har: is no HAR, it has no log.entries; export it as HAR with content."),
        (b'{"log": {}}', "test.har: is no HAR, it has no log.entries; export it as HAR with content."),
        (b'{"log": 5, "entries": []}', "test.har: is no HAR, it has no log.entries; export it as HAR with content."),
        (
            gzip.compress(b"no JSON", mtime=0),
            "test.har: is no HAR, it has no log.entries; export it as HAR with content.",
        ),
    ],
)
def test_what_is_no_recording_is_one_sentence(data, message):
    with pytest.raises(RecordingError) as raised:
        read(data)
    assert str(raised.value) == message


def test_a_recording_that_ends_in_the_middle_gives_the_entries_that_were_whole():
    data = whole()
    entries = [each for page in read(data).pages for each in page.entries]
    seen = set()
    for end in range(data.index(b'"_resourceType"') + 700, len(data) - 1, 97):
        recording = read(data[:end])
        kept = sorted((each for page in recording.pages for each in page.entries), key=lambda entry: entry.index)
        assert kept == entries[: len(kept)]
        assert recording.skipped["cut"] == 1
        seen.add(len(kept))
    assert seen >= set(range(2, 16))


def test_a_recording_that_is_damaged_gives_the_entries_before():
    data = whole()
    recording = read(data[: len(data) // 2] + b"]}}}}" + data[len(data) // 2 :])
    assert recording.skipped["damaged"] == 1
    assert 4 <= sum(len(page.entries) for page in recording.pages) <= 10


def test_an_empty_recording_has_no_pages():
    assert read(b'{"log": {"entries": []}}') == Recording("test.har", "other", [])
    assert read(b'{"log": {"entries": null, "pages": 5}}').pages == []


NAMES = st.sampled_from(["name", "value", "text", "x"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.sampled_from([PAGE, "GET", ""]),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(NAMES, inside, max_size=4),
    max_leaves=6,
)


@given(st.data())
@settings(max_examples=examples(200), deadline=None)
def test_any_value_may_stand_in_any_place(data):
    har = (
        Har()
        .page(PAGE)
        .document(PAGE)
        .add(f"{PAGE}.json", "{}", kind="fetch", post="a=b", cookies=[{"name": "a", "value": "b"}])
    )
    value = har.value()
    for _ in range(data.draw(st.integers(1, 3))):
        place, key = {"": value}, ""
        while isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans()):
            place = place[key]
            key = data.draw(st.sampled_from(list(place) if isinstance(place, dict) else range(len(place))))
        place[key] = data.draw(JSON)
    try:
        recording = read(json.dumps(value[""] if set(value) == {""} else value).encode())
    except RecordingError:
        return
    assert recording.skipped.keys() <= SKIPPED.keys()
    assert repr(recording).encode()


@given(st.lists(st.tuples(st.integers(0, 10**6), st.binary(max_size=3)), max_size=4))
@settings(max_examples=examples(200), deadline=None)
def test_any_damage_gives_a_recording_or_the_error(changes):
    data = bytearray(whole())
    for number, instead in changes:
        place = number % len(data)
        data[place : place + len(instead)] = instead
    with suppress(RecordingError):
        assert read(bytes(data)).name == "test.har"


def many(unit, count):
    return HEAD + DOCUMENT + (b"," + unit) * count + b"]}}"


def entry(**changes):
    har = Har().add(f"{PAGE}.json", "{}", referer=PAGE)
    value = har.entries[0]
    for name, each in changes.items():
        part, _, key = name.partition("_")
        value[part][key] = each
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    ("unit", "skipped"),
    [
        (entry(request_url="https://a.example/" + "x" * 100_000), {"long_url": 3}),
        (entry(request_headers=[{"name": f"h{n}", "value": "x"} for n in range(2_000)]), {"long_headers": 3}),
        (entry(request_cookies=[{"name": "a", "value": "x" * 900}] * 2_000), {"long_headers": 3}),
        (entry(request_postData={"text": "x" * (5 << 20)}), {"long_post": 3}),
        (entry(response_content={"text": "x" * (5 << 20), "mimeType": ""}), {"long_body": 3}),
        (entry(response_content={"text": '"token":"x",' * 21_000, "mimeType": ""}), {"many_secrets": 1}),
        (entry(request_method="X" * 5_000), {}),
        (entry(response_status=10**30), {}),
        (entry(request_url=5), {"entry": 3}),
        (b'{"request": ' + b"[" * 5_000 + b"]" * 5_000 + b"}", {"entry": 3}),
        (b"null", {"entry": 3}),
        (b'"request"', {"entry": 3}),
    ],
)
def test_what_is_too_long_or_wrong_is_left_out_and_counted(unit, skipped):
    recording = read(many(unit, 3))
    assert recording.skipped == skipped
    assert outline(recording)[0][1][0] == PAGE


def test_entries_beyond_the_limits_are_passed_over(monkeypatch):
    recording = read(many(entry(), 50))
    assert len(recording.pages[0].entries) == 51
    monkeypatch.setattr(reading, "_MOST_ENTRIES", 20)
    assert len(read(many(entry(), 50)).pages[0].entries) == 20
    monkeypatch.setattr(reading, "_MOST_OTHER", 5_000)
    recording = read(many(entry(), 50))
    assert 3 <= len(recording.pages[0].entries) <= 10
    assert recording.skipped == {"entries_beyond_limit": 1}


def test_a_recording_with_too_many_secrets_is_refused(monkeypatch):
    monkeypatch.setattr("mediacrawl.site_adapters.har.found._MOST_VALUES", 100)
    har = Har().document(PAGE)
    for number in range(120):
        har.add(f"{PAGE}?token=a-value-{number}")
    with pytest.raises(
        RecordingError, match=r"^test\.har: has more secrets than can be removed for sure; record fewer"
    ):
        har.read()


def test_a_file_that_fails_while_it_is_read_is_named():
    class Failing(io.BytesIO):
        def read(self, most=-1):
            data = super().read(min(most, 100))
            if not data:
                raise OSError(5, "Input/output error")
            return data

    with pytest.raises(RecordingError, match=r"^test\.har: cannot be read to its end \(.*Input/output error\); copy"):
        read_recording(Failing(whole()[:5_000]), "test.har")


@pytest.mark.parametrize("kind", ["entries", "text", "navigations", "states"])
def test_the_time_grows_as_the_recording_does(kind):
    def made(size):
        har = Har()
        for number in range(size):
            url = f"https://a.example/{number}"
            if kind == "entries":
                har.add(url, referer=PAGE)
            elif kind == "text":
                har.add(url, f'{{"token": "token-{number:06}", "x": {number}}}' * 5)
            elif kind == "navigations":
                har.plain_document(url)
            else:
                har.add(url, referer=f"https://a.example/x/{number}")
        return har.data()

    check_growth(read, made, 100, 800)


def peak_of(kind, size):
    """Bytes of memory that a process takes at most which reads a recording, and how many entries that gives."""
    here, root = Path(__file__).parent, Path(__file__).parents[3]
    command = [sys.executable, str(here / "large_har.py"), kind, str(size)]
    environment = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{here}"}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return [int(word) for word in done.stdout.split()]


@pytest.mark.parametrize("kind", ["film", "texts"])
def test_a_large_recording_takes_bounded_memory(kind):
    peak, entries = peak_of(kind, 20_000_000)
    assert peak < MOST_MEMORY
    assert entries >= 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_recording_of_500_mb_takes_bounded_memory(kind):
    peak, entries = peak_of(kind, 500_000_000)
    assert peak < MOST_MEMORY
    assert (entries > 0) == (kind != "secrets")


@pytest.mark.slow
def test_a_recording_of_4_gb_takes_bounded_memory():
    peak, entries = peak_of("segments", 4_000_000_000)
    assert peak < MOST_MEMORY
    assert entries == 4_001


def test_brackets_without_end_are_given_up(monkeypatch):
    monkeypatch.setattr(json_stream, "_FREE_STEPS", 1_000)
    recording = read(HEAD + DOCUMENT + b',{"x": ' + b"[" * 100_000)
    assert recording.skipped == {"damaged": 1}
