"""Fields of any length: a bounded piece is looked at, and the whole is read alike."""

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.encoding import Hints, detect
from mediacrawl.encoding.detection import detector
from mediacrawl.encoding.excerpts import LONGEST_FIELD, head_of

VERSE = "По дороге над рекой идёт старый почтальон и поёт песню. "
CHINESE = "雨后的街道很安静我在窗前等你回来灯光照着你的信"
MEGABYTE = 1 << 20


def many(text, encoding, length=MEGABYTE):
    raw = text.encode(encoding)
    return raw * (length // len(raw))


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(VERSE, "cp1251"), (VERSE, "utf-8"), (CHINESE, "gb18030"), (VERSE, "utf-16-le"), (CHINESE, "iso2022_jp_2")],
)
def test_a_megabyte_is_read_whole(text, encoding):
    raw = many(text, encoding)
    assert detect([raw]).texts == (raw.decode(encoding),)


def test_a_long_english_text_with_one_late_verse_is_decided_by_the_verse():
    raw = b"Some words in plain English. " * 700 + (VERSE * 3).encode("cp1251")
    assert detect([raw]).texts == (raw.decode("cp1251"),)


def test_the_excerpts_of_many_long_fields_are_short(monkeypatch):
    seen = []
    hypotheses = detector.hypotheses
    monkeypatch.setattr(detector, "hypotheses", lambda raws, *rest: seen.extend(raws) or hypotheses(raws, *rest))
    raws = [many(f"{number} {VERSE}", "cp1251", LONGEST_FIELD) for number in range(40)]
    assert detect(raws).texts == tuple(raw.decode("cp1251") for raw in raws)
    assert sum(map(len, seen)) <= LONGEST_FIELD


def test_utf_8_of_wrong_text_is_mended_whole():
    raw = many(VERSE.encode("cp1251").decode("latin-1"), "utf-8", LONGEST_FIELD * 2)
    field = detect([raw], Hints(declared="utf-8")).fields[0]
    assert field.text == raw.decode().encode("latin-1").decode("cp1251")
    assert field.decision == "fixed"


def test_a_whole_that_its_head_does_not_speak_for_stays_as_declared():
    raw = many("ÄÖ so ", "utf-8") + b"\xff\xff " * MEGABYTE
    field = detect([raw]).fields[0]
    assert (field.text, field.decision, field.suspect) == (raw.decode("cp1252"), "undecided", True)


@pytest.mark.parametrize("declared", ["latin-1", "utf-8", "utf-16", "gb18030"])
@pytest.mark.parametrize(
    "unit",
    [b"\xb0\xa1", b"\x80", b"\xa0", b"a", b"\x1b$B>e", b"~{", b"\x00\xd8", b"\xc3\xa9", bytes(range(256)), b"\xff"],
)
def test_only_pieces_of_a_megabyte_are_looked_at(unit, declared, monkeypatch):
    seen = []

    def watched(function):
        def ask(first, *more):
            seen.extend(map(len, first))
            return function(first, *more)

        return ask

    monkeypatch.setattr(detector, "repair", watched(detector.repair))
    monkeypatch.setattr(detector, "hypotheses", watched(detector.hypotheses))
    raw = unit * (MEGABYTE // len(unit))
    found = detect([raw, b"Hits"], Hints(declared=declared))
    assert found.texts[1] == "Hits"
    assert max(seen) <= LONGEST_FIELD


@given(st.binary(max_size=3_000), st.sampled_from(["latin-1", "utf-8", "utf-16", "utf-16-be", "gb18030", "nonsense"]))
@settings(max_examples=examples(60), deadline=None)
def test_a_head_stands_in_its_field(raw, declared):
    head = head_of(raw, declared, 256)
    assert head in raw
    assert len(head) <= 256
    assert bool(head) == bool(raw)
