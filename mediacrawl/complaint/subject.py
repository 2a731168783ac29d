"""Whom a complaint is about, and since when: the words of the command line, understood."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from mediacrawl.complaint.errors import ComplaintError
from mediacrawl.scope.canonical import canonical
from mediacrawl.scope.hosts import canonical_host
from mediacrawl.scope.sites import host_of, site_of

_AGO = re.compile(r"([0-9]{1,5})\s*([dh])").fullmatch


@dataclass(slots=True, frozen=True)
class Subject:
    """What is looked for.

    Attributes:
        site: the registrable domain, as it stands in the log.
        host: the only host that is told of; empty for all of the site.
        prefix: the beginning of the URLs that are told of; empty for all.
    """

    site: str
    host: str = ""
    prefix: str = ""

    @property
    def is_narrow(self) -> bool:
        """Whether only a part of the site is told of."""
        return bool(self.host or self.prefix)

    def covers(self, url: str) -> bool:
        """Whether a URL is told of."""
        return url.startswith(self.prefix) and (not self.host or host_of(url) == self.host)


def subject_of(written: str, *, only_host: bool = False, prefix: str = "") -> Subject:
    """Understand a domain, a host or a URL.

    Args:
        written: as somebody wrote it in a mail: ``example.org``, ``www.example.org``, ``https://example.org/x?y``.
        only_host: tell of the host alone that stands there, not of the whole site.
        prefix: tell only of URLs that begin so; an absolute URL, or a path with a slash.

    Raises:
        ComplaintError: it is none of these.
    """
    host = _host(written.strip())
    if not host:
        raise ComplaintError(f"{written[:100]!r} is no domain, host or URL; write it as example.org.")
    site = site_of(host)
    return Subject(site, host if only_host else "", _prefix(prefix, site))


def _host(written: str) -> str:
    if "://" in written:
        return host_of(canonical(written) or "")
    name = re.split(r"[/?#]", written, maxsplit=1)[0].rpartition("@")[2].removeprefix("*.")
    if name.count(":") > 1 and not name.startswith("["):
        name = f"[{name}]"
    if not name.startswith("-") and not name.endswith("]"):
        name = name.partition(":")[0] if not name.startswith("[") else name[: name.find("]") + 1]
    return canonical_host(name) or "" if name and not name.startswith("-") else ""


def _prefix(written: str, site: str) -> str:
    if not written:
        return ""
    url = canonical(written)
    if url is None or site_of(url) != site:
        raise ComplaintError(f"{written[:100]!r} is no URL of {site}; write it as https://{site}/path.")
    return url


def since_when(written: str, now: float) -> float:
    """Understand ``2026-11-01``, ``2026-11-01T10:30`` (UTC), ``7d`` and ``12h``.

    Args:
        written: as above.
        now: seconds since the epoch.

    Returns:
        Seconds since the epoch.

    Raises:
        ComplaintError: it is none of these.
    """
    ago = _AGO(written.strip())
    if ago:
        return now - timedelta(**{{"d": "days", "h": "hours"}[ago[2]]: int(ago[1])}).total_seconds()
    try:
        when = datetime.fromisoformat(written.strip())
    except ValueError:
        raise ComplaintError(f"--since {written[:40]} is no time; write it as 2026-11-01 or 7d.") from None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def day_of(when: float) -> date:
    """The day in UTC of a time in seconds since the epoch; years beyond a calendar's end are its end."""
    return datetime.fromtimestamp(min(max(when, 0.0), 253_402_300_799.0), UTC).date()
