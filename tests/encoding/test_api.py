"""The functions that other programs call: single texts, arguments that are refused, the examples in the docstrings."""

import doctest
import math

import pytest

import mediacrawl.encoding.api
from mediacrawl.encoding import Hints, detect, fix_text, repair
from mediacrawl.encoding.api import Match, candidates, detect_text

TITLES = [
    ("Ночной поезд", "cp1251", "ru"),
    ("Красная площадь", "koi8_r", "ru"),
    ("夜明けの歌", "cp932", "ja"),
    ("Πρωινό στο λιμάνι", "cp1253", "el"),
    ("Żółta łódka na jeziorze", "cp1250", "pl"),
]
STORED = ["Íî÷íîé ïîåçä", "L'Ã©tÃ© indien", "Îñåííèé ëåñ"]


def test_the_examples_in_the_docstrings_are_true():
    tried = doctest.testmod(mediacrawl.encoding.api)
    assert tried.attempted >= 5
    assert not tried.failed


@pytest.mark.parametrize(("text", "encoding", "language"), TITLES)
def test_a_title_is_read(text, encoding, language):
    match = detect_text(text.encode(encoding))
    assert (match.text, match.encoding, match.language) == (text, encoding, language)
    assert match.text == text.encode(encoding).decode(match.encoding)
    assert 0.5 < match.confidence <= 1


LINES = {
    "ru": "Мы вышли из дома рано утром и долго шли по дороге к реке, где нас ждали друзья.\r\n",
    "ja": "今日は朝早く家を出て、友達が待っている川まで長い道を歩きました。\n",
}


@pytest.mark.parametrize(
    ("language", "encoding", "named"),
    [
        ("ru", "cp1251", "cp1251"),
        ("ru", "koi8_r", "koi8_r"),
        ("ru", "utf-8", "utf-8"),
        ("ru", "utf-8-sig", "utf-8"),
        ("ru", "utf-16", "utf-16-le"),
        ("ru", "utf-16-le", "utf-16-le"),
        ("ja", "cp932", "cp932"),
        ("ja", "utf-16-be", "utf-16-be"),
    ],
)
def test_a_document_is_read_as_a_whole(language, encoding, named):
    text = LINES[language] * 60
    raw = text.encode(encoding)
    match = detect_text(raw)
    assert (match.text == text, match.encoding) == (True, named)
    assert candidates(raw)[0] == match
    assert detect_text(text[:1200].encode(), Hints(declared="utf-8")).text == text[:1200]


@pytest.mark.parametrize("text", ["", "abc", "Ночной поезд", "夜明けの歌"])
@pytest.mark.parametrize("order", ["le", "be"])
@pytest.mark.parametrize("times", [1, 300])
def test_a_mark_of_utf_32_tells_the_encoding_of_a_text_of_any_length(text, order, times):
    raw = f"\ufeff{text * times}".encode(f"utf-32-{order}")
    match = detect_text(raw)
    assert (match.text, match.encoding, match.confidence) == (text * times, f"utf-32-{order}", 1.0)
    assert candidates(raw)[0] == match


@pytest.mark.parametrize("none", [None, (None,), [None], ()])
@pytest.mark.parametrize("text", ["Ночной поезд", "plain", "Ночной поезд" * 200])
def test_no_declared_encoding_is_as_if_nothing_was_said(none, text):
    raw = text.encode("cp1251")
    hints = Hints(declared=none)
    assert detect_text(raw, hints) == detect_text(raw)
    assert candidates(raw, hints) == candidates(raw)
    assert detect([raw], hints) == detect([raw])
    assert fix_text(raw.decode("latin-1"), hints) == text


@pytest.mark.parametrize("wrong", [5, b"cp1251", [5], {"title": "cp1251"}])
def test_a_declared_encoding_that_is_no_name_is_a_sentence(wrong):
    with pytest.raises(TypeError, match=r"Hints\(\): declared must be"):
        Hints(declared=wrong)


def test_a_zero_behind_a_mark_of_utf_16_does_not_make_it_utf_32():
    match = detect_text("\ufeff\0a\U0001f3b5".encode("utf-16-le"))
    assert (match.text, match.encoding) == ("\0a\U0001f3b5", "utf-16-le")


def test_what_only_chardet_knows_is_read_in_a_document():
    text = "우리는 아침 일찍 집을 나서서 친구들이 기다리는 강까지 걸었다. 똠방각하 펲시콜라. " * 30
    assert detect_text(text.encode("johab")).text == text


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_of_each_type_are_read_alike(kind):
    raw = "Ночной поезд".encode("koi8_r")
    assert detect_text(kind(raw)) == detect_text(raw)
    assert candidates(kind(raw)) == candidates(raw)
    assert detect([kind(raw), b"x"]) == detect([raw, b"x"])
    assert detect(iter([raw])) == detect([raw])


def test_hints_are_heard():
    raw = "мир".encode("cp1251")
    told = Hints(declared="cp1251", page_language="ru", tld="ru")
    assert detect_text(raw, told).text == "мир"
    assert detect_text(raw, told).confidence > detect_text(raw).confidence
    assert candidates(raw, told)[0] == detect_text(raw, told)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"plain",
        "été".encode("latin-1"),
        "日本語の長い題名".encode("cp932"),
        "Ночной поезд".encode("cp1251"),
        "Ночной поезд".encode(),
        b"\xe9",
        b"\xff\xfe\xfd\x00\x01",
        "Zażółć".encode("utf-16"),
        "Íî÷íîé ïîåçä".encode(),
        b"\xcf\xf0\xe8\xe2\xe5\xf2 " * 2000,
    ],
)
def test_candidates_fall_from_what_detect_text_says(raw):
    found = candidates(raw)
    assert found[0] == detect_text(raw)
    confidences = [match.confidence for match in found]
    assert confidences == sorted(confidences, reverse=True)
    assert sum(confidences) <= 1 + 1e-3
    assert len({match.text for match in found}) == len(found)


def test_candidates_are_what_the_bytes_may_be_instead():
    raw = "Żółta łódka".encode("cp1250")
    texts = {match.encoding: match.text for match in candidates(raw)}
    assert texts["cp1250"] == "Żółta łódka"
    assert len(texts) > 3
    assert all(raw.decode(encoding, "replace") == text for encoding, text in texts.items())


def test_candidates_of_text_that_was_read_wrongly_have_it_as_it_stands():
    stored = "Íî÷íîé ïîåçä"
    found = candidates(stored.encode(), Hints(declared="utf-8"))
    assert [match.text for match in found] == ["Ночной поезд", stored]
    assert found[0].encoding == "utf-8>cp1252>cp1251"


@pytest.mark.parametrize(
    "text",
    ["", "plain", "L'été à Nîmes", "Ночной поезд", "夜明けの歌", "½ cup \u2013 “sugar”…", "\ud800 é"],
)
def test_right_text_is_left_alone(text):
    assert fix_text(text) == text


def test_wrong_text_is_mended():
    assert [fix_text(text) for text in STORED] == ["Ночной поезд", "L'été indien", "Осенний лес"]


def test_a_long_text_is_mended_by_its_lines_and_keeps_their_ends():
    lines = ["Il était une fois à Besançon\r", "plain", "", "Où êtes-vous passés, mes élèves ?"] * 50
    wrong = [line.encode().decode("latin-1") for line in lines]
    assert fix_text("\n".join(wrong)) == "\n".join(lines)
    assert fix_text("\n".join(lines)) == "\n".join(lines)


def test_a_long_line_is_mended():
    line = "Поезд идёт на север через лес и степь. " * 100
    assert fix_text(line.encode("cp1251").decode("latin-1")) == line


def test_what_is_not_sure_enough_stays():
    wrong = "Îñåííèé ëåñ"
    sure = repair([wrong]).confidence
    assert fix_text(wrong, min_confidence=sure) != wrong
    assert fix_text(wrong, min_confidence=math.nextafter(sure, 2) if sure < 1 else 1.0) in {wrong, fix_text(wrong)}
    lossy = "M?sica pop e can?es"
    assert fix_text(lossy, min_confidence=1.0) == lossy


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: repair("Íî"), r"repair\(\) takes a sequence of str.*got str\. Write repair\(\[field\]\).*fix_text"),
        (lambda: repair(b"\xcd"), r"sequence of str.*got bytes"),
        (lambda: repair([b"\xcd"]), r"field 0 must be a str, but is of type bytes.*detect"),
        (lambda: repair(["a", None]), r"field 1 must be a str, but is None"),
        (lambda: repair({"title": "a"}), r"got dict.*list\(record.values\(\)\)"),
        (lambda: repair(7), r"sequence of str.*got int"),
        (lambda: detect("Íî"), r"detect\(\) takes a sequence of bytes.*got str"),
        (lambda: detect(b"\xcd"), r"detect\(\[field\]\).*detect_text"),
        (lambda: detect(bytearray(b"\xcd")), r"sequence of bytes"),
        (lambda: detect(["Íî"]), r"field 0 must be bytes, but is of type str.*repair"),
        (lambda: detect([b"a", 3]), r"field 1 must be bytes"),
        (lambda: detect(None), r"sequence of bytes.*got None"),
        (lambda: detect([b"a"], "ru"), r"hints must be Hints"),
        (lambda: repair(["a"], {"tld": "ru"}), r"hints must be Hints"),
        (lambda: detect_text("Íî"), r"data must be bytes.*fix_text"),
        (lambda: detect_text([b"a"]), r"data must be bytes, but is of type list"),
        (lambda: candidates("Íî"), r"data must be bytes"),
        (lambda: candidates(b"a", "ru"), r"hints must be Hints"),
        (lambda: fix_text(b"\xcd"), r"text must be a str.*detect_text"),
        (lambda: fix_text(["a"]), r"text must be a str, but is of type list"),
        (lambda: fix_text("a", "ru"), r"hints must be Hints"),
    ],
)
def test_a_wrong_type_is_refused_with_a_sentence(call, sentence):
    with pytest.raises(TypeError, match=sentence):
        call()


def test_a_confidence_out_of_range_is_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        fix_text("é", min_confidence=90)


def test_a_match_is_a_plain_record():
    assert Match("a", "ascii", "", 1.0) == detect_text(b"a")
