"""UTF-8 in fields that declare another encoding or none: with unknown characters, and encoded twice."""

# ruff: noqa: RUF001 - letters and signs of many scripts are what this file is about
import unicodedata

import pytest

from mediacrawl.encoding import Hints, detect
from mediacrawl.encoding.api import detect_text

SIGNS = "Ⅰ℗③⑳Ⅳ⁂※‣◆▣►⏏⏵☂☎⚑⚙✂✿❦➤⟶⤴⬢〒㎏㏂￥▲♬⚀🎧🪕"
LETTERS = "ŵẽṭǧƵʻΛΩИЯЮאשٱไਅஅ༄ꦕᚠⴰ字ねナ글"
CLAIMS = ["", "latin-1", "cp1252", "cp1251", "cp932"]


def text(raw, declared):
    return detect([raw], Hints(declared=declared)).texts[0]


@pytest.mark.parametrize("declared", CLAIMS)
@pytest.mark.parametrize("title", ["{} 2004 Harbour Tapes", "Quiet {} Harbour", "Harbour {}", "Port{} (live)", "{}"])
def test_one_sign_in_utf_8_is_that_sign(title, declared):
    read = {sign: text(title.format(sign).encode(), declared) for sign in SIGNS}
    wrong = [sign for sign, found in read.items() if found != title.format(sign)]
    assert wrong == []


@pytest.mark.parametrize("title", ["{} 2004 Harbour Tapes", "Quiet {} Harbour"])
def test_nearly_all_signs_and_letters_beyond_latin_1_are_read_in_utf_8(title):
    some = [chr(point) for point in range(0x100, 0x2FFF, 7) if unicodedata.category(chr(point))[0] in "LNPS"]
    right = sum(text(title.format(char).encode(), "latin-1") == title.format(char) for char in some)
    assert right >= 0.96 * len(some)


@pytest.mark.parametrize("title", ["Kũyũ wa nyũmba", "Ẹ kú ọjọ́ ìbí", "Ngwa ahịa ụlọ", "Ōhara", "Tŷ gwyn", "ZИA"])
def test_letters_without_a_model_in_latin_words_are_read_in_utf_8(title):
    assert text(title.encode(), "latin-1") == title


@pytest.mark.parametrize("declared", CLAIMS[:3])
@pytest.mark.parametrize(
    ("word", "encoding"),
    [
        ("так", "cp866"), ("เกม", "cp874"), ("品味", "gb18030"), ("ŽENŠ", "cp1250"),
        ("NESTLÉ®", "cp1252"), ("l’été…", "cp1252"),
    ],
)  # fmt: skip
def test_a_word_in_another_encoding_that_is_valid_utf_8_by_chance_stays_that_word(word, encoding, declared):
    assert text(word.encode(encoding), declared if encoding != "cp1252" else "") == word


TITLES = [
    "Canción del puerto", "Über den Dächern", "Vår lille båd", "Žlutý kůň", "Łódź nocą", "Şu küçük ev", "Jūras vējš",
    "Ночной причал", "Τα καράβια", "שיר הנמל", "أغنية الميناء", "เพลงท่าเรือ", "港の歌", "항구의 노래", "海港之歌",
    "Bến cảng đêm", "Ծովափ", "ნავსადგური", "बंदरगाह", "Ça, c’est l’été – encore…", "♪ Hafen ♪", "Trên “bến”",
]  # fmt: skip


def twice(title):
    """Return UTF-8 that was read as cp1252, with C1 controls for what that lacks, and written as UTF-8 again."""
    return "".join(bytes((byte,)).decode("cp1252", "ignore") or chr(byte) for byte in title.encode()).encode()


@pytest.mark.parametrize("declared", ["", "latin-1", "cp1252", "utf-8"])
@pytest.mark.parametrize("title", TITLES)
def test_utf_8_that_was_encoded_twice_is_mended_whatever_is_declared(title, declared):
    for raw in (twice(title), title.encode().decode("latin-1").encode()):
        found = detect([raw], Hints(declared=declared)).fields[0]
        assert found.text == title
        assert found.encoding.startswith("utf-8>")
        assert found.encoding.endswith(">utf-8")


@pytest.mark.parametrize("title", [title * 3 for title in TITLES if len(twice(title * 2)) > 30])
def test_utf_8_that_was_encoded_twice_and_cut_to_30_bytes_begins_like_the_title(title):
    found = text(twice(title)[:30], "latin-1")
    assert len(found) >= 3
    assert title.startswith(found)


def test_fields_of_a_record_are_mended_together_with_the_way_in_their_names():
    record = [twice("Göran Åkesson"), b"Live", twice("Sånger från hamnen")]
    found = detect(record)
    assert found.texts == ("Göran Åkesson", "Live", "Sånger från hamnen")
    assert found.encoding == found.fields[0].encoding == "utf-8>cp1252>utf-8"


@pytest.mark.parametrize("title", TITLES)
def test_right_utf_8_under_a_wrong_declaration_stays(title):
    assert {text(title.encode(), declared) for declared in CLAIMS} == {title}


@pytest.mark.parametrize(
    ("title", "encoding"),
    [
        ("바람이 불어오는 곳으로 가네 그리고 노래는 멈추지 않는다 항구의 밤은 깊어 간다", "johab"),
        ("Το λιμάνι κοιμάται και τα καράβια περιμένουν το πρωί για να φύγουν μακριά", "mac_greek"),
        ("Το λιμάνι κοιμάται και τα καράβια περιμένουν το πρωί για να φύγουν μακριά", "cp869"),
        ("أغنية الميناء في الليل والسفن تنتظر الصباح لكي ترحل بعيدا عن المدينة", "cp720"),
    ],
)
def test_a_text_in_an_encoding_without_a_model_is_read_as_a_page_is(title, encoding):
    assert detect_text(title.encode(encoding)).text == title


@pytest.mark.parametrize("title", ["Perî û dîlan", "Gara ýollar", "Oríkì ìlú", "Sênga tî kôdörö", "Pã kãmẽ"])
def test_words_of_a_language_without_a_model_stay_as_latin_1(title):
    raw = title.replace("ẽ", "e").encode("latin-1")
    assert text(raw, "latin-1") == raw.decode("latin-1")
