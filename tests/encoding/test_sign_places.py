"""Short titles whose letters are signs in a commoner encoding: where a sign stands tells them apart."""

# ruff: noqa: RUF001 - typographic signs are what this file is about
import pytest

from mediacrawl.encoding import Hints, detect


@pytest.mark.parametrize(
    ("title", "encoding"),
    [
        ("Две обале", "mac_cyrillic"),  # a quotation that is not closed
        ("Lunedì Nero", "mac_roman"),
        ("Malackó", "mac_latin2"),  # a dash at the end of a word
        ("Agustín Vera", "mac_roman"),  # an apostrophe that cuts off one letter
        ("Ladislav Smolík", "mac_latin2"),
    ],
)
def test_letters_that_are_signs_elsewhere_are_letters_where_no_such_sign_stands(title, encoding):
    assert detect([title.encode(encoding)]).texts == (title,)


@pytest.mark.parametrize(
    ("title", "encoding"), [("Ой", "cp1251"), ("Эй", "cp866"), ("Ой", "mac_cyrillic"), ("Ål", "cp850")]
)
def test_two_letters_are_no_single_character_of_a_double_byte_encoding(title, encoding):
    assert detect([title.encode(encoding)]).texts == (title,)


@pytest.mark.parametrize("text", ["“Two Words” Live", "Rock ’n’ Roll", "Wait—What", "Paris–Roubaix", "…And Then", "R”"])
def test_signs_stay_where_they_stand_in_titles(text):
    assert detect([text.encode("cp1252")], Hints(declared="cp1252")).texts == (text,)
