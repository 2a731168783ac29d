"""Damaged text is not made worse: blanks come back, surrogates join, and what is doubtful says so."""

# ruff: noqa: RUF001 - letters of many scripts, and what they read as, are what this file is about

import pytest
from misreading import windows

from mediacrawl.encoding import repair

WITH_A = [
    "Il est à Lyon cet été", "L'été à Paris", "À l'été prochain, à bientôt", "Grâce à toi", "Adieu à la forêt brûlée",
    "Bonjour à tous les garçons", "Prière à Notre-Dame", "Pensées à l'aube", "Rivière à truites",
    "Du côté de chez moi, à midi", "Il y a une fée là-bas à Rouen", "La fête à Neuneu", "Le Déjeuner à l'Opéra",
    "Jusqu'à nos étés", "Aller à Málaga em férias", "Così è la libertà per me", "Perché la città è lontana",
    "Ho detto già così",
]  # fmt: skip


def latin(data):
    return data.decode("latin-1")


def cesu(text):
    """UTF-8 of UTF-16 units, as some databases write it."""
    units = text.encode("utf-16-be")
    return b"".join(
        chr(int.from_bytes(units[place : place + 2], "big")).encode("utf-8", "surrogatepass")
        for place in range(0, len(units), 2)
    )


@pytest.mark.parametrize("title", WITH_A)
def test_a_no_break_space_and_the_blank_behind_it_that_became_one_blank_come_back(title):
    stored = windows(title.encode()).replace("\xa0 ", " ").replace("\xa0", " ")
    assert repair([stored]).texts == (title,)


@pytest.mark.parametrize(
    ("stored", "title"),
    [
        *(
            pytest.param(windows(title.encode()).replace("\xa0", " "), title, id=f"no blank more: {title}")
            for title in (
                *("Šesta rukovet: „Hajduk Veljko“", "ŠĮVAKAR, rytoj ŽALIA", "Ġebel u Ħamrija"),
                "Šodien pār Gauju līst",
            )
        ),
        *(
            pytest.param(reading(cesu(title)), title, id=f"emoji in CESU-8: {title}")
            for reading in (latin, windows)
            for title in ("Party 🎉 mix", "😂😂 live", "😂 Ünï")
        ),
        # A part of the text is mojibake.
        ("UkrsotsbankвЂ™s", "Ukrsotsbank’s"),
        ("Bank вЂњAvalвЂќ", "Bank “Aval”"),
        ("PremiÃ¨re é Ã©toile", "Première é étoile"),
        ("SeleÃ§Ã£o nÂº 7 - SÃ£o JoÃ£o > Canção", "Seleção nº 7 - São João > Canção"),
        ("CrÃ¨me brÃ»lÃ©e – Été", "Crème brûlée – Été"),
        ("“Ã€ bientÃ´t l’amitiÃ©”", "“À bientôt l’amitié”"),
        # Classes of mojibake that others mend.
        ("Vida sana: â\x89¥ 40 %", "Vida sana: ≥ 40 %"),
        ("Il cantante di Bitonto‚Ä¶", "Il cantante di Bitonto…"),
        ("La rГ©volte gronde, de Kiev Г la mer", "La révolte gronde, de Kiev à la mer"),
        ("Canciones de AmĂ©rica, Asia y Ă\ufffdfrica en OceanĂ\xada", "Canciones de América, Asia y África en Oceanía"),
        ("MÃ\xa0iri NicAonghais: CÃ\xa0nan an lÃ\xa0", "Màiri NicAonghais: Cànan an là"),
    ],
)
def test_damage_of_each_kind_is_mended(stored, title):
    assert repair([stored]).texts == (title,)


@pytest.mark.parametrize(
    "text",
    [
        *("e^√π = 5,88", "∆° in the box", "x ≥ 5 – Live", "Interferon-γ", "``coração´´", "LIVE… Ôôô"),
        pytest.param("LIVЕ at Wembley", id="a Cyrillic letter that looks Latin"),
    ],
)
def test_signs_of_science_and_faces_and_letters_that_look_alike_stay(text):
    assert repair([text]).texts == (text,)


def test_a_word_with_an_ellipsis_and_a_lost_space_is_no_drawing_of_boxes():
    assert repair(["TroisiÃ¨me…Ã s'"]).texts[0] in ("Troisième…à s'", "Troisième…às'")


@pytest.mark.parametrize("title", ["தமிழ் பாடல்", "မြန်မာ သီချင်း", "ខ្មែរ ចម្រៀង", "বাংলা গান", "ગુજરાતી ગીત"])
def test_a_script_without_a_model_is_utf_8_and_no_chinese(title):
    assert repair([windows(title.encode())]).texts == (title,)
    lost = repair([windows(title.encode()).replace("\x8d", "\ufffd").replace("\x81", "\ufffd")])
    assert not any("\u4e00" <= char <= "\u9fff" for char in lost.texts[0])


@pytest.mark.parametrize("byte", ["\xff", "\xe0"])
def test_utf_8_with_one_wrong_byte_is_still_utf_8(byte):
    text = repair([windows("Ленинград, Žluťoučký kůň".encode()) + byte]).texts[0]
    assert text.startswith("Ленинград, Žluťoučký kůň")
    assert not any("\u2500" <= char <= "\u257f" for char in text)


@pytest.mark.parametrize("stored", ["Â®Ã©tÃ©", "ÐŸÑ€Ð¸Ð²ÐµÑ‚", "íîâàÿ ïåñíÿ", "Ã©", "Ã†Ã˜Ã…"])
def test_what_was_mended_is_never_said_to_be_certain(stored):
    repaired = repair([stored]).fields[0]
    assert repaired.decision == "fixed"
    assert repaired.confidence < 1.0


@pytest.mark.parametrize("stored", ["\ufffd" * 5, "\ufffd " * 9, "Live \ufffd\ufffd\ufffd\ufffd\ufffd", "\ufffd?" * 4])
def test_of_marks_alone_no_text_is_made(monkeypatch, stored):
    monkeypatch.setattr("mediacrawl.encoding.mojibake.lossy.fill_lost_bytes", pytest.fail)
    (found,) = repair([stored]).fields
    assert (found.text, found.decision, found.suspect) == (stored, "declared", True)


@pytest.mark.parametrize(
    ("encoding", "titles"),
    [
        ("cp1256", ["دانشگاه شيراز", "جنگل و باران", "فروشگاه بزرگ"]),
        ("kz1048", ["Қарағанды", "Қазақ жері"]),
        ("cp932", ["コンピューター", "サッカーの夜"]),
        ("cp932", ["カレーライスの歌", "スーパーマーケット"]),
    ],
)
def test_letters_that_were_dropped_without_a_mark_are_proposed_and_told(encoding, titles):
    stored = [title.encode(encoding).decode("cp1252", "ignore") for title in titles]
    for before, title, field in zip(stored, titles, repair(stored).fields, strict=True):
        assert (field.guess or field.text) == title
        assert field.text == before if field.guess else field.lossy and field.confidence < 0.9


@pytest.mark.parametrize(
    ("encoding", "titles"),
    [
        ("cp1256", ["لاله و باران", "سلام من", "امروز"]),
        ("kz1048", ["Ана тілі", "Ән мен өлең"]),
        ("cp1251", ["Мој брат", "Небо и вода", "Зима"]),
        ("cp1250", ["Modrá řeka", "Český les", "Půlnoc"]),
        ("cp932", ["君と夜の街", "風の歌B"]),
    ],
)
def test_no_letter_is_put_into_text_that_lost_none(encoding, titles):
    found = repair([title.encode(encoding).decode("cp1252") for title in titles])
    assert list(found.texts) == titles
    assert not any(field.lossy for field in found.fields)


def test_a_lost_joiner_is_proposed_between_a_persian_word_and_its_ending():
    titles = ["کتاب\u200cهاي تاريخ", "پيامبر"]
    assert list(repair([title.encode("cp1256").decode("cp1252", "replace") for title in titles]).texts) == titles


@pytest.mark.parametrize("titles", [["Менің қалам", "Ана тілі"], ["Біздің қала", "Ән мен күй"]])
def test_a_lost_letter_is_small_where_other_words_begin_with_a_small_letter(titles):
    assert list(repair([title.encode("kz1048").decode("cp1252", "replace") for title in titles]).texts) == titles
