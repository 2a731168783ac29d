"""A text that stands several times in one record is no further evidence: correct titles stay as they are."""

# ruff: noqa: RUF001 - the titles are French and Russian on purpose

import pytest

from mediacrawl.encoding import Hints, repair

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
