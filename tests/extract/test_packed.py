"""Whether a packed body has its end."""

import gzip
import zlib
from importlib import import_module

import pytest

from mediacrawl.base.content_coding import codings_of, read_packed, unpack

TEXT = b"".join(b"<p>Line %d of a page.</p>\n" % number for number in range(5_000))
MOST = 10_000_000


def _raw_deflate(data):
    press = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return press.compress(data) + press.flush()


PACKED = {
    "gzip": gzip.compress(TEXT),
    "x-gzip": gzip.compress(TEXT[:100]) + gzip.compress(TEXT),
    "deflate": zlib.compress(TEXT),
    "DEFLATE ": _raw_deflate(TEXT),
    "br": import_module("brotli").compress(TEXT, quality=5),
}


@pytest.mark.parametrize("coding", PACKED)
def test_a_whole_body_has_its_end(coding):
    assert read_packed(PACKED[coding], codings_of([coding]), MOST)[1] is True


@pytest.mark.parametrize("coding", PACKED)
def test_a_body_that_breaks_off_has_none_wherever_it_does(coding):
    body = PACKED[coding]
    for cut in {1, len(body) // 2, len(body) - 1}:
        assert read_packed(body[:-cut], codings_of([coding]), MOST)[1] is False, cut


def test_what_stands_behind_the_end_is_not_of_the_body():
    assert read_packed(PACKED["gzip"] + b"\n\n", ["gzip"], MOST)[1] is True


@pytest.mark.parametrize(
    ("body", "codings"),
    [
        (b"", ["gzip"]),
        (b"<p>not packed</p>", ["gzip"]),
        (b"<p>not packed</p>", ["deflate"]),
        (TEXT, ["exi"]),
        (PACKED["gzip"], ["identity", "gzip"]),
        (PACKED["gzip"], []),
    ],
)
def test_of_anything_else_nothing_is_said(body, codings):
    assert read_packed(body, codings, MOST)[1] is None


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br"])
def test_a_body_that_holds_more_than_is_looked_at_is_complete(coding):
    assert read_packed(PACKED[coding][:-20], codings_of([coding]), 70_000)[1] is True


@pytest.mark.parametrize(
    ("values", "codings"),
    [
        ([], ()),
        (["gzip"], ("gzip",)),
        ([" GZIP , br", "Deflate"], ("gzip", "br", "deflate")),
        (["identity, identity"], ()),
        (["none"], ()),
        (["utf-8", "gzip"], ("gzip",)),
        (["aws-chunked,gzip,"], ("gzip",)),
        (["\xff\x1b[2J"], ()),
        (["compress"], ("compress",)),
    ],
)
def test_what_is_registered_as_no_coding_is_none(values, codings):
    assert codings_of(values) == codings


@pytest.mark.parametrize("coding", PACKED)
def test_a_body_is_unpacked_as_far_as_it_came_and_as_is_wanted(coding):
    body, codings = PACKED[coding], codings_of([coding])
    whole = unpack(body, codings, MOST)
    assert whole.endswith(TEXT)
    # How much of it can be had of a part differs.
    part = unpack(body[:-20], codings, MOST)
    assert whole.startswith(part)
    assert len(part) > 1000
    some = unpack(body, codings, 70_000)
    assert whole.startswith(some)
    assert 70_000 <= len(some) <= 70_000 + 2 * 65_536


def test_several_codings_are_unpacked_from_the_last():
    assert unpack(gzip.compress(zlib.compress(TEXT)), ["deflate", "gzip"], MOST) == TEXT
    assert unpack(TEXT, [], MOST) == TEXT
    assert unpack(b"", ["gzip"], MOST) == b""
    assert unpack(gzip.compress(b""), ["gzip"], MOST) == b""


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "compress"])
def test_what_cannot_be_unpacked_is_nothing(coding):
    assert unpack(b"<p>not packed</p>", [coding], MOST) is None


def test_what_came_before_the_damage_is_unpacked():
    body = bytearray(PACKED["gzip"])
    body[len(body) // 2 :] = b"x" * 1000
    found = unpack(bytes(body), ["gzip"], MOST)
    assert found
    assert TEXT[: len(found) // 2] == found[: len(found) // 2]
