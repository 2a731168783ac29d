"""What the request log says of one URL: how often it was asked, and what came of it last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mediacrawl.observe.format import elapsed, plural, size
from mediacrawl.observe.text import printable
from mediacrawl.observe.wording import in_words


@dataclass(frozen=True, slots=True)
class AskedBefore:
    """The lines of one URL in the request log, summed up.

    Attributes:
        requests: how many went out.
        last: the last line, also of a request that was refused before it went out; empty if there is none.
    """

    requests: int
    last: Mapping[str, Any]

    @classmethod
    def of(cls, lines: Iterable[Mapping[str, Any]], key: str, canonical: Callable[[str], str | None]) -> AskedBefore:
        """Sum up the lines of a URL.

        Args:
            lines: of its site, oldest first, as `Search.lines` gives them.
            key: the URL in canonical form.
            canonical: makes the canonical form of a URL; None for what is none.
        """
        requests, last = 0, dict[str, Any]()
        for line in lines:
            url = str(line.get("url") or "").partition("#")[0]
            if url == key or canonical(url) == key:
                requests += line.get("duration") is not None
                last = dict(line)
        return cls(requests, last)

    @property
    def end(self) -> str:
        """How the URL ended by its last line: the reason why it was dropped, or ``done``; empty if it tells no end."""
        if self.last.get("drop"):
            return str(self.last["drop"])
        status = self.last.get("status")
        return "done" if isinstance(status, int) and status < 400 else ""

    def told(self) -> str:
        """The last answer in words, with its time; empty if there is no line."""
        if not self.last:
            return ""
        line = self.last
        when = str(line.get("time") or "")[:19].replace("T", " ")
        if line.get("duration") is None:
            return printable(f"not sent at {when} UTC: {line.get('drop') or in_words(str(line.get('error') or ''))}")
        answer = str(line.get("status") or "") or in_words(str(line.get("error") or "")) or "no answer"
        what = ", ".join(filter(None, [str(line.get("content_type") or ""), _size(line.get("bytes"))]))
        took = elapsed(float(line["duration"]))
        return printable(f"{answer}{f' ({what})' if what else ''} at {when} UTC, in {took}; {self._times()}")

    def _times(self) -> str:
        return f"{plural(self.requests, 'request')} in the log"


def _size(number: Any) -> str:
    return size(number) if isinstance(number, int) and number > 0 else ""
