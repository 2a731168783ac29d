"""How many bytes of a body are read, and what its headers call the file."""

import pytest

from mediacrawl.base.terms import Kind
from mediacrawl.download.body_bytes import BodyLimits, bytes_wanted, disposition_name
from mediacrawl.probe.icecast import STREAM_BYTES


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ('attachment; filename="a b.mp3"', "a b.mp3"),
        ("attachment;filename=a.mp3;size=3", "a.mp3"),
        ("inline; FileName = a.mp3", "a.mp3"),
        ("attachment; filename*=UTF-8''L%C3%A9.mp3", "UTF-8''L%C3%A9.mp3"),
        *((header, "") for header in ("attachment", "", "attachment; size=3")),
    ],
)
def test_a_name_is_in_the_header_that_is_for_it(header, name):
    assert disposition_name(header) == name


@pytest.mark.parametrize("kind", [Kind.PAGE, Kind.MEDIA])
def test_little_of_a_stream_is_listened_to(kind):
    headers = {"content-type": "audio/mpeg", "icy-br": "128"}
    assert bytes_wanted(kind, headers, BodyLimits(200_000, 16_384, 65_536), asked=16_384) == STREAM_BYTES


@pytest.mark.parametrize(
    ("kind", "headers", "wanted"),
    [
        (Kind.MEDIA, {"content-type": "audio/mpeg"}, 65_536),
        (Kind.MEDIA, {"content-type": "audio/mpeg", "content-range": "bytes 0-16383/99999"}, 16_385),
        (Kind.MEDIA, {"content-type": "multipart/byteranges; boundary=x"}, 17_408),
        (Kind.MEDIA, {"content-type": "text/html"}, 200_000),
        (Kind.PAGE, {"content-type": "audio/mpeg"}, 16_384),
        (Kind.PAGE, {"content-type": "image/png"}, 0),
        (Kind.PAGE, {"content-type": "image/png", "content-disposition": "inline; filename=a.ogg"}, 16_384),
        (Kind.PAGE, {"content-type": "unknown/unknown"}, 200_000),
    ],
)
def test_as_much_is_read_as_the_answer_is_good_for(kind, headers, wanted):
    asked = 16_384 if kind is Kind.MEDIA else 0
    assert bytes_wanted(kind, headers, BodyLimits(200_000, 16_384, 65_536), asked=asked) == wanted
