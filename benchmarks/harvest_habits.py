"""The synthetic web as other makers of sites would spell it: the same sites and links, other URLs.

`harvest_web.Web` has the habits of its author. The orders of the frontier were developed on it, so how well they do
elsewhere has to be measured on URLs that look different. Each site has one of these habits, by its key:

* ``word``: a number and one word, ``/episodes/12-kalo.html``
* ``dates``: ``/episodes/2019-05-21-kalo``
* ``uuid``: ``/episodes/1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b``
* ``base36``: ``/episodes/k3x9a2q``
* ``query``: ``/episodes/?v=dQw4w9WgXcQ``
* ``folder``: ``/episodes/123/kalo/``
* ``level``: everything at the root, ``/kalo-mera``
* ``case``: ``/Episodes/Kalo_12.HTML``

Which page a URL leads to cannot be computed back, so the URLs that were written are kept.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from hashlib import blake2b

from harvest_web import Answer, Text, Web

HABITS = ("word", "dates", "uuid", "base36", "query", "folder", "level", "case")
_NUMBER = re.compile(r"(\d+)([^\d/?]*)(/?)$")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_FIRST_DAY = dt.date(2008, 1, 1).toordinal()


class OtherWeb(Web):
    """The web of a seed, with the habits of other makers.

    Args:
        seed: another one makes another web.
        sites: how many.
    """

    def __init__(self, seed: int, sites: int = 8000) -> None:
        super().__init__(seed, sites)
        self._written: dict[str, str] = {}
        self._read: dict[str, str] = {}

    def fetch(self, url: str) -> Answer:
        """What a URL gives.

        Args:
            url: in canonical form.
        """
        answer = super().fetch(self._read.get(url, url))
        links = tuple(replace(link, url=self.written(link.url)) for link in answer.links)
        return replace(answer, links=links, location=answer.location and self.written(answer.location))

    def text(self, url: str, answer: Answer) -> Text:  # noqa: ARG002 - as in `Web`
        """What a page says besides its links, see `Web.text`."""
        own = self._read.get(url, url)
        return super().text(own, super().fetch(own))

    def distance(self, url: str) -> int:
        """Clicks from a URL to the nearest recording, see `Web.distance`."""
        return super().distance(self._read.get(url, url))

    def written(self, url: str) -> str:
        """How the site of a URL writes it.

        Args:
            url: as `harvest_web` writes it.
        """
        found = self._written.get(url)
        if found is None:
            found = self._write(url)
            while found in self._read:
                head, dot, tail = found.rpartition(".") if found[-6:].count(".") else (found, "", "")
                found = f"{head.rstrip('/')}-{len(self._read) % 97}{dot}{tail}"
            self._written[url] = found
            self._read[found] = url
        return found

    def _write(self, url: str) -> str:
        host, _, path = url[7:].partition("/")
        site = self._world.by_host(host)
        number = _NUMBER.search(path)
        if site is None or number is None:
            return url
        head, ending = path[: number.start()], number[2]
        extension = ending if ending.startswith(".") else ""
        folder = "" if "?" in head else head[: head.rfind("/") + 1]
        luck = int.from_bytes(blake2b(url.encode(), digest_size=16).digest())
        words = site.words.fillers
        named = [words[luck >> shift & 31].replace(" ", "-") for shift in (0, 5)]
        spelled = _spelled(HABITS[site.key % len(HABITS)], folder, int(number[1]), named, extension, luck >> 16)
        return f"http://{host}/{spelled}"


def _spelled(habit: str, folder: str, number: int, words: list[str], extension: str, luck: int) -> str:
    """A path, by one of the habits."""
    if habit == "word":
        return f"{folder}{number:02d}-{words[0]}{extension or '.html'}"
    if habit == "dates":
        day = dt.date.fromordinal(_FIRST_DAY + luck % 6500)
        return f"{folder}{day:%Y-%m-%d}-{words[0]}{extension}"
    if habit == "uuid":
        text = f"{luck % 16**32:032x}"
        return f"{folder}{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}{extension}"
    if habit == "base36":
        return f"{folder}{_in_base(luck, _DIGITS, 7)}{extension}"
    if habit == "query":
        return f"{folder}?v={_in_base(luck, _LETTERS, 11)}"
    if habit == "folder":
        return f"{folder}{number}/{words[0]}{extension}" if extension else f"{folder}{number}/{words[0]}/"
    if habit == "level":
        return f"{words[0]}-{words[1]}{extension}"
    return f"{folder.title()}{words[0].title()}_{number}{extension.upper() or '.HTML'}"


def _in_base(number: int, letters: str, length: int) -> str:
    found = ""
    for _ in range(length):
        number, digit = divmod(number, len(letters))
        found += letters[digit]
    return found
