"""What a crawl remembers of the encodings of pages and lists, and counts of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mediacrawl.encoding.decision import Seen
from mediacrawl.encoding.history import History
from mediacrawl.encoding.records.fields import parse_reading


class DocumentEncodings:
    """Tells how documents of a host were read before, and learns from each that is read.

    Stats: ``page/encoding/<who>`` and ``list/encoding/<who>`` for each document that declares nothing valid and is no
    UTF-8: decided by ``models`` or ``chardet``, or ``default`` where nobody knew.

    Args:
        history: of the whole crawl; None to remember nothing.
        count: adds to a stat.
    """

    def __init__(self, history: History | None, count: Callable[[str], None]) -> None:
        self._history = history
        self._count = count

    def of(self, url: str) -> Callable[[], Seen]:
        """What gives the encodings that were found where a URL lies, if it is asked.

        Args:
            url: of a document.
        """
        return partial(self._history.prior, url) if self._history is not None else dict

    def note(self, url: str, kind: str, reading: str, language: str) -> None:
        """Learn from a document that was read.

        Args:
            url: its own.
            kind: ``page`` or ``list``.
            reading: see `encoding.document.Document.reading`; empty if each of its texts is decided alone.
            language: that it says it is in; empty if it does not.
        """
        if reading in {"utf-8", ""}:
            return
        told = parse_reading(reading)
        if told.by:
            self._count(f"{kind}/encoding/{told.by}")
        if self._history is not None and (not told.by or told.is_sure):
            self._history.learn_document(url, told.encoding, told.language or language)
