"""What a user may ask of the spider ``feeds``, checked before it starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from mediacrawl.crawl.arguments import ArgumentError, switch
from mediacrawl.extract import list_form, parse_list
from mediacrawl.scope import spelling
from mediacrawl.scope.candidates import SeedError, parse_seeds, read_seed_source, split_inline

_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class FeedsArguments:
    """What the user asked for.

    Attributes:
        urls: sources, as they are requested; none for those of the earlier run.
        problems: one sentence for each line that could not be used.
        rounds: end after so many; 0 for never.
        fresh: forget what is known.
    """

    urls: tuple[str, ...]
    problems: tuple[str, ...]
    rounds: int
    fresh: bool

    @classmethod
    def read(cls, feeds: str = "", rounds: str = "", fresh: str = "") -> Self:
        """Read the arguments as the command line gives them.

        Raises:
            ArgumentError: one of them cannot be used.
        """
        urls, problems = _read_list(feeds.strip()) if feeds.strip() else ([], [])
        if feeds.strip() and not urls:
            why = f": {problems[0]}" if problems else ""
            raise ArgumentError(f"no feed can be used in {feeds[:200]!r}{why}")
        return cls(tuple(dict.fromkeys(urls)), tuple(problems), rounds_of(rounds), switch("fresh", fresh))


def rounds_of(text: str) -> int:
    """Read ``rounds``: a number of rounds, 0 for no end.

    Raises:
        ArgumentError: it is no whole number.
    """
    written = text.strip()
    if written and not (written.isdecimal() and len(written) <= _MOST_DIGITS):
        raise ArgumentError(f"rounds={text[:40]} is no number of rounds; it is a whole one, as in rounds=1")
    return int(written or 0)


def _read_list(feeds: str) -> tuple[list[str], list[str]]:
    if "://" in feeds:
        text, where = "\n".join(split_inline(feeds)).encode("utf-8", "surrogateescape"), "feeds"
    else:
        try:
            text, where = read_seed_source(feeds, Path.cwd())
        except SeedError as error:
            raise ArgumentError(str(error)) from error
        if list_form("", text, "") == "opml":
            found = {link.href: spelling(link.href) for link in parse_list("opml", text, "").links}
            unusable = [f"{where}: no URL of http or https: {href[:200]!r}" for href, url in found.items() if not url]
            return [url.requested for url in found.values() if url], unusable
    seeds, problems = parse_seeds(text, where)
    return [url for _, url in seeds], problems
