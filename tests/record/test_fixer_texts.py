"""Stored records with long texts, texts in seven bits, and texts that learned substitutions repair."""

import base64

import pytest
from misreading import stripped, taught

from mediacrawl.base.evidence import raw_bytes, tag_element
from mediacrawl.base.terms import Tag
from mediacrawl.encoding import Substitutions, model_version
from mediacrawl.record import Fixer

KOREAN = [
    "서울의 봄은 아름답다",
    "오늘은 날씨가 좋아서 산책을 나갔다",
    "새로운 노래와 앨범을 소개합니다",
    "바다로 가는 기차",
]
VERSE = "雨后的街道很安静 我在窗前等你回来 灯光照着你的信 "


def test_chardet_is_asked_for_long_texts_in_encodings_without_a_model():
    lyrics = "\n".join(KOREAN * 8)
    raw = lyrics.encode("johab")
    item = {
        "title": "Song",
        "tags": [tag_element(Tag("id3v2.3", "USLT", "lyrics", "latin-1", raw, raw.decode("latin-1")))],
    }
    Fixer().fix(item)
    (found,) = item["tags"]
    assert (found["text"], found["encoding"], found["document"]) == (lyrics, "johab", "chardet")
    assert raw_bytes(found) == raw
    first = dict(found)
    assert not Fixer().fix(item).changed
    assert found == first


def test_a_long_text_that_chardet_read_obeys_the_confidence_that_is_asked_for():
    lyrics = "\n".join(KOREAN * 6)
    raw = lyrics.encode("johab")
    found = tag_element(Tag("id3v2.3", "USLT", "lyrics", "latin-1", raw, raw.decode("latin-1")))
    before = found["text"]
    item = {"tags": [found]}
    for least, text, decision in ((0.0, lyrics, "fixed"), (0.9999, before, "undecided"), (0.0, lyrics, "fixed")):
        Fixer(min_confidence=least).fix(item)
        assert (found["text"], found["decision"], found["document"]) == (text, decision, "chardet")
        assert not Fixer(min_confidence=least).fix(item).changed


def test_a_long_text_that_chardet_read_is_decided_anew_by_other_models(monkeypatch):
    raw = "\n".join(KOREAN * 6).encode("johab")
    found = tag_element(Tag("id3v2.3", "USLT", "lyrics", "latin-1", raw, raw.decode("latin-1")))
    Fixer().fix({"tags": [found]})
    monkeypatch.setattr("mediacrawl.record.fixer.model_version", lambda: "f" * 12)
    monkeypatch.setattr("mediacrawl.encoding.api.chardet_if_doubtful", lambda _, decided: decided)
    Fixer().fix({"tags": [found]})
    assert found["fixer"] == "f" * 12
    assert "document" not in found


def test_a_stored_record_with_long_lyrics_keeps_its_title():
    texts = {"title": "灯光照着你", "lyrics": VERSE * 30}
    raws = {name: text.encode("gb18030") for name, text in texts.items()}
    assert len(raws["lyrics"]) > 1_200
    item = {name: raw.decode("latin-1") for name, raw in raws.items()}
    item |= {f"{name}_raw": base64.b64encode(raw).decode() for name, raw in raws.items()}
    Fixer({name: f"{name}_raw" for name in texts}).fix(item)
    assert item["title"] == texts["title"]
    assert item["lyrics"] == texts["lyrics"].strip()


@pytest.mark.parametrize(("codec", "title"), [("hz", "月亮和河"), ("iso2022_kr", "사랑 노래")])
def test_a_stored_record_is_decided(codec, title):
    raw = title.encode(codec)
    element = tag_element(Tag("id3v2", "TIT2", "title", "latin-1", raw, raw.decode("latin-1")))
    item = {"title": raw.decode("latin-1"), "tags": [element]}
    assert raw_bytes(element) == raw
    Fixer().fix(item)
    assert item["title"] == title
    assert raw_bytes(item["tags"][0]) == raw


def test_an_item_is_mended_once_pairs_are_known_and_stays_so_without_them():
    right = "Океан Ельзи"
    learned = taught((stripped(right), right), times=3)
    item = {"artist": stripped(right), "title": "Подмосковные вечера"}
    Fixer().fix(item)
    assert item["artist"] != right
    assert Fixer(substitutions=learned).fix(item).changed
    assert item["artist"] == right
    proof = item["mojibake"]["artist"]
    assert (proof["encoding"], proof["lossy"]) == ("substitution", True)
    assert proof["fixer"] == f"{model_version()}+{learned.version}"
    assert item["mojibake"]["title"]["fixer"] == model_version()
    for again in (Fixer(substitutions=learned), Fixer(), Fixer(substitutions=Substitutions())):
        assert not again.fix(item).changed


def test_a_change_that_is_not_sure_enough_stays_undone():
    right = "Океан Ельзи"
    item = {"artist": stripped(right)}
    learned = taught((stripped(right), right), times=3)
    Fixer(substitutions=learned, min_confidence=0.99).fix(item)
    assert item["artist"] == stripped(right)
    assert item["mojibake"]["artist"]["decision"] == "undecided"
