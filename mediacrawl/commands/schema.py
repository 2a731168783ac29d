"""``mediacrawl schema``: the JSON Schema of the records."""

from __future__ import annotations

import argparse
import json

from scrapy.commands import ScrapyCommand

from mediacrawl.base.text import say
from mediacrawl.commands.own import OwnCommand
from mediacrawl.record import MediaItem


class Command(OwnCommand, ScrapyCommand):
    """Prints the JSON Schema of the records that crawls store and export."""

    usage = ""
    summary = "Print the JSON Schema of the records"
    description = (
        "Prints the JSON Schema (draft 2020-12) of a record: of an item in a feed export, and of a line of"
        " scrapy catalogue --export. docs/record.md describes the fields for people."
    )

    def run(self, _: list[str], __: argparse.Namespace) -> None:
        """Print it."""
        say(json.dumps(MediaItem.schema(), ensure_ascii=False, indent=2), as_is=True)
