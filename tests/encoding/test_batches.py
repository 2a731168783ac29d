"""Many records in one call are decided as one by one."""

import gc

import pytest

from mediacrawl.encoding import Hints, api, detect, repair
from mediacrawl.encoding.api import detect_many, repair_many

TITLES = ["Группа крови", "Café del Mar", "Žluťoučký kůň", "夢の中へ", "Plain", ""]
RAWS = [
    [TITLES[0].encode("cp1251"), TITLES[4].encode()],
    [TITLES[1].encode("cp1252")],
    [TITLES[2].encode("cp1250"), TITLES[2].encode("cp1250")],
    (TITLES[3].encode("cp932"),),
    [TITLES[0].encode("koi8_r")],
    [bytearray(TITLES[2].encode())],
    [b""],
    [],
]


def test_detect_many_answers_what_detect_does():
    records = RAWS * 3
    assert detect_many(records) == [detect(fields) for fields in records]
    hints = Hints(tld="ru")
    assert detect_many(records, hints) == [detect(fields, hints) for fields in records]


def test_repair_many_answers_what_repair_does():
    stored = [[bytes(raw).decode("latin-1") for raw in fields] for fields in RAWS] * 3
    assert repair_many(stored) == [repair(some) for some in stored]
    hints = Hints(page_language="cs")
    assert repair_many(stored, hints) == [repair(some, hints) for some in stored]


def test_no_records_have_no_decisions():
    assert detect_many([]) == []
    assert repair_many(iter([])) == []


@pytest.mark.parametrize("records", [b"\xe9", "é", {"title": [b"x"]}, 5, None, bytearray(b"x")])
@pytest.mark.parametrize("many", [detect_many, repair_many])
def test_what_is_no_sequence_of_records_is_refused_with_a_sentence(many, records):
    with pytest.raises(TypeError, match=rf"{many.__name__}\(\) takes a sequence of records.* One record goes to"):
        many(records)


def test_a_record_that_is_a_bare_field_is_refused():
    with pytest.raises(TypeError, match=r"detect_many\(\) takes a sequence of bytes"):
        detect_many([[b"x"], b"\xe9"])
    with pytest.raises(TypeError, match=r"repair_many\(\) takes a sequence of str"):
        repair_many([["x"], "é"])
    with pytest.raises(TypeError, match="hints must be Hints"):
        detect_many([], "ru")


def test_a_record_that_comes_again_is_decided_once(monkeypatch):
    asked = []
    monkeypatch.setattr(api, "detect", lambda fields, hints: asked.append(fields) or detect(fields, hints))
    found = detect_many([RAWS[0], RAWS[1], tuple(RAWS[0])])
    assert len(asked) == 2
    assert found[0] is found[2]


@pytest.mark.parametrize("is_on", [True, False])
def test_the_collector_is_left_as_it_was(is_on, monkeypatch):
    seen = []
    monkeypatch.setattr(api, "detect", lambda fields, hints: seen.append(gc.isenabled()) or 1 / len(fields))
    before = gc.isenabled()
    try:
        (gc.enable if is_on else gc.disable)()
        with pytest.raises(ZeroDivisionError):
            detect_many([RAWS[0], RAWS[1], []])
        assert gc.isenabled() == is_on
        assert seen == [False, False, False]
    finally:
        (gc.enable if before else gc.disable)()
