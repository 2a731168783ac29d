"""Whole documents: a claim that decodes stays, else the models decide, and chardet where they have no model."""

# ruff: noqa: RUF001 - national letters are what this file is about

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.encoding import DecodedDocument, Hints, detect
from mediacrawl.encoding.detection.document import chardet_if_doubtful, sample_of

RUSSIAN = [
    "Вечерние записи у реки",
    "Песни о дальней дороге",
    "Разговор с капитаном корабля",
    "Осенний дождь над городом",
]
GERMAN = [
    "Märchen für große Kinder",
    "Süße Träume über München",
    "Der Bär und die schöne Müllerin",
    "Hören, fühlen, grüßen",
]
POLISH = [
    "Zażółć gęślą jaźń",
    "Pieśń o źródle i księżycu",
    "Wieczór w małym mieście",
    "Słońce nad łąką, cień w ogródku",
]
JAPANESE = ["夏の終わりの歌", "海辺の町で会いましょう", "雨の日の図書館", "夜汽車は北へ向かう"]
KOREAN = [
    "서울의 봄은 아름답다",
    "오늘은 날씨가 좋아서 산책을 나갔다",
    "새로운 노래와 앨범을 소개합니다",
    "바다로 가는 기차",
]
ICELANDIC = [
    "Það er gott að búa á Íslandi",
    "Þetta er löng saga um hafið",
    "Ég fór með bátnum út á fjörð",
    "Sólin sest í vestri",
]


def page(lines):
    items = "\n".join(f'<li class="x"><a href="/{number}">{line}</a></li>' for number, line in enumerate(lines))
    script = "<script>if (a < b) { document.write('<b>') }</script><style>p { color: red }</style>"
    return f"<html><head><title>{lines[0]}</title>{script}</head><body><ul>{items}</ul></body></html>"


@pytest.mark.parametrize(
    ("lines", "encoding"),
    [
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        (RUSSIAN, "cp866"),
        (RUSSIAN, "mac_cyrillic"),
        (GERMAN, "cp1252"),
        (GERMAN, "mac_roman"),
        (POLISH, "cp1250"),
        (POLISH, "iso8859_2"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (KOREAN, "cp949"),
    ],
)
def test_an_undeclared_page_is_read_by_the_models(lines, encoding):
    text = page(lines)
    found = DecodedDocument.of(text.encode(encoding))
    assert (found.text, found.encoding, found.decided_by) == (text, encoding, "models")
    assert found.confidence > 0.9


@pytest.mark.parametrize(("lines", "encoding"), [(KOREAN, "johab"), (ICELANDIC, "cp861")])
def test_chardet_is_asked_for_what_has_no_model(lines, encoding):
    text = page(lines * 3)
    found = DecodedDocument.of(text.encode(encoding))
    assert (found.text, found.encoding, found.decided_by) == (text, encoding, "chardet")


def test_chardet_reads_shifts_that_the_models_do_not():
    text = page(KOREAN)
    assert DecodedDocument.of(text.encode("iso2022_kr")).text == text


def test_hints_decide_between_readings_that_are_about_as_likely():
    raw = "<title>Ülkü Şarkıları</title><p>Yağmur".encode("cp1254")
    found = DecodedDocument.of(raw, (), lambda: Hints(page_language="tr", tld="tr"))
    assert (found.encoding, found.language) == ("cp1254", "tr")


def test_what_was_found_on_the_host_is_a_hint():
    raw = "<title>Dağ</title>".encode("cp1254")
    assert DecodedDocument.of(raw).text != "<title>Dağ</title>"
    assert DecodedDocument.of(raw, (), lambda: Hints(seen={("cp1254", "tr"): 40.0})).text == "<title>Dağ</title>"


@pytest.mark.parametrize("by", ["bom", "header", "meta", "xml"])
def test_a_claim_that_decodes_stays_even_if_it_is_unlikely(by):
    raw = page(RUSSIAN).encode("cp1251")
    found = DecodedDocument.of(raw, [("koi8_r", by)])
    assert (found.text, found.encoding, found.decided_by) == (raw.decode("koi8_r"), "koi8_r", by)


def test_the_first_claim_that_decodes_counts():
    text = page(JAPANESE)
    claims = [("utf-8", "header"), ("euc_jp", "meta")]
    found = DecodedDocument.of(text.encode("euc_jp"), claims)
    assert (found.text, found.decided_by) == (text, "meta")


@pytest.mark.parametrize("claimed", ["utf-8", "no such name", "hex", "utf-16"])
def test_a_claim_that_does_not_decode_is_passed_over(claimed):
    text = page(RUSSIAN)
    found = DecodedDocument.of(text.encode("cp1251"), [(claimed, "header")])
    assert (found.text, found.decided_by) == (text, "models")


def test_latin_1_with_octets_that_it_lacks_is_utf_8():
    text = page(["Сосны и ясени", "Эхо над рекой Яуза", "Сосед и его собака"])
    assert DecodedDocument.of(text.encode(), [("cp1252", "meta")]).text == text


def test_a_few_stray_octets_do_not_make_a_page_in_utf_8_another_one():
    raw = page(RUSSIAN).encode() + b"<p>Caf\xe9, it\x92s \x81</p>"
    for claims in ((), [("utf-8", "meta")]):
        found = DecodedDocument.of(raw, claims)
        assert (found.encoding, found.lost) == ("utf-8", 1)
        assert RUSSIAN[0] in found.text
        assert found.text.endswith("<p>Café, it’s \ufffd</p>")


@pytest.mark.parametrize("encoding", ["utf-8", "cp932", "gb18030", "utf-16-le"])
def test_a_character_that_is_cut_at_the_end_is_no_failure(encoding):
    text = "<p>" + "海辺の町" * 20
    found = DecodedDocument.of(text.encode(encoding)[:-1], [(encoding, "header")])
    assert (found.text, found.lost, found.decided_by) == (text[:-1], 0, "header")


def test_ascii_is_ascii_and_needs_nobody():
    found = DecodedDocument.of(b"<p>Plain</p>")
    assert (found.text, found.encoding, found.decided_by) == ("<p>Plain</p>", "utf-8", "ascii")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_told_by_its_markup(encoding):
    text = page(RUSSIAN)
    assert DecodedDocument.of(text.encode(encoding)).text == text


@pytest.mark.parametrize("claims", [(), [("utf-8", "header")]])
def test_a_page_with_noise_in_it_keeps_its_markup(claims):
    noise = bytes(1000) + b"\xff\xfe\xc0\x80\xed\xa0\x80" * 50
    link = '<a href="/after.html">'
    assert link in DecodedDocument.of(b"<title>Noise</title>" + noise + link.encode() + noise, claims).text


def test_the_sample_has_text_alone_and_no_line_twice():
    pieces = sample_of((page(GERMAN) * 3).encode("cp1252"))
    assert b"\n".join(pieces).decode("cp1252").split("\n") == [GERMAN[0], *sorted_by_odd(GERMAN[1:])]


def sorted_by_odd(lines):
    return sorted(lines, key=lambda line: sum(not letter.isascii() for letter in line), reverse=True)


def test_text_in_attributes_counts_where_there_is_no_other():
    raw = f'<body><img alt="{RUSSIAN[0]}"><img alt="{RUSSIAN[1]}"><p>Photos</p>'.encode("koi8_r")
    assert DecodedDocument.of(raw).encoding == "koi8_r"


def test_the_sample_is_bounded():
    pieces = sample_of("слово раз ".encode("cp1251") * 100_000)
    assert len(pieces) <= 10
    assert max(map(len, pieces)) <= 400


@given(st.binary(max_size=400), st.sampled_from(["", "utf-8", "cp1251", "cp932", "utf-7", "idna", "utf-16"]))
@settings(deadline=None, max_examples=examples(40))
def test_any_bytes_get_an_answer(raw, claimed):
    found = DecodedDocument.of(raw, [(claimed, "header")] if claimed else [])
    assert isinstance(found.text, str)
    assert 0 <= found.confidence <= 1


@pytest.mark.parametrize(("lines", "encoding"), [(RUSSIAN, "koi8_r"), (GERMAN, "cp1252"), (JAPANESE, "euc_jp")])
def test_long_texts_that_the_models_read_are_theirs(lines, encoding):
    raw = "\n".join(lines * 12).encode(encoding)
    (decided,) = detect([raw[:400].rpartition(b"\n")[0]]).fields
    assert chardet_if_doubtful(raw, decided) is decided


def test_a_short_text_is_nothing_to_ask_chardet_for(monkeypatch):
    monkeypatch.setattr("chardet.detect", pytest.fail)
    (decided,) = detect([KOREAN[0].encode("johab")]).fields
    assert chardet_if_doubtful(KOREAN[0].encode("johab"), decided) is decided


def test_a_wrong_declaration_as_shift_jis_does_not_hold_by_its_katakana():
    """Nearly all letters of UTF-8 are two half-width katakana there; one in twenty that fails is too many."""
    page = "plain words " + "é" * 30 + " voilà, là, à " + "łomot"
    found = DecodedDocument.of(page.encode(), [("shift_jis", "meta")])
    assert (found.encoding, found.text) == ("utf-8", page)
