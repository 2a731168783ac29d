"""``scrapy botpage``: writes the page that the User-Agent links to."""

from __future__ import annotations

import argparse
import datetime as dt
from pathlib import Path

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from mediacrawl import __version__
from mediacrawl.base.files import replacing
from mediacrawl.base.text import say
from mediacrawl.commands.own import OwnCommand
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.crawl.policies import contact_of, delay_policy, is_anonymous, probe_policy, user_agent_of
from mediacrawl.politeness.botpage import MARK, BotPage, BotPageError
from mediacrawl.politeness.identity import agent_problem

_PROMISED = (("ROBOTS_ENABLED", True), ("REQUEST_LOG_ENABLED", True), ("COOKIES_ENABLED", False))
"""Settings whose values the page relies on."""


class Command(OwnCommand, ScrapyCommand):
    """Writes the crawler's information page from the settings."""

    usage = "[options]"
    summary = "Write the page that says who runs the crawler and how to block it"
    description = (
        "Writes one HTML file from the settings, to be put where MEDIACRAWL_CONTACT points: who runs the crawler,"
        " what it asks for, how to block it or slow it down, and where to complain. Set MEDIACRAWL_CONTACT,"
        " MEDIACRAWL_OPERATOR and MEDIACRAWL_EMAIL; MEDIACRAWL_PURPOSE and MEDIACRAWL_ADDRESSES add to it."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add our options to Scrapy's."""
        super().add_options(parser)
        add = parser.add_argument
        add("-o", "--output", default="-", metavar="FILE", help="where it goes (default: -, the terminal)")

    def run(self, _: list[str], opts: argparse.Namespace) -> None:
        """Write the page.

        Raises:
            UsageError: a setting is missing or cannot be used, or the file is another one.
        """
        try:
            page = bot_page(self._settings).html()
        except ValueError as error:
            raise UsageError(str(error)) from error
        if opts.output == "-":
            say(page.rstrip("\n"), as_is=True)
            return
        path = Path(opts.output)
        try:
            if path.exists() and MARK not in path.read_text(encoding="utf-8", errors="replace"):
                raise UsageError(f"{path} exists and is no page of scrapy botpage; name another file")
            with replacing(path, ".part") as file:
                file.write(page.encode("utf-8", "replace"))
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from error
        say(f"written to {opts.output}; put it where MEDIACRAWL_CONTACT points")


def bot_page(settings: BaseSettings) -> BotPage:
    """Make the page from the settings.

    Raises:
        ValueError: one of them cannot be used.
    """
    own, agent, contact = OwnSettings(settings), user_agent_of(settings), contact_of(settings)
    probe = probe_policy(settings)
    if is_anonymous(settings):
        raise BotPageError("the crawler has no address to complain to; set MEDIACRAWL_CONTACT to the URL of this page")
    for name, promised in _PROMISED:
        if own.getbool(name) is not promised:
            raise BotPageError(f"{name} = {not promised}, and the page would promise otherwise")
    if problem := agent_problem(agent, contact):
        raise BotPageError(f"USER_AGENT = {agent!r} {problem}")
    return BotPage(
        agent=agent,
        token=own.getstr("ROBOTS_TOKEN"),
        contact=contact,
        operator=own.getstr("MEDIACRAWL_OPERATOR"),
        email=own.getstr("MEDIACRAWL_EMAIL"),
        purpose=own.getstr("MEDIACRAWL_PURPOSE"),
        addresses=own.getlist("MEDIACRAWL_ADDRESSES"),
        delay=delay_policy(settings),
        page_bytes=own.getint("PAGE_MAX_BYTES"),
        head_bytes=probe.head_bytes,
        media_bytes=probe.max_bytes,
        media_requests=probe.max_requests,
        robots_age=own.getfloat("ROBOTS_MAX_AGE"),
        reload=own.getfloat("NEVERCRAWL_RELOAD"),
        log_days=own.getint("REQUEST_LOG_DAYS"),
        version=__version__,
        today=dt.datetime.now(dt.UTC).date(),
    )
