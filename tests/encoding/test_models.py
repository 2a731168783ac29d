"""Model files: the format, and what becomes of a damaged one."""

import json
import subprocess
import sys
import zlib
from array import array
from pathlib import Path

import pytest

from mediacrawl.encoding import model_version, models
from mediacrawl.encoding.languages import LANGUAGES
from mediacrawl.encoding.models import (
    MAGIC,
    CharacterModel,
    LetterModel,
    ModelError,
    bundled,
    pack,
    unpack,
    use_models,
)
from mediacrawl.encoding.pricing.scoring import ascii_costs, ascii_numbers

TABLES = {"size": 2}, [bytes(4)], [bytes(range(8)), models.split_planes([5, 2]), b"\x07\x09"]


def test_what_is_packed_is_unpacked():
    file = unpack(pack({"xx": TABLES}), "x")
    model = file.letters("xx")
    assert (model.size, model.bigrams) == (2, bytes(4))
    assert model._rest == (bytes(range(8)), array("I", [5, 7]), b"\x07\x09")
    assert file.letters("xx") is model
    assert file.fits("xx")


def test_words_that_do_not_rise_are_no_list():
    tables = {"size": 2}, [bytes(4)], [bytes(8), models.split_planes([7, 2**32 - 2]), b"\x07\x09"]
    with pytest.raises(OverflowError):
        pack({"xx": tables})
    body = [bytes(8), models.split_planes([7, 5]), b"\x07\x09"]
    packed = b"".join(zlib.compress(b"".join(part), wbits=-15) for part in ([bytes(4)], body))
    small = len(zlib.compress(bytes(4), wbits=-15))
    entry = {
        "size": 2,
        "small": {"at": 0, "length": small, "parts": [4]},
        "large": {"at": small, "length": len(packed) - small, "parts": [8, 8, 2]},
    }
    head = json.dumps({"sha256": "ab", "languages": {"xx": entry}}).encode()
    assert not unpack(MAGIC + len(head).to_bytes(4, "little") + head + packed, "x").fits("xx")


def test_the_version_follows_the_content_and_nothing_else():
    version = unpack(pack({"xx": TABLES}), "x").version
    assert unpack(pack({"xx": TABLES}), "another name").version == version
    assert unpack(pack({"yy": TABLES}), "x").version != version
    assert unpack(pack({"xx": ({"size": 2}, [bytes(3) + b"\1"], TABLES[2])}), "x").version != version
    assert len(version) == 12


def test_byte_planes_come_together_again():
    numbers = [0, 1, 255, 256, 70_000, 2**32 - 1]
    assert list(models._join_planes(models.split_planes(numbers))) == numbers


def test_every_language_has_a_bundled_model_and_all_parts_fit():
    assert set(bundled().index) == set(LANGUAGES)
    for code, language in LANGUAGES.items():
        if language.letters:
            assert bundled().fits(code)
            assert bundled().letters(code).size == len(language.letters) + 1
        else:
            assert bundled().characters(code).cost("") == 0


def test_the_bundled_file_keeps_its_promise_on_size():
    path = Path(models.__file__).with_name("models.bin")
    assert path.stat().st_size <= 2_500_000
    assert len(model_version()) == 12
    assert unpack(path.read_bytes(), "x").version == bundled().version


def test_memory_for_remembered_words_is_bounded(monkeypatch):
    monkeypatch.setattr(models, "CACHED", 10)
    model = LetterModel(3, bytes(9), lambda: (bytes(27), array("I"), b""))
    for number in range(100):
        model.cost(bytes(b"\1\2"[(number >> bit) & 1] for bit in range(8)))
    assert len(model._costs) <= 10


def test_a_known_word_costs_what_the_list_says():
    word = b"\1\2\1"
    digest = models.word_hash(word)
    model = LetterModel(3, bytes(9), lambda: (bytes([50]) * 27, array("I", [digest]), b"\x11"))
    assert (model.spelled(word), model.listed(word), model.cost(word)) == (200, 17, 17)
    assert model.cost(b"\2\2\2") == 200


def test_an_unseen_character_costs_what_unseen_ones_do_and_begins_anew():
    model = CharacterModel({"東": 1, "京": 2}, bytes((0, 30, 40)), bytes((1, 2, 3)), 99, array("I", [5]), b"\x05")
    assert model.cost("東京") == 1 + 30 + 5
    assert model.cost("東西京") == 1 + 30 + 99 + 40


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is no model file of this version"),
        (b"MCM1" + bytes(20), "train it again with scrapy trainencoding"),
        (MAGIC, "damaged"),
        (MAGIC + b"\xff\xff\xff\xff{}", "damaged"),
        (MAGIC + b"\x02\0\0\0{}", "damaged"),
        (MAGIC + b"\x02\0\0\0[]", "damaged"),
        (MAGIC + b"\x02\0\0\0\xff\xfe", "damaged"),
        (MAGIC + (100_000).to_bytes(4, "little") + b"[" * 100_000, "damaged"),
        (MAGIC + b"\x20\0\0\0" + b'{"sha256": 5, "languages": {}}  ', "damaged"),
        (MAGIC + b"\x22\0\0\0" + b'{"sha256": "ab", "languages": [1]}', "damaged"),
    ],
)
def test_a_damaged_file_is_told_in_one_sentence(tmp_path, content, says):
    path = tmp_path / "own.bin"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=says) as raised:
        use_models([path], check_only=True)
    assert str(path) in str(raised.value)


def test_a_file_that_is_not_there_is_told_in_one_sentence(tmp_path):
    with pytest.raises(ModelError, match=r"cannot be read: No such file or directory\."):
        use_models([tmp_path / "none.bin"], check_only=True)
    with pytest.raises(ModelError, match="cannot be read"):
        use_models([tmp_path], check_only=True)


def damaged(content, change):
    length = int.from_bytes(content[4:8], "little")
    head = json.loads(content[8 : 8 + length])
    change(head["languages"]["xx"])
    fresh = json.dumps(head).encode()
    return MAGIC + len(fresh).to_bytes(4, "little") + fresh + content[8 + length :]


@pytest.mark.parametrize(
    "change",
    [
        lambda entry: entry.pop("size"),
        lambda entry: entry.update(size=3),
        lambda entry: entry.update(size=2.0),
        lambda entry: entry.update(size=10**6),
        lambda entry: entry.update(size=-2),
        lambda entry: entry.pop("large"),
        lambda entry: entry["large"].update(at=10**9),
        lambda entry: entry["large"].update(at="0"),
        lambda entry: entry["large"].update(parts=[8, 8]),
        lambda entry: entry["large"].update(parts=[8, 2**62, 2**60]),
        lambda entry: entry["small"].update(parts=[4.0]),
        lambda entry: entry["small"].update(length=1),
    ],
)
def test_tables_that_do_not_fit_together_are_seen(change):
    assert not unpack(damaged(pack({"xx": TABLES}), change), "x").fits("xx")


def test_a_file_that_was_cut_is_seen():
    content = pack({"xx": TABLES})
    assert not unpack(content[:-5], "x").fits("xx")


def test_nothing_is_unpacked_before_it_is_asked_for():
    """A process that decides only Russian keeps only Russian's tables."""
    code = (
        "import sys; sys.modules['mediacrawl.encoding._native'] = None;"
        "from mediacrawl.encoding import detect, models; detect(['Подмосковные вечера'.encode('cp1251')]);"
        "file = models.bundled();"
        "print([code for code, model in file._letters.items() if '_rest' in vars(model)], list(file._characters))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "'ru'" in done.stdout
    assert "'th'" not in done.stdout


@pytest.mark.parametrize(("word", "code"), [(b"della", "it"), (b"och", "sv"), (b"mot", "no")])
def test_common_words_of_ascii_letters_are_listed_and_tell_the_language(word, code):
    model = models.bundled().letters(code)
    assert model.listed(word.translate(ascii_numbers(code))) < models.UNKNOWN
    assert ascii_costs([word])[code] < 0
