"""What pairs of damaged and right texts teach, and that it mends what models alone cannot."""

import json
import logging
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from misreading import stripped, taught

from mediacrawl.encoding import Substitutions, repair
from mediacrawl.encoding.mojibake.substitutions import learn_pairs

TITLES = Path(__file__).resolve().parents[2] / "benchmarks" / "titles"
LANGUAGES = ("ru", "uk", "cs", "ja")
TRACKS = 4


def albums(language, number):
    """Records of albums with four tracks: artist and album come again, titles do not."""
    rows = (TITLES / f"{language}.tsv").read_text(encoding="utf-8").splitlines()[: number * TRACKS]
    songs = [row.split("\t") for row in rows]
    return [
        (*songs[first][:2], song[2])
        for first in range(0, len(songs), TRACKS)
        for song in songs[first : first + TRACKS]
    ]  # fmt: skip


@pytest.fixture(scope="module", params=LANGUAGES)
def mended(request):
    """(right, damaged, by the models, with what was learned) for the half of a store that was not fetched again."""
    records = albums(request.param, 6 if request.param == "cs" else 3)
    known = [record for place, record in enumerate(records) if place % TRACKS < 2]
    substitutions = taught(*[(stripped(text), text) for record in known for text in record])
    fields = []
    for record in records:
        if record not in known:
            damaged = [stripped(text) for text in record]
            alone, helped = repair(damaged), repair(damaged, substitutions=substitutions)
            if repair(helped.texts).texts == helped.texts:
                assert repair(helped.texts, substitutions=substitutions).texts == helped.texts
            fields += zip(record, damaged, alone.fields, helped.fields, strict=True)
    return [field for field in fields if field[0] != field[1]]


def test_words_that_came_again_mend_what_models_alone_could_not(mended):
    by_models = sum(alone.text == right for right, _, alone, _ in mended)
    with_pairs = sum(helped.text == right for right, _, _, helped in mended)
    assert with_pairs > by_models


def test_nothing_that_the_models_had_right_becomes_wrong(mended):
    assert [helped.text for right, _, alone, helped in mended if alone.text == right != helped.text] == []


def test_what_was_substituted_says_so_and_how_sure_it_is(mended):
    substituted = [helped for _, _, _, helped in mended if helped.encoding == "substitution"]
    assert {(field.decision, field.lossy) for field in substituted} == {("fixed", True)}
    assert all(0 < field.confidence < 1 for field in substituted)


def test_a_clean_text_that_the_models_are_sure_of_is_never_touched():
    text = "Подмосковные вечера"
    liar = taught((text, "Something else"), times=5)
    assert liar.propose(text).text == "Something else"
    assert repair([text], substitutions=liar).fields == repair([text]).fields


def test_what_contradicts_itself_changes_nothing_and_says_suspect():
    first, second = stripped("Океан Ельзи"), stripped("Тихий океан")
    circle = taught((first, second), (second, first), times=4)
    found = repair([first], substitutions=circle)
    assert found.texts == repair(found.texts, substitutions=circle).texts
    assert not found.changed
    assert found.fields[0].suspect


def test_a_pair_seen_once_proves_nothing():
    damaged = stripped("Океан Ельзи")
    assert taught((damaged, "Океан Ельзи")).propose(damaged) is None
    assert taught((damaged, "Океан Ельзи"), times=2).propose(damaged).text == "Океан Ельзи"


def test_a_word_is_known_in_other_texts_and_before_a_question_mark():
    learned = taught(("KABÃT live", "KABÁT live"), times=2)
    assert learned.propose("Best of KABÃT?").text == "Best of KABÁT?"
    assert learned.propose("Best of KABÃT and DÅevo") is None


def test_a_text_with_one_odd_word_that_is_unknown_is_not_proposed():
    learned = taught((stripped("Океан"), "Океан"), times=9)
    assert learned.propose(stripped("Океан Ельзи")) is None


def test_a_piece_that_became_different_things_is_not_trusted():
    split = taught(("Äas", "čas"), ("Äas", "Ďas"), times=5)
    assert split.propose("Äas") is None


def test_characters_make_up_words_never_seen():
    rows = [("Öëâàð", "Цлвар"), ("áâðÖë", "бврЦл"), ("Öáâðë", "Цбврл"), ("ðÖëáâ", "рЦлбв")]
    learned = taught(*rows, encoding="cp1251")
    found = learned.propose("ëðâáÖ")
    assert found.text == "лрвбЦ"
    assert [before for before, _ in found.pieces] == list("ëðâáÖ")
    assert found.confidence == pytest.approx((5 / 6) ** 4 * (4 / 5))


def test_a_lost_character_that_was_several_stays_unknown():
    known = [f"{left}Åe{left}" for left in "abcdefgh"]
    pairs = [(text, text.replace("Å", "ř")) for text in known]
    assert taught(*pairs).propose("zÅeq").text == "zřeq"
    assert taught(*pairs, ("xÅo", "xůo"), ("yÅo", "yůo")).propose("zÅeq") is None


def test_short_words_that_lost_nearly_everything_need_much_more():
    learned = [taught((stripped("ДДТ"), "ДДТ"), times=times).propose(stripped("ДДТ")) for times in (3, 8)]
    assert learned[0] is None
    assert learned[1].text == "ДДТ"


def test_a_question_mark_in_a_word_is_a_lost_character_and_one_behind_it_is_not():
    learned = taught(("Helena Vondr??kov?a", "Helena Vondráčková"), times=2)
    assert learned.propose("Helena Vondr??kov?a!").text == "Helena Vondráčková!"
    assert learned.propose("Helena?") is None


def test_the_least_seen_is_forgotten_first():
    small = Substitutions(limit=50)
    for _ in range(3):
        small.learn("KABÃTské", "KABÁTské", "utf-8")
    for number in range(500):
        small.learn(f"Ã{number}", f"Á{number}", "utf-8")
        assert len(small) <= 50
    assert small.propose("KABÃTské").text == "KABÁTské"


# -- properties --------------------------------------------------------------------------------------------------

texts = st.text(st.sampled_from("aÐÑÅé\xa0?\ufffd\x81 о行-\ud800"), max_size=24) | st.text(max_size=80)
lessons = st.lists(st.tuples(texts, texts, st.sampled_from(["utf-8", "cp1251", "", "no such"])), max_size=12)


def learned_from(pairs, times=3):
    substitutions = Substitutions(limit=200)
    for pair in pairs * times:
        substitutions.learn(*pair)
    return substitutions


@given(lessons, texts)
def test_no_text_makes_it_raise(pairs, text):
    found = learned_from(pairs).propose(text)
    assert found is None or (found.text != text and 0 < found.confidence < 1 and found.pieces)


@given(texts)
def test_who_learned_nothing_proposes_nothing(text):
    assert Substitutions().propose(text) is None


@given(lessons, texts)
def test_what_is_saved_is_what_is_loaded(tmp_path_factory, pairs, text):
    path = tmp_path_factory.mktemp("learned") / "state" / "substitutions.json"
    learned = learned_from(pairs)
    learned.save(path)
    again = Substitutions.load(path, limit=200)
    assert (again.version, again.propose(text), again.damages) == (
        learned.version,
        learned.propose(text),
        learned.damages,
    )
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


@given(lessons)
def test_a_second_repair_changes_nothing(pairs):
    learned = learned_from(pairs)
    for before, _, _ in pairs[:2]:
        once = repair([before], substitutions=learned).texts
        if repair(once).texts == once:
            assert repair(once, substitutions=learned).texts == once


# -- files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b'{"format": 2, "entries": []}', b'{"format": 1, "entries": [1]}', b"[" * 100_000,
        b'{"format": 1, "entries": [[["word", "x"], 1, {"y": 2}]]}',
        b'{"format": 1, "entries": [[["word", "x", "z"], 2, {"y": 2}]]}',
        b'{"format": 1, "entries": [[[], 2, {"y": 2}]]}', b'{"format": 1, "entries": [[["word", "x"], true, {}]]}',
    ],
)  # fmt: skip
def test_a_damaged_file_is_kept_aside_and_said_in_one_sentence(tmp_path, caplog, content):
    path = tmp_path / "substitutions.json"
    path.write_bytes(content)
    with caplog.at_level(logging.WARNING):
        assert len(Substitutions.load(path)) == 0
    (said,) = caplog.messages
    assert "starts empty. The file is kept as" in said
    assert (tmp_path / "substitutions.json.damaged").read_bytes() == content


def test_a_missing_file_is_nothing_to_speak_of(tmp_path, caplog):
    assert len(Substitutions.load(tmp_path / "substitutions.json")) == 0
    assert caplog.messages == []


def test_lines_that_are_no_pairs_are_counted_and_named(tmp_path):
    pair = json.dumps({"before": stripped("Океан Ельзи"), "after": "Океан Ельзи", "encoding": "utf-8"}).encode()
    bad = [b"torn", b"[1]", b'{"before": 1, "after": "x"}', b"\xff", b"x" * 200_000]
    path = tmp_path / "pairs.jl"
    path.write_bytes(b"\n".join([pair, b"", *bad, pair]))
    found = Substitutions.of_pairs(path)
    assert (found.pairs, found.bad, found.named) == (2, 5, [3, 4, 5, 6, 7])
    assert found.warning("pairs.jl") == "pairs.jl: 5 of 7 lines are no pairs and were passed over (3, 4, 5, 6, 7)."
    assert found.substitutions.propose(stripped("Океан Ельзи")).text == "Океан Ельзи"
    assert learn_pairs([pair]).warning("pairs.jl") == ""


# -- stored items ------------------------------------------------------------------------------------------------
