"""Short texts that other encodings could be taken for: each is read as what it was written in."""

# ruff: noqa: RUF001 - letters of many scripts are what this file is about

import pytest

from mediacrawl.encoding import Hints, detect

# Behaviour -> (how it is declared, if it is; texts of each encoding).
READ = {
    "declared UTF-8 is believed where it reads well": (
        "utf-8",
        {
            "utf-8": [
                *("NESTLÉ®", "Brontë…”", "VOCÊ…", "BEYONCÉ’s Greatest Hits", "CAFÉ™", "Charlotte Brontë…”", "OLÉ…"),
            ]
        },
    ),
    "cp1252 bytes that are UTF-8 by chance are cp1252": (
        None,
        {
            "cp1252": [
                *("NESTLÉ®", "VOCÊ…", "BEYONCÉ’s Greatest Hits", "CAFÉ™", "Brontë…”", "TROMSØ…", "DASHURIË…"),
                "PERCHÉ® NO",
            ]
        },
    ),
    "letters that stand alone stay as declared": ("cp1252", {"cp1252": ["“Ö”", "Ó…"]}),
    "signs of figures and between names stay as declared": (
        "cp1252",
        {"cp1252": ["20 °C", "451 °F", "50 ¢", "10£", "£10", "£5 Wine", "3½ Weeks", "TAG×PON", "Liar×Girl"]},
    ),
    "letters that stand alone stay in another encoding that is declared": (
        "itself",
        {
            "cp1251": ["№ 5 — Я", "“Ж”"],
            "cp1250": ["Ő… Ű"],
            "cp1253": ["Σ – Ω"],
            "cp1254": ["İ…"],
        },
    ),
    # A quotation that is not closed, a dash at the end of a word, an apostrophe that cuts off one letter.
    "letters that are signs elsewhere are letters where no such sign stands": (
        None,
        {
            "mac_cyrillic": ["Две обале"],
            "mac_roman": ["Lunedì Nero", "Agustín Vera"],
            "mac_latin2": ["Malackó", "Ladislav Smolík"],
        },
    ),
    "two letters are no single character of a double-byte encoding": (
        None,
        {"cp1251": ["Ой"], "cp866": ["Эй"], "mac_cyrillic": ["Ой"], "cp850": ["Ål"]},
    ),
    "signs stay where they stand in titles": (
        "cp1252",
        {"cp1252": ["“Two Words” Live", "Rock ’n’ Roll", "Wait—What", "Paris–Roubaix", "…And Then", "R”"]},
    ),
    # In cp1252 these bytes are a times sign, or a letter and a section sign.
    "a letter with a full stop is no sign": (None, {"cp1251": ["Ч. 5"], "utf-8": ["Ч. 5"]}),
    # Some were UTF-16 in kana, and letters alone with a sign that does not close anything.
    "short UTF-8 is UTF-8": (None, {"utf-8": ["90°", "3 в 1", "紅", "Α"]}),
    "a letter that is a no-break space elsewhere is a letter within a word": (
        None,
        {"cp852": ["Válka s mloky", "Zelená", "Presser Gábor", "Mennyország"]},
    ),
    "UTF-8 with letters whose bytes are a letter and a sign is UTF-8": (
        None,
        {"utf-8": ["Nguyễn", "şəhər", "Țara mea", "DJ Ёлка", "DJ 酔", "thư viện", "Łódź"]},
    ),
    "a title with one letter beyond ASCII is read": (
        None,
        {"cp1252": ["C’è solo la strada — C’è"], "mac_roman": ["Éblouie par la nuit"]},
    ),
    "UTF-8 that is declared as UTF-16 is UTF-8": (
        "utf-16",
        {"utf-8": ["L'été à Noël", "Beyoncé", "中文", "日本語のタイトル", "사랑해요", "Ночь"]},
    ),
    "figures with a sign are no UTF-16": (
        "itself",
        {
            encoding: ["40°", "10¢", "£10", "180°", "80’s", "1000 €", "50 ¢", "10 £", "10 §"]
            for encoding in ("utf-8", "cp1252")
        },
    ),
    "kana in UTF-16 without a mark are kana": (None, {"utf-16-le": ["うラ", "さくら", "カラオケ"]}),
    "other text with sequences of UTF-8 is not taken for it": (
        None,
        {"cp1252": ["Ça va, Ö"], "cp1251": ["Москва и Нева"], "gbk": ["大地的歌声"]},
    ),
}


@pytest.mark.parametrize(
    ("text", "encoding", "declared"),
    [
        pytest.param(text, encoding, encoding if declared == "itself" else declared, id=f"{behaviour}: {text}")
        for behaviour, (declared, written) in READ.items()
        for encoding, texts in written.items()
        for text in texts
    ],
)
def test_a_short_text_is_read_as_what_it_was_written_in(text, encoding, declared):
    hints = Hints(declared=declared) if declared else None
    assert detect([text.encode(encoding)], hints).texts == (text,)
