"""``scrapy complaint``: shows all requests to a site, and whether they were polite."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from mediacrawl.commands import Checked, refuse_options, say
from mediacrawl.commands.nevercrawl import block
from mediacrawl.complaint import (
    Blocked,
    Case,
    ComplaintError,
    ConductPolicy,
    Logs,
    Sender,
    Subject,
    as_json,
    case_text,
    open_case,
    reply,
    since_when,
    subject_of,
    write,
)
from mediacrawl.config.own_settings import OwnSettings
from mediacrawl.config.paths import log_folder
from mediacrawl.config.policies import (
    contact_of,
    delay_policy,
    is_anonymous,
    load_nevercrawl,
    nevercrawl_files,
    user_agent_of,
)
from mediacrawl.observe.format import plural
from mediacrawl.observe.text import printable, terminal_width
from mediacrawl.scope import Exclusion, NeverCrawlError, canonical

BREACHED = 3
"""Exit code if breaches were found."""

_SHOWN = 20
"""Requests that are listed by default: what fits a screen."""


class Command(Checked, ScrapyCommand):
    """Answers a complaint."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Arguments of the command."""
        return "[options] SITE"

    def short_desc(self) -> str:
        """One line for ``scrapy -h``."""
        return "Answer a complaint: what was asked of a site, and whether we behaved"

    def long_desc(self) -> str:
        """The help text."""
        return (
            "Shows every request to SITE (a domain, a host or a URL: the whole registrable domain is meant) from the"
            " request logs, its robots.txt as it was at each time, whether we kept what we owe, checked against the"
            " log, and the draft of a reply. It only reads, also beside a running crawl; but --block adds the site to"
            " NeverCrawl. Exit code: 0 we behaved, or nothing was asked; 3 we did not; 1 it could not be answered."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Scrapy's own options and ours."""
        super().add_options(parser)
        add = parser.add_argument
        add("--since", metavar="WHEN", help="from when on: 2026-11-01 (UTC), 7d, 12h (default: all that is kept)")
        add("--host", action="store_true", help="only the host that is named, not the whole site")
        add("--url", metavar="PREFIX", default="", help="only URLs that begin so")
        add("--log", metavar="FOLDER", action="append", default=[], help="folder of logs, instead of that of"
            " MEDIACRAWL_DIR (or JOBDIR); may be given several times")  # fmt: skip
        add("--limit", metavar="N", type=int, default=_SHOWN, help=f"requests that are listed (default: {_SHOWN})")
        add("-o", "--output", metavar="FILE", help="all requests, as an attachment: .csv, or JSON lines")
        add("--reply", metavar="FILE", help="write the draft of the reply there, instead of showing it")
        add("--block", action="store_true", help="add the site (with --host the host) to NeverCrawl first")
        add("--json", action="store_true", help="all but the requests as one JSON object")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the answer. Errors go to the standard error, with exit code 1."""
        refuse_options(args)
        if len(args) != 1:
            raise UsageError("scrapy complaint takes one SITE, as example.org")
        if opts.limit < 0:
            raise UsageError("--limit must be 0 or more")
        assert self.settings is not None
        try:
            self._answer(args[0], opts, self.settings, time.time())
            sys.stdout.flush()
        except (ComplaintError, NeverCrawlError) as error:
            self._fail(str(error))
        except BrokenPipeError:
            raise
        except OSError as error:
            self._fail(f"{error.filename}: {error.strerror or error}")

    def _answer(self, written: str, opts: argparse.Namespace, settings: BaseSettings, now: float) -> None:
        subject = subject_of(written, only_host=opts.host, prefix=opts.url)
        since = since_when(opts.since, now) if opts.since else None
        blocked = self._block(subject, settings, now) if opts.block else None
        logs = Logs.of(map(Path, opts.log or [log_folder(settings)]))
        token, promises = OwnSettings(settings).getstr("ROBOTS_TOKEN"), self._promises(settings)
        case = open_case(subject, logs, now, since=since, token=token, promises=promises)
        if opts.output:
            rows = write(case, Path(opts.output))
            _tell(f"{plural(rows, 'line', 'is')} in {opts.output}")
        draft = reply(case, _sender(settings, token, opts.output, blocked))
        if opts.reply:
            Path(opts.reply).write_text(f"{draft}\n", encoding="utf-8")
            _tell(f"the draft of a reply is in {opts.reply}")
        if opts.json:
            say(json.dumps({**as_json(case), "reply": draft}), as_is=True)
        else:
            _say(case, opts.limit, None if opts.reply else draft)
        self.exitcode = 0 if case.judgement.behaved else BREACHED

    def _block(self, subject: Subject, settings: BaseSettings, now: float) -> Blocked:
        """Add the site to NeverCrawl."""
        before = nevercrawl_files(settings)
        added, sentences = block(settings, subject.host or subject.site, "complaint")
        for sentence in sentences:
            _tell(sentence)
        wait = OwnSettings(settings).getfloat("NEVERCRAWL_RELOAD") if added.new else 0.0
        return Blocked(added.entry.covers, now + wait, restart=nevercrawl_files(settings) != before)

    def _promises(self, settings: BaseSettings) -> ConductPolicy:
        own = OwnSettings(settings)
        return ConductPolicy(
            min_delay=delay_policy(settings).minimum,
            robots_age=own.getfloat("ROBOTS_MAX_AGE"),
            listed=_listed(settings),
            listing_takes=own.getfloat("NEVERCRAWL_RELOAD"),
        )


def _listed(settings: BaseSettings) -> Callable[[str], Exclusion | None]:
    """Looks URLs up in NeverCrawl. A list that cannot be read is reported and left out."""
    try:
        never = load_nevercrawl(settings)
    except NeverCrawlError as error:
        _tell(f"NeverCrawl is left out of the judgement: {error}")
        return lambda _: None
    return lambda url: never.match_url(canonical(url) or url)


def _sender(settings: BaseSettings, token: str, attached: str | None, blocked: Blocked | None) -> Sender:
    return Sender(
        contact="" if is_anonymous(settings) else contact_of(settings),
        operator=OwnSettings(settings).getstr("MEDIACRAWL_OPERATOR"),
        user_agent=user_agent_of(settings),
        token=token,
        attached=Path(attached).name if attached else "",
        blocked=blocked,
    )


def _say(case: Case, limit: int, draft: str | None) -> None:
    say(case_text(case, limit))
    if draft is not None:
        rule = "-" * min(terminal_width(sys.stdout) or 72, 72)
        say(f"\n{rule}\nDraft of a reply (--reply FILE writes it to a file)\n{rule}\n{draft}")


def _tell(sentence: str) -> None:
    """Print to the standard error."""
    say(printable(sentence), sys.stderr)
