"""What a DNS answer says about one name: addresses, nothing, or where to ask on.

A name server passes on what strangers wrote. Only records that the asked name leads to are read, only so many links and
addresses are followed and kept, and a time to live is a number that the cache puts between its own bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

A, CNAME, SOA, AAAA = 1, 5, 6, 28
"""Types of records (RFC 1035 section 3.2.2, RFC 3596 section 2.1)."""

NOERROR, NXDOMAIN = 0, 3
"""Response codes (RFC 1035 section 4.1.1)."""

LINKS = 8
"""Aliases in a row that are followed, in one answer and by asking on. Content networks have up to five."""

ADDRESSES = 16
"""Addresses of one family that are kept."""

_LONGEST_TTL = 2**31 - 1

_is_name = re.compile(r"(?=.{1,253}\Z)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*").fullmatch


class DnsAnswerError(Exception):
    """The answer is of no use: the server failed, or what it says leads nowhere."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record of an answer.

    Attributes:
        name: whose it is; lower case, no dot at the end.
        kind: its type.
        ttl: seconds it may be kept.
        value: an address, or the name that an alias leads to, written as `name`.
        minimum: of a SOA: seconds that "there is no such name" may be kept (RFC 2308 section 4).
    """

    name: str
    kind: int
    ttl: int
    value: str = ""
    minimum: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of a name in one or both families.

    Attributes:
        addresses: as text, in the server's order; none says that there are none.
        ttl: seconds it may be kept; None if the answer does not tell.
        alias: the name to ask instead, if the answer ends in an alias.
    """

    addresses: tuple[str, ...] = ()
    ttl: int | None = None
    alias: str = ""


def read_answer(name: str, kind: int, code: int, records: Sequence[Record], authority: Iterable[Record] = ()) -> Answer:
    """Return what an answer says about a name.

    Args:
        name: that was asked for; lower case, no dot at the end.
        kind: that was asked for: `A` or `AAAA`.
        code: the response code.
        records: the answer section.
        authority: the authority section; its SOA tells how long "no" may be kept.

    Raises:
        DnsAnswerError: the server failed, or the aliases have no end.
    """
    if code not in (NOERROR, NXDOMAIN):
        raise DnsAnswerError(f"the name server failed with code {code}")
    end, ttls = _follow(name, {record.name: record for record in records if record.kind == CNAME})
    found = [record for record in records if record.kind == kind and record.name == end]
    if found:
        addresses = dict.fromkeys(record.value for record in found)
        return Answer(tuple(islice(addresses, ADDRESSES)), min(ttls + [_ttl(record) for record in found]))
    no = min((min(_ttl(record), record.minimum) for record in authority if record.kind == SOA), default=None)
    if end == name or code == NXDOMAIN or no is not None:
        return Answer(ttl=no)
    if not _is_name(end):
        raise DnsAnswerError("an alias leads to what is no name")
    return Answer(ttl=min(ttls), alias=end)


def join(answers: Iterable[Answer | None]) -> Answer | None:
    """Return what the families say together, or None if nobody knows.

    Args:
        answers: one for each family, in the order in which addresses are tried; None for a family that got no answer.
    """
    known = list(answers)
    found = [answer for answer in known if answer is not None and answer.addresses]
    if not found and None in known:
        return None
    joined = found or [answer for answer in known if answer is not None]
    ttls = [answer.ttl for answer in joined if answer.ttl is not None]
    addresses = tuple(address for answer in joined for address in answer.addresses)
    return Answer(addresses, min(ttls, default=None))


def _follow(name: str, links: dict[str, Record]) -> tuple[str, list[int]]:
    ttls: list[int] = []
    while name in links:
        if len(ttls) >= LINKS:
            raise DnsAnswerError("its aliases have no end")
        ttls.append(_ttl(links[name]))
        name = links[name].value
    return name, ttls


def _ttl(record: Record) -> int:
    """RFC 2181 section 8: a number with the highest bit set counts as zero."""
    return record.ttl if 0 <= record.ttl <= _LONGEST_TTL else 0
