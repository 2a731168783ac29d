"""``scrapy complaint``: shows all requests to a site, and whether they were polite."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from mediacrawl.base.clock import since
from mediacrawl.base.text import printable, say, terminal_width
from mediacrawl.commands.nevercrawl import block
from mediacrawl.commands.own import OwnCommand
from mediacrawl.crawl.own_settings import OwnSettings, log_folder
from mediacrawl.crawl.policies import (
    contact_of,
    delay_policy,
    is_anonymous,
    load_nevercrawl,
    nevercrawl_files,
    user_agent_of,
)
from mediacrawl.programs.complaint import (
    ComplaintError,
    ConductPolicy,
    Logs,
    Sender,
    Subject,
    open_case,
    reply,
    subject_of,
    verdict,
)
from mediacrawl.scope import NeverCrawl, NeverCrawlError, canonical

BREACHED = 3
"""Exit code if breaches were found."""

_SHOWN = 20
"""Requests that are listed by default: what fits a screen."""


class Command(OwnCommand, ScrapyCommand):
    """Answers a complaint."""

    failures = (ComplaintError, NeverCrawlError)
    usage = "[options] SITE"
    summary = "Answer a complaint: what was asked of a site, and whether we behaved"
    description = (
        "Shows every request to SITE (a domain, a host or a URL: the whole registrable domain is meant) from the"
        " request logs, whether we kept what we owe, checked against the log, and the draft of a reply, with the"
        " site's robots.txt as it was at each time. It only reads, also beside a running crawl; but --block adds"
        " the site to NeverCrawl. Exit code: 0 we behaved, or nothing was asked; 3 we did not; 1 it could not be"
        " answered."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add our options to Scrapy's."""
        super().add_options(parser)
        add = parser.add_argument
        add("--since", metavar="WHEN", help="from when on: 2026-11-01 (UTC), 7d, 12h (default: all that is kept)")
        add("--host", action="store_true", help="only the host that is named, not the whole site")
        add("--url", metavar="PREFIX", default="", help="only URLs that begin so")
        add("--log", metavar="FOLDER", action="append", default=[], help="folder of logs, instead of that of"
            " MEDIACRAWL_DIR (or JOBDIR); may be given several times")  # fmt: skip
        add("--limit", metavar="N", type=int, default=_SHOWN, help=f"lines of the log at its end (default: {_SHOWN})")
        add("--reply", metavar="FILE", help="write the draft of the reply there, instead of showing it")
        add("--block", action="store_true", help="add the site (with --host the host) to NeverCrawl first")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the answer. Errors go to the standard error, with exit code 1."""
        if len(args) != 1:
            raise UsageError("scrapy complaint takes one SITE, as example.org")
        if opts.limit < 0:
            raise UsageError("--limit must be 0 or more")
        settings, now = self._settings, time.time()
        try:
            begin = datetime.fromisoformat(since(opts.since, now)).timestamp() if opts.since else None
        except ValueError as error:
            raise UsageError(f"--since: {error}") from error
        subject = subject_of(args[0], only_host=opts.host, prefix=opts.url)
        sender = Sender(
            contact="" if is_anonymous(settings) else contact_of(settings),
            operator=OwnSettings(settings).getstr("MEDIACRAWL_OPERATOR"),
            user_agent=user_agent_of(settings),
            token=OwnSettings(settings).getstr("ROBOTS_TOKEN"),
        )
        if opts.block:
            sender = _block(sender, subject, settings, now)
        logs = Logs.of(map(Path, opts.log or [log_folder(settings)]))
        case = open_case(subject, logs, since=begin, token=sender.token, promises=_promises(settings))
        say(verdict(case))
        draft = reply(case, sender, opts.limit)
        if opts.reply:
            Path(opts.reply).write_text(f"{draft}\n", encoding="utf-8")
            say(printable(f"the draft of a reply is in {opts.reply}"), sys.stderr)
        else:
            rule = "-" * min(terminal_width(sys.stdout) or 72, 72)
            options = "--limit N: with more lines of the log; --reply FILE: to a file"
            say(f"\n{rule}\nDraft of a reply ({options})\n{rule}\n{draft}")
        self.exitcode = 0 if case.judgement.behaved else BREACHED


def _block(sender: Sender, subject: Subject, settings: BaseSettings, now: float) -> Sender:
    """Add the site to NeverCrawl; return the sender who did."""
    before = nevercrawl_files(settings)
    added, sentences = block(settings, subject.host or subject.site, "complaint")
    for sentence in sentences:
        say(printable(sentence), sys.stderr)
    wait = OwnSettings(settings).getfloat("NEVERCRAWL_RELOAD") if added.new else 0.0
    restart = nevercrawl_files(settings) != before
    return replace(sender, blocked=added.entry.covers, blocked_from=now + wait, restart=restart)


def _promises(settings: BaseSettings) -> ConductPolicy:
    """Return the rules to judge by. A NeverCrawl list that cannot be read is reported and left out."""
    own, never = OwnSettings(settings), NeverCrawl()
    try:
        never = load_nevercrawl(settings)
    except NeverCrawlError as error:
        say(printable(f"NeverCrawl is left out of the judgement: {error}"), sys.stderr)
    return ConductPolicy(
        min_delay=delay_policy(settings).minimum,
        robots_age=own.getfloat("ROBOTS_MAX_AGE"),
        listed=lambda url: never.match_url(canonical(url) or url),
        listing_takes=own.getfloat("NEVERCRAWL_RELOAD"),
    )
