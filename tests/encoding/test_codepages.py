"""What a byte is in each 8-bit encoding."""

# ruff: noqa: RUF001 - letters of many scripts are what this file is about
import pytest

from mediacrawl.encoding.codepages import (
    CAPITAL,
    CAPITAL_LATIN,
    CAPITAL_OTHER,
    CASELESS,
    CONTROL,
    GAP,
    LAST_CLASS,
    MULTIBYTE,
    SMALL,
    SMALL_LATIN,
    SMALL_OTHER,
    base_letter,
    capitals,
    char_class,
    characters,
    classes,
    encode,
    letter_map,
    pair_steps,
    steps,
    undefined,
)
from mediacrawl.encoding.languages import ENCODING_WEIGHTS, LANGUAGES, all_priors, codec_name, prior_nats
from mediacrawl.encoding.pricing.scoring import class_cost

PAGES = sorted(ENCODING_WEIGHTS.keys() - MULTIBYTE - {"utf-8"})


@pytest.mark.parametrize(
    ("char", "cls"),
    [
        ("a", SMALL), ("Z", CAPITAL), (" ", GAP), ("5", GAP), ("\n", GAP), ("\x07", CONTROL), ("é", SMALL_LATIN),
        ("É", CAPITAL_LATIN), ("ж", SMALL_OTHER), ("Ж", CAPITAL_OTHER), ("ب", CASELESS), ("\x81", CONTROL),
        ("\u064b", CASELESS), ("\ufffe", CONTROL), ("\ud800", CONTROL),
    ],
)  # fmt: skip
def test_characters_fall_into_classes(char, cls):
    assert char_class(char) == cls


@pytest.mark.parametrize("page", PAGES)
def test_each_page_has_256_characters_of_which_the_first_half_is_ascii(page):
    chars = characters(page)
    assert len(chars) == 256
    assert chars[:128] == "".join(map(chr, range(128)))
    assert len(classes(page)) == 256
    for byte in undefined(page):
        assert chars[byte] == chr(byte)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_reads_as_python_does_where_python_has_a_character(page):
    for byte in set(range(256)) - set(undefined(page)):
        assert characters(page)[byte] == bytes((byte,)).decode(page)


def test_cp1252_lacks_five_bytes():
    assert undefined("cp1252") == b"\x81\x8d\x8f\x90\x9d"


def test_encode_marks_what_a_page_lacks():
    assert encode("Łódź", "cp1252") == b"?\xf3d?"
    assert encode("Łódź", "cp1250").decode("cp1250") == "Łódź"


@pytest.mark.parametrize("code", [code for code, language in LANGUAGES.items() if not language.encodings])
def test_a_language_without_an_8_bit_encoding_has_one_made_up(code):
    letters = LANGUAGES[code].letters
    assert len(characters(f"u-{code}")) == 256
    assert b"?" not in encode(letters, f"u-{code}")


@pytest.mark.parametrize(
    ("code", "page"),
    [(code, page) for code, language in LANGUAGES.items() for page in language.encodings if page not in MULTIBYTE],
)
def test_the_letters_of_a_language_have_numbers_in_all_its_encodings(code, page):
    """All but a few: French has œ in cp1252 and not in cp850."""
    numbers, foreign = letter_map(page, code)
    own = set(LANGUAGES[code].letters)
    missing = [letter for letter in own if letter not in characters(page)]
    assert len(missing) <= max(3, len(own) // 6)
    for byte, char in enumerate(characters(page)):
        if char in own:
            assert numbers[byte] == LANGUAGES[code].letters.index(char) + 1
            assert byte not in foreign


def test_a_latin_letter_of_another_language_counts_as_its_base_letter_and_as_foreign():
    numbers, foreign = letter_map("cp1250", "pl")
    e = LANGUAGES["pl"].letters.index("e") + 1
    assert numbers["é".encode("cp1250")[0]] == e
    assert "é".encode("cp1250") in foreign


def test_a_latin_letter_in_a_cyrillic_language_is_a_gap():
    numbers, foreign = letter_map("cp1251", "ru")
    assert numbers[ord("a")] == 0
    assert "ў".encode("cp1251") in foreign
    assert numbers["ў".encode("cp1251")[0]] == 0


@pytest.mark.parametrize(
    ("char", "base"), [("ö", "o"), ("ł", "l"), ("ß", "s"), ("a", "a"), ("ё", "е"), ("ấ", "a"), ("ж", "ж")]
)
def test_base_letters(char, base):
    assert base_letter(char) == base


def test_capitals_are_those_of_the_page():
    assert "Ж".encode("koi8_r") in capitals("koi8_r")
    assert "ж".encode("koi8_r") not in capitals("koi8_r")


def test_the_first_pass_never_prices_a_class_above_the_second():
    exact, least = steps(), pair_steps()
    for first in range(LAST_CLASS + 1):
        for pair in range(1 << 10):
            assert least[pair] <= exact[first << 10 | pair]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (("вечера", "cp1251"), ("вечера", "koi8_r")),  # upside down case
        (("Été", "cp1252"), ("Été", "cp1251")),
        (("Łódź", "cp1250"), ("Łódź", "cp1251")),
    ],
)
def test_classes_cost_less_in_the_right_page(right, wrong):
    word = right[0].encode(right[1])
    assert class_cost(word, classes(right[1])) < class_cost(word, classes(wrong[1]))


def test_the_priors_of_all_pairs_are_probabilities():
    priors = all_priors()
    assert sum(priors.values()) == pytest.approx(1)
    assert min(priors.values()) > 0
    assert max(priors, key=priors.get)[0] == "cp1252"
    assert prior_nats("cp1251", "ru") < prior_nats("cp1251", "bg") < prior_nats("iso8859_5", "mk")


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("ISO-8859-1", "cp1252"), ("windows-1251", "cp1251"), ("GB2312", "gb18030"), ("Shift_JIS", "cp932"),
        ("KOI8-R", "koi8_r"), ("tis-620", "cp874"), ("big5", "cp950"), ("utf8", "utf-8"), ("rot13", ""),
        ("no such", ""), ("", ""), ("a\x00b", ""), ("é" * 1000, ""),
    ],
)  # fmt: skip
def test_encodings_go_by_our_names(name, ours):
    assert codec_name(name) == ours
