"""The output of ``scrapy complaint`` as plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from mediacrawl.complaint.case import HOUR, Case
from mediacrawl.complaint.judging import Breach, BreachKind
from mediacrawl.complaint.lines import LoggedRequest, LoggedRobots
from mediacrawl.observe.format import count, counted_in_words, elapsed, in_words, plural, size
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
    """Untrusted text on one line, made printable and shortened."""
    return printable(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


def seconds(value: float) -> str:
    """Seconds with the precision of the log: ``15 s``, ``14.998 s``."""
    return f"{value:.3f}".rstrip("0").rstrip(".") + " s"


def breach_text(breach: Breach) -> str:
    """A sentence on a breach, without its full stop."""
    url = short(breach.line.url)
    return f"{exactly(breach.line.time)}  {url}: {_what(breach)}"


def _what(breach: Breach) -> str:
    kept, owed, before = seconds(max(breach.kept, 0.0)), seconds(breach.owed), breach.before
    match breach.fault:
        case BreachKind.AT_ONCE:
            return f"asked {seconds(-breach.kept)} before the answer to {_of(before)} had come"
        case BreachKind.TOO_SOON:
            return f"asked {kept} after the answer to {_of(before)}; {owed} were owed"
        case BreachKind.CRAWL_DELAY:
            return f"asked {kept} after the answer to {_of(before)}; the Crawl-delay was {owed}"
        case BreachKind.RETRY_AFTER:
            return f"asked {kept} after the {_status(before)} of {_of(before)}, which said: not for {owed}"
        case BreachKind.ROBOTS:
            return f"robots.txt forbade it: {short(breach.rule)}"
        case BreachKind.ROBOTS_UNKNOWN:
            return "asked before the robots.txt of its host was read"
        case BreachKind.ROBOTS_OLD:
            return f"the robots.txt was {breach.kept / 3600:.1f} h old; it counts for {breach.owed / 3600:.0f} h"
        case BreachKind.NEVERCRAWL:
            return f"it was on our list of domains never to be asked: {short(breach.rule)}"


def _of(line: LoggedRequest | None) -> str:
    return f"{exactly(line.time)} {short(line.url)}" if line else "the one before"


def _status(line: LoggedRequest | None) -> str:
    return str(line.status) if line else "answer"


_LABEL = 14
_BREACHES = 20
"""Breaches listed one by one; the file has all."""
_RULES = 40
"""Lines of a robots.txt that are shown."""


def case_text(case: Case, shown: int) -> str:
    """The whole answer: numbers, robots.txt, judgement, the last requests."""
    parts = [_head(case)]
    if case.lines:
        parts += [_numbers(case), _robots(case), judgement_text(case), _list(case, shown)]
    return "\n\n".join(filter(None, [*parts, "\n".join(case.notes)]))


def _head(case: Case) -> str:
    subject = case.subject
    what = f"{subject.host} alone" if subject.host else f"{subject.site} with all its hosts"
    if subject.prefix:
        what += f", URLs that begin with {subject.prefix}"
    begins = f"log since {moment(case.begins)[:10]}"
    since = f"since {moment(case.since)} UTC, {begins}" if case.since is not None else begins
    head = f"{printable(what)} ({since})"
    nothing = "the log holds no request there, and it is not complete." if case.notes else "nothing was asked there."
    return head if case.lines else f"{head}: {nothing}"


def _numbers(case: Case) -> str:
    sums = case.sums
    rows = [("not asked", _counted(sums.refused))]
    if not sums.requests:
        return _rows([("requests", "none went out"), *rows])
    hour, busiest = sums.busiest or (0.0, 0)
    rows = [
        ("requests", f"{count(sums.requests)}, all by GET, {size(sums.bytes)} of answers in {elapsed(sums.seconds)}"),
        ("time", f"{moment(sums.first)} to {moment(sums.last)} UTC"),
        ("busiest hour", f"{moment(hour)[:16]} to {moment(hour + HOUR)[11:16]} UTC, {plural(busiest, 'request')}"),
        ("gaps", _gaps(case)),
        ("delays", _delays(case)),
        ("answers", _counted(sums.statuses)),
        ("asked for", _counted(sums.kinds)),
        ("hosts", _counted(sums.hosts)),
        ("addresses", _counted(sums.addresses)),
        ("errors", _counted(counted_in_words(sums.errors))),
        *rows,
    ]
    return _rows(rows)


def _gaps(case: Case) -> str:
    if not case.sums.gaps:
        return ""
    least, median = case.sums.gaps
    return f"least {seconds(least)}, median {seconds(median)}, from the end of an answer to the next request"


def _delays(case: Case) -> str:
    if not case.sums.delays:
        return ""
    least, median, most = map(seconds, case.sums.delays)
    return f"least {least}, median {median}, most {most}, as the crawl meant to keep them"


def _counted(counts: Counter[str], most: int = 8) -> str:
    counts_text = [f"{short(name)} {count(number)}" for name, number in counts.most_common(most)]
    return ", ".join(counts_text) + (f" and {len(counts) - most} more" if len(counts) > most else "")


# -- robots.txt ----------------------------------------------------------------------------------------------------


def _robots(case: Case) -> str:
    texts = [text for authority in case.authorities for text in _versions(case, authority)]
    return "\n".join(["robots.txt", *texts]) if texts else "robots.txt\n  none was fetched in the time of the log"


def _versions(case: Case, authority: str) -> Iterator[str]:
    """Each version of a robots.txt, and how often it was found unchanged."""
    yield f"  {short(authority)}"
    same: list[LoggedRobots] = []
    for fetch in case.robots.fetches:
        if fetch.authority != authority:
            continue
        if same and not _is_news(same[0], fetch):
            same.append(fetch)
            continue
        yield from _again(same)
        yield from _version(case, fetch, first=not same)
        same = [fetch]
    yield from _again(same)


def _is_news(before: LoggedRobots, fetch: LoggedRobots) -> bool:
    return fetch.status != 304 and (fetch.status, fetch.body, fetch.url) != (before.status, before.body, before.url)


def _again(same: list[LoggedRobots]) -> Iterator[str]:
    if len(same) > 1:
        times = "once, on" if len(same) == 2 else f"{count(len(same) - 1)} times, last on"
        yield f"      then the same {times} {moment(same[-1].time)}"


def _version(case: Case, fetch: LoggedRobots, *, first: bool) -> Iterator[str]:
    at = "" if fetch.url == f"{fetch.authority}/robots.txt" else f" at {short(fetch.url)}"
    status = "no answer" if fetch.status is None else str(fetch.status)
    yield f"    {moment(fetch.time)} UTC  {status}, {size(fetch.size)}{at}: {_meaning(fetch.status)}"
    # Of a copy whose day is deleted the lines of later fetches have what it said to us.
    if (fetch.status and 200 <= fetch.status < 300) or (first and fetch.body):
        group = case.robots.rules(fetch.body).group_text.splitlines()
        yield from (f"        {short(line)}" for line in group[:_RULES])
        if len(group) > _RULES:
            yield f"        and {count(len(group) - _RULES)} more lines"
        if len(group) < 2:
            yield f"        {'no rule' if group else 'no group'} in it is for us: everything is allowed"


def _meaning(status: int | None) -> str:
    if status and 200 <= status < 300:
        return "what it says to us"
    if status and 300 <= status < 400:
        return "it was somewhere else" if status != 304 else "it is what it was"
    if status and 400 <= status < 500 and status != 429:
        return "there is none, so everything is allowed"
    return "not to be had, so nothing was allowed, or what it said before"


# -- the judgement -------------------------------------------------------------------------------------------------


def judgement_text(case: Case) -> str:
    """The judgement, and the rules it was made by."""
    found, sent = case.judgement, case.sums.requests
    if not sent:
        return "No request went out: there is nothing to judge."
    unproven = len(found.unproven)
    lines = [_verdict(case)]
    lines += [f"  {breach_text(breach)}" for breach in found.breaches[:_BREACHES]]
    if len(found.breaches) > _BREACHES:
        lines.append(f"  and {count(len(found.breaches) - _BREACHES)} more; -o FILE has them all")
    lines.append(_measured(case))
    if unproven:
        lines.append(
            f"  Not proved: of {plural(unproven, 'request')} the log cannot show what robots.txt said, since it does"
            " not go back far enough, or does not say whose file it was."
        )
    return "\n".join(lines)


def _verdict(case: Case) -> str:
    breaches = case.judgement.breaches
    if not breaches:
        return "We behaved, as far as the log shows: it is not complete." if case.notes else "We behaved."
    faults = Counter(breach.fault.value for breach in breaches)
    wrong = len({breach.line for breach in breaches})
    verb = "was" if wrong == 1 else "were"
    requests = plural(case.sums.requests, "request")
    return f"We did not behave: {count(wrong)} of {requests} {verb} wrong ({_counted(faults)})."


def _measured(case: Case) -> str:
    promises = case.promises
    return (
        f"  Checked against the log, {plural(case.sums.requests, 'request')}: one at a time; at least"
        f" {seconds(promises.min_delay)} (POLITENESS_MIN_DELAY) and the delay owed from the end of each answer;"
        f" Crawl-delay; Retry-After; robots.txt in force, not older than {promises.robots_age / 3600:.0f} h;"
        " NeverCrawl."
    )


# -- the list ------------------------------------------------------------------------------------------------------


def _list(case: Case, shown: int) -> str:
    lines = case.lines[-shown:] if shown else []
    if not lines:
        return ""
    wrong = {breach.line for breach in case.judgement.breaches}
    title = f"The last {count(len(lines))} of {plural(len(case.lines), 'line')} (-o FILE has them all)"
    if len(lines) == len(case.lines):
        title = f"All {plural(len(lines), 'line')}"
    head = f"  {'time (UTC)':<23} {'status':>6} {'bytes':>8} {'took':>8} {'gap':>10} {'delay':>8} {'kind':<7} URL"
    return "\n".join([title, head, *(_line(line, case, wrong=line in wrong) for line in lines)])


def _line(line: LoggedRequest, case: Case, *, wrong: bool) -> str:
    status = str(line.status) if line.status is not None else ("none" if line.sent else "-")
    rule = case.judgement.rules.get(line, "")
    remarks = [
        line.drop and f"dropped: {line.drop}",
        "" if line.drop and not line.sent else in_words(line.error),
        line.address and len(case.sums.addresses) > 1 and f"at {line.address}",
        line.retry_after and f"Retry-After: {line.retry_after}",
        rule and f"robots.txt: {rule}",
    ]
    remark = "; ".join(short(each) for each in remarks if each)
    return (
        f"{'!' if wrong else ' '} {exactly(line.time)} {status:>6} {line.bytes if line.sent else '-':>8}"
        f" {_number(line.duration):>8} {_number(case.gaps.get(line)):>10} {_number(line.delay):>8}"
        f" {printable(line.kind)[:7]:<7} {short(line.url)}{f'  ({remark})' if remark else ''}"
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _rows(rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"{label:<{_LABEL}}{text}" for label, text in rows if text)
