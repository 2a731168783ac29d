"""What is known beside the bytes moves a doubtful case, and never a clear one."""

# ruff: noqa: RUF001 - letters of many scripts are what this file is about

import pytest

from mediacrawl.encoding import Hints, detect
from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.languages import languages_named
from mediacrawl.encoding.pricing.hints import MOST_NATS, shift_of

DOUBTFUL = [
    ("Мы", "iso8859_5", "ru"),
    ("Ты", "iso8859_5", "ru"),
    ("Я", "koi8_r", "ru"),
    ("Γη", "cp1253", "el"),
    ("Γη", "cp737", "el"),
    ("夢", "euc_jp", "ja"),
    ("봄", "cp949", "ko"),
    ("家", "gb18030", "zh-Hans"),
    ("梦", "gb18030", "zh-Hans"),
    ("Dağ", "cp1254", "tr"),
    ("حب", "cp1256", "ar"),
]
"""So short that their bytes alone leave them in doubt."""

TLDS = {"ru": "ru", "el": "gr", "ja": "jp", "ko": "kr", "zh-Hans": "cn", "tr": "tr", "ar": "eg"}
TAGS = {"ru": "rus", "el": "gre", "ja": "jpn", "ko": "kor", "zh-Hans": "chi", "tr": "tur", "ar": "ara"}
ANCHORS = {
    "ru": "Русские песни, скачать",
    "el": "Ελληνικά τραγούδια",
    "ja": "日本の歌を聴く",
    "ko": "한국 노래 모음",
    "zh-Hans": "中国歌曲下载",
    "tr": "Türkçe şarkılar dinle",
    "ar": "أغاني عربية جديدة",
}
KINDS = {
    "tld": lambda code, encoding, title: Hints(tld=TLDS[code]),
    "page language": lambda code, encoding, title: Hints(page_language=code),
    "page charset": lambda code, encoding, title: Hints(page_charset=encoding),
    "tag language": lambda code, encoding, title: Hints(tag_languages=("eng", TAGS[code])),
    "anchor in the language": lambda code, encoding, title: Hints(anchor=ANCHORS[code]),
    "seen on the host": lambda code, encoding, title: Hints(seen={(encoding, code): 20.0}),
}


def is_right(title, encoding, hints=None):
    return detect([title.encode(encoding)], hints).texts == (title,)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_hint_turns_doubtful_cases(kind):
    alone = sum(is_right(title, encoding) for title, encoding, _ in DOUBTFUL)
    hinted = sum(is_right(title, encoding, KINDS[kind](code, encoding, title)) for title, encoding, code in DOUBTFUL)
    assert hinted >= alone + 3
    assert hinted >= 8


@pytest.mark.parametrize(
    ("title", "encoding"), [("Ёлка", "koi8_r"), ("Déšť", "cp1250"), ("Dağ", "cp1254"), ("Їжак", "koi8_u")]
)
@pytest.mark.parametrize("where", ["known", "anchor"])
def test_a_reading_that_stands_beside_the_bytes_is_the_right_one(title, encoding, where):
    hints = Hints(known=(f"{title} ma ma",)) if where == "known" else Hints(anchor=f"mp3: {title}")
    assert is_right(title, encoding, hints)
    assert detect([title.encode(encoding)], hints).margin >= detect([title.encode(encoding)]).margin


def test_an_id3v1_field_is_the_beginning_of_the_id3v2_one():
    title = "春よ、来い 遠き春よ 瞼閉じればそこに"
    cut = title.encode("euc_jp")[:29]
    decided = detect([cut], Hints(known=(title,)))
    assert title.startswith(decided.texts[0])
    assert len(decided.texts[0]) >= 13


@pytest.mark.parametrize(
    "hints",
    [
        Hints(tld="jp"),
        Hints(page_language="zh-Hant-TW"),
        Hints(page_charset="shift_jis"),
        Hints(tag_languages=("jpn", "kor")),
        Hints(anchor="日本の歌を聴く"),
        Hints(known=("月亮代表我的心",)),
        Hints(seen={("gb18030", "zh-Hans"): 1000.0}),
        Hints(tld="jp", page_language="ja", page_charset="shift_jis", tag_languages=("jpn",), anchor="日本の歌を聴く"),
    ],
)
@pytest.mark.parametrize(
    ("title", "encoding"),
    [("Подмосковные вечера", "cp1251"), ("Dziwny jest ten świat", "cp1250"), ("Les feuilles mortes à l’été", "cp1252")],
)
def test_a_wrong_hint_does_not_turn_a_clear_case(title, encoding, hints):
    assert is_right(title, encoding, hints)


@pytest.mark.parametrize("host", [{("cp1251", "ru"): 500.0}, {("gb18030", "zh-Hans"): 500.0}])
@pytest.mark.parametrize("title", ["Déjà vu encore une fois", "Schöne Grüße aus München", "Für dich mein Herz"])
def test_a_french_or_german_title_on_a_foreign_host_stays_latin_1(title, host):
    assert is_right(title, "latin-1", Hints(seen=host))


def test_a_comment_that_says_english_says_nothing():
    assert shift_of(Hints(tag_languages=("eng", "en", "ENG"))) is None


def test_no_hint_moves_nothing():
    assert shift_of(Hints()) is None
    assert shift_of(Hints(tld="example", page_language="tlh", page_charset="no such", tag_languages=("xxx",))) is None


def test_hints_together_have_a_limit():
    everything = Hints(
        tld="ru", page_language="ru", page_charset="koi8-r", tag_languages=("rus",), anchor="Русские песни"
    )
    moved = shift_of(everything)
    assert moved is not None
    assert moved("koi8_r", "ru") == -round(MOST_NATS * STEP)
    assert moved("cp1252", "de") == 0


def test_a_page_in_latin_1_or_utf_8_says_nothing_of_its_files():
    assert (shift_of(Hints(page_charset="iso-8859-1")) or (lambda *_: 0))("cp1252", "de") == 0
    assert (shift_of(Hints(page_charset="utf-8")) or (lambda *_: 0))("utf-8", "") == 0


def test_what_was_seen_makes_itself_likelier_and_the_rest_less_likely():
    moved = shift_of(Hints(seen={("koi8_r", "ru"): 50.0}))
    assert moved is not None
    assert moved("koi8_r", "ru") < 0 < moved("cp1251", "ru")
    assert moved("koi8_r", "bg") < moved("cp1251", "bg")


def test_more_of_the_same_moves_more():
    few, many = (shift_of(Hints(seen={("koi8_r", "ru"): count})) for count in (1.0, 100.0))
    assert few is not None
    assert many is not None
    assert many("koi8_r", "ru") < few("koi8_r", "ru")


@pytest.mark.parametrize(
    ("tag", "codes"),
    [
        ("ru", ("ru",)), ("RUS", ("ru",)), ("pt-BR", ("pt",)), ("pt_BR", ("pt",)), ("zh", ("zh-Hans", "zh-Hant")),
        ("chi", ("zh-Hans", "zh-Hant")), ("zh-TW", ("zh-Hant",)), ("zh-Hant-HK", ("zh-Hant",)), ("sr-Latn", ("hr",)),
        ("nb", ("no",)), ("", ()), ("-", ()), ("x-klingon", ()), ("и", ()),
    ],
)  # fmt: skip
def test_languages_are_known_by_the_names_that_files_and_pages_use(tag, codes):
    assert languages_named(tag) == codes
