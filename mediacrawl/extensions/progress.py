"""Shows a progress line while the crawl runs, a summary at its end, and why nothing was read."""

from __future__ import annotations

import logging
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from mediacrawl.base.format import in_words
from mediacrawl.base.terms import End, Kind, Outcome
from mediacrawl.base.text import can_redraw, cut, terminal_width
from mediacrawl.base.visit import Visit
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.extensions.status_file import StatusFile
from mediacrawl.log.messages import LIMITS, nothing_read
from mediacrawl.watch.adapter_counts import summary_lines
from mediacrawl.watch.progress import ProgressFacts, progress_line
from mediacrawl.watch.report import CrawlFacts, summary

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

INTERVAL = 1.0
"""Seconds between two progress lines on a terminal."""

_SITES = 10_000
"""Sites that do not answer, and sites whose answers went beyond a limit, which are kept."""
_LONGEST = 200
"""Columns of a URL."""
_FIRST_VISITS = 5
"""Requests to a site of which the delay is that of new sites: its mean is of so many response times."""


class Progress(CrawlComponent):
    """Shows one progress line, and a summary at the end.

    On a terminal the line is redrawn every `INTERVAL` seconds; without one (scrapyd, cron, pipes) it is
    logged every ``LOGSTATS_INTERVAL`` seconds.

    It writes to stderr: scrapyd and feed exports use stdout.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        super().__init__(crawler, context)
        self._terminal = can_redraw(sys.stderr) and not context.settings.get("LOG_FILE")
        seconds = INTERVAL if self._terminal else context.settings.getfloat("LOGSTATS_INTERVAL", 60.0)
        self._interval = seconds or 60.0
        self._began = self._clock.now()
        self._over_limits: dict[tuple[str, str], str] = {}
        self._silent: dict[str, str] = {}
        self.text = ""
        """The summary, once the crawl has ended."""
        self._drawn: _TerminalLine | None = _TerminalLine() if self._terminal else None

    def facts(self, reason: str = "") -> CrawlFacts:
        """Return the current numbers of the crawl; `reason` is empty while it runs."""
        stats, context = self._crawler.stats.get_stats(), self._context
        tally, totals, catalogue = context.tally, context.totals(stats), context.catalogue
        return CrawlFacts(
            **totals.by_name(),
            duration=self._clock.now() - self._began,
            finish_reason=reason,
            before=context.earlier,
            media_sites=dict(tally.media_sites),
            asked=dict(tally.asked),
            response_times={site: seconds / tally.asked[site] for site, seconds in tally.seconds.items()},
            examples={limit: url for (limit, _), url in reversed(self._over_limits.items())},
            adapters=summary_lines(context.adapters.counts),
            catalogue_path=str(catalogue or ""),
            next_command=catalogue_command(str(catalogue)) if catalogue else "",
            log_path=self._log_path(),
        )

    def _log_path(self) -> str:
        """The folder of the request log; empty if none is written."""
        folder = self._context.log_folder
        is_on = OwnSettings(self._context.settings).getbool("REQUEST_LOG_ENABLED")
        return str(folder) if is_on and folder.is_dir() else ""

    def _opened(self) -> None:
        self._began = self._clock.now()
        if self._drawn is not None:
            self._drawn.attach()
        self._repeat(self._interval, self._show)

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        for limit in (*visit.fetch.limits, *visit.decision.limits):
            self._crawler.stats.inc_value(f"limit/{limit}")
            self._name_over_limit(limit, visit)
        if outcome.asked:
            self._note_silence(visit)

    def _name_over_limit(self, limit: str, visit: Visit) -> None:
        """Log the first answer of a site that went beyond a limit, and keep its URL."""
        key = limit, visit.lease.site
        if key not in self._over_limits and len(self._over_limits) < _SITES:
            self._over_limits[key] = visit.fetch.url
            url = cut(visit.fetch.url, _LONGEST)
            logger.warning("%s went beyond a limit: %s", url, LIMITS.get(limit, limit))

    def _note_silence(self, visit: Visit) -> None:
        """Keep the sites whose last request had no answer."""
        site = visit.lease.site
        if visit.fetch.status:
            self._silent.pop(site, None)
        elif visit.error and len(self._silent) < _SITES:
            self._silent[site] = in_words(visit.error)

    def _show(self) -> None:
        line = self._line((terminal_width(sys.stderr) or 100) - 1 if self._terminal else 200)
        if self._drawn is not None:
            self._drawn.draw(line)
        else:
            logger.info("%s", line)

    def _line(self, width: int) -> str:
        totals, now = self._context.totals(self._crawler.stats.get_stats()), self._clock.now()
        status = self._crawler.get_extension(StatusFile)
        facts = ProgressFacts(
            now=now,
            began=self._began,
            rates=status.rates() if status else None,
            requests_out=self._context.counts().leased,
            new_site_delay=self._context.applied_delay.first if self._new_sites else 0.0,
            silent=list(self._silent.items()),
            title=status.last_title if status else "",
            left=status.time_left() if status else "",
        )
        return progress_line(totals, facts, width)

    @property
    def _new_sites(self) -> bool:
        """Whether most requests were the first ones of their sites, so that the delay of new sites decides the pace."""
        tally = self._context.tally
        return tally.totals.requests < _FIRST_VISITS * max(len(tally.asked), 1)

    def _closed(self, reason: str) -> None:
        if self._drawn is not None:
            self._drawn.detach()
        self.text = summary(self.facts(reason), terminal_width(sys.stderr) or 100)
        if OwnSettings(self._context.settings).getbool("PROGRESS_SUMMARY"):
            logger.info("Summary\n%s", self.text)


def catalogue_command(catalogue: str) -> str:
    """Return the command that shows a catalogue, by the path of this program if the shell does not find it."""
    program = Path(sys.argv[0])
    name = program.name if program.name in {"mediacrawl", "scrapy"} else "mediacrawl"
    is_found = name != program.name or shutil.which(name)
    return shlex.join([name if is_found else os.path.relpath(program), "catalogue", "--db", catalogue])


class _TerminalLine:
    """A line at the bottom of a terminal, cleared before each log line."""

    def __init__(self) -> None:
        self._text = ""
        self._wrapped: list[logging.StreamHandler[TextIO]] = []

    def attach(self) -> None:
        """Clear the line before every log line."""
        for handler in (*logging.getLogger().handlers, *logging.getLogger("mediacrawl").handlers):
            if isinstance(handler, logging.StreamHandler) and handler.stream is sys.stderr:
                handler.addFilter(self._wipe)
                self._wrapped.append(handler)

    def detach(self) -> None:
        """Clear the line, and remove the filters."""
        self._wipe(None)
        for handler in self._wrapped:
            handler.removeFilter(self._wipe)
        self._wrapped.clear()

    def draw(self, text: str) -> None:
        """Show `text` in place of what was shown."""
        sys.stderr.write(f"\r{text}\x1b[K")
        sys.stderr.flush()
        self._text = text

    def _wipe(self, _: logging.LogRecord | None) -> bool:
        if self._text:
            sys.stderr.write("\r\x1b[K")
            self._text = ""
        return True


_BY_ITSELF = frozenset({"finished", "network_down"})


class LastWord(CrawlComponent):
    """Logs a sentence if a crawl has ended by itself and has read nothing (`log.messages.nothing_read`).

    Only for spiders that begin with seeds and set `CrawlContext.refused_seeds`. A worker on Redis logs it if no other
    worker has read anything either.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        super().__init__(crawler, context)
        self._has_read = False

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:  # noqa: ARG002
        self._has_read |= 200 <= visit.fetch.status < 300 and visit.fetch.kind is not Kind.ROBOTS

    def _closed(self, reason: str) -> None:
        context, counts = self._context, self._context.counts()
        refused = context.refused_seeds
        if refused is None or self._has_read or reason not in _BY_ITSELF:
            return
        has_added = self._crawler.stats.get_value("frontier/new", 0)
        if context.remote is not None and counts.ends.get(End.DONE) and has_added:
            # Another worker may have read it.
            return
        waiting = counts.waiting + counts.leased - counts.shelved
        if text := nothing_read(refused, counts.ends, context.tally.totals.failures, waiting, counts.shelved):
            logger.warning("%s", text)
