"""Long fields: a piece decides, the whole is read alike or stays as it was."""

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.encoding import FieldDecision, detect
from mediacrawl.encoding.records.fields import TextField
from mediacrawl.encoding.records.fixer import LONGEST_HEAD, heads_of, whole_of

VERSE = "Подмосковные вечера и тихая песня\n"


def field(raw, declared="latin-1"):
    before = raw.decode(declared, "replace").strip()
    return TextField("lyrics", before, before, raw, declared, {}, by_user=False)


def found(head, encoding, text=None):
    return FieldDecision(head.decode(encoding) if text is None else text, encoding, "ru", 0.99, 9.0, "", "fixed")


@pytest.mark.parametrize("raw", [b"", b"Tone", b"x" * LONGEST_HEAD])
def test_a_field_that_is_not_long_decides_whole(raw):
    assert heads_of([field(raw)]) == [raw]


def test_no_piece_cuts_a_word_or_a_character():
    for codec in ("cp1251", "utf-8", "koi8-r"):
        (head,) = heads_of([field((VERSE.replace("\n", " ") * 300).encode(codec))])
        assert len(head) <= LONGEST_HEAD
        assert set(head.decode(codec).split()) <= set(VERSE.split())
    (head,) = heads_of([field((VERSE * 300).encode("utf-16"), "utf-16")])
    assert head.decode("utf-16") in VERSE * 300


def test_a_long_english_text_with_one_late_verse_is_decided_by_the_verse():
    raw = b"Some words in plain English. " * 400 + (VERSE * 3).encode("cp1251")
    long = field(raw)
    (head,) = heads_of([long])
    assert VERSE.strip() in head.decode("cp1251")
    (decision,) = detect([head]).fields
    assert whole_of(long, head, decision).text == raw.decode("cp1251").strip()


@pytest.mark.parametrize(
    ("encoding", "make"),
    [
        ("cp1251", lambda text: text.encode("cp1251")),
        ("gb18030", lambda text: text.encode("gb18030")),
        ("utf-8", lambda text: text.encode()),
        ("utf-16-le", lambda text: text.encode("utf-16-le")),
        ("utf-8>cp1252>cp1251", lambda text: text.encode("cp1251").decode("latin-1").encode()),
        ("utf-16-le>cp1252>cp1251", lambda text: text.encode("cp1251").decode("latin-1").encode("utf-16-le")),
        ("utf-8>cp1252>utf-8", lambda text: text.encode().decode("latin-1").encode()),
    ],
)
def test_the_whole_is_read_as_its_head_was(encoding, make):
    text = VERSE * 600
    long = field(make(text), "utf-16-le" if encoding.startswith("utf-16") else "latin-1")
    (head,) = heads_of([long])
    assert whole_of(long, head, found(head, encoding, text[:100])).text == text.strip()


def test_a_whole_that_cannot_be_read_as_its_head_stays_as_it_was():
    long = field((VERSE * 300).encode() + b"\xff" * 50 + b"\n")
    (head,) = heads_of([long])
    decision = whole_of(long, head, found(head, "utf-8"))
    assert (decision.text, decision.decision) == (long.before, "undecided")


@given(st.lists(st.binary(max_size=9000), max_size=3), st.sampled_from(["latin-1", "utf-16", "utf-8"]))
@settings(max_examples=examples(60), deadline=None)
def test_any_field_has_a_short_head_that_stands_in_it(raws, declared):
    fields = [field(raw, declared) for raw in raws]
    for raw, head in zip(raws, heads_of(fields), strict=True):
        assert head in raw
        assert len(head) <= LONGEST_HEAD
        assert bool(head) == bool(raw)
