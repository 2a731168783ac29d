"""Models of a user's own languages: trained from text, told about in one screen, used beside the bundled ones."""

# ruff: noqa: RUF001 - letters of many scripts are what this file is about

import gzip
import json
from pathlib import Path

import pytest

from mediacrawl.encoding import Hints, ModelError, detect, model_version, models, repair, train, use_models
from mediacrawl.encoding.languages import LANGUAGES, Language, languages_named
from mediacrawl.encoding.models import MAGIC
from mediacrawl.encoding.pricing.reading import read
from mediacrawl.encoding.training import STEP, alphabet, code_pages, count_words, letter_counts, script_of, text_lines

pytestmark = pytest.mark.usefixtures("bundled_models")
SENTENCES = Path(__file__).parents[2] / "training" / "sentences"
BRETON = ["Zo amañ", "Ar brasañ", "D'ar c'hentañ", "Emañ-eñ", "Homañ vras"]


def train_given(given, paths):
    about = {name: getattr(given, name) for name in ("script", "letters", "encodings", "weight", "tlds")}
    return train(given.code, paths, **about)


@pytest.fixture(scope="module")
def breton(tmp_path_factory):
    """A model of Breton, which the program has none of, from all but the last fifth of the text."""
    with gzip.open(SENTENCES / "br.txt.gz", "rt", encoding="utf-8") as file:
        lines = file.read().splitlines()
    folder = tmp_path_factory.mktemp("breton")
    text = folder / "br.txt"
    text.write_text("\n".join(lines[: len(lines) * 4 // 5]), encoding="utf-8")
    trained = train("br", [text], tlds=("bzh",), weight=0.5)
    path = folder / "br.bin"
    path.write_bytes(trained.content)
    return path, trained


@pytest.fixture(scope="module")
def chuvash(tmp_path_factory):
    trained = train("cv", [SENTENCES / "cv.txt.gz"])
    path = tmp_path_factory.mktemp("chuvash") / "cv.bin"
    path.write_bytes(trained.content)
    return path, trained


def right(titles, encoding, hints=None):
    return [title for title in titles if detect([title.encode(encoding)], hints).texts == (title,)]


# -- training ------------------------------------------------------------------------------------------------------


def test_letters_script_and_encodings_are_found_from_the_text(breton, chuvash):
    language = breton[1].language
    assert (language.script, language.encodings[0]) == ("latin", "cp1252")
    assert {"mac_roman", "cp850"} <= set(language.encodings)
    assert set("abcdefghijklmnopqrstuvwxyzñêù") <= set(language.letters)
    language = chuvash[1].language
    assert (language.script, language.encodings) == ("cyrillic", ())
    assert set("ӑӗҫӳ") <= set(language.letters)
    assert not set(language.letters) & set("abcxyz")


def test_the_same_text_gives_the_same_file(chuvash):
    assert train("cv", [SENTENCES / "cv.txt.gz"]).content == chuvash[1].content


def test_the_report_tells_what_was_found(chuvash):
    trained = chuvash[1]
    report = "\n".join(trained.report("cv.bin"))
    assert f"{len(trained.content):,} bytes" in report
    assert trained.language.letters in report
    assert trained.common[0] in report
    assert 1.5 < trained.nats < 3
    assert 'MOJIBAKE_MODELS = ["cv.bin"]' in report


def test_the_held_out_words_were_not_trained_on(chuvash):
    """They cost more than the same words in the model that saw them."""
    trained = chuvash[1]
    model = models.unpack(trained.content, "cv").letters("cv")
    numbers = {letter: place + 1 for place, letter in enumerate(trained.language.letters)}
    seen = count_words(text_lines([SENTENCES / "cv.txt.gz"]), trained.language)
    spelled = sum(model.spelled(bytes(numbers[letter] for letter in word)) for word in seen)
    assert trained.nats > spelled / STEP / sum(len(word) + 1 for word in seen)


def test_what_the_user_says_goes_before_what_is_found():
    given = Language("cv", "cyrillic", "абвгдежзийклмнопрстуфхцчшыьэюяӑӗҫӳ", ("cp1251",), 2.0, ("ru",))
    trained = train_given(given, [SENTENCES / "cv.txt.gz"])
    assert trained.language == given
    assert json.loads(json.dumps(models.unpack(trained.content, "x").index["cv"]["language"]))["weight"] == 2.0


def test_a_language_like_another_has_its_script_and_encodings():
    trained = train("cv", [SENTENCES / "cv.txt.gz"], like="ru")
    assert trained.language.encodings == LANGUAGES["ru"].encodings


def test_a_language_that_the_program_has_keeps_what_is_not_said():
    trained = train("eo", [SENTENCES / "eo.txt.gz"])
    assert trained.language == Language("eo", "latin", LANGUAGES["eo"].letters, ("iso8859_3",), 1.0, (), ("epo",))


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Ҫурхи юрӑ and more", "cyrillic"),
        ("Straße", "latin"),
        ("ტექსტი", "georgian"),
        ("எல்லாம்", "tamil"),
        ("東京です", "cjk"),
    ],
)
def test_the_script_is_that_of_most_letters(text, script):
    assert script_of(letter_counts(lambda: [text], "xx")) == script


def test_foreign_letters_of_names_stay_out_of_the_alphabet():
    text = ["строка на своём языке " * 400 + "Łódź naïve"]
    assert alphabet(letter_counts(lambda: text, "xx"), "cyrillic") == "".join(sorted(set("строканасвоёмязыке")))


def test_an_alphabet_has_at_most_90_letters():
    text = ["".join(chr(code) for code in range(0x1E01, 0x1EF9, 2))]
    assert len(alphabet(letter_counts(lambda: text, "xx"), "latin")) == 90


@pytest.mark.parametrize(
    ("letters", "script", "first", "never"),
    [
        ("abcäöü", "latin", "cp1252", "cp1250"),
        ("abcčšž", "latin", "cp1252", ""),
        ("abcčďě", "latin", "cp1250", "cp1252"),
        ("abcāēķ", "latin", "cp1257", "cp1250"),
        ("абвгіў", "cyrillic", "cp1251", "koi8_r"),
        ("abc", "latin", "cp1252", ""),
        ("αβγ", "greek", "cp1253", "cp1251"),
    ],
)
def test_encodings_are_those_of_the_company_that_can_write_the_letters(letters, script, first, never):
    found = code_pages(letters, script, dict.fromkeys(letters, 100))
    if letters == "abcčšž":
        assert found[0] in {"cp1250", "cp1257"}  # cp1252 has š and ž, but no č
    else:
        assert found[0] == first
    assert never not in found


def test_an_encoding_may_have_any_name_that_python_knows():
    names = ("latin1", "windows-1252", "ISO-8859-15", "Mac-Roman")
    trained = train("br", [SENTENCES / "br.txt.gz"], encodings=names)
    assert trained.language.encodings == ("cp1252", "iso8859_15", "mac_roman")


def test_no_encoding_is_found_for_letters_that_none_has():
    assert code_pages("абвӑӗҫӳ", "cyrillic", dict.fromkeys("абвӑӗҫӳ", 1)) == ()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("одно два три".encode(), r"only 3 different words .* needs 500"),
        (b"", r"no letters in this text"),
        (b"12345 !?\n", r"no letters in this text"),
        ("добро\n".encode() + "зло\n".encode("cp1251"), r"Line 2 of .*text\.txt is not UTF-8\."),
        (gzip.compress("добро\n".encode() * 3 + b"\xff"), r"Line 4 of .*text\.txt is not UTF-8\."),
        (gzip.compress("добро\n".encode() * 3)[:-9], r"text\.txt cannot be read"),
        (b"\x1f\x8bnothing", r"text\.txt cannot be read"),
        ("東京です".encode() * 1000, r"modelled by characters"),
        (b"a" * 2_000_000, r"Line 1 of .*text\.txt is longer"),
    ],
    ids=[
        "few words",
        "empty",
        "no letters",
        "not UTF-8",
        "not UTF-8 in gzip",
        "cut gzip",
        "no gzip",
        "CJK",
        "long line",
    ],
)
def test_text_that_no_model_can_be_made_from_is_told_in_one_sentence(tmp_path, content, says):
    path = tmp_path / "text.txt"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=says) as raised:
        train("xx", [path])
    assert str(raised.value).count("\n") == 0


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (Language("no code", "", ""), "no code of a language"),
        (Language("xx", "", "", ("cp9999",)), "knows no 8-bit encoding 'cp9999'; it knows cp1252, cp1251"),
        (Language("xx", "", "", ("gb18030",)), "knows no 8-bit encoding"),
        (Language("xx", "", "", (), 0.0), "weight"),
        (Language("xx", "", "", (), float("nan")), "weight"),
        (Language("xx", "", "".join(map(chr, range(0x430, 0x450))) * 9), ""),
    ],
)
def test_what_makes_no_sense_is_told_in_one_sentence(given, says):
    if not says:
        assert train_given(given, [SENTENCES / "cv.txt.gz"]).language.letters == "".join(map(chr, range(0x430, 0x450)))
        return
    with pytest.raises(ModelError, match=says):
        train_given(given, [SENTENCES / "cv.txt.gz"])


def test_a_language_like_one_that_is_not_there_is_told():
    with pytest.raises(ModelError, match=r"no language 'xx'; it has .*ru"):
        train("cv", [SENTENCES / "cv.txt.gz"], like="xx")


def test_a_byte_order_mark_is_no_letter(tmp_path):
    with gzip.open(SENTENCES / "cv.txt.gz") as file:
        (tmp_path / "cv.txt").write_bytes(b"\xef\xbb\xbf" + file.read())
    assert "\ufeff" not in train("cv", [tmp_path / "cv.txt"]).language.letters


# -- use -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["cp850", "mac_roman"])
def test_titles_of_a_language_of_ones_own_are_decided_with_its_model(breton, encoding):
    """The titles come from the part of the text that training did not see."""
    without = right(BRETON, encoding)
    assert use_models([breton[0]]).languages == ("br",)
    with_it = right(BRETON, encoding)
    assert len(without) <= 1
    assert len(with_it) >= 4


def test_titles_in_a_language_without_an_8_bit_encoding_are_known_as_such(chuvash):
    title = "Ҫуркунне ҫитрӗ"
    before = read(title)
    use_models([chuvash[0]])
    after = read(title)
    assert (before.language != "cv", after.language) == (True, "cv")
    assert after.cost < before.cost
    assert detect([title.encode()]).texts == (title,)
    assert repair([title.encode().decode("latin-1")]).texts == (title,)
    assert repair([title]).texts == (title,)


def test_lost_characters_are_proposed_in_the_language_of_ones_own(chuvash):
    """UTF-8 that was read as cp1252, which has no character for some of its bytes."""
    titles = ["Пысӑк", "Та тӑрса", "Нарӑс"]
    lost = [title.encode().decode("cp1252", "ignore") for title in titles]
    without = [repair([text]).texts[0] for text in lost]
    use_models([chuvash[0]])
    with_it = [repair([text]).texts[0] for text in lost]
    assert sum(map(titles.__contains__, with_it)) > sum(map(titles.__contains__, without))


def test_hints_name_the_language_of_ones_own(breton):
    assert languages_named("br-FR") == ()
    use_models([breton[0]])
    assert languages_named("br-FR") == ("br",)
    doubtful = "Er mañ".encode("mac_roman")
    alone = detect([doubtful]).margin
    hinted = detect([doubtful], Hints(tld="bzh", page_language="br"))
    assert hinted.texts == ("Er mañ",)
    assert hinted.margin > alone or hinted.texts != detect([doubtful]).texts


def test_the_version_tells_which_models_decided(breton, chuvash):
    versions = [model_version()]
    for paths in ([breton[0]], [chuvash[0]], [breton[0], chuvash[0]]):
        use_models(paths)
        versions.append(model_version())
    assert len(set(versions)) == 4
    assert all(len(version) == 12 for version in versions)
    use_models([])
    assert model_version() == versions[0]


def test_without_files_everything_is_as_it_was(breton, chuvash):
    titles = [title.encode("mac_roman") for title in BRETON] + ["Подмосковные вечера".encode("cp1251"), "Été".encode()]
    before = [detect([title]) for title in titles], list(LANGUAGES)
    use_models([breton[0], chuvash[0]])
    assert set(LANGUAGES) == {*before[1], "br", "cv"}
    use_models([])
    assert ([detect([title]) for title in titles], list(LANGUAGES)) == before


def test_a_language_that_the_program_has_is_replaced(tmp_path):
    given = Language("eo", "", LANGUAGES["eo"].letters, ("iso8859_3",), 5.0)
    (tmp_path / "eo.bin").write_bytes(train_given(given, [SENTENCES / "eo.txt.gz"]).content)
    count = len(LANGUAGES)
    use_models([tmp_path / "eo.bin"])
    assert (LANGUAGES["eo"].weight, len(LANGUAGES)) == (5.0, count)
    title = "Ĉiuj ŝanĝoj ĵaŭde"
    assert detect([title.encode("iso8859_3")]).texts == (title,)


def damaged(content, **changes):
    length = int.from_bytes(content[4:8], "little")
    head = json.loads(content[8 : 8 + length])
    (entry,) = head["languages"].values()
    entry["language"] = {**entry["language"], **changes} if changes else None
    fresh = json.dumps(head).encode()
    return MAGIC + len(fresh).to_bytes(4, "little") + fresh + content[8 + length :]


@pytest.mark.parametrize(
    "changes",
    [
        {}, {"letters": "abc"}, {"letters": 5}, {"encodings": ["no such"]}, {"encodings": 7}, {"weight": "much"},
        {"weight": -1}, {"folds": "a"}, {"script": "cjk"}, {"tlds": None}, {"letters": "ABC"},
    ],
)  # fmt: skip
def test_a_file_that_does_not_fit_its_language_changes_nothing(tmp_path, chuvash, breton, changes):
    path = tmp_path / "own.bin"
    path.write_bytes(damaged(chuvash[1].content, **changes))
    version = model_version()
    with pytest.raises(ModelError, match="damaged"):
        use_models([breton[0], path])
    assert ("br" in LANGUAGES, model_version()) == (False, version)


def test_the_bundled_file_is_none_of_ones_own():
    with pytest.raises(ModelError, match="does not say what the language"):
        use_models([Path(models.__file__).with_name("models.bin")])


def test_a_cut_file_is_refused(tmp_path, chuvash):
    (tmp_path / "cv.bin").write_bytes(chuvash[1].content[:-1000])
    with pytest.raises(ModelError, match="damaged"):
        use_models([tmp_path / "cv.bin"])


# -- the command ---------------------------------------------------------------------------------------------------
