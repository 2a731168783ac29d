"""The evidence of what pages and lists say: the octets of their document, and who decided its encoding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.charsets import DocumentReading
from mediacrawl.base.evidence import raw_bytes, tag_element
from mediacrawl.base.facts import Fact, of_tags, pack, read_as, unpack
from mediacrawl.base.terms import Evidence, Tag
from mediacrawl.record import Fixer, MediaItem, build_page_item
from mediacrawl.record.build import document_elements, link_elements, name_elements
from mediacrawl.record.values import best_values, guessed_language


def element_of(fact):
    return document_elements([fact])[0]


TITLE = "Вечерние записи"
SURE = "koi8_r models ru 0.9941"


def element(text=TITLE, declared=SURE):
    return element_of(Fact("page", "og:title", "title", text, declared))


def test_a_text_of_a_decided_document_has_its_octets_and_the_documents_decision():
    found = element()
    assert raw_bytes(found) == TITLE.encode("koi8_r")
    assert (found["declared"], found["document"], found["text"]) == ("koi8_r", "models", TITLE)
    assert (found["encoding"], found["language"], found["confidence"], found["decision"]) == (
        "koi8_r",
        "ru",
        0.9941,
        "declared",
    )


def test_a_text_of_a_declared_document_has_its_octets_and_waits_for_a_decision():
    found = element(declared="koi8_r")
    assert (raw_bytes(found), found["declared"]) == (TITLE.encode("koi8_r"), "koi8_r")
    assert not found.keys() & {"document", "decision", "fixer"}


def test_what_a_document_is_not_sure_of_is_decided_with_the_record():
    found = element(declared="koi8_r models ru 0.7100")
    assert found["document"] == "models"
    assert "decision" not in found


@pytest.mark.parametrize("declared", [SURE, "koi8_r", "koi8_r models ru 0.5000", "johab chardet ko 0.2931"])
@pytest.mark.parametrize("text", ["Осень — весна é", "Осень \u263a é"])
def test_what_was_written_by_reference_has_its_utf_8_and_no_decision_on_other_bytes(text, declared):
    found = element(text, declared)
    assert (raw_bytes(found), found["declared"]) == (text.encode(), "utf-8")
    assert not found.keys() & {"document", "decision", "encoding"}
    record = {"tags": [found], "title": text}
    Fixer().fix(record)
    assert (record["title"], found["encoding"]) == (text, "utf-8")


def test_what_a_document_was_wrongly_read_as_is_read_anew_from_its_octets():
    wrong = TITLE.encode("koi8_r").decode("gb18030")
    record = {"tags": [element(wrong, "gb18030 models zh-Hans 0.4000")], "title": wrong}
    Fixer().fix(record)
    (found,) = record["tags"]
    assert (record["title"], found["encoding"], found["decision"]) == (TITLE, "koi8_r", "fixed")
    assert [(each.text, each.declared) for each in of_tags([found])] == [(wrong, "gb18030 models - 0.0000")]


@pytest.mark.parametrize(("declared", "reading"), [("latin-1", "latin-1"), ("koi8_r", "koi8_r models - 0.0000")])
def test_what_chardet_read_in_a_record_is_no_decision_on_its_document(declared, reading):
    wrong = "서울의 봄".encode("johab").decode(declared)
    told = element_of(Fact("playlist", "#EXTINF", "title", wrong, declared))
    told |= {"document": "chardet", "encoding": "johab", "language": "ko", "confidence": 0.3, "decision": "fixed"}
    (fact,) = of_tags([told])
    assert fact.declared == reading
    assert not element_of(fact).keys() & {"decision", "encoding"}


def test_a_sure_documents_decision_outlives_other_models(monkeypatch):
    record = {"tags": [element(), element("Ещё", "koi8_r")], "title": TITLE}
    monkeypatch.setattr("mediacrawl.record.fixer.model_version", lambda: "f" * 12)
    Fixer().fix(record)
    assert (record["tags"][0]["confidence"], record["tags"][0]["language"]) == (0.9941, "ru")


def test_plain_ascii_has_no_evidence():
    found = element("Song")
    assert found.keys() == {"source", "frame", "key", "index", "lang", "desc", "declared", "text"}


@pytest.mark.parametrize(("encoding", "text"), [("johab", "서울의 봄"), ("cp861", "Þetta er löng saga")])
def test_what_chardet_read_stays_whatever_the_models_are(encoding, text):
    found = element(text, f"{encoding} chardet ko 0.2931")
    found["fixer"] = "older"
    record = {"tags": [dict(found)], "title": text}
    Fixer().fix(record)
    assert (record["title"], record["tags"][0]) == (text, found)


@pytest.mark.parametrize("declared", ["koi8_r", SURE, "koi8_r models ru 0.5000", "cp1252", "utf-8"])
def test_the_fixer_leaves_what_a_document_was_read_as(declared):
    text = "Naïve Mélodie" if declared == "cp1252" else TITLE
    record = {"tags": [element(text, declared)], "title": text}
    Fixer().fix(record)
    assert record["title"] == text
    first = [dict(each) for each in record["tags"]]
    Fixer().fix(record)
    assert record["tags"] == first


def test_a_page_title_that_is_mojibake_is_mended():
    wrong = TITLE.encode("cp1251").decode("cp1252")
    item = build_page_item(
        Evidence(page_title=wrong, anchor="Lied", page_charset="cp1252"),
        page_url="http://a.example/",
        site="a.example",
        found_at="",
        url="http://a.example/x",
    )
    record = {"page_title": item.page_title, "anchor_text": item.anchor_text, "tags": item.tags}
    assert record["page_title"] == wrong
    Fixer().fix(record)
    assert (record["page_title"], record["anchor_text"]) == (TITLE, "Lied")
    assert {"page_title", "anchor_text"} <= {*MediaItem.FILE_FIELDS, *MediaItem.LINK_FIELDS}


def read_as_russian(key, source="page", text=TITLE):
    return element_of(Fact(source, "x", key, text, SURE)) | {"language": "ru", "confidence": 1.0}


@pytest.mark.parametrize(
    ("elements", "language"),
    [
        ([read_as_russian("page_title"), read_as_russian("anchor_text"), read_as_russian("filename", "url")], None),
        ([read_as_russian("title"), read_as_russian("page_title")], "ru"),
        ([read_as_russian("title"), tag_element(Tag("vorbis", "encoder", "encodedby", "utf-8", b"x", "x"))], "ru"),
        ([read_as_russian("description"), tag_element(Tag("vorbis", "TITLE", "title", "utf-8", b"x", "x"))], None),
        ([read_as_russian("description"), read_as_russian("comment", "vorbis") | {"language": "bg"}], "bg"),
    ],
)
def test_the_language_of_a_page_is_that_of_a_file_only_if_the_file_says_nothing(elements, language):
    assert guessed_language(elements)[0] == language
    assert best_values(elements)["language"] is None


def test_only_what_is_beyond_ascii_has_evidence_of_where_it_was_found():
    assert link_elements(Evidence(page_title="Start", anchor="Song", page_charset="utf-8")) == []
    of_adapter = Evidence("adapter", "Käse", "Überall")
    assert [each["source"] for each in link_elements(of_adapter)] == ["page", "adapter"]
    (found,) = link_elements(Evidence("playlist/playlist", TITLE, "Start", page_charset=SURE))
    assert (found["source"], found["key"]) == ("playlist", "anchor_text")
    assert best_values([found])["anchor_text"] == TITLE
    assert "page_title" not in best_values([found])


def test_the_reading_of_facts_goes_through_the_frontier():
    facts = read_as([Fact("page", "og:title", "title", TITLE), Fact("page", "og:type", "type", "song")], SURE)
    assert [each.declared for each in facts] == [SURE, "utf-8"]
    assert tuple(unpack(pack(facts))) == facts
    assert tuple(of_tags(document_elements(list(facts)))) == facts


@given(st.text(max_size=40))
def test_any_reading_is_taken_apart(reading):
    assert isinstance(DocumentReading.of(reading).encoding, str)
    found = element_of(Fact("page", "title", "title", TITLE, reading))
    assert found["text"] == TITLE


@pytest.mark.parametrize(
    ("url", "raw", "declared"),
    [
        ("http://a.example/m/%CF%E5%F1%ED%FF.mp3?x=%E9#y", "Песня.mp3".encode("cp1251"), "latin-1"),
        ("http://a.example/%D0%9F%D0%B5.mp3", "Пе.mp3".encode(), "utf-8"),
        ("http://a.example/Пе.mp3", "Пе.mp3".encode(), "utf-8"),
    ],
)
def test_the_name_in_a_url_keeps_its_octets(url, raw, declared):
    (found,) = name_elements(url)
    assert (found["source"], found["key"], found["declared"]) == ("url", "filename", declared)
    assert raw_bytes(found) == raw


@pytest.mark.parametrize(
    "url", ["http://a.example/a%20b.mp3", "http://a.example/", "", "http://a.example/" + "%E9" * 9_999]
)
def test_a_plain_or_endless_name_in_a_url_has_no_evidence(url):
    assert name_elements(url) == []
