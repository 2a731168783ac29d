"""Parts of a data URL that all recorded pages have alike, and that other pages, or later visits, have otherwise.

A nonce is the same for all visitors for hours, and then another one: an adapter with today's is wrong tomorrow. The
year in a path is the same for two pages of one year. Neither can be seen by comparing the URLs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mediacrawl.site_adapters.learn.sources import Source
from mediacrawl.site_adapters.learn.visits import Visit

_is_nonce_value = re.compile(r"(?=.*[0-9])[A-Za-z0-9_-]{6,100}").fullmatch
_is_wordpress = re.compile(r"[0-9a-f]{10}").fullmatch
"""A nonce as WordPress makes it (``wp_create_nonce``)."""
_iso_date = re.compile(r"((?:19|20)[0-9]{2})-([01][0-9])-([0-3][0-9])(?![0-9])").match
_signs = re.compile(r"[^a-z0-9]").sub


def is_nonce(name: str, value: str) -> bool:
    """Whether a parameter has a value that the site gives out for some hours.

    Args:
        name: of the parameter.
        value: of the parameter.
    """
    plain = _signs("", name.lower())
    if plain.endswith("nonce"):
        return _is_nonce_value(value) is not None
    return plain in ("security", "ajaxsecurity") and _is_wordpress(value) is not None


def in_pages(value: str, visits: Sequence[Visit]) -> Source | None:
    """The place in the pages at which all of them have a value; None if there is none.

    Args:
        value: the same on all pages.
        visits: the pages.
    """
    first, *others = [visit.values(len(visits)) for visit in visits]
    found = [source for source, text in first.items() if text == value]
    found = [source for source in found if all(each.get(source) == value for each in others)]
    return min(found, key=lambda source: (source.cost, str(source)), default=None)


class Dates:
    """The dates in the pages.

    Args:
        visits: the pages.
    """

    def __init__(self, visits: Sequence[Visit]) -> None:
        values = [visit.values(len(visits)).values() for visit in visits]
        pages = [{date for text in own for date in _written(text)} for own in values]
        self._common = set.intersection(*pages) if pages else set()
        urls = [{each.value for each in visit.url.segments} if visit.url else set() for visit in visits]
        self._in_urls = set.intersection(*urls) if urls else set()

    def has(self, value: str) -> bool:
        """Whether a value is the year, the month or the day of a date that all pages have.

        What their URLs have, too, does not count: the adapter is for pages with it only.

        Args:
            value: of a component of a data URL.
        """
        return value in self._common and value not in self._in_urls


def _written(text: str) -> Sequence[str]:
    """A date up to its year, its month and its day, as URLs have them; empty if a text does not begin with one."""
    found = _iso_date(text.strip()[:40])
    if found is None:
        return ()
    year, month, day = found.groups()
    return (year, *(sign.join(parts) for parts in ((year, month), (year, month, day)) for sign in ("", "-", "_", ".")))
