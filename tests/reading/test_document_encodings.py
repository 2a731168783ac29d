"""What a crawl remembers of the encodings of pages and lists."""

from collections import Counter

import pytest

from mediacrawl.encoding import History
from mediacrawl.reading.list_reader import DocumentEncodings

PAGE = "http://kino.example/news/1.html"


@pytest.mark.parametrize(
    ("reading", "language", "learned"),
    [
        ("koi8-r", "ru", ("koi8_r", "ru")),
        ("koi8-r", "", ("koi8_r", "ru")),
        ("cp1250", "cs", ("cp1250", "cs")),
        ("cp1251 models bg 0.9700", "", ("cp1251", "bg")),
        ("cp1251 models bg 0.7000", "bg", None),
        ("cp861 chardet is 0.3000", "is", None),
        ("utf-8", "ru", None),
        ("", "ru", None),
    ],
)
def test_what_is_declared_or_sure_teaches_the_host(reading, language, learned):
    known = DocumentEncodings(History(), Counter().update)
    known.note(PAGE, "page", reading, language)
    assert set(known.prior("http://kino.example/news/2.html")) == ({learned} if learned else set())
    assert known.prior("http://other.example/") == {}


def test_who_decided_is_counted():
    counts = Counter()
    known = DocumentEncodings(None, lambda name: counts.update([name]))
    for reading in ("cp1251", "utf-8", "cp1251 models ru 0.9900", "johab chardet ko 0.2000", "cp1252 default - 0.0000"):
        known.note(PAGE, "page", reading, "")
    known.note(PAGE, "list", "cp1251 models ru 0.9900", "")
    assert counts == {f"page/encoding/{who}": 1 for who in ("models", "chardet", "default")} | {
        "list/encoding/models": 1
    }
    assert known.prior(PAGE) == {}
