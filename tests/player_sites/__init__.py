"""Sites whose pages show media by scripts only, as data: URLs with their answers, media, and browsers' recordings.

``stored/NAME.json.gz`` has of each site its URLs with their answers, and the records that each page stands for.
``recordings/NAME.har.gz`` are recordings by Chromium, ``NAME.firefox.har.gz`` by Firefox. Some have several.
The sites with ``unseen`` were made by someone who had not read the learner.
"""

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

_HERE = Path(__file__).parent
RECORDINGS = _HERE / "recordings"


@dataclass(frozen=True)
class Expected:
    """A record that a page stands for; `media` are all of its formats and qualities."""

    media: list[str]
    title: str = ""
    duration: float = 0
    date: str = ""
    thumbnail: str = ""


@dataclass(frozen=True)
class PlayerSite:
    """A site.

    Attributes:
        about: one sentence on how it hides its media.
        learnable: whether the way from a page to its media can be learned from its recordings.
        refused_as: name of the refusal that a learner gives; empty if it is learnable.
        recorded: for each recording the places of its pages.
        noise: names of query parameters whose values differ at each visit.
        headers: that its data requests must have.
        pages: URL -> the records of the page. Those that are recorded come first.
        answers: URL -> media type and text.
    """

    name: str
    host: str
    hosts: list[str]
    unseen: bool
    robots: str
    about: str
    learnable: bool
    refused_as: str
    recorded: list[list[int]]
    noise: list[str]
    headers: dict[str, str]
    pages: dict[str, list[Expected]]
    answers: dict[str, tuple[str, str]] = field(repr=False)

    @classmethod
    def read(cls, path: Path) -> "PlayerSite":
        """Return the site in a file."""
        stored = json.loads(gzip.decompress(path.read_bytes()))
        stored["pages"] = {url: [Expected(**each) for each in records] for url, records in stored["pages"].items()}
        return cls(**stored)

    @property
    def held_out(self) -> list[str]:
        """URLs of the pages that no recording has."""
        seen = {place for places in self.recorded for place in places}
        return [page for place, page in enumerate(self.pages) if place not in seen]

    def media(self, page: str) -> set[str]:
        """Return the URLs of all media of a page."""
        return {url for record in self.pages[page] for url in record.media}

    def recordings(self, flavour: str = "") -> list[Path]:
        """Return the files of its recordings by Chromium, or by ``firefox``."""
        ending = f".{flavour}.har.gz" if flavour else ".har.gz"
        names = [self.name, *(f"{self.name}-{number}" for number in (1, 2, 3))]
        return [path for name in names if (path := RECORDINGS / f"{name}{ending}").exists()]

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> tuple[int, str, bytes]:
        """Return status, media type and body of a URL; parameters may have any order."""
        known = {self._key(each): answer for each, answer in self.answers.items()}.get(self._key(url))
        sent = {name.lower(): value for name, value in (headers or {}).items()}
        is_data = url not in self.pages and urlsplit(url).path != "/"
        if known is None or (is_data and any(sent.get(name.lower()) != value for name, value in self.headers.items())):
            return 404, "text/plain", b"nothing here\n"
        return 200, f"{known[0]}; charset=utf-8", known[1].encode()

    def _key(self, url: str) -> tuple[Any, ...]:
        parts = urlsplit(url)
        query = sorted(pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] not in self.noise)
        return parts.hostname, parts.path, tuple(query)


SITES = {site.name: site for site in map(PlayerSite.read, sorted((_HERE / "stored").glob("*.json.gz")))}


def read_har(path: Path) -> dict[str, Any]:
    """Return the HAR in a file."""
    return json.loads(gzip.decompress(path.read_bytes()))
