"""The fixer: one record in, the same record out with the text its bytes say; what was there always comes back."""

# ruff: noqa: RUF001 - typographic signs are what some of the titles have

import base64
import copy
import json
import math
from dataclasses import dataclass

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from itemadapter import ItemAdapter

import mediacrawl.record.fixer as module
from mediacrawl.base.charsets import clean, decode
from mediacrawl.base.evidence import raw_bytes, tag_element
from mediacrawl.base.terms import Tag
from mediacrawl.encoding import FieldDecision, History, model_version
from mediacrawl.record import Fixer, MediaItem
from mediacrawl.record.fixer import stored_decision
from mediacrawl.record.values import best_values

URL = "http://music.example.ru/albums/one.mp3"
TITLE = "Подмосковные вечера и тихая песня"
ARTIST = "Ансамбль народной музыки"
ALBUM = "Лучшие песни нашего города"
GERMAN = "Grüße aus München und viele schöne Lieder für Mädchen"


def element(text, codec="cp1251", *, key="title", frame="TIT2", source="id3v2.3", declared="latin-1", lang=""):
    raw = text.encode(codec)
    return tag_element(Tag(source, frame, key, declared, raw, decode(raw, declared), lang=lang))


def record(*tags, **more):
    elements = list(tags) or [
        element(TITLE),
        element(ARTIST, key="artist", frame="TPE1"),
        element(ALBUM, key="album", frame="TALB"),
    ]
    return {"content_url": URL, **best_values(elements), "tags": elements, **more}


def mangled(text, codec="cp1251", read="latin-1"):
    return text.encode(codec).decode(read)


# -- how much of a record is decided ---------------------------------------------------------------------------------


def test_of_a_file_with_thousands_of_texts_the_first_are_decided_and_the_others_stay():
    item = record(*(element(f"{TITLE} {number}", key="comment") for number in range(2 * module.MOST_FIELDS)))
    before = copy.deepcopy(item["tags"])
    fixed = Fixer().fix(item)
    assert (len(fixed.decided), fixed.left) == (module.MOST_FIELDS, module.MOST_FIELDS)
    assert item["tags"][module.MOST_FIELDS - 1]["text"] == f"{TITLE} {module.MOST_FIELDS - 1}"
    assert item["tags"][module.MOST_FIELDS :] == before[module.MOST_FIELDS :]
    again = copy.deepcopy(item)
    assert not Fixer().fix(again).changed
    assert again == item


def test_of_texts_without_bytes_only_so_many_characters_are_decided():
    text = (mangled(TITLE) * 200)[:4_000]
    item = {"genre": [text] * 40, "title": mangled(TITLE)}
    fixed = Fixer(["genre", "title"]).fix(item)
    whole = module.MOST_CHARACTERS // 4_000
    assert (len(fixed.decided), fixed.left) == (whole, 41 - whole)
    assert item["genre"][whole:] == [text] * (40 - whole)
    assert item["title"] == mangled(TITLE)


@pytest.mark.parametrize("title", ["NESTLÉ®", "VOCÊ…", "BEYONCÉ’s Greatest Hits", "CAFÉ™", "Charlotte Brontë…”"])
@pytest.mark.parametrize("declared", ["utf-8", "cp1252"])
def test_a_title_whose_signs_are_utf_8_by_chance_stays_as_declared(title, declared):
    alone = record(element(title, declared, source="id3v2.4", declared=declared))
    beside = record(
        element(title, declared, source="id3v2.4", declared=declared),
        element("Beyoncé", declared, key="artist", frame="TPE1", source="id3v2.4", declared=declared),
    )
    for item in (alone, beside):
        Fixer().fix(item)
        assert item["title"] == title
        assert item["tags"][0]["decision"] == "declared"


# -- our records ---------------------------------------------------------------------------------------------------


def test_a_record_is_read_from_its_bytes_and_its_values_follow():
    item = record()
    assert item["title"] == mangled(TITLE)
    fixed = Fixer().fix(item)
    assert (item["title"], item["artist"], item["album"]) == (TITLE, ARTIST, ALBUM)
    assert [tag["text"] for tag in item["tags"]] == [TITLE, ARTIST, ALBUM]
    assert fixed.changed
    assert fixed.names == ("title", "artist", "album")
    assert [(change.field, change.before, change.after) for change in fixed.changes] == [
        ("title", mangled(TITLE), TITLE),
        ("artist", mangled(ARTIST), ARTIST),
        ("album", mangled(ALBUM), ALBUM),
    ]
    assert sum(fixed.encodings.values()) == 3


def test_the_evidence_tells_what_was_decided():
    item = record()
    (decision, *_) = Fixer().fix(item).decided
    tag = item["tags"][0]
    assert tag["text_declared"] == mangled(TITLE)
    assert tag["decision"] == "fixed"
    assert tag["fixer"] == model_version()
    assert tag["encoding"] == decision.encoding
    assert tag["confidence"] == round(decision.confidence, 4)
    assert {"runner_up", "margin", "language"} <= tag.keys()
    assert not {"lossy", "suspect"} & tag.keys()
    json.dumps(item, allow_nan=False).encode("ascii")


def test_our_item_object_is_changed_in_place_like_a_record():
    stored = record()
    item = MediaItem(**copy.deepcopy(stored))
    Fixer().fix(ItemAdapter(item))
    Fixer().fix(stored)
    assert {name: getattr(item, name) for name in stored} == stored


def test_true_latin_1_stays_and_says_so():
    item = record(element(GERMAN, "latin-1"))
    fixed = Fixer().fix(item)
    assert item["title"] == GERMAN
    assert fixed.changes == ()
    assert item["tags"][0]["decision"] == "declared"
    assert "text_declared" not in item["tags"][0]


def test_plain_ascii_gets_no_evidence():
    item = record(element("Tone", "ascii"), element(" Tone", "utf-16", declared="utf-16", key="artist"))
    before = copy.deepcopy(item)
    fixed = Fixer().fix(item)
    assert item == before
    assert not fixed.changed
    assert fixed.decided == ()


def test_id3v1_and_id3v2_are_decided_together():
    item = record(element(TITLE), element(TITLE[:30], source="id3v1", frame="title"))
    Fixer().fix(item)
    assert [tag["text"] for tag in item["tags"]] == [TITLE, TITLE[:30].strip()]


def test_a_value_that_a_person_set_is_kept():
    item = record()
    item["title"] = "My title"
    fixed = Fixer().fix(item)
    assert (item["title"], item["artist"]) == ("My title", ARTIST)
    assert item["tags"][0]["text"] == TITLE
    assert not Fixer().fix(item).changed
    assert fixed.changed


def test_an_element_that_a_person_decided_is_kept_with_all_it_has():
    item = record()
    item["tags"][0] |= {"text": "Mine", "decision": "user"}
    item |= best_values(item["tags"])
    theirs = dict(item["tags"][0])
    fixed = Fixer().fix(item)
    assert item["tags"][0] == theirs
    assert (item["title"], item["artist"]) == ("Mine", ARTIST)
    assert [decision.decision for decision in fixed.decided] == ["user", "fixed", "fixed"]


def test_a_field_that_the_record_names_is_kept():
    item = record(fixed_by_user=["title"])
    Fixer().fix(item)
    assert (item["title"], item["artist"]) == (mangled(TITLE), ARTIST)


def test_the_language_that_the_models_read_stands_beside_what_the_file_declares(monkeypatch):
    monkeypatch.setattr(module, "detect", detected(confidence=0.95, language="ru"))
    item = record()
    Fixer().fix(item)
    assert (item["language"], item["guessed_language"], item["guessed_language_confidence"]) == (None, "ru", 0.95)
    declared = record(element(TITLE), element("bul", "ascii", key="language", frame="TLAN"))
    Fixer().fix(declared)
    assert (declared["language"], declared["guessed_language"]) == ("bg", "ru")


def test_a_language_that_is_not_sure_is_not_guessed_into_the_record(monkeypatch):
    monkeypatch.setattr(module, "detect", detected(confidence=0.5, language="ru"))
    item = record()
    Fixer().fix(item)
    assert item.get("guessed_language") is None
    assert item["language"] is None


def test_lyrics_of_many_kilobytes_are_read_to_their_end_by_what_their_head_says():
    lyrics = "\n".join([TITLE, ARTIST, ALBUM] * 600)
    item = record(element(lyrics, key="lyrics", frame="USLT"), element(TITLE))
    Fixer().fix(item)
    assert item["tags"][0]["text"] == lyrics
    assert item["title"] == TITLE


# -- once, twice, with other models --------------------------------------------------------------------------------


def test_a_second_run_asks_nobody_and_changes_nothing(monkeypatch):
    item = record()
    first = Fixer().fix(item)
    before = json.dumps(item)
    monkeypatch.setattr(module, "detect", None)
    again = Fixer().fix(item)
    assert json.dumps(item) == before
    assert (again.changes, again.changed, again.names) == ((), False, first.names)
    assert [found.decision for found in again.decided] == [found.decision for found in first.decided]
    assert again.encodings == first.encodings


def test_other_models_decide_anew_from_the_bytes(monkeypatch):
    item = record()
    Fixer().fix(item)
    monkeypatch.setattr(module, "model_version", lambda: "f" * 12)
    monkeypatch.setattr(module, "detect", detected(encoding="latin-1"))
    fixed = Fixer().fix(item)
    assert item["title"] == mangled(TITLE)
    assert [change.decision for change in fixed.changes] == ["declared"] * 3
    assert all(tag["fixer"] == "f" * 12 and "text_declared" not in tag for tag in item["tags"])


def test_what_is_not_sure_enough_stays_and_is_fixed_when_less_is_asked(monkeypatch):
    monkeypatch.setattr(module, "detect", detected(confidence=0.7))
    item = record()
    strict = Fixer(min_confidence=0.9).fix(item)
    assert item["title"] == mangled(TITLE)
    assert strict.doubtful
    assert [tag["decision"] for tag in item["tags"]] == ["undecided"] * 3
    assert not Fixer(min_confidence=0.9).fix(item).changed
    assert Fixer(min_confidence=0.6).fix(item).changed
    assert item["title"] == TITLE
    assert Fixer(min_confidence=0.9).fix(item).changes[0].after == mangled(TITLE)


def test_a_run_without_history_takes_nothing_back_that_the_crawl_decided_with_it(monkeypatch):
    item = record()
    Fixer(history=History()).fix(item)
    before = copy.deepcopy(item)
    monkeypatch.setattr(module, "detect", detected(encoding="latin-1"))
    assert not Fixer().fix(item).changed
    assert item == before


# -- hints and history ---------------------------------------------------------------------------------------------


def detected(encoding="cp1251", confidence=0.99, language="", margin=9.0, calls=None):
    """A detection that always finds the same; what it was requested goes to `calls`."""

    def detect(fields, hints, **_):
        if calls is not None:
            calls.append(hints)
        texts = [raw.decode(encoding, "replace") for raw in fields]
        found = tuple(FieldDecision(text, encoding, language, confidence, margin, "", "fixed") for text in texts)
        return module_detection(encoding, language, confidence, margin, "", found)

    return detect


module_detection = module.detect([b"x"]).__class__


def test_what_is_known_beside_the_bytes_is_told(monkeypatch):
    calls = []
    monkeypatch.setattr(module, "detect", detected(calls=calls))
    item = record(
        element(TITLE),
        element(ARTIST, "utf-16", key="artist", frame="TPE1", declared="utf-16"),
        element("x", "ascii", key="comment", frame="COMM", lang="rus"),
        element("uk", "ascii", key="language", frame="TLAN"),
        page_title="Музыка",
        anchor_text="Песни",
    )
    Fixer().fix(item)
    (hints,) = calls
    assert hints.declared == ("latin-1", "utf-16")
    assert hints.tld == "ru"
    assert hints.tag_languages == ("rus", "uk")
    assert hints.anchor == "Песни Музыка"
    assert hints.known == (ARTIST,)


@pytest.mark.parametrize(
    ("raw", "declared"),
    [
        (TITLE.encode("cp1251").decode("latin-1").encode("utf-8"), "utf-8"),
        (mangled(TITLE).encode("utf-16"), "utf-16"),
        (b"Hello nice music from here", "utf-16"),
        (TITLE.encode("utf-8").decode("cp1252", "replace").encode("utf-8"), "utf-8"),
    ],
)
def test_unicode_made_from_misread_text_is_not_taken_for_sure(monkeypatch, raw, declared):
    calls = []
    monkeypatch.setattr(module, "detect", detected(calls=calls))
    Fixer().fix(record(tag_element(Tag("id3v2.3", "TIT2", "title", declared, raw, decode(raw, declared)))))
    assert calls[0].known == ()


@pytest.mark.parametrize("url", ["http://[broken", "http://192.0.2.1/a.mp3", "http://[::1]/a", "", None, 7, "x" * 9000])
def test_an_address_without_a_name_gives_no_hint(monkeypatch, url):
    calls = []
    monkeypatch.setattr(module, "detect", detected(calls=calls))
    Fixer(history=History()).fix(record() | {"content_url": url})
    assert calls[0].tld == ""


def test_what_a_host_taught_is_told_for_its_next_record(monkeypatch):
    calls = []
    monkeypatch.setattr(module, "detect", detected(language="ru", calls=calls))
    fixer = Fixer(history=History())
    fixer.fix(record())
    fixer.fix(record() | {"content_url": URL.replace("one", "two")})
    assert calls[0].seen == {}
    assert calls[1].seen == {("cp1251", "ru"): 1.0}


# -- items of other projects ---------------------------------------------------------------------------------------


def test_text_without_bytes_is_repaired_and_the_change_can_be_undone():
    item = {"title": mangled(TITLE), "artist": "ABBA", "price": mangled(TITLE)}
    fixed = Fixer().fix(item)
    assert (item["title"], item["artist"], item["price"]) == (TITLE, "ABBA", mangled(TITLE))
    assert list(item["mojibake"]) == ["title"]
    proof = item["mojibake"]["title"]
    assert (proof["before"], proof["after"], proof["decision"]) == (mangled(TITLE), TITLE, "fixed")
    assert proof["lossy"] is False
    assert fixed.names == ("title",)


def test_named_fields_are_looked_at_and_no_others():
    item = {"title": mangled(TITLE), "headline": mangled(TITLE)}
    Fixer(["headline"]).fix(item)
    assert item["title"] == mangled(TITLE)
    assert item["headline"] == TITLE


def test_lists_of_texts_are_repaired_one_by_one():
    item = {"artist": [mangled(ARTIST), "ABBA", 7, None]}
    before = item["artist"]
    Fixer().fix(item)
    assert item["artist"] == [ARTIST, "ABBA", 7, None]
    assert before[0] == mangled(ARTIST)
    assert list(item["mojibake"]) == ["artist[0]"]
    assert not Fixer().fix(item).changed


@pytest.mark.parametrize("pack", [bytes, bytearray, lambda raw: base64.b64encode(raw).decode()])
def test_raw_bytes_beside_the_text_decide(pack):
    raw = TITLE.encode("cp1251")
    item = {"title": "????", "title_raw": pack(raw)}
    Fixer({"title": "title_raw"}).fix(item)
    assert item["title"] == TITLE
    assert item["title_raw"] == pack(raw)
    assert item["mojibake"]["title"]["before"] == "????"


@pytest.mark.parametrize("raw", [None, "", "no base64!", 7, ["x"], b""])
def test_without_usable_raw_bytes_the_text_is_repaired(raw):
    item = {"title": mangled(TITLE), "title_raw": raw}
    Fixer({"title": "title_raw"}).fix(item)
    assert item["title"] == TITLE


def test_a_second_run_over_another_projects_item_changes_nothing(monkeypatch):
    item = {"title": mangled(TITLE), "artist": GERMAN}
    Fixer().fix(item)
    before = json.dumps(item)
    monkeypatch.setattr(module, "repair", None)
    assert not Fixer().fix(item).changed
    assert json.dumps(item) == before


def test_other_models_decide_anew_from_the_text_that_came(monkeypatch):
    item = {"title": mangled(TITLE)}
    Fixer().fix(item)
    asked = []
    monkeypatch.setattr(module, "model_version", lambda: "f" * 12)
    monkeypatch.setattr(module, "repair", lambda texts, *rest: asked.extend(texts) or real(texts, *rest))
    fixed = Fixer().fix(item)
    assert asked == [mangled(TITLE)]
    assert item["title"] == TITLE
    assert fixed.changes == ()
    assert item["mojibake"]["title"]["fixer"] == "f" * 12


real = module.repair


def test_a_text_that_a_person_changed_later_is_left_alone_for_good(monkeypatch):
    item = {"title": mangled(TITLE)}
    Fixer().fix(item)
    item["title"] = mangled("Моя любимая песня")
    monkeypatch.setattr(module, "model_version", lambda: "f" * 12)
    fixed = Fixer().fix(item)
    assert item["title"] == mangled("Моя любимая песня")
    assert item["mojibake"]["title"]["decision"] == "user"
    assert [found.decision for found in fixed.decided] == ["user"]
    assert not Fixer().fix(item).changed


@pytest.mark.parametrize("names", [["title"], ("title", 7), "artist, title"])
def test_a_field_that_the_item_names_is_never_touched(names):
    item = {"title": mangled(TITLE), "fixed_by_user": names}
    assert Fixer().fix(item).decided == ()
    assert item["title"] == mangled(TITLE)


def test_what_a_catalogue_exported_keeps_its_evidence_where_it_stands():
    item = {"title": mangled(TITLE), "artist": mangled(ARTIST)}
    Fixer().fix(item)
    exported = {"title": item["title"], "artist": mangled(ARTIST)}
    exported["extra"] = {"mojibake": item["mojibake"], "fixed_by_user": ["artist"]}
    before = copy.deepcopy(exported)
    assert not Fixer().fix(exported).changed
    assert exported == before


def test_a_project_that_has_its_own_mojibake_keeps_it():
    item = {"title": mangled(TITLE), "mojibake": ["theirs"]}
    Fixer().fix(item)
    assert (item["title"], item["mojibake"]) == (TITLE, ["theirs"])


def test_words_under_tags_are_no_evidence():
    item = {"title": mangled(TITLE), "tags": ["rock", "pop"]}
    assert Fixer().fix(item).errors == 0
    assert item["title"] == TITLE


def test_an_item_that_takes_no_new_key_is_repaired_without_evidence():
    @dataclass
    class Song:
        title: str

    song = Song(mangled(TITLE))
    Fixer().fix(ItemAdapter(song))
    assert song == Song(TITLE)
    assert not Fixer().fix(ItemAdapter(song)).changed


def test_an_item_that_refuses_one_text_is_as_it_was():
    @dataclass
    class Song:
        title: str
        artist: str
        mojibake: dict | None = None

        def __setattr__(self, name, value):
            if value == ARTIST:
                raise RuntimeError("no")
            super().__setattr__(name, value)

    song = Song(mangled(TITLE), mangled(ARTIST))
    with pytest.raises(RuntimeError):
        Fixer().fix(ItemAdapter(song))
    assert song == Song(mangled(TITLE), mangled(ARTIST))


def test_elements_whose_bytes_are_lost_are_repaired():
    item = record()
    for tag in item["tags"]:
        del tag["raw_b64"]
    Fixer().fix(item)
    assert item["title"] == TITLE
    assert item["tags"][0]["text_declared"] == mangled(TITLE)
    assert not Fixer().fix(item).changed


def test_in_our_record_further_fields_are_repaired_only_if_they_are_named():
    item = record(note=mangled(TITLE), page_title=mangled(TITLE))
    Fixer().fix(item)
    assert item["note"] == item["page_title"] == mangled(TITLE)
    Fixer(["title", "note"]).fix(item)
    assert (item["title"], item["note"], item["page_title"]) == (TITLE, TITLE, mangled(TITLE))


def test_a_very_long_text_without_bytes_is_left_alone():
    item = {"comment": mangled((TITLE + " ") * 200)}
    assert Fixer().fix(item).decided == ()


# -- damaged input -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    [
        {"raw_b64": "no base64"},
        {"raw_b64": 7},
        {"raw_b64": "z+7"},
        {"text": None},
        {"text": 7},
        {"key": None},
        {"frame": 1},
        {"declared": "no codec"},
        {"declared": "zlib"},
        {"declared": "idna"},
        {"declared": "x\0y"},
        {"declared": None},
    ],
)
def test_a_damaged_element_is_left_as_it_is_and_counted(damage):
    item = record()
    item["tags"][0] |= damage
    theirs = dict(item["tags"][0])
    fixed = Fixer().fix(item)
    assert fixed.errors == 1
    assert item["tags"][0] == theirs
    assert item["artist"] == ARTIST


@pytest.mark.parametrize("noted", [[], {}, ["fixed"], 7, "no such"], ids=str)
def test_a_noted_decision_that_is_none_counts_as_nothing_known(noted):
    item = record()
    Fixer().fix(item)
    item["tags"][0]["decision"] = noted
    assert [found.decision for found in Fixer().fix(item).decided] == ["declared", "fixed", "fixed"]
    item["tags"][1]["fixer"] = "of other models"
    assert [found.decision for found in Fixer().fix(item).decided] == ["fixed", "fixed", "fixed"]
    assert (item["title"], item["artist"]) == (TITLE, ARTIST)
    plain = {"title": mangled(TITLE)}
    Fixer().fix(plain)
    plain["mojibake"]["title"]["decision"] = noted
    assert [found.decision for found in Fixer().fix(plain).decided] == ["declared"]


def test_elements_with_empty_places_as_arrow_gives_them_are_read_alike():
    names = ("raw_b64", "text_declared", "encoding", "confidence", "decision", "fixer", "lossy", "suspect")
    item, plain = record(element(TITLE), element("Tone", "ascii", key="artist")), None
    plain = copy.deepcopy(item)
    item["tags"] = [{**dict.fromkeys(names), **tag} for tag in item["tags"]]
    assert Fixer().fix(item).changes == Fixer().fix(plain).changes
    assert {name: value for name, value in item["tags"][0].items() if value is not None} == plain["tags"][0]


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
KEYS = ["source", "frame", "key", "declared", "text", "raw_b64", "text_declared", "decision", "fixer", "confidence"]
PARTS = st.sampled_from(["user", "latin-1", "", "7u7u", "title", "fixed", "ru", model_version(), 10**400])
ELEMENTS = st.dictionaries(st.sampled_from(KEYS), JUNK | PARTS)
ITEMS = st.fixed_dictionaries(
    {},
    optional={
        "tags": JUNK | st.lists(ELEMENTS, max_size=4),
        "title": JUNK,
        "artist": JUNK,
        "mojibake": JUNK | st.dictionaries(st.sampled_from(["title", "artist"]), ELEMENTS),
        "content_url": JUNK,
        "page_title": JUNK,
        "fixed_by_user": JUNK,
        "raw": JUNK | st.binary(max_size=20),
    },
)


@given(ITEMS)
@settings(max_examples=examples(60), deadline=None)
def test_no_input_raises(item):
    Fixer().fix(item)
    Fixer({"title": "raw"}, min_confidence=0.5, history=History()).fix(item)


# -- the promises --------------------------------------------------------------------------------------------------

TEXTS = st.sampled_from([TITLE, ARTIST, GERMAN, "夜に駆ける", "사랑", "Żółć", "Tone", "\x1b$B", ""])
CODECS = ["cp1251", "koi8-r", "cp932", "euc-kr", "cp1250", "utf-8", "utf-16", "utf-16-be", "latin-1"]
RAWS = st.binary(max_size=40) | st.builds(
    lambda text, codec: text.encode(codec, "replace"), TEXTS, st.sampled_from(CODECS)
)
TAGS = st.builds(
    lambda source, key, declared, raw: Tag(source, key.upper(), key, declared, raw, decode(raw, declared)),
    st.sampled_from(["id3v2.3", "id3v1"]),
    st.sampled_from(["title", "artist", "genre", "language"]),
    st.sampled_from(["latin-1", "utf-8", "utf-16", "utf-16-be", "shift_jis", "mac-roman", "ascii"]),
    RAWS,
)


@given(st.lists(TAGS, min_size=1, max_size=5))
@settings(max_examples=examples(60), deadline=None)
def test_raw_bytes_come_back_before_and_after_and_twice_is_once(tags):
    item = record(*map(tag_element, tags))
    Fixer().fix(item)
    once = json.dumps(item, allow_nan=False)
    item = json.loads(once)
    assert [raw_bytes(tag) for tag in item["tags"]] == [tag.raw for tag in tags]
    for tag, stored in zip(tags, item["tags"], strict=True):
        assert stored.get("text_declared", stored["text"]) == clean(decode(tag.raw, tag.declared))
        stored["text"].encode("utf-8")
    again = Fixer().fix(item)
    assert not again.changed
    assert json.dumps(item) == once


@given(st.text(max_size=30) | TEXTS | st.builds(mangled, st.sampled_from([TITLE, ARTIST])))
@settings(max_examples=examples(60), deadline=None)
def test_text_of_other_projects_comes_back_from_its_evidence(text):
    item = {"title": text}
    Fixer().fix(item)
    proof = item.get("mojibake", {}).get("title", {})
    assert proof.get("before", item["title"]) == text
    once = copy.deepcopy(item)
    assert not Fixer().fix(item).changed
    assert item == once


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 10**309, "7", None], ids=str)
def test_numbers_that_no_json_holds_never_get_into_the_evidence(number):
    found = stored_decision({"confidence": number, "margin": number}, "x")
    assert 0.0 <= found.confidence <= 1.0
    assert math.isfinite(found.margin)


def test_a_guess_that_is_not_sure_enough_is_stored_beside_the_text():
    for item in (record(element(TITLE)), {"title": mangled(TITLE)}):
        stored = mangled(TITLE)
        Fixer(min_confidence=1.1).fix(item)
        proof = item["tags"][0] if "tags" in item else item["mojibake"]["title"]
        assert (item["title"], proof["decision"], proof["guess"]) == (stored, "undecided", TITLE)
        assert not Fixer(min_confidence=1.1).fix(item).changed
        Fixer().fix(item)
        proof = item["tags"][0] if "tags" in item else item["mojibake"]["title"]
        assert (item["title"], proof["decision"], "guess" in proof) == (TITLE, "fixed", False)
