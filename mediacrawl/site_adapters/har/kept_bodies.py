"""The bodies of one recording: each held once, without secrets, and all of them within a bound."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b

from mediacrawl.site_adapters.har.cleaning import TooManyPlacesError, clean_text
from mediacrawl.site_adapters.har.found import Found
from mediacrawl.site_adapters.har.recording import Entry, RecordedPage
from mediacrawl.site_adapters.har.removal import Removal

MOST_BODIES = 64 << 20
"""Bytes of memory that all bodies take. Ten pages with all their scripts have 30 MB."""


class KeptBodies:
    """Takes bodies as they are in the recording, and gives them without secrets.

    The scripts of a site come with each of its pages. They are known again by a digest, which is forgotten with the
    reader, so that they are neither searched nor held twice.
    """

    def __init__(self, found: Found, skipped: Counter[str]) -> None:
        """Begin a recording.

        Args:
            found: takes the secrets of bodies.
            skipped: reasons of what is not kept (`recording.SKIPPED`) are counted there.
        """
        self._found = found
        self._skipped = skipped
        self._room = MOST_BODIES
        self._by_digest = dict[bytes, str | None]()
        self._bodies = dict[str, str]()

    @property
    def has_room(self) -> bool:
        """Whether another body can be kept. Without room none needs to be read."""
        return self._room > 0

    def keep(self, body: str) -> str | None:
        """A body without the secrets that are named in it; None if it is not kept.

        Args:
            body: with its secrets.

        Raises:
            TooManySecretsError: the recording has too many secrets.
        """
        digest = blake2b(body.encode(), digest_size=16).digest()
        if digest not in self._by_digest:
            self._by_digest[digest] = self._cleaned(body)
        return self._by_digest[digest]

    def _cleaned(self, body: str) -> str | None:
        # What is searched takes room too, or it could be searched without end.
        self._room -= sys.getsizeof(body)
        if self._room < 0:
            self._skipped["bodies_beyond_limit"] += 1
            return None
        try:
            cleaned = clean_text(body, self._found)
        except TooManyPlacesError:
            self._skipped["many_secrets"] += 1
            return None
        return self._bodies.setdefault(cleaned, cleaned)

    def finish(self, pages: Iterable[RecordedPage], removal: Removal) -> None:
        """Remove from all bodies what was found elsewhere: one after another, so that one only is held twice.

        Args:
            pages: that have the bodies.
            removal: what is removed.

        Raises:
            TooManySecretsError: too many values begin alike.
        """
        self._by_digest.clear()
        entries = dict[int, list[Entry]]()
        documents = dict[int, list[RecordedPage]]()
        for page in pages:
            documents.setdefault(id(page.html), []).append(page)
            for entry in page.entries:
                entries.setdefault(id(entry.body), []).append(entry)
        while self._bodies:
            _, body = self._bodies.popitem()
            cleaned = removal.clean(body)
            for entry in entries.get(id(body), ()):
                entry.body = cleaned
            for page in documents.get(id(body), ()):
                page.html = cleaned
