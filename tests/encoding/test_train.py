"""Training: costs from counts, and the bundled models from the text in the repository."""

import math
import os
import subprocess
import sys
from array import array
from collections import Counter
from itertools import accumulate
from pathlib import Path

import pytest

from mediacrawl.encoding import models
from mediacrawl.encoding.languages import LANGUAGES, words
from mediacrawl.encoding.models import LetterModel, bundled, word_hash
from mediacrawl.encoding.training import KNOWN_POWER, STEP, LetterCounts, cost, deltas, word_block, word_list

ROOT = Path(__file__).parents[2]
TRAINING = ROOT / "training"
sys.path.append(str(TRAINING))
import make_models  # noqa: E402 - its folder has just been added
from make_models import CharacterCounts  # noqa: E402


def letters(*words, size=4):
    counts = LetterCounts(size)
    for word in words:
        counts.add(word)
    trigrams, bigrams = counts.tables()
    return LetterModel(size, bigrams, lambda: (trigrams, array("I"), b""))


@pytest.mark.parametrize(
    ("probability", "steps"), [(1.0, 0), (1 / math.e, STEP), (math.exp(-2), 2 * STEP), (1e-30, 255)]
)
def test_a_cost_is_a_probability_in_twelfths_of_a_nat_up_to_255(probability, steps):
    assert cost(probability) == steps


def test_what_came_often_costs_less_than_what_came_seldom_and_that_less_than_what_never_came():
    model = letters(b"\1\2", b"\1\2", b"\1\2", b"\1\3")
    assert model.spelled(b"\1\2") < model.spelled(b"\1\3") < model.spelled(b"\2\3")


def test_the_followers_of_any_context_are_probabilities():
    counts = LetterCounts(4)
    for word in (b"\1\2\3", b"\1\2", b"\3\3\1"):
        counts.add(word)
    trigrams, bigrams = counts.tables()
    for context in range(16):
        if context % 4:  # behind a boundary no second boundary follows
            row = trigrams[context * 4 : context * 4 + 4]
            assert sum(math.exp(-price / STEP) for price in row) == pytest.approx(1, abs=0.06)
    for first in range(1, 4):
        row = bigrams[first * 4 : first * 4 + 4]
        assert sum(math.exp(-price / STEP) for price in row) == pytest.approx(1, abs=0.06)


def test_a_word_begins_the_same_whatever_stood_before():
    counts = LetterCounts(3)
    counts.add(b"\1\2")
    trigrams, _ = counts.tables()
    assert trigrams[0:3] == trigrams[9:12] == trigrams[18:21]


def test_the_order_of_the_words_does_not_matter():
    assert letters(b"\1\2", b"\2\3\1").bigrams == letters(b"\2\3\1", b"\1\2").bigrams


def test_character_pairs_that_came_cost_less_than_their_characters_apart():
    counts = CharacterCounts()
    for _ in range(20):
        counts.add("東京")
    counts.add("京東西北")
    tables = counts.tables(0.5, 1000)
    number = {char: place + 1 for place, char in enumerate(tables.chars)}
    prices = dict(tables.pairs)
    pair = prices[number["東"] * (len(tables.chars) + 1) + number["京"]]
    assert pair < tables.gaps[number["東"]] + tables.unigrams[number["京"]]
    assert tables.unseen > max(tables.unigrams)


def test_a_word_is_listed_if_the_list_makes_it_much_cheaper():
    counts = LetterCounts(4)
    counts.add(b"\1\2\3")
    trigrams, bigrams = counts.tables()
    spelled = LetterModel(4, bigrams, lambda: (trigrams, array("I"), b""))
    often = word_list({b"\3\3\3\1": 1000}, 0.4 / 1000**KNOWN_POWER, spelled)
    seldom = word_list({b"\3\3\3\1": 1}, 1e-9, spelled)
    assert (list(often), seldom) == ([word_hash(b"\3\3\3\1")], {})


def test_deltas_add_up_to_the_numbers_again():
    numbers = [3, 7, 7, 4_000_000]
    assert list(accumulate(deltas(numbers))) == numbers


def test_names_are_those_of_the_countries_that_speak_the_language():
    assert "Иван" in set(make_models.names(TRAINING, "ru"))
    assert "Иван" not in set(make_models.names(TRAINING, "el"))


def block(code):
    return word_block(LANGUAGES[code], Counter(words(make_models.lines(TRAINING, code), LANGUAGES[code])))


@pytest.mark.parametrize("code", ["mt", "ga"])
def test_a_language_trained_anew_is_the_bundled_one(code):
    rebuilt = models.unpack(models.pack({code: block(code)}), "x")
    here, there = rebuilt.letters(code), bundled().letters(code)
    assert (here.size, here.bigrams) == (there.size, there.bigrams)
    assert here._rest == there._rest


def test_japanese_trained_anew_is_the_bundled_one():
    rebuilt = models.unpack(
        models.pack({"ja": make_models.character_block(LANGUAGES["ja"], make_models.lines(TRAINING, "ja"))}), "x"
    )
    assert rebuilt.characters("ja") == bundled().characters("ja")


@pytest.mark.slow
def test_all_models_are_the_same_with_another_hash_seed(tmp_path):
    """What ``make models`` runs, in another process: it must not hang on the order of sets. Takes some 15 seconds."""
    made = tmp_path / "models.bin"
    command = [sys.executable, str(TRAINING / "make_models.py"), str(TRAINING), str(made)]
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    subprocess.run(command, check=True, cwd=ROOT, env=environment, timeout=900)
    assert models.unpack(made.read_bytes(), "made").version == bundled().version
