"""Texts that were stored wrongly: every kind of damage, undone; what is right, left; what is lost, marked."""

# ruff: noqa: RUF001 - letters of many scripts are what this file is about

import pytest
from misreading import windows

from mediacrawl.encoding import Hints, repair

RUSSIAN = ("Подмосковные вечера", "Ансамбль песни и пляски")
LOST = "\x81\x8d\x8f\x90\x9d"


def mended(*texts, hints=None):
    return repair(texts, hints).texts


# -- lossless ------------------------------------------------------------------------------------------------------

LOSSLESS = [
    ("cp1251", "Подмосковные вечера"),
    ("cp1250", "Dziwny jest ten świat"),
    ("cp1253", "Το τραγούδι της αγάπης"),
    ("cp1254", "Gönül dağı türküsü"),
    ("cp1255", "ירושלים של זהב"),
    ("cp1256", "أغنية الحب والسلام"),
    ("cp1257", "Daina apie mėnulį ir žvaigždes"),
    ("cp874", "เพลงรักเพื่อชีวิต"),
    ("cp932", "上を向いて歩こう"),
    ("cp949", "사랑했지만 그대는"),
    ("gb18030", "月亮代表我的心"),
    ("cp950", "愛情釀的酒與寂寞"),
    ("euc_jp", "上を向いて歩こう"),
    ("utf-8", "Подмосковные вечера"),
    ("utf-8", "Für Elise – schönste Stücke"),
    ("utf-8", "月亮代表我的心"),
]
RARE = [
    ("koi8_r", "Подмосковные вечера"),
    ("cp866", "Подмосковные вечера"),
    ("mac_cyrillic", "Подмосковные вечера"),
    ("iso8859_5", "Подмосковные вечера"),
    ("cp852", "Příliš žluťoučký kůň"),
    ("iso8859_2", "Dziwny jest ten świat"),
    ("cp737", "Το τραγούδι της αγάπης"),
    ("cp850", "Schöne Mädchen grüßen übers Meer"),
    ("mac_roman", "Les feuilles mortes à l’été"),
    ("cp862", "ירושלים של זהב"),
]


@pytest.mark.parametrize(("encoding", "title"), LOSSLESS + RARE)
@pytest.mark.parametrize("reading", [lambda data: data.decode("latin-1"), windows], ids=["latin-1", "cp1252"])
def test_8_bit_text_that_was_read_as_western_is_read_again(encoding, title, reading):
    stored = reading(title.encode(encoding))
    repaired = repair([stored])
    assert repaired.texts == (title,)
    assert (repaired.changed, repaired.lossy) == (True, False)
    assert repaired.encoding.startswith("cp1252>")
    assert repaired.fields[0].decision == "fixed"


def test_the_fields_of_a_record_are_repaired_together():
    titles = (*RUSSIAN, "Лес", "Greatest Hits")
    repaired = repair([windows(title.encode("koi8_r")) for title in titles])
    assert repaired.texts == titles
    assert repaired.encoding == "cp1252>koi8_r"
    assert [field.decision for field in repaired.fields] == ["fixed", "fixed", "fixed", "declared"]


def test_a_field_that_is_right_stays_in_a_record_that_was_mangled():
    assert mended(windows(RUSSIAN[0].encode("cp1251")), RUSSIAN[1]) == RUSSIAN
    assert mended(RUSSIAN[0], windows(RUSSIAN[1].encode())) == RUSSIAN


@pytest.mark.parametrize("between", ["latin-1", "cp1252"])
@pytest.mark.parametrize(
    "title", ["Für Elise – schönste Stücke", "Łąka pełna kwiatów", "上を向いて歩こう", "Подмосковные вечера"]
)
def test_utf_8_that_was_read_as_western_twice_is_undone_twice(title, between):
    def mangle(text):
        return windows(text.encode()) if between == "cp1252" else text.encode().decode("latin-1")

    repaired = repair([mangle(mangle(title))])
    assert repaired.texts == (title,)
    assert repaired.encoding == "cp1252>utf-8>cp1252>utf-8"


def test_8_bit_text_that_was_made_utf_8_and_read_as_western_again_is_undone():
    assert mended(windows(windows(RUSSIAN[0].encode("cp1251")).encode())) == RUSSIAN[:1]


@pytest.mark.parametrize(
    ("encoding", "read", "title"),
    [
        ("koi8_r", "cp1251", "Подмосковные вечера"),
        ("cp1251", "koi8_r", "Подмосковные вечера"),
        ("cp1251", "cp866", "Подмосковные вечера"),
        ("cp866", "cp1251", "Подмосковные вечера"),
        ("utf-8", "cp1251", "Подмосковный вечер"),
        ("utf-8", "koi8_r", "Подмосковные вечера"),
        ("utf-8", "cp1250", "Gyönyörű őszi este"),
        ("cp1251", "mac_roman", "Подмосковные вечера"),
        ("cp1250", "cp852", "Dziwny jest ten świat"),
    ],
)
def test_text_that_was_read_in_another_code_page_is_read_again(encoding, read, title):
    assert mended(title.encode(encoding).decode(read, "replace")) == (title,)


# -- lossy ---------------------------------------------------------------------------------------------------------

SONGS = ["Песня о России", "Спасибо за всё, Россия", "Рассвет над рекой", "Прощание славянки", "Дорогая сестра"]


def lossy(reading, titles=SONGS):
    """How many titles come back, and that each that changed says that it lost something."""
    found = 0
    for title in titles:
        stored = reading(title)
        repaired = repair([stored])
        found += repaired.texts == (title,)
        if repaired.changed and stored != windows(title.encode()):
            assert repaired.lossy
            assert repaired.fields[0].lossy
    return found


def strip(text):
    return text.translate(dict.fromkeys(map(ord, LOST)))


LOSSES = {
    "undefined bytes dropped": lambda title: title.encode().decode("cp1252", "ignore"),
    "undefined bytes as question marks": lambda title: windows(title.encode()).translate(
        dict.fromkeys(map(ord, LOST), "?")
    ),
    "undefined bytes as U+FFFD": lambda title: title.encode().decode("cp1252", "replace"),
    "C1 controls stripped": lambda title: strip(windows(title.encode())),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_lost_bytes_of_utf_8_are_proposed(loss):
    assert lossy(LOSSES[loss]) >= 3


def test_a_no_break_space_that_came_back_as_a_space_is_understood():
    """The capital Er is D0 A0, and A0 is a no-break space in cp1252."""
    assert lossy(lambda title: windows(title.encode()).replace("\xa0", " ")) >= 4


def test_mangled_text_in_lower_case_is_understood():
    titles = ["Подмосковные вечера", "Катюша и другие песни", "Течёт река Волга"]
    assert lossy(lambda title: windows(title.encode()).lower(), titles) >= 1


def test_marks_in_8_bit_text_are_filled_with_the_letters_whose_bytes_cp1252_lacks():
    """The small Dje is 90 in cp1251."""
    titles = ["Међу нама људи", "Рођендан код ђака", "Вођа и грађани"]
    stored = [title.encode("cp1251").decode("cp1252", "replace") for title in titles]
    assert all("\ufffd" in text for text in stored)
    repaired = [repair([text]) for text in stored]
    assert sum(found.texts == (title,) for found, title in zip(repaired, titles, strict=True)) >= 2
    assert all(found.lossy for found in repaired if found.changed)


@pytest.mark.parametrize("text", ["????????? ??????", "?", "\ufffd\ufffd\ufffd", "??? - ???"])
def test_what_is_lost_entirely_is_never_invented(text):
    repaired = repair([text])
    assert repaired.texts == (text,)
    assert not repaired.changed


def test_what_cannot_be_known_says_suspect():
    assert repair(["\ufffd\ufffd\ufffd\ufffd \ufffd\ufffd"]).fields[0].suspect
    assert not repair(["Подмосковные вечера"]).fields[0].suspect


@pytest.mark.parametrize("loss", LOSSES)
def test_a_guess_never_says_that_it_is_sure(loss):
    titles = [
        "Подмосковные вечера",
        "Песня о дальнем береге",
        "Žluťoučký kůň úpěl ďábelské ódy",
        "Τα παιδιά του Πειραιά",
    ]
    guesses = [field for title in titles for field in repair([LOSSES[loss](title)]).fields if field.lossy]
    assert all(field.confidence < 0.9 for field in guesses)


def test_one_lost_letter_does_not_make_the_others_of_another_alphabet():
    assert mended("Un caf\ufffd à Pa\ufffdis\ufffd\ufffd") == ("Un caf\ufffd à Pa\ufffdis\ufffd\ufffd",)


def test_a_question_at_the_end_of_a_title_is_one():
    for title in ("Что делать?", "Où es-tu, chérie ?", "¿Qué será?", "Wer weiß?"):
        assert mended(title) == (title,)
    assert mended(windows("Что делать?".encode("cp1251"))) == ("Что делать?",)
    assert mended(windows("Что делать?".encode())) == ("Что делать?",)


# -- what is right -------------------------------------------------------------------------------------------------

RIGHT = [
    "", "abc", "Motörhead", "Björk", "Sigur Rós", "Ænima", "Für Elise", "Señorita", "Ñu", "Ça va", "Łódź", "Đorđe",
    "Ærø", "Ø", "Å", "Été", "NOËL", "ÄÖÜ", "Ich heiße Ömer", "À la carte", "Š", "30°", "½ Mensch", "AC⚡DC", "♥", "★★★",
    "25 € – Live", "“Heroes”", "…", "«Весна»", "Лес", "Я", "ДДТ", "Кино – 45", "東京", "愛", "사랑", "שלום", "سلام",
    "ไทย", "Ελλάδα", "Ωδή", "日本語 feat. Bob", "Café Tacvba", "Mañana", "Tiësto", "Naïve", "Crème brûlée", "Dvořák",
    "Janáček", "Kraftwerk 2003®", "Ké$ha", "µ-Ziq", "Þursaflokkurinn", "Ğ", "İstanbul", "ışık", "Đỗ Nhuận", "việt nam",
    "naïve café", "🎵 song", "a\u0301", "\u200bzero", "ﬁ",
]  # fmt: skip


@pytest.mark.parametrize("text", RIGHT)
def test_text_that_is_right_stays(text):
    repaired = repair([text])
    assert repaired.texts == (text,)
    assert not repaired.changed
    assert repaired.encoding == ""


def test_an_empty_record_is_right():
    assert repair([]).texts == ()
    assert repair([]).confidence == 1.0


def test_a_repaired_record_is_right():
    stored = [windows(text.encode()) for text in RUSSIAN]
    assert not repair(repair(stored).texts).changed


def test_hints_help_where_the_text_is_too_short():
    stored = ["Мы".encode("iso8859_5").decode("latin-1"), "Ты".encode("iso8859_5").decode("latin-1")]
    hinted = [repair([text], Hints(tld="ru", page_language="ru")) for text in stored]
    assert [repaired.texts[0] for repaired in hinted] == ["Мы", "Ты"]


@pytest.mark.parametrize(
    "text", ["Ð" * 5000, "Ã©" * 5000, "?" * 5000 + "Ð", "\ufffd" * 5000, "é" + "?" * 100, "Ð" + "Â" * 119]
)
def test_long_and_hostile_texts_end(text):
    assert len(repair([text]).texts) == 1


CORRECT = [
    ("pt", "O farol à beira-mar"),
    ("pt", "do foguete retorna à"),
    ("pt", "que proferiu à beira de"),
    ("fr", "« homme à regarder"),
    ("fr", "à pleurer et à"),
    ("fr", "l’on allait, ni ce"),
    ("es", "¡ ayuda, por favor, ayuda"),
    ("es", "Es tiempo! ¡ oh"),
    ("es", "¡ Oh, estoy tan contento"),
]
SHAPES = {
    "once": lambda title: [title],
    "thrice": lambda title: [title] * 3,
    "beside the site's name": lambda title: [title, f"{title} | Radio Example", title],
    "in capitals": lambda title: [title, title.upper(), title],
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("language", "title"), CORRECT)
def test_a_correct_title_stays_however_often_it_stands(language, title, shape):
    texts = SHAPES[shape](title)
    for hints in (Hints(), Hints(page_language=language), Hints(tld=language)):
        assert list(repair(texts, hints).texts) == texts


@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize(
    ("text", "codec"),
    [("Вечерняя песня у моря", "cp1251"), ("Žluťoučký kůň pěl ódy", "cp1250"), ("Brücke über dem Fluß", "cp850")],
)
def test_a_text_that_was_misread_is_repaired_as_well_as_once(text, codec, copies):
    misread = text.encode(codec).decode("cp1252", "replace")
    assert list(repair([misread] * copies).texts) == [text] * copies


@pytest.mark.parametrize(
    ("stored", "title"),
    [
        ("Don\ufffdt", "Don’t"), ("Beyonc\ufffd", "Beyoncé"), ("You\ufffdre Beautiful", "You’re Beautiful"),
        ("na\ufffdve", "naïve"), ("Mi coraz\ufffdn", "Mi corazón"), ("Stra\ufffde", "Straße"),
        ("Un caf\ufffd à Paris", "Un café à Paris"), ("Ma\ufffdana", "Mañana"), ("gar\ufffdon", "garçon"),
    ],
)  # fmt: skip
def test_a_letter_that_was_no_utf_8_is_filled_in_where_one_fits(stored, title):
    (found,) = repair([stored]).fields
    assert (found.text, found.encoding, found.lossy) == (title, "utf-8>cp1252", True)


@pytest.mark.parametrize(
    "stored", ["f\ufffdr", "S\ufffdren", "Track\ufffd1", "Live \ufffd", "X\ufffd", "Foo \ufffd Bar", "\ufffd"]
)
def test_a_letter_is_not_filled_in_where_several_fit(stored):
    (found,) = repair([stored]).fields
    assert (found.text, found.suspect) == (stored, True)
