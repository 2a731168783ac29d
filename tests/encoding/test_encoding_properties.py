"""What holds for any bytes and any text: nothing raises, nothing is lost, and what is right stays as it is."""

# ruff: noqa: RUF001 - letters of many scripts are what this file is about
import gzip
import re
from pathlib import Path

import pytest
from harness import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mediacrawl.encoding import Hints, detect, repair
from mediacrawl.encoding.languages import LANGUAGES

TRAINING = Path(__file__).parents[2] / "training"
LINES = 40
"""Of each kind of text of a language."""

UNICODE = ["utf-8", "utf-16", "utf-16-le", "utf-16-be"]
PAGES = ["cp1251", "koi8_r", "cp866", "cp1252", "cp1250", "cp932", "cp949", "gb18030", "cp1253", "cp1258", "cp874"]
CODECS = [*UNICODE, *PAGES, "latin-1", "mac-roman", "shift_jis", "no-such", ""]
WORDS = [
    "Подмосковные вечера",
    "Große Fuge",
    "Łódź",
    "東京ブルース",
    "사랑",
    "Ελλάδα",
    "שלום",
    "أغنية",
    "Đường",
    "เพลง",
]

written = st.builds(
    lambda word, page: word.encode(page, "replace"), st.sampled_from(WORDS), st.sampled_from([*PAGES, *UNICODE])
)
pieces = st.one_of(st.binary(max_size=40), written, st.sampled_from([b"\x00", b"\x1b$B", b"\xff\xfe", b"\xef\xbb\xbf"]))
raws = st.lists(pieces, max_size=4).map(b"".join)
fields = st.lists(raws, max_size=6)
declared = st.one_of(st.sampled_from(CODECS), st.lists(st.sampled_from(CODECS), max_size=3).map(tuple))
tags = st.lists(st.sampled_from(["rus", "eng", "xxx", "zh", "\ud800"]), max_size=2).map(tuple)
texts = st.text(st.characters(), max_size=30)
counts = st.dictionaries(
    st.tuples(st.sampled_from([*PAGES, "u-ka", "latin-1"]), st.sampled_from(["ru", "", "de", "zz"])),
    st.floats(0, 1e6),
    max_size=3,
)
hints = st.builds(
    Hints,
    declared=declared,
    tld=st.sampled_from(["", "ru", "tw", "example"]),
    page_language=st.sampled_from(["", "pt-BR", "zh-Hant-TW", "x", "-"]),
    page_charset=st.sampled_from(["", "cp1251", "utf-8", "gb2312", "undefined", "\x00"]),
    tag_languages=tags,
    anchor=texts,
    known=st.lists(texts, max_size=2).map(tuple),
    seen=counts,
)


@settings(deadline=None, max_examples=examples(80))
@given(fields, hints)
@example([], Hints())
@example([b"", b"\x00"], Hints(declared="utf-16"))
def test_any_bytes_are_decided_with_a_text_for_each_field(raw, hints):
    decision = detect(raw, hints)
    assert len(decision.texts) == len(raw)
    assert 0 <= decision.confidence <= 1
    for field in decision.fields:
        field.text.encode()  # no half of a surrogate pair
        assert 0 <= field.confidence <= 1
        assert field.decision in {"declared", "fixed", "undecided"}


@pytest.mark.parametrize("raw", [[b"\xff" * 400] * 5, [b"\xd2" * 100] * 30, [b"\x80" * 100_000], [b"\xe4\xf6"] * 2000])
def test_records_of_many_or_long_fields_are_decided(raw):
    assert len(detect(raw).texts) == len(raw)
    assert len(repair([data.decode("latin-1") for data in raw]).texts) == len(raw)


def test_a_record_of_many_long_fields_is_decided_as_rightly_as_a_short_one():
    verses = [("Ой цветёт калина в поле у ручья, парня молодого полюбила я. " * 6).strip()] * 8
    assert detect([verse.encode("koi8_r") for verse in verses]).texts == tuple(verses)


@settings(deadline=None, max_examples=examples(80))
@given(fields)
def test_bytes_that_stay_undecided_are_read_as_declared(raw):
    for data, field in zip(raw, detect(raw).fields, strict=True):
        if field.decision == "undecided":
            windows = "".join(bytes((byte,)).decode("cp1252", "replace") for byte in data)
            plain = data.decode("latin-1")
            # Latin-1 is read as its Windows superset, as everywhere; what has no character there is a C1 control.
            assert all(char in pair for char, *pair in zip(field.text, windows, plain, strict=True))


@settings(deadline=None, max_examples=examples(80))
@given(st.lists(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=40), max_size=5), hints)
def test_ascii_comes_back_unchanged_beside_anything(plain, hints):
    odd = "Подмосковные вечера".encode("cp1251")
    found = detect([*(text.encode() for text in plain), odd], Hints(**{**_parts(hints), "declared": "latin-1"}))
    assert list(found.texts[:-1]) == plain


def _parts(hints):
    return {name: getattr(hints, name) for name in Hints.__slots__}


@settings(deadline=None, max_examples=examples(80))
@given(st.lists(texts, max_size=5), hints)
@example(["\ud800"], Hints())
@example(["é\udcff" * 20], Hints())
def test_any_text_comes_back_from_repair_as_text(stored, hints):
    repaired = repair(stored, hints)
    assert len(repaired.texts) == len(stored)
    assert 0 <= repaired.confidence <= 1
    for text, field in zip(stored, repaired.fields, strict=True):
        assert field.decision in {"declared", "fixed"}
        if field.decision == "declared":
            assert field.text == text  # half a surrogate pair, too, stays what it is
        else:
            field.text.encode()


bad_readings = st.builds(
    lambda word, page, read: word.encode(page, "replace").decode(read, "replace"),
    st.sampled_from(WORDS),
    st.sampled_from(PAGES),
    st.sampled_from(["latin-1", "cp1252", "cp1251", "koi8_r", "cp437", "gb18030", "utf-8", "mac_roman"]),
)
latin = st.text(st.characters(min_codepoint=0x20, max_codepoint=0xFF), max_size=20)


@settings(deadline=None, max_examples=examples(80))
@given(st.lists(st.one_of(bad_readings, latin, texts), max_size=3))
def test_repairing_twice_changes_nothing_more(stored):
    once = repair(stored).texts
    assert repair(once).texts == once


def lines(code):
    """Lines of a language's training text, evenly spread. Those that mix scripts within a word are not right."""
    found = []
    for folder in ("sentences", "cldr", "plays"):
        path = TRAINING / folder / f"{code}.txt.gz"
        if path.exists():
            with gzip.open(path, "rt", encoding="utf-8") as file:
                every = file.read().splitlines()
            found += every[:: max(1, len(every) // LINES)][:LINES]
    return [line for line in found if not MIXED.search(line)]


MIXED = re.compile("[A-Za-z][\u0370-\u052f]|[\u0370-\u052f][A-Za-z]")
TRAINED = sorted({path.name.removesuffix(".txt.gz") for path in TRAINING.glob("[cs]*/*.txt.gz")})
WESTERN = [code for code, language in LANGUAGES.items() if language.encodings[:1] == ("cp1252",)]


@pytest.mark.parametrize("code", TRAINED)
def test_text_that_is_right_comes_back_unchanged_from_repair(code):
    right = lines(code)
    assert len(right) >= LINES // 2
    changed = {text: repair([text]).texts[0] for text in right}
    assert {text: other for text, other in changed.items() if text != other} == {}


@pytest.mark.parametrize("code", TRAINED)
def test_records_that_are_right_come_back_unchanged_from_repair(code):
    right = lines(code)
    records = [tuple(right[place : place + 4]) for place in range(0, len(right), 4)]
    assert [record for record in records if repair(record).texts != record] == []


@pytest.mark.parametrize("code", WESTERN)
def test_true_latin_1_of_western_languages_stays(code):
    right = [text for text in lines(code) if text.encode("cp1252", "ignore").decode("cp1252") == text]
    assert right
    changed = {text: detect([text.encode("cp1252")]).texts[0] for text in right}
    assert {text: other for text, other in changed.items() if text != other} == {}
