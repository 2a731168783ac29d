"""Rules for URLs that programs generate without end: growing paths, calendars, and combinations of filters.

Each rule reads the URL alone. The rules are few and conservative, since a false positive loses real pages: a trap that
they miss is bounded by the queue of its site.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date

from mediacrawl.base.terms import Drop
from mediacrawl.scope.extensions import MEDIA_EXTENSIONS, extension_of
from mediacrawl.scope.wrapped import unwrapped

# The years of all that has the shape of a date: "2031-05", "20310512", "=2031", "=203105", "5%2F12%2F2031". It passes
# over most identifiers. Four classes in a row are found twice as fast as one with {4}.
_years = re.compile(
    r"([0-9][0-9][0-9][0-9])(?:(?:[-/._]|%2F)(?:0?[1-9]|1[0-2])(?![0-9])|(?=[0-9]{4}(?![0-9]))"
    r"|(?<=[=F.-][0-9]{4})(?:[0-9]{2})?(?![0-9]))"
).findall
# Year, mark and month of "2031-05", "2031/5", "2031/05/12", "20310512", but not of "4f4468e8-1114-9a"; in a query also
# of "203105", behind a name of dates: six digits are an identifier more often.
_DASHED = r"(?<![0-9a-z])([0-9]{4})([-/._]|%2f)(0?[1-9]|1[0-2])(?![0-9a-z])"
_COMPACT = r"(?<![0-9a-z])(2[01][0-9]{2})()(0[1-9]|1[0-2])"
_DAY = "(?:0[1-9]|[12][0-9]|3[01])"
_date_in_path = re.compile(rf"{_DASHED}|{_COMPACT}{_DAY}(?![0-9])").search
_dashed = re.compile(_DASHED).findall
_compact = re.compile(
    r"[?&](?:[a-z_]*(?:date|day|month|year|start|end|from|since|until|tag|monat|jahr|mois|mes)[a-z_]*|[dmy]|cal)="
    rf"{_COMPACT}{_DAY}?(?![0-9])"
).findall
_years_in_query = re.compile(
    r"[?&](?:[a-z_]*year|[a-z_]*date|y|jahr|datum|annee|anno)="
    r"(?:(?:[0-9]{1,2}(?:[-/.]|%2f)){2})?([0-9]{4})(?![0-9])"
).findall

# f[0]=colour&f[1]=size: one name with a number in it.
_number_in_brackets = re.compile(r"(%5B|\[)[0-9]+(?=%5D|\])").sub

# Whole words of the path, or names in the query. Only a calendar has pages for every month of the past;
# archives have real pages of 1977.
_WORD = r"[/?&_.\-](?:{})(?=[/=&_.?\-]|$)"
_CALENDAR = "[ck]alend[a-z]*|agenda|schedule|termine|cal|ical|month|monat|mois|mes|week|day|tribe"
_DATED = (
    "events?|veranstaltung(?:en)?|even(?:e?ments?|ementen|emang)|eventos|eventi|akce|wydarzenia|tapahtumat|etkinlikler"
    "|arrangement(?:er)?|esemenyek|programma?|archiv[a-z]*|year|date|jahr"
)
_is_calendar = re.compile(_WORD.format(_CALENDAR)).search
_is_dated = re.compile(_WORD.format(_DATED)).search
# A page of a calendar has no name of its own behind its date: only a day, how it is shown, the page of a list.
_VIEW = f"{_CALENDAR}|{_DATED}|list|grid|view|page|index|default|today|all|print|feed|html?|php|aspx?|ics|t[0-9]+z?"
_is_view = re.compile(
    rf"(?:[-/._~:]|(?:{_VIEW})(?![a-z])|w?[0-9]{{1,2}}(?![0-9a-z])|2[01][0-9]{{2}}(?![0-9a-z]))*+"
).fullmatch


@dataclass(slots=True)
class Traps:
    """The trap rules with their limits.

    Attributes:
        max_length: characters of a URL.
        max_segments: segments of a path.
        max_repeats: occurrences of one segment in a path.
        max_cycles: repetitions in a row of a run of two or more segments, the first one included.
        years_ahead: how far a calendar may reach into the future.
        first_year: the earliest year of a calendar.
        max_parameters: parameters of a query.
        max_same_parameter: occurrences of one name in a query, regardless of numbers in brackets.
    """

    max_length: int = 2_048
    max_segments: int = 20
    max_repeats: int = 3
    max_cycles: int = 2
    years_ahead: int = 1
    first_year: int = 1990
    max_parameters: int = 12
    max_same_parameter: int = 3
    _few: int = field(init=False, repr=False)
    _doubles: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # Up to so many parts of a URL there is no trap in its path, and none with fewer doubles among them. A query
        # makes the last segment look different, so the doubles are one fewer than the rules ask for.
        self._few = 3 + min(self.max_segments, self.max_repeats)
        self._doubles = min(self.max_repeats, 2 * self.max_cycles) - 1

    def reason(self, url: str, today: date) -> Drop | None:
        """Return why a canonical URL looks like a trap, or None."""
        return self.reason_of_parts(url, url.split("/"), today)

    def reason_of_parts(self, url: str, parts: list[str], today: date) -> Drop | None:
        """As `reason`, for a URL that is split at its slashes already: scheme, nothing, authority, segments."""
        if len(url) > self.max_length:
            return Drop.LENGTH
        number = len(parts)
        if number > self._few and (number - len(set(parts)) >= self._doubles or number > 3 + self.max_segments):
            reason = self._path_reason(parts)
            # Prefixes that count downloads repeat segments, and each adds some.
            if reason is not None and unwrapped(url, is_enclosure=True) is None:
                return reason
        if "&" in url and self._is_facet(parts[-1]):
            return Drop.TRAP_FACETS
        first, last = self.first_year, today.year
        for year in _years(url, 8 + len(parts[2])):
            # Nearly all dates are in these years.
            if not first <= int(year) <= last:
                return Drop.TRAP_CALENDAR if self._is_endless_calendar(url, today) else None
        return None

    def _path_reason(self, parts: list[str]) -> Drop | None:
        if len(parts) > 3 + self.max_segments:
            return Drop.TRAP_SEGMENTS
        segments = [*parts[3:-1], parts[-1].partition("?")[0]]
        if any(segments.count(segment) > self.max_repeats for segment in set(segments)):
            return Drop.TRAP_REPEAT
        return Drop.TRAP_REPEAT if self._cycles(segments) else None

    def _cycles(self, segments: list[str]) -> bool:
        """Tell whether a run of segments is repeated too often: a/b/a/b/a/b."""
        times = self.max_cycles + 1
        for period in range(2, len(segments) // times + 1):
            alike = 0
            for first, second in zip(segments, segments[period:], strict=False):
                alike = alike + 1 if first == second else 0
                if alike == period * (times - 1):
                    return True
        return False

    def _is_facet(self, last: str) -> bool:
        # Most queries are short: there are never more names than marks between them, plus one.
        marks = last.count("&") + 1
        if marks <= min(self.max_parameters, self.max_same_parameter):
            return False
        names = [part.partition("=")[0] for part in last.partition("?")[2].split("&")]
        if len(names) > self.max_parameters:
            return True
        names = [_number_in_brackets(r"\1", name) for name in names]
        return any(names.count(name) > self.max_same_parameter for name in set(names))

    def _is_endless_calendar(self, url: str, today: date) -> bool:
        path = url[url.find("/", 8) :].lower()
        # Media are no pages of a calendar.
        return self._is_out_of_time(path, today) and extension_of(url) not in MEDIA_EXTENSIONS

    def _is_out_of_time(self, url: str, today: date) -> bool:
        """Tell whether a URL has a date out of time, and nothing behind it that tells it from others of its class."""
        path, _, query = url.partition("?")
        found = _date_in_path(path)
        if found and not _is_view(path, found.end()):
            return False
        written = f"?d={found[0] if found else ''}&{query}"
        dates = [((int(year), int(month)), mark) for year, mark, month in _dashed(written) + _compact(written)]
        limit = (today.year + self.years_ahead, today.month)
        # A calendar is walked month by month, so /2031/05/ is stopped in the years that follow. /4821/11/ may be an
        # identifier.
        if any(mark == "/" and limit < month < (2200, 1) for month, mark in dates):
            return True
        if any(month[0] < self.first_year for month, _ in dates) and _is_calendar(url):
            return True
        if any(month > limit for month, _ in dates) and (_is_calendar(url) or _is_dated(url)):
            return True
        return any((int(year), 1) > limit for year in _years_in_query(url))
