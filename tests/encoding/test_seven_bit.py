"""ISO-2022 and HZ: Chinese, Japanese and Korean in bytes of ASCII, which other ASCII text must not become."""

import pytest
from harness import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mediacrawl.encoding import Hints, detect
from mediacrawl.encoding.pricing.decoding import iso2022, seven_bit

TITLES = [
    ("iso2022_jp", "iso2022_jp", "上を向いて歩こう"), ("iso2022_jp", "iso2022_jp", "雨の夜 (Live)"),
    ("iso2022_jp_1", "iso2022_jp", "丂と夜"), ("iso2022_jp_2", "iso2022_jp", "夜の歌 月亮 Ω"),
    ("iso2022_jp_2004", "iso2022_jp", "夜の歌"), ("iso2022_jp_3", "iso2022_jp", "歩く人"),
    ("iso2022_jp_ext", "iso2022_jp", "ｱｲｳ テスト"), ("iso2022_kr", "iso2022_kr", "사랑 노래"),
    ("iso2022_kr", "iso2022_kr", "Live 서울"), ("hz", "hz", "月亮和河"), ("hz", "hz", "中"),
    ("hz", "hz", "雨夜 ~ Live"),
]  # fmt: skip


@pytest.mark.parametrize("declared", ["latin-1", "cp1251", "utf-8"])
@pytest.mark.parametrize(("codec", "encoding", "title"), TITLES)
def test_a_title_in_seven_bits_is_decoded(codec, encoding, title, declared):
    field = detect([title.encode(codec)], Hints(declared=declared)).fields[0]
    assert (field.text, field.encoding, field.decision) == (title, encoding, "fixed")


def test_a_declared_encoding_of_seven_bits_is_as_declared():
    field = detect(["夜の歌".encode("iso2022_jp")], Hints(declared="iso-2022-jp")).fields[0]
    assert (field.text, field.decision) == ("夜の歌", "declared")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        pytest.param(b'\x1b$B-!-"\x1b(B Live', "①② Live", id="signs of vendors"),
        pytest.param(b"\x1b$)A\x0eVPND\x0f Live", "中文 Live", id="ISO-2022-CN, simplified"),
        *((raw, raw.decode("ascii")) for raw in (b"\x1b[31mred\x1b[0m", b"\x1b(Bplain", b"\x1b", b"a\x1bb")),
        (b"\x1b)0 lines", "\x1b)0 lines"),
    ],
)
def test_escapes_are_decoded_if_they_are_those_of_iso_2022(raw, text):
    assert detect([raw]).texts == (text,)


@pytest.mark.parametrize("raw", [b"\x1b$)G\x0eVPND\x0f Live", b"\x1b$BHello", b"\x1b$B>e\x7f\x7f\x1b(B"])
def test_escapes_that_nobody_can_read_are_suspect(raw):
    field = detect([raw]).fields[0]
    assert (field.text, field.suspect) == (raw.decode("ascii"), True)
    assert field.confidence <= 0.5


@pytest.mark.parametrize("length", [28, 29, 30])
def test_a_cut_title_keeps_its_whole_characters(length):
    title = "雨上がりの道を歩いて帰ろう夜"
    (text,) = detect([title.encode("iso2022_jp")[:length]]).texts
    assert title.startswith(text)
    assert len(text) >= 11


PLAIN = [
    b"~{hello}~}", b"~{love~} me", b"~{ok~}", b"~{}", b"x ~{ y ~} z", b"~{1234~}", b"~{----~}", b"~~ waves ~~",
    b"a ~{Rock~} song", b"~{", b"{~_~}", b"~{~", b"if (~{ab}) {}",
]  # fmt: skip


@pytest.mark.parametrize("raw", PLAIN)
def test_text_with_tildes_and_braces_stays(raw):
    field = detect([raw]).fields[0]
    assert (field.text, field.encoding, field.suspect) == (raw.decode("ascii"), "ascii", False)


@given(st.text(st.characters(codec="ascii", exclude_characters="\x1b"), max_size=40))
@settings(max_examples=examples(150), deadline=None)
@example("~{this is~}")
@example("a ~{fine day~}")
def test_printable_ascii_without_both_brackets_is_itself(text):
    if "~{" not in text:
        assert seven_bit(text.encode()) is None


@given(st.binary(max_size=60))
@settings(max_examples=examples(150), deadline=None)
def test_any_bytes_after_an_escape_are_read_or_not(raw):
    found = iso2022(b"\x1b$B" + bytes(byte & 0x7F for byte in raw))
    assert found is None or found.whole == ("\ufffd" not in found.text)
