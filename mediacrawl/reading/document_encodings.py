"""The encodings of pages and lists by host, remembered for later documents."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mediacrawl.encoding.decision import Seen
from mediacrawl.encoding.history import History
from mediacrawl.encoding.records.fields import parse_reading


class DocumentEncodings:
    """Gives the encodings of earlier documents of a host, and learns from each document.

    Stats: ``page/encoding/<who>`` and ``list/encoding/<who>`` for each document that declares nothing valid and is no
    UTF-8: decided by ``models`` or ``chardet``, or ``default`` if neither could.

    Args:
        history: of the whole crawl; None to remember nothing.
        count: adds to a stat.
    """

    def __init__(self, history: History | None, count: Callable[[str], None]) -> None:
        self._history = history
        self._count = count

    def of(self, url: str) -> Callable[[], Seen]:
        """A function that returns the encodings found on a URL's host; it is called only where models decide."""
        return partial(self._history.prior, url) if self._history is not None else dict

    def note(self, url: str, kind: str, reading: str, language: str) -> None:
        """Learn from a document.

        Args:
            url: its own.
            kind: ``page`` or ``list``.
            reading: see `encoding.detection.document`; empty if each of its texts is decided alone.
            language: its declared language; empty if it declares none.
        """
        if reading in {"utf-8", ""}:
            return
        decided = parse_reading(reading)
        if decided.by:
            self._count(f"{kind}/encoding/{decided.by}")
        if self._history is not None and (not decided.by or decided.is_sure):
            self._history.learn_document(url, decided.encoding, decided.language or language)
