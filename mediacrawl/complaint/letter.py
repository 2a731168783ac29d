"""The draft of a reply: plain text, to be edited by its sender."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import fill

from mediacrawl.complaint.case import HOUR, Case
from mediacrawl.complaint.text import breach_text, moment, seconds, short
from mediacrawl.observe.format import count, plural, size
from mediacrawl.observe.text import printable

_WIDTH = 72
_BREACHES = 10
_UNIT = re.compile(r"(?<= )([0-9.]+) s\b")
_TO_FILL_IN = "[your name and address: set MEDIACRAWL_CONTACT]"


@dataclass(slots=True, frozen=True)
class Blocked:
    """An entry that was added to NeverCrawl.

    Attributes:
        covers: the domain or host.
        since: when it is in force at the latest, seconds since the epoch.
        restart: whether a running crawl must be restarted to see it.
    """

    covers: str
    since: float
    restart: bool = False


@dataclass(slots=True, frozen=True)
class Sender:
    """The operator, and what was done.

    Attributes:
        contact: page or mail address; empty if not set.
        operator: name; empty if not set.
        user_agent: the header as sent.
        token: our product token in robots.txt.
        attached: name of the file with all requests; empty without one.
        blocked: the new NeverCrawl entry; None if there is none.
    """

    contact: str
    operator: str
    user_agent: str
    token: str
    attached: str = ""
    blocked: Blocked | None = None


def reply(case: Case, sender: Sender) -> str:
    """Write the draft.

    Returns:
        Lines of at most 72 columns, except for URLs, safe for a terminal. Ends without a line feed.
    """
    parts = [
        f"Subject: Our crawler on {printable(case.subject.host or case.subject.site)}",
        "Dear operator,",
        *_who(sender),
        *(_what(case, sender) if case.sums.requests else _nothing(case)),
        *_how_to_block(case, sender),
        "Kind regards",
        _signature(sender),
    ]
    return "\n\n".join(parts)


def _who(sender: Sender) -> Iterator[str]:
    yield _paragraph(
        "thank you for writing to us. The crawler you ask about is ours. It looks for audio and video files, and"
        " reads what they say about themselves (title, artist, length) from their first kilobytes; it copies no"
        " files. In your log it calls itself"
    )
    yield f"    {printable(sender.user_agent)}"


def _nothing(case: Case) -> Iterator[str]:
    site = printable(case.subject.host or case.subject.site)
    since = f" since {_since(case)}" if case.since is not None else ""
    found = (
        f"We have looked through the log of our requests. It begins on {moment(case.begins)[:10]} and holds no"
        f" request to {site}{since}."
    )
    if case.notes:
        yield _paragraph(
            f"{found} But it is not complete, so we may have sent some: please send us a line of your log with the time"
            " and the address that they came from."
        )
        return
    yield _paragraph(
        f"{found} If you see such requests all the same, they are older, or somebody else uses our name: please send us"
        " a line of your log with the time and the address that they came from."
    )


def _what(case: Case, sender: Sender) -> Iterator[str]:
    sums = case.sums
    yield _paragraph(
        f"These are our requests to {printable(_name(case))} since {_since(case)}, from our log (times are UTC):"
    )
    hour, busiest = sums.busiest or (sums.first, 0)
    facts = [
        f"{plural(sums.requests, 'request')}, {size(sums.bytes)} together",
        f"first {moment(sums.first)}, last {moment(sums.last)}",
        f"most in one hour: {count(busiest)}, {moment(hour)[:16]} to {moment(hour + HOUR)[11:16]}",
    ]
    if sums.gaps:
        facts.append(f"least time from the end of an answer to the next request: {seconds(max(sums.gaps[0], 0.0))}")
    yield "\n".join(f"    {fact}" for fact in facts)
    if sender.attached:
        yield _paragraph(f"The file {printable(sender.attached)} lists each of them.")
    if case.notes:
        yield _paragraph("Our log of this time is not complete, so some requests may be missing here.")
    yield from _robots(case)
    yield from _conduct(case)


def _since(case: Case) -> str:
    return moment(case.begins)[:10] if case.since is None else f"{moment(case.since)[:16]} UTC"


def _name(case: Case) -> str:
    subject = case.subject
    return subject.prefix or subject.host or f"{subject.site} and its hosts"


def _robots(case: Case) -> Iterator[str]:
    read = [fetch for fetch in case.robots.fetches if fetch.authority in case.authorities]
    if not read:
        yield _paragraph("In this time our log holds no robots.txt of yours.")
        return
    files = ", ".join(short(f"{authority}/robots.txt") for authority in case.authorities[:5])
    more = f" and {len(case.authorities) - 5} more" if len(case.authorities) > 5 else ""
    times = "once," if len(read) == 1 else f"{count(len(read))} times, last"
    yield _paragraph(f"We asked for your robots.txt {times} on {moment(read[-1].time)}: {files}{more}.")


def _conduct(case: Case) -> Iterator[str]:
    breaches, unproven = case.judgement.breaches, len(case.judgement.unproven)
    if breaches:
        wrong = len({breach.line for breach in breaches})
        yield _paragraph(
            "We have checked each request against your robots.txt as it was at that time, and against our own rules."
            f" {count(wrong)} of them {'was' if wrong == 1 else 'were'} wrong:"
        )
        listed = [_paragraph(breach_text(breach), "  - ", "    ") for breach in breaches[:_BREACHES]]
        if len(breaches) > _BREACHES:
            listed.append(f"  - and {count(len(breaches) - _BREACHES)} more")
        yield "\n".join(listed)
        yield _paragraph("This should not have happened, and we apologize for it. [What was the cause, what was done.]")
        return
    proved = f"; for {count(unproven)} of them our log does not go back to the robots.txt" if unproven else ""
    yield _paragraph(
        "We have checked each request against your robots.txt as it was at that time, and against our own rules: one"
        f" request at a time, and at least {seconds(case.promises.min_delay)} from the end of an answer to the next"
        f" request. We found none that was wrong{proved}. We are sorry for the trouble all the same."
    )


def _how_to_block(case: Case, sender: Sender) -> Iterator[str]:
    token = printable(sender.token)
    if sender.blocked is not None:
        yield from _blocked(sender.blocked)
        return
    yield _paragraph(
        f"If you wish, we put {printable(case.subject.site)} on the list of domains that we never ask, at once: a word"
        " from you is enough. You can also keep the crawler away by yourself, with these lines in the robots.txt of"
        " each host:"
    )
    yield f"    User-agent: {token}\n    Disallow: /"
    hours = case.promises.robots_age / 3600
    yield _paragraph(
        f"They are in force {'a day' if hours == 24 else f'{hours:.0f} hours'} later at the latest, when we have read"
        " the file again. Crawl-delay: 60 instead of Disallow makes us wait a minute between two requests."
    )


def _blocked(blocked: Blocked) -> Iterator[str]:
    if blocked.restart:
        yield _paragraph("[To be sent when the crawl was started again: it does not see the new list before.]")
    yield _paragraph(
        f"We have put {printable(blocked.covers)} and all hosts below it on the list of domains that we never ask. From"
        f" {moment(blocked.since)} UTC on at the latest no request will reach you. It stays there until you wish"
        " otherwise."
    )


def _signature(sender: Sender) -> str:
    known = [printable(each) for each in (sender.operator, sender.contact) if each]
    return "\n".join(known) if sender.contact else _TO_FILL_IN


def _paragraph(text: str, first: str = "", others: str = "") -> str:
    """Fill lines with a text; `first` and `others` are the indents."""
    # A no-break space keeps a number and its unit on one line.
    text = _UNIT.sub("\\1\u00a0s", text)
    filled = fill(
        text, _WIDTH, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
    )
    return filled.replace("\u00a0", " ")
