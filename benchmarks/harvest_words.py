"""The words of the synthetic web in eight languages: what pages, paths and hosts say of media, and of the rest.

Nobody who orders URLs may read this file: a word list is what the learner has to do without.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

FILLERS = 32
"""Words of titles in each language; a power of two, so that five bits name one."""
MARKS = 8
"""Words for media in each language."""


@dataclass(frozen=True, slots=True)
class Words:
    """One language.

    Attributes:
        code: of the language.
        marks: what sections, paths, titles and classes call media.
        calls: anchors of links to a file.
        hosts: what hosts with media are called, in ASCII.
        sections: what sections without media are called.
        roles: what lists, tags, users, comments, prints, downloads, links, plain pages and calendars are called.
        plain: anchors that say nothing.
        fillers: words of titles and texts.
    """

    code: str
    marks: tuple[str, ...]
    calls: tuple[str, ...]
    hosts: tuple[str, ...]
    sections: tuple[str, ...]
    roles: tuple[str, ...]
    plain: tuple[str, ...]
    fillers: tuple[str, ...]


def in_path(word: str) -> str:
    """A word as it is in a canonical URL."""
    return quote(word.lower())


def _read() -> tuple[Words, ...]:
    """Return the languages of ``harvest_words.tsv``: a line each, in whose columns words are apart by blanks."""
    lines = Path(__file__).with_name("harvest_words.tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = (line.split("\t") for line in lines)
    return tuple(Words(code, *(tuple(cell.split()) for cell in cells)) for code, *cells in rows)


LANGUAGES = _read()

_STEMS = (
    "alba birke cedar delta eiche falke garn holm inda jura kranich linde mora nord orme pfad quelle rosen sand tal "
    "ufer vela wiese yara zeder anker blau corda drift eifel fjord gold heide iris jade kiefer luna mistral nebel "
    "ocker perle quarz regen sol terra ulme vento wolke arbol brisa campo dorf elster fenn grat hafen insel"
)
STEMS = tuple(_STEMS.split())
"""What hosts are called that say nothing."""
_ENDINGS = "hof werk land punkt netz shop info web blog park haus line group art lab press point zone box team"
ENDINGS = tuple(_ENDINGS.split())
"""How such names end."""

TELLING = ("episodes", "tracks", "audio-list", "playlist", "podcasts", "songs", "recordings", "downloads")
"""Classes of lists of media, where a page names them so."""
VAGUE = ("items", "list", "view-content", "posts", "entries", "rows", "results", "teasers", "boxes", "cards", "feature")
"""Classes of any list."""
