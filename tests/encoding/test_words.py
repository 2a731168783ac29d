"""From running text to words in the letters of a language."""

# ruff: noqa: RUF001 - letters of many scripts are what this file is about
import pytest

from mediacrawl.encoding.languages import LANGUAGES, Language, lower, toned, words


def found(code, *lines):
    return list(words(lines, LANGUAGES[code]))


@pytest.mark.parametrize(
    ("code", "line", "expected"),
    [
        pytest.param("de", "Über allen Gipfeln / ist Ruh', 1780!", "über allen gipfeln ist ruh", id="runs of letters"),
        pytest.param("de", "das Café am Plac Łódzki", "das am plac", id="a letter of another language"),
        pytest.param("ru", "песня Yesterday и abc", "песня и", id="another script"),
        pytest.param("vi", "Việt Nam", "viê\u0323t nam", id="tones behind their vowels"),
        pytest.param("el", "Ο ήλιος", "ο ήλιοσ", id="final sigma counts as sigma"),
        pytest.param("ca", "col·legi", "col·legi", id="the middle dot of Catalan"),
        pytest.param("ar", "كِتَاب", "كِتَاب", id="marks of Arabic"),
        pytest.param("en", "one2two three_four", "one two three four", id="digits and underscores part words"),
    ],
)
def test_words_are_runs_of_the_letters_of_a_language_in_lower_case(code, line, expected):
    assert found(code, line) == expected.split()


@pytest.mark.parametrize(("code", "small"), [("tr", "ırmak"), ("az", "ırmak"), ("de", "irmak")])
def test_turkish_and_azerbaijani_have_a_dotless_i(code, small):
    assert lower("IRMAK", code) == small


def test_a_turkish_dotted_capital_is_one_small_letter():
    assert lower("İZMİR", "tr") == "izmir"


def test_vietnamese_tones_stand_after_their_vowel_as_in_cp1258():
    assert toned("Đường") == "Đươ\u0300ng"
    assert toned("Đường").encode("cp1258").decode("cp1258") == "Đươ\u0300ng"
    assert found("vi", "Việt Nam") == ["viê\u0323t", "nam"]


def test_romanian_is_the_same_with_cedilla_and_with_comma():
    assert found("ro", "și țară") == found("ro", "şi ţară")


def test_a_language_that_the_program_does_not_have_has_words_too():
    chuvash = Language("cv", "cyrillic", "абвгдежзийклмнопрстуфхцчшщъыьэюяёӑӗҫӳ")
    assert list(words(["Ҫурхи юрӑ, Yesterday"], chuvash)) == ["ҫурхи", "юрӑ"]
