"""The accounts of several processes as one: numbers are added, the largest stay the largest."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from mediacrawl.fleet.account import Account, is_number
from mediacrawl.observe import CrawlFacts

_SUMS = (
    *("pages", "new_records", "updated_records", "requests", "bytes_received", "media_bytes_read"),
    *("media_bytes_total", "faults", "lost_lines"),
    *("ended_pages", "new_nuggets", "even_pages", "even_nuggets", "last_pages", "last_nuggets"),
)
_BY_NAME = ("media", "media_sites", "sites", "refusals", "errors")
_WORD = re.compile(r"[^a-z]+")
_RATE = "_per_minute"
_BEGAN = "start_time"
_LAST = frozenset({"finish_time"})


def added(accounts: Iterable[Account]) -> Account:
    """Join accounts, in any order.

    Stats that are numbers are added; those with ``max`` or ``min`` in their name keep the largest and the smallest, and
    so do ``elapsed_time_seconds`` and the times of the end and of the beginning. Rates a minute are left out: they
    cannot be added over processes that ran one after the other. Of other values all that differ are named.

    What the facts say of the frontier, which is the same for all, is what was written last.
    """
    ordered = sorted(accounts, key=lambda account: account.written)
    if not ordered:
        return Account()
    nothing: dict[str, Any] = {}
    stats = reduce(_stats, (account.stats for account in ordered), nothing)
    return Account(ordered[-1].written, stats, _facts([account.facts for account in ordered]))


def _stats(these: dict[str, Any], those: Mapping[str, Any]) -> dict[str, Any]:
    both = dict(these)
    for name, value in those.items():
        if not name.endswith(_RATE):
            both[name] = _joined(name, both[name], value) if name in both else value
    return both


def _joined(name: str, one: Any, other: Any) -> Any:
    words = _WORD.split(name)
    if is_number(one) and is_number(other):
        if "max" in words or name == "elapsed_time_seconds":
            return max(one, other)
        return min(one, other) if "min" in words else one + other
    if name == _BEGAN:
        return min(str(one), str(other))
    if name in _LAST:
        return max(str(one), str(other))
    return one if one == other else ", ".join(sorted({*str(one).split(", "), *str(other).split(", ")}))


def _facts(all_facts: Sequence[CrawlFacts]) -> CrawlFacts:
    counted: dict[str, Any] = {name: sum(getattr(facts, name) for facts in all_facts) for name in _SUMS}
    counted |= {name: _by_name(getattr(facts, name) for facts in all_facts) for name in _BY_NAME}
    return replace(all_facts[-1], **counted, response_times=_means(all_facts))


def _by_name(all_counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for counts in all_counts:
        total.update(counts)
    return dict(total)


def _means(all_facts: Iterable[CrawlFacts]) -> dict[str, float]:
    """Mean response times by site, each worker's by the number of its requests there."""
    seconds: defaultdict[str, float] = defaultdict(float)
    requests: Counter[str] = Counter()
    for facts in all_facts:
        for site, mean in facts.response_times.items():
            number = facts.sites.get(site, 0)
            seconds[site] += mean * number
            requests[site] += number
    return {site: seconds[site] / number for site, number in requests.items() if number}
