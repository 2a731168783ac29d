"""The answer to a complaint as plain text: the verdict for the operator of the crawl, and the draft of a reply."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from textwrap import fill

from mediacrawl.base.format import count, counted_in_words, elapsed, in_words, plural, size
from mediacrawl.base.text import printable
from mediacrawl.politeness.robots import plain
from mediacrawl.programs.complaint.case import Case
from mediacrawl.programs.complaint.judging import BreachKind
from mediacrawl.programs.complaint.lines import LoggedRequest, LoggedRobots

_LONGEST = 300
"""Characters of a URL or a rule in a sentence."""
_LABEL = 14
_BREACHES = 20
"""Breaches listed one by one."""
_RULES = 40
"""Lines of a robots.txt that are shown."""
_HOUR = 3600
_WIDTH = 72
"""Columns of the draft."""
_WHAT = {
    BreachKind.AT_ONCE: "asked {early} before the answer to {before} had come",
    BreachKind.TOO_SOON: "asked {kept} after the answer to {before}; {owed} were owed",
    BreachKind.CRAWL_DELAY: "asked {kept} after the answer to {before}; the Crawl-delay was {owed}",
    BreachKind.RETRY_AFTER: "asked {kept} after the answer to {before}, whose Retry-After was {owed}",
    BreachKind.ROBOTS: "robots.txt forbade it: {rule}",
    BreachKind.ROBOTS_UNKNOWN: "asked before the robots.txt of its host was read",
    BreachKind.ROBOTS_OLD: "the robots.txt was {old:.1f} h old; it counts for {life:.0f} h",
    BreachKind.NEVERCRAWL: "it was on our list of domains never to be asked: {rule}",
}
_UNIT = re.compile(r"(?<= )([0-9.]+) s\b")


@dataclass(slots=True, frozen=True)
class Sender:
    """The operator, and what was done.

    Attributes:
        contact: page or mail address; empty if not set.
        operator: name; empty if not set.
        user_agent: the header as sent.
        token: our product token in robots.txt.
        blocked: the domain or host that was added to NeverCrawl; empty for none.
        blocked_from: when it is in force at the latest, seconds since the epoch.
        restart: whether a running crawl must be restarted to see it.
    """

    contact: str
    operator: str
    user_agent: str
    token: str
    blocked: str = ""
    blocked_from: float = 0.0
    restart: bool = False


def verdict(case: Case) -> str:
    """Return what the complaint is about, whether the crawl behaved, and what the logs do not hold."""
    subject, breaches = case.subject, case.judgement.breaches
    name = f"{subject} alone" if subject.host or subject.prefix else f"{subject.site} with all its hosts"
    since = f"since {_moment(case.since)} UTC, " if case.since is not None else ""
    if not case.lines:
        found = "The log holds no request there, and is not complete." if case.notes else "Nothing was asked there."
    elif not case.requests:
        found = "No request went out: there is nothing to judge."
    elif breaches:
        faults = _counted(breach.fault.value for breach in breaches)
        found = f"We did not behave: {_wrong(case)} wrong ({faults})."
    else:
        found = "We behaved, as far as the log shows: it is not complete." if case.notes else "We behaved."
    return "\n".join([f"{printable(name)} ({since}log since {_moment(case.begins)[:10]})", found, *case.notes])


def reply(case: Case, sender: Sender, shown: int) -> str:
    """Write the draft of a reply, to be edited by its sender, with at most so many lines of the log.

    Returns:
        Text that is safe for a terminal, in lines of at most 72 columns except for URLs and lines of the log.
    """
    signature = "\n".join(printable(each) for each in (sender.operator, sender.contact) if each)
    parts = [
        f"Subject: Our crawler on {printable(case.subject.host or case.subject.site)}",
        "Dear operator,",
        _paragraph(
            "thank you for writing to us. The crawler you ask about is ours. It looks for audio and video files, and"
            " reads what they say about themselves (title, artist, length) from their first kilobytes; it copies no"
            " files. In your log it calls itself"
        ),
        f"    {printable(sender.user_agent)}",
        *(_conduct(case) if case.requests else _denial(case)),
        *_how_to_block(case, sender),
        "Kind regards",
        signature if sender.contact else "[your name and address: set MEDIACRAWL_CONTACT]",
        _list(case, shown),
    ]
    return "\n\n".join(filter(None, parts))


# -- what was requested --------------------------------------------------------------------------------------------


def _facts(case: Case) -> Iterator[str]:
    """Yield the requests in numbers, with a label each."""
    sent = case.requests
    hours = Counter(math.floor(line.time / _HOUR) for line in sent)
    hour, busiest = max(hours.items(), key=lambda entry: (entry[1], -entry[0]))
    begin, end = _moment(hour * _HOUR)[:16], _moment((hour + 1) * _HOUR)[11:16]
    took, received = sum(line.duration or 0.0 for line in sent), sum(line.bytes for line in sent)
    rows = {
        "requests": f"{count(len(sent))}, all by GET, {size(received)} of answers in {elapsed(took)}",
        "time": f"{_moment(sent[0].time)} to {_moment(max(line.time for line in sent))} UTC",
        "busiest hour": f"{begin} to {end} UTC, {plural(busiest, 'request')}",
        "gaps": _range(case.judgement.gaps.values(), "from the end of an answer to the next request"),
        "delays": _range(filter(None, (line.delay for line in sent)), "as the crawl meant to keep them"),
        "answers": _counted(str(line.status or "no answer") for line in sent),
        "asked for": _counted(line.kind or "request" for line in sent),
        "hosts": _counted(line.url.partition("//")[2].partition("/")[0] for line in sent),
        "addresses": _counted(line.address for line in sent if line.address),
        "errors": _counted(counted_in_words(Counter(line.error for line in sent if line.error)).elements()),
        "not asked": _counted(line.drop or line.error or "put off" for line in case.lines if not line.sent),
    }
    yield from (f"{label:<{_LABEL}}{text}" for label, text in rows.items() if text)


def _range(values: Iterable[float], what: str) -> str:
    known = sorted(values)
    if not known:
        return ""
    least, most = _seconds(known[0]), _seconds(known[-1])
    return f"least {least}, median {_seconds(statistics.median(known))}, most {most}, {what}"


def _counted(words: Iterable[str], most: int = 8) -> str:
    counts = Counter(words)
    shown = ", ".join(f"{_short(name)} {count(number)}" for name, number in counts.most_common(most))
    return shown + (f" and {len(counts) - most} more" if len(counts) > most else "")


def _list(case: Case, shown: int) -> str:
    lines = case.lines[-shown:] if shown else []
    if not lines:
        return ""
    wrong = {breach.line for breach in case.judgement.breaches}
    which = "All" if len(lines) == len(case.lines) else f"The last {count(len(lines))} of"
    title = f"{which} {plural(len(case.lines), 'line')} of our log:"
    head = f"  {'time (UTC)':<23} {'status':>6} {'bytes':>8} {'took':>8} {'gap':>10} {'delay':>8} {'kind':<7} URL"
    return "\n".join([title, head, *(_line(line, case, wrong=line in wrong) for line in lines)])


def _line(line: LoggedRequest, case: Case, *, wrong: bool) -> str:
    status = str(line.status) if line.status is not None else ("none" if line.sent else "-")
    rule = case.judgement.rules.get(line, "")
    remarks = [
        line.drop and f"dropped: {line.drop}",
        "" if line.drop and not line.sent else in_words(line.error),
        line.retry_after and f"Retry-After: {line.retry_after}",
        rule and f"robots.txt: {rule}",
    ]
    remark = "; ".join(_short(each) for each in remarks if each)
    took, gap, delay = (
        "-" if value is None else f"{value:.3f}" for value in (line.duration, case.judgement.gaps.get(line), line.delay)
    )
    return (
        f"{'!' if wrong else ' '} {_exactly(line.time)} {status:>6} {line.bytes if line.sent else '-':>8} {took:>8}"
        f" {gap:>10} {delay:>8} {printable(line.kind)[:7]:<7} {_short(line.url)}{f'  ({remark})' if remark else ''}"
    )


# -- robots.txt ----------------------------------------------------------------------------------------------------


def _robots(case: Case) -> Iterator[str]:
    """Yield each version of each robots.txt, with the time of its first and its last answer."""
    yield "Your robots.txt:" if case.fetches else "Your robots.txt: none was fetched in the time of the log."
    for authority in sorted({fetch.authority for fetch in case.fetches}):
        yield f"  {_short(authority)}"
        versions: list[list[LoggedRobots]] = []
        for fetch in (each for each in case.fetches if each.authority == authority):
            before = versions[-1][0] if versions else None
            if before is None or (fetch.status != 304 and _content(fetch) != _content(before)):
                versions.append([])
            versions[-1].append(fetch)
        for same in versions:
            yield from _version(case, same[0], same[1:])


def _content(fetch: LoggedRobots) -> tuple[object, ...]:
    return fetch.status, fetch.body, fetch.url


def _version(case: Case, fetch: LoggedRobots, again: list[LoggedRobots]) -> Iterator[str]:
    status = fetch.status or 0
    is_whole, is_missing = 200 <= status < 300, 400 <= status < 500 and status != 429
    meaning = "not to be had, so nothing was allowed, or what it said before"
    if is_whole or status == 304:
        meaning = "what it says to us"
    elif is_missing or 300 <= status < 400:
        meaning = "there is none, so everything is allowed" if is_missing else "it was somewhere else"
    at = "" if fetch.url == f"{fetch.authority}/robots.txt" else f" at {_short(fetch.url)}"
    answer = fetch.status or ("broke off" if fetch.size else "no answer")
    yield f"    {_moment(fetch.time)} UTC  {answer}, {size(fetch.size)}{at}: {meaning}"
    if is_whole or fetch.body:
        if flaw := plain(fetch.body)[1]:
            yield f"        The file is {flaw} (RFC 9309, 2.2). We read it all the same, other crawlers may not."
        group = case.robots.rules(fetch.body).group_text.splitlines()
        yield from (f"        {_short(line)}" for line in group[:_RULES])
        if len(group) > _RULES:
            yield f"        and {count(len(group) - _RULES)} more lines"
        if len(group) < 2:
            yield f"        {'no rule' if group else 'no group'} in it is for us: everything is allowed"
    if again:
        yield f"      the same {plural(len(again), 'time')} more, last on {_moment(again[-1].time)}"


# -- what was wrong ------------------------------------------------------------------------------------------------


def _wrong(case: Case) -> str:
    """Return the number of the wrong requests, with the verb."""
    wrong = len({breach.line for breach in case.judgement.breaches})
    return f"{count(wrong)} of {plural(len(case.requests), 'request')} {'was' if wrong == 1 else 'were'}"


def _breaches(case: Case) -> Iterator[str]:
    """Yield a sentence on each breach, without its full stop, and the number of those that are left out."""
    breaches = case.judgement.breaches
    for breach in breaches[:_BREACHES]:
        line, before = breach.line, breach.before
        what = _WHAT[breach.fault].format(
            before=f"{_exactly(before.time)} {_short(before.url)}" if before else "",
            kept=_seconds(max(breach.kept, 0.0)),
            early=_seconds(-breach.kept),
            owed=_seconds(breach.owed),
            old=breach.kept / _HOUR,
            life=breach.owed / _HOUR,
            rule=_short(breach.rule),
        )
        yield f"{_exactly(line.time)}  {_short(line.url)}: {what}"
    if len(breaches) > _BREACHES:
        yield f"and {count(len(breaches) - _BREACHES)} more"


# -- the parts of the draft ----------------------------------------------------------------------------------------


def _since(case: Case) -> str:
    return _moment(case.begins)[:10] if case.since is None else f"{_moment(case.since)[:16]} UTC"


def _denial(case: Case) -> Iterator[str]:
    """Yield what is said of a site without a request. It is no denial if lines may be missing."""
    why = "If you see such requests all the same, they are older, or somebody else uses our name:"
    if case.notes:
        why = "But it is not complete, so we may have sent some:"
    since = f" since {_since(case)}" if case.since is not None else ""
    yield _paragraph(
        f"We have looked through the log of our requests. It begins on {_moment(case.begins)[:10]} and holds no"
        f" request to {printable(case.subject.host or case.subject.site)}{since}. {why} please send us a line of your"
        " log with the time and the address that they came from."
    )


def _conduct(case: Case) -> Iterator[str]:
    yield _paragraph(
        f"These are our requests to {printable(str(case.subject))} since {_since(case)}, from our log (times are UTC):"
    )
    yield "\n".join(_paragraph(row, "    ", " " * (4 + _LABEL)) for row in _facts(case))
    if case.notes:
        yield _paragraph("Our log of this time is not complete, so some requests may be missing here.")
    yield "\n".join(_robots(case))
    promises, unproven = case.promises, len(case.judgement.unproven)
    yield _paragraph(
        "We have checked each request against this log: one at a time; at least"
        f" {_seconds(promises.min_delay)}, and the delay that we owed, from the end of an answer to the next request;"
        " Crawl-delay; Retry-After; your robots.txt as it was at that time, and not older than"
        f" {promises.robots_age / _HOUR:.0f} h; our list of domains that we never ask."
    )
    if case.judgement.breaches:
        yield _paragraph(f"{_wrong(case)} wrong:")
        yield "\n".join(_paragraph(text, "  - ", "    ") for text in _breaches(case))
        yield _paragraph("This should not have happened, and we apologize for it. [What was the cause, what was done.]")
    else:
        yield _paragraph("We found none that was wrong. We are sorry for the trouble all the same.")
    if unproven:
        yield _paragraph(
            f"Not proved: of {plural(unproven, 'request')} the log cannot show what robots.txt said, since it does not"
            " go back far enough, or lines are missing."
        )


def _how_to_block(case: Case, sender: Sender) -> Iterator[str]:
    if sender.blocked:
        if sender.restart:
            yield _paragraph("[To be sent when the crawl was started again: it does not see the new list before.]")
        yield _paragraph(
            f"We have put {printable(sender.blocked)} and all hosts below it on the list of domains that we never ask."
            f" From {_moment(sender.blocked_from)} UTC on at the latest no request will reach you. It stays there until"
            " you wish otherwise."
        )
        return
    yield _paragraph(
        f"If you wish, we put {printable(case.subject.site)} on the list of domains that we never ask, at once: a word"
        " from you is enough. You can also keep the crawler away by yourself, with these lines in the robots.txt of"
        " each host:"
    )
    yield f"    User-agent: {printable(sender.token)}\n    Disallow: /"
    yield _paragraph(
        f"They are in force {case.promises.robots_age / _HOUR:.0f} hours later at the latest, when we have read the"
        " file again. Crawl-delay: 60 instead of Disallow makes us wait a minute between two requests."
    )


# -- words ---------------------------------------------------------------------------------------------------------


def _moment(when: float) -> str:
    """Return a time in UTC, to the second: ``2026-08-01 12:00:00``."""
    try:
        return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return f"{when:.0f} s"


def _exactly(when: float) -> str:
    """Return a time in UTC, to the millisecond."""
    whole, rest = divmod(round(when * 1000), 1000)
    return f"{_moment(whole)}.{rest:03d}"


def _short(text: str) -> str:
    """Return untrusted text on one line, made printable and shortened."""
    return printable(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


def _seconds(value: float) -> str:
    """Return seconds with the precision of the log: ``15 s``, ``14.998 s``."""
    return f"{value:.3f}".rstrip("0").rstrip(".") + " s"


def _paragraph(text: str, first: str = "", others: str = "") -> str:
    """Fill lines with a text; `first` and `others` are the indents."""
    # A no-break space keeps a number and its unit on one line.
    filled = fill(
        _UNIT.sub("\\1\u00a0s", text),
        _WIDTH,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return filled.replace("\u00a0", " ")
