"""Endless streams: what their headers say, and what their first bytes show."""

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.probe import read_stream, stream_bytes
from mediacrawl.probe.icecast import STREAM_BYTES


def test_as_much_of_a_stream_is_read_as_its_first_words_need():
    assert stream_bytes({"icy-metaint": "16000"}) == 16_000 + 1 + 255 * 16
    for metaint in ("", "0", "x", "64", "1024", "16385", "40000", "9" * 5_000):
        assert stream_bytes({"icy-metaint": metaint}) == STREAM_BYTES


@pytest.mark.parametrize(
    ("headers", "endless"),
    [
        ({"icy-name": "x"}, True),
        ({"icy-metaint": "0", "content-length": "221183499"}, True),
        ({"ice-audio-info": ""}, True),
        ({"icy-name": "x", "content-range": "bytes 0-16383/99999"}, False),
        # Icecast-KH gives ranges of what has no end.
        ({"icy-name": "x", "content-range": "bytes 0-16383/*"}, True),
        ({"content-range": "bytes 0-16383/*"}, False),
        ({"content-type": "audio/mpeg", "server": "Icecast"}, False),
    ],
)
def test_a_stream_is_known_by_its_headers(headers, endless):
    assert (stream_bytes(headers) > 0) is endless


@settings(max_examples=examples(50))
@given(
    st.lists(
        st.tuples(st.sampled_from(["icy-name", "icy-br", "icy-sr", "ice-audio-info", "content-type"]), st.binary())
    ),
    st.binary(max_size=2000) | st.binary(max_size=9).map(lambda piece: piece * 2000),
)
def test_nothing_that_comes_breaks_the_reader(headers, body):
    assert read_stream(headers, body).status == "stream"
