"""From running text to words in the letters of a language."""

# ruff: noqa: RUF001 - letters of many scripts are what this file is about
import pytest

from mediacrawl.encoding.languages import LANGUAGES, Language, lower, toned, words


def found(code, *lines):
    return list(words(lines, LANGUAGES[code]))


def test_words_are_runs_of_letters_in_lower_case():
    assert found("de", "Über allen Gipfeln / ist Ruh', 1780!") == ["über", "allen", "gipfeln", "ist", "ruh"]


def test_a_word_with_a_letter_of_another_language_is_left_out():
    assert found("de", "das Café am Plac Łódzki") == ["das", "am", "plac"]


def test_a_word_of_another_script_is_left_out():
    assert found("ru", "песня Yesterday и abc") == ["песня", "и"]


@pytest.mark.parametrize(("code", "small"), [("tr", "ırmak"), ("az", "ırmak"), ("de", "irmak")])
def test_turkish_and_azerbaijani_have_a_dotless_i(code, small):
    assert lower("IRMAK", code) == small


def test_a_turkish_dotted_capital_is_one_small_letter():
    assert lower("İZMİR", "tr") == "izmir"


def test_vietnamese_tones_stand_after_their_vowel_as_in_cp1258():
    assert toned("Đường") == "Đươ\u0300ng"
    assert toned("Đường").encode("cp1258").decode("cp1258") == "Đươ\u0300ng"
    assert found("vi", "Việt Nam") == ["viê\u0323t", "nam"]


def test_ascii_has_no_tones():
    assert toned("Nam") == "Nam"


def test_final_sigma_counts_as_sigma():
    assert found("el", "Ο ήλιος") == ["ο", "ήλιοσ"]


def test_romanian_is_the_same_with_cedilla_and_with_comma():
    assert found("ro", "și țară") == found("ro", "şi ţară")


def test_catalan_keeps_its_middle_dot_within_a_word():
    assert found("ca", "col·legi") == ["col·legi"]


def test_arabic_marks_belong_to_their_word():
    assert found("ar", "كِتَاب") == ["كِتَاب"]


def test_digits_and_underscores_part_words():
    assert found("en", "one2two three_four") == ["one", "two", "three", "four"]


def test_a_language_that_the_program_does_not_have_has_words_too():
    chuvash = Language("cv", "cyrillic", "абвгдежзийклмнопрстуфхцчшщъыьэюяёӑӗҫӳ")
    assert list(words(["Ҫурхи юрӑ, Yesterday"], chuvash)) == ["ҫурхи", "юрӑ"]
