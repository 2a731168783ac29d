"""Long fields, words that come again, and no-break spaces: what of a record counts as evidence, and how often."""

# ruff: noqa: RUF001 - letters of many scripts are what this file is about

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.encoding import Hints, detect
from mediacrawl.encoding.excerpts import MOST_SCORED, piece_of, without_repeats

VERSES = {
    "de": "Über den Dächern der Stadt hört man späte Züge, und die Straße führt müde zum Fluß hinunter. ",
    "ru": "По дороге над рекой медленно идёт старый почтальон и поёт забытую песню. ",
    "zh-Hans": "雨后的街道很安静 我在窗前等你回来 灯光照着你的信 ",
    "ja": "雨上がりの道を 歩いて帰ろう 君の声がまだ 聞こえるから ",
    "ko": "비가 그친 거리에서 나는 너를 기다리고 있어 ",
}
LONG = [
    ("de", "utf-8"), ("de", "latin-1"), ("de", "mac_roman"), ("ru", "utf-8"), ("ru", "cp1251"), ("ru", "koi8_r"),
    ("zh-Hans", "gb18030"), ("zh-Hans", "utf-8"), ("ja", "cp932"), ("ja", "euc_jp"), ("ja", "utf-8"), ("ko", "cp949"),
]  # fmt: skip


def cut(raw, length, encoding):
    """The bytes up to this length that are whole characters."""
    return raw[:length].decode(encoding, "ignore").encode(encoding)


@pytest.mark.parametrize("length", [200, 401, 1_300, 2_000, 8_000])
@pytest.mark.parametrize(("language", "encoding"), LONG)
def test_a_field_of_any_length_is_read_in_its_encoding(language, encoding, length):
    raw = cut((VERSES[language] * (length // 20)).encode(encoding), length, encoding)
    assert detect([raw]).texts == (raw.decode(encoding),)


@pytest.mark.parametrize("blank", ["", " "])
def test_a_long_text_beside_a_title_does_not_change_the_title(blank):
    title, lyrics = "灯光", (VERSES["zh-Hans"].replace(" ", blank) * 24)
    found = detect([title.encode("gb18030"), lyrics.encode("gb18030")])
    assert found.texts == (title, lyrics)
    assert found.encoding == "gb18030"


def test_what_cannot_read_all_of_a_field_does_not_read_a_piece_of_it():
    """The first words are UTF-8, most of the others are not."""
    raw = (VERSES["ru"] * 20).encode() + "вечер ".encode("cp1251") * 3_000
    assert detect([raw]).encoding != "utf-8"


def test_a_few_words_in_another_encoding_at_the_end_of_utf_8_are_marked_as_lost():
    verses = VERSES["ru"] * 20
    found = detect([verses.encode() + "вечер ".encode("cp1251") * 3]).fields[0]
    assert found.text.startswith(verses)
    assert (found.encoding, found.suspect) == ("utf-8", True)


def test_a_few_late_words_beyond_ascii_decide():
    raw = b"some plain words " * 200 + VERSES["ru"].encode("koi8_r") + b" and some more " * 100
    assert detect([raw]).texts == (raw.decode("koi8_r"),)


@given(st.binary(max_size=3_000))
def test_a_piece_is_short_and_of_its_field(raw):
    piece = piece_of(raw)
    assert len(piece) <= MOST_SCORED
    assert piece.isascii() == raw.isascii() or len(raw) > MOST_SCORED
    assert set(piece.split()) <= set(raw.split()) or len(piece) == MOST_SCORED


@given(st.lists(st.binary(max_size=40), max_size=4))
def test_what_is_new_of_the_first_field_is_all_of_it(raws):
    new = without_repeats(raws)
    assert len(new) == len(raws)
    assert new[:1] == raws[:1]
    assert not any(without_repeats([raw, raw])[1] for raw in raws if not raw.isascii())


# -- one word in several fields ---------------------------------------------------------------------------------------

NAMES = ["Janelle Monáe", "Sigur Rós", "Zoë Kravitz", "Hüsker Dü", "Nadia Réno", "Motörhead", "Café Tacvba", "Bjørn"]


@pytest.mark.parametrize("times", [2, 3, 8])
@pytest.mark.parametrize("name", NAMES)
def test_a_name_in_several_fields_is_read_as_in_one(name, times):
    raw = name.encode("latin-1")
    (alone,) = detect([raw]).texts
    assert detect([raw] * times).texts == (alone,) * times == (name,) * times


@pytest.mark.parametrize("encoding", ["cp1251", "mac_cyrillic", "cp852", "gb18030"])
def test_a_repeated_field_follows_its_record(encoding):
    language = {"cp852": "Příliš žluťoučký kůň", "gb18030": "灯光照着你的信"}.get(encoding, "Старый почтальон идёт")
    raw = language.encode(encoding)
    assert detect([raw, raw, b"Live", raw]).texts == (language, language, "Live", language)


def test_the_margin_of_a_record_does_not_grow_with_the_copies_of_a_word():
    one, two = (detect(["Ёлка".encode("koi8_r")] * count).margin for count in (1, 2))
    assert one == two


# -- no-break spaces --------------------------------------------------------------------------------------------------

SPACED = [
    "Track\xa0", "\xa0Track", "Track\xa01", "Bonus\xa0Track", "Vol.\xa03", "Chapter 1\xa0", "\xa0", "1\xa0000",
    "Remix\xa0", "Kapitel\xa04", "Kiss\xa0me\xa0", "Jazz\xa0",
    "On\xa0the\xa0road", "\xa0\xa0\xa0Intro", "Deluxe\xa0edition",
]  # fmt: skip


@pytest.mark.parametrize("declared", ["latin-1", "cp1252", "cp1251", "iso8859_2", "cp1253", "cp1257", "mac_roman"])
@pytest.mark.parametrize("title", SPACED)
def test_a_lone_no_break_space_does_not_change_what_is_declared(title, declared):
    assert detect([title.encode(declared)], Hints(declared=declared)).texts == (title,)


@pytest.mark.parametrize("title", ["DJ\xa0", "MC\xa0", "Vol.\xa03\xa0"])
def test_a_no_break_space_behind_capitals_stays_in_latin_1(title):
    assert detect([title.encode("latin-1")]).texts == (title,)


@pytest.mark.parametrize("title", ["Aneta Langerová", "Dáda Patrasová"])
def test_a_letter_at_the_end_of_a_word_is_no_no_break_space(title):
    assert detect([title.encode("cp852")]).texts == (title,)


def test_a_field_with_a_no_break_space_alone_follows_its_record():
    titles = ("Žlutý pes", "Sametová", "Náruživá")
    assert detect([title.encode("cp852") for title in titles]).texts == titles


# -- UTF-8 of ordinary text -------------------------------------------------------------------------------------------

SIGNED = [
    "NESTLÉ®", "Brontë…”", "VOCÊ…", "BEYONCÉ’s Greatest Hits", "CAFÉ™", "CITROËN®", "MOTÖRHEAD’S", "PERDÓ…",
    "Zoé®", "ESPAÑ…",
]  # fmt: skip


@pytest.mark.parametrize("declared", ["latin-1", "cp1252"])
@pytest.mark.parametrize("title", SIGNED)
def test_a_letter_with_a_sign_after_it_is_no_utf_8(title, declared):
    assert detect([title.encode("cp1252")], Hints(declared=declared)).texts == (title,)


@pytest.mark.parametrize("raw", [b"a" * 900, b"\x01" * 900, b"a b " * 900])
def test_a_long_field_without_letters_beyond_ascii_has_a_piece_too(raw):
    assert raw.startswith(piece_of(raw))
    assert detect([raw]).texts == (raw.decode("ascii"),)


def test_words_with_bytes_that_others_lack_are_priced_first():
    """ISO-8859-7 and cp1253 differ in one capital, which stands late."""
    raw = ("Το τραγούδι της αγάπης και της νύχτας " * 20 + "Άνεμος").encode("iso8859_7")
    assert detect([raw]).texts == (raw.decode("iso8859_7"),)
