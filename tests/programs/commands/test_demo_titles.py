"""What ``mediacrawl demo`` says of the titles in the catalogue that its crawl made."""

import pytest

from mediacrawl.programs.commands.demo import _titles
from mediacrawl.programs.demo import NAMES, DemoSites
from mediacrawl.record import MediaItem
from mediacrawl.scope import spelling
from mediacrawl.store import Catalogue

WEB = DemoSites(8080)


def catalogue(path, spelled=str, **titles):
    """Store a record of each file, as a crawl does that found it in this spelling; None for a title stores none."""
    with Catalogue(path) as made:
        for url, name in WEB.files.items():
            title = titles.get(name.partition(".")[0], NAMES[name].title)
            found = spelling(spelled(url))
            assert found.key == url
            if title is not None:
                made.upsert({"id": MediaItem.id_of(found.key), "content_url": found.requested, "title": title})
    return path


def escaped(url, chars):
    origin, at, path = url.partition(f":{WEB.port}")
    return origin + at + "".join(f"%{ord(char):02x}" if char in chars else char for char in path)


@pytest.mark.parametrize(
    "spelled",
    [
        str,
        # As an archive of the demo has it, which is sometimes visited before the page of the recording.
        lambda url: url.replace("/media/nachtzug-1.mp3", "/media/./nachtzug%2D1.mp3#t=30"),
        lambda url: escaped(url, "-"),
        lambda url: escaped(url, "aeiou"),
        lambda url: url.replace(".example", ".EXAMPLE."),
    ],
)
def test_a_file_is_known_by_its_url_however_the_page_that_was_read_first_spells_it(tmp_path, spelled):
    path = catalogue(tmp_path / "media.db", spelled)
    assert f"titles shown right: {len(WEB.files)} of {len(WEB.files)} (" in _titles(WEB, path)


def test_each_wrong_title_has_a_line(tmp_path):
    path = catalogue(tmp_path / "media.db", ozero="Îçåðî\x1b â îêòÿáðå", heidi=None, low="")
    summary, *lines = _titles(WEB, path).split("\n")
    assert summary.startswith(f"titles shown right: {len(WEB.files) - 2} of {len(WEB.files)} (")
    assert [line.strip() for line in lines] == [
        f"{WEB.url('staroe-radio.example', '/zapisi/ozero.mp3')} has 'Îçåðî\\x1b â îêòÿáðå', not 'Озеро в октябре'",
        f"{WEB.url('wunderkammer.example', '/lade/heidi.caf')} has no title, not 'Sól yfir heiðinni'",
    ]
