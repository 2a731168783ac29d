"""Pages that say whose copy they are."""

import pytest

from mediacrawl.scope.canonical import Spelling
from mediacrawl.scope.copies import is_named_copy, of_a_copy


@pytest.mark.parametrize(
    ("page", "original", "is_believed"),
    [
        ("http://a.example/song?ref=1", "http://a.example/song", True),
        ("http://a.example/print/song", "http://a.example/song", True),
        ("http://www.a.example/song", "https://a.example/song", True),
        ("http://a.example/?ref=1", "http://a.example/", True),
        # The page itself, another host, or the front page that broken templates name everywhere.
        ("http://a.example/song", "http://a.example/song", False),
        ("http://a.example/song", "http://b.example/song", False),
        ("http://a.example/song", "http://m.a.example/song", False),
        ("http://a.example/song", "http://a.example/", False),
        ("http://a.example/song?x=1", "http://a.example/?home", False),
        ("http://a.example/song", None, False),
    ],
)
def test_a_page_is_believed_to_be_a_copy_if_it_names_another_of_its_host(page, original, is_believed):
    assert is_named_copy(page, original) is is_believed


def test_of_such_a_copy_the_original_and_media_are_followed():
    original = "http://a.example/song"
    urls = ["http://a.example/next", original, "http://b.example/x.mp3", "http://b.example/x"]
    links = [(place, Spelling(url, url)) for place, url in enumerate(urls)]
    assert of_a_copy(links, original) == [links[1], links[2]]
