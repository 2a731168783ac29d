"""Long texts: a piece decides, the rest is read alike or left, and the time has a bound."""

# ruff: noqa: RUF001 - what letters of many scripts read as is what this file is about

import pytest
from misreading import windows

from mediacrawl.encoding import repair
from mediacrawl.encoding.excerpts import LONGEST_READ, head_of_text
from mediacrawl.encoding.pricing.hypotheses import MOST_SCORED

RUSSIAN = "Не слышны в саду даже шорохи, всё здесь замерло до утра. "
GERMAN = "Am Brunnen vor dem Tore, da steht ein schöner Lindenbaum – für süße Träume. "


@pytest.mark.parametrize("encoding", ["utf-8", "cp1251"])
@pytest.mark.parametrize("times", [3, 20, 200])
def test_a_long_text_is_read_like_its_beginning(encoding, times):
    title = (RUSSIAN * times).strip()
    repaired = repair([windows(title.encode(encoding)), windows("Подмосковные вечера".encode(encoding))])
    assert repaired.texts == (title, "Подмосковные вечера")


@pytest.mark.parametrize("times", [4, 40])
def test_utf_8_of_a_language_with_few_letters_beyond_ascii_is_no_code_page_however_long_it_is(times):
    title = (GERMAN * times).strip()
    assert repair([windows(title.encode())]).texts == (title,)


def test_a_long_text_that_lost_blanks_is_mended_too():
    line = "La première étoile du matin s'attarde à l'horizon, de la forêt à la rivière. "
    stored = windows((line * 8).strip().encode()).replace("\xa0 ", " ").replace("\xa0", " ")
    assert repair([stored]).texts == ((line * 8).strip(),)


def test_the_piece_begins_before_the_first_word_beyond_ascii_and_ends_with_a_word():
    text = "plain words " * 300 + "naïve " + "more words " * 300
    head = head_of_text(text)
    assert len(head) <= MOST_SCORED
    assert 0 < head.index("naïve") < 50
    assert f" {head} " in text
    assert head_of_text("Žižek") == "Žižek"


@pytest.mark.parametrize(
    "text",
    ["Ð" * 200_000, "Ã " * 100_000, "é?a" * 100_000, "a" * 200_000 + "Ã©", "\ud800é" * 100_000, "\ufffdé " * 99_999],
)
def test_hostile_texts_of_any_length_come_back_as_they_are_or_mended_throughout(text):
    repaired = repair([text])
    assert repaired.texts[0] == text or repaired.changed


def test_what_is_too_long_to_be_read_alike_stays_and_says_so():
    stored = windows((RUSSIAN * (LONGEST_READ // len(RUSSIAN) + 1)).encode())
    repaired = repair([stored]).fields[0]
    assert repaired.text == stored
    assert repaired.suspect


def test_a_text_whose_end_is_otherwise_than_its_beginning_stays_and_says_so():
    stored = windows((RUSSIAN * 30).encode("cp1251")) + "日本語"
    repaired = repair([stored]).fields[0]
    assert repaired.text == stored
    assert repaired.suspect
