"""Times, and what was wrong, in the words of a person. Each text is one line and harmless to a terminal."""

from __future__ import annotations

from datetime import UTC, datetime

from mediacrawl.complaint.judging import Breach, Fault
from mediacrawl.complaint.lines import Asked
from mediacrawl.observe.text import printable

_LONGEST = 300
"""Characters of a URL or a rule in a sentence."""


def moment(when: float) -> str:
    """A time in UTC, to the second: ``2026-08-01 12:00:00``."""
    try:
        return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return f"{when:.0f} s"


def exactly(when: float) -> str:
    """A time in UTC, to the millisecond."""
    whole, rest = divmod(round(when * 1000), 1000)
    return f"{moment(whole)}.{rest:03d}"


def short(text: str) -> str:
    """A text from outside, on one line and not longer than a sentence bears."""
    return printable(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


def seconds(value: float) -> str:
    """Seconds, as exact as the log: ``15 s``, ``14.998 s``."""
    return f"{value:.3f}".rstrip("0").rstrip(".") + " s"


def breach_text(breach: Breach) -> str:
    """What was wrong, in one sentence without its end."""
    url = short(breach.line.url)
    return f"{exactly(breach.line.time)}  {url}: {_what(breach)}"


def _what(breach: Breach) -> str:
    kept, owed, before = seconds(max(breach.kept, 0.0)), seconds(breach.owed), breach.before
    match breach.fault:
        case Fault.AT_ONCE:
            return f"asked {seconds(-breach.kept)} before the answer to {_of(before)} had come"
        case Fault.TOO_SOON:
            return f"asked {kept} after the answer to {_of(before)}; {owed} were owed"
        case Fault.CRAWL_DELAY:
            return f"asked {kept} after the answer to {_of(before)}; the Crawl-delay was {owed}"
        case Fault.RETRY_AFTER:
            return f"asked {kept} after the {_status(before)} of {_of(before)}, which said: not for {owed}"
        case Fault.ROBOTS:
            return f"robots.txt forbade it: {short(breach.rule)}"
        case Fault.ROBOTS_UNKNOWN:
            return "asked before the robots.txt of its host was read"
        case Fault.ROBOTS_OLD:
            return f"the robots.txt was {breach.kept / 3600:.1f} h old; it counts for {breach.owed / 3600:.0f} h"
        case Fault.NEVERCRAWL:
            return f"it was on our list of domains never to be asked: {short(breach.rule)}"


def _of(line: Asked | None) -> str:
    return f"{exactly(line.time)} {short(line.url)}" if line else "the one before"


def _status(line: Asked | None) -> str:
    return str(line.status) if line else "answer"
