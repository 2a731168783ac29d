"""``mediacrawl init``: writes a small project for a crawl."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from mediacrawl.base.text import printable, say
from mediacrawl.commands.own import OwnCommand
from mediacrawl.politeness.identity import contact_problem

_CFG = """\
# It makes this folder a Scrapy project: scrapy and mediacrawl work here.
[settings]
default = settings
"""
_SETTINGS = '''\
"""Settings of this crawl. docs/settings.md of mediacrawl lists all of them."""

from pathlib import Path

from mediacrawl.settings import *  # noqa: F403

_HERE = Path(__file__).parent

# A page or a mail address of yours. It is part of the User-Agent of every request, so that the operator of a site can
# find you. While it is empty only this machine is crawled.
MEDIACRAWL_CONTACT = {contact!r}

# What is never requested. A change takes effect within 15 minutes, also while the crawl runs.
NEVERCRAWL_FILES = [str(_HERE / "NeverCrawl.txt"), "exclusions/NeverCrawl.txt"]

# Seconds after each of the first five requests to a site, at least; the default is 60, and 15 is the least that
# POLITENESS_MIN_DELAY allows. With it the first record comes within a minute where the first page names a file:
# robots.txt is requested first, then the page, then the file, in one to three parts.
POLITENESS_FIRST_DELAY = 15.0

# Frontier, request log and catalogue.
MEDIACRAWL_DIR = str(_HERE / ".mediacrawl")

# Metrics, and the report at http://127.0.0.1:9100/ while the crawl runs:
# METRICS_PORT = 9100

# A command or a webhook that is told when the crawl ends, or finds nothing for an hour:
# NOTIFY = "https://chat.example/hooks/crawl"
'''
_SEEDS = """\
# Start URLs: a URL or a domain on each line.
"""
_NEVERCRAWL = """\
# Domains, paths (site.example/private), addresses and networks that are never requested, one on each line. A comment
# behind an entry says why. To add one: scrapy nevercrawl add site.example --reason "asked by mail"
"""


class Command(OwnCommand, ScrapyCommand):
    """Writes ``scrapy.cfg``, ``settings.py``, ``seeds.txt`` and ``NeverCrawl.txt`` into a new folder.

    On disk: those four files. A kill may leave some of them; then the command refuses the folder.
    """

    usage = "[options] FOLDER"
    summary = "Write a small project for a crawl: settings, seeds, NeverCrawl list"
    description = (
        "Writes scrapy.cfg, settings.py, seeds.txt and NeverCrawl.txt into FOLDER, which must be new or empty. In"
        " it, scrapy crawl media -a seed=seeds.txt starts the crawl."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add our options to Scrapy's."""
        super().add_options(parser)
        add = parser.add_argument
        add("--contact", default="", metavar="URL", help="a page or a mail address of yours")
        add("--seed", action="append", default=[], metavar="URL", help="a start URL for seeds.txt; may be repeated")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Write the files, and say what to type next.

        Raises:
            UsageError: no folder is named, or it is not empty, or the contact cannot be used.
        """
        if len(args) != 1:
            raise UsageError("name one folder")
        if opts.contact and (problem := contact_problem(opts.contact)):
            raise UsageError(f"--contact {printable(opts.contact)} {problem}")
        if any("\n" in each or "\r" in each for each in opts.seed):
            raise UsageError("--seed holds a line feed; repeat the option instead")
        folder = Path(args[0])
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{printable(str(folder))} exists and is no empty folder; nothing was written")
        folder.mkdir(parents=True, exist_ok=True)
        files = {
            "scrapy.cfg": _CFG,
            "settings.py": _SETTINGS.format(contact=opts.contact),
            "seeds.txt": _SEEDS + "".join(f"{seed}\n" for seed in opts.seed),
            "NeverCrawl.txt": _NEVERCRAWL,
        }
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        say(f"{printable(str(folder))} has {', '.join(files)}. Next:\n")
        say(f"  cd {printable(shlex.quote(str(folder)))}")
        if not opts.contact:
            say("  edit settings.py            # MEDIACRAWL_CONTACT: a page or a mail address of yours")
        if not opts.seed:
            say("  edit seeds.txt              # your start URLs")
        say("  scrapy crawl media -a seed=seeds.txt")
        say("  scrapy top                  # in another terminal")
        say("  scrapy report -o crawl.html")
