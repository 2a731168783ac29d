"""The golden pages and lists: one for each thing that is understood, and behind it what is read of it.

A file of this folder is a family of cases. A case begins with its form (``page``, or that of a list), its options and
its name; then come its text and, behind ``=>``, what is extracted, as lines:

    # page charset=cp1251: a page in its encoding
    <title>…</title>
    =>
    title …

``python tests/extract/golden_texts`` writes what stands behind ``=>`` anew, to be read as a diff: a record that changed
is a decision, not a formality. ``SPACES`` in a text are the namespaces of feeds.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from mediacrawl.base.facts import Fact
from mediacrawl.extract import Listing, Page, parse_list, parse_page
from mediacrawl.scope import Base

FOLDER = Path(__file__).parent
FAMILIES = sorted(path.stem for path in FOLDER.glob("*.txt"))
URL = "https://site.example/dir/page.html"
SPACES = (
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:media="http://search.yahoo.com/mrss/" '
    'xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:dcterms="http://purl.org/dc/terms/" xmlns:a10="http://www.w3.org/2005/Atom" '
    'xmlns:atom="http://www.w3.org/2005/Atom" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/" '
    'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:psc="http://podlove.org/simple-chapters"'
)
_MOST = 200
_begin = re.compile(r"^# (?P<form>[\w-]+)(?P<options>(?: \w+=\S+)*): (?P<name>.+)\n", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Case:
    """A page or a list.

    Options: its ``url``; ``charset``, in which it is written and which its header names; ``canonical``, as in its
    header.
    """

    form: str
    name: str
    options: dict[str, str]
    text: str
    expected: str

    @property
    def head(self) -> str:
        """The first line."""
        return f"# {self.form}{''.join(f' {key}={value}' for key, value in self.options.items())}: {self.name}\n"

    def record(self) -> str:
        """Return what is extracted, a line each."""
        charset = self.options.get("charset")
        body = self.text.replace("SPACES", SPACES).encode(charset or "utf-8")
        url = self.options.get("url", URL)
        if self.form == "page":
            own = self.options.get("canonical", "")
            page = parse_page(body, url, charset, link=[f'<{own}>; rel="canonical"'] if own else ())
            return "".join(f"{line}\n" for line in _of_page(page))
        return "".join(f"{line}\n" for line in _of_list(parse_list(self.form, body, url, charset)))


def cases(family: str) -> Iterator[Case]:
    """Yield the cases of a family."""
    written = (FOLDER / f"{family}.txt").read_text(encoding="utf-8")
    begins = list(_begin.finditer(written))
    for match, end in zip(begins, [*(each.start() for each in begins[1:]), len(written) + 1], strict=True):
        text, _, expected = written[match.end() : end - 1].partition("\n=>\n")
        options = dict(option.split("=", 1) for option in match["options"].split())
        yield Case(match["form"], match["name"], options, text, expected)


def text(family: str, name: str) -> str:
    """Return the text of a case."""
    return next(case.text for case in cases(family) if case.name == name).replace("SPACES", SPACES)


def write(family: str) -> None:
    """Write what is extracted of each case of a family."""
    written = "\n".join(f"{case.head}{case.text}\n=>\n{case.record()}" for case in cases(family))
    (FOLDER / f"{family}.txt").write_text(written, encoding="utf-8")


def _of_page(page: Page) -> Iterator[str]:
    said = {"title": page.title, "language": page.language, "canonical": page.canonical, "charset": page.charset}
    said["base"] = page.base if page.base != page.url else ""
    yield from (f"{name} {value}" for name, value in said.items() if value not in ("", "utf-8"))
    yield from (f"robots {wish}" for wish in page.robots)
    yield from (f"oembed {href}" for href in page.oembed)
    if page.is_directory:
        yield "folder"
        page.leave_steering()
    for link in page.links:
        anchor = page.anchor(link)
        yield f"link {link.via} {link.href}{' nofollow' * page.nofollow(link)}{f': {anchor}' if anchor else ''}"
        yield from _of_facts(page.file_facts(link) if page.is_directory else ())
    for medium in page.media:
        known = ["medium", medium.via, medium.kind, "main" * medium.is_main, "declared" * medium.is_declared]
        yield " ".join(filter(None, known))
        for file in medium.files:
            yield f"  file {file.via} {file.href}"
            yield from (f"  {line}" for line in _of_facts(file.facts))
        yield from [f"  player {medium.player}"] if medium.player else []
        yield from _of_facts(medium.facts)
    resolve = Base(page.base or page.url).canonical
    yield from (f"alone {url}" for url in page.standing_alone(page.url, resolve, lambda url: False))


def _of_list(listing: Listing) -> Iterator[str]:
    for name in ("title", "language", "hub", "wait", "cut"):
        if value := getattr(listing, name):
            yield f"{name} {value}"
    for link in listing.links:
        kind = f" {link.kind.name}" if link.kind else ""
        yield f"link {link.via}{kind} {link.href}{_named(link.title, link.guid)}"
        yield from _of_facts(link.facts)
    for player in listing.players:
        yield f"player {player.href} of {player.page}{_named(player.title, player.guid)}"
        yield from _of_facts(player.facts)
    if listing.manifest is not None:
        yield f"manifest {_known(listing.manifest)}"
        yield from (f"  track {_known(track)}" for track in listing.manifest.tracks)


def _named(title: str, guid: str) -> str:
    return (f" ({guid})" if guid else "") + (f": {title}" if title else "")


def _known(shown: Any) -> str:
    """Return the fields of an object that are known."""
    pairs = ((field.name, getattr(shown, field.name)) for field in dataclasses.fields(shown))
    return " ".join(
        f"{name}={value}" for name, value in pairs if value not in (None, "", False, []) and name != "tracks"
    )


def _of_facts(facts: Iterable[Fact]) -> Iterator[str]:
    for each in facts:
        yield f"  {each.key} ({each.frame}): {each.text}"[:_MOST]
