"""``mediacrawl schema``: the JSON Schema of the records."""

from __future__ import annotations

import argparse
import json

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from mediacrawl.commands import OwnCommand, refuse_options
from mediacrawl.model.item import record_schema
from mediacrawl.observe.text import say


class Command(OwnCommand, ScrapyCommand):
    """Prints the JSON Schema of the records that crawls store and export."""

    usage = ""
    summary = "Print the JSON Schema of the records"
    description = (
        "Prints the JSON Schema (draft 2020-12) of a record: of an item in a feed export, and of a line of"
        " scrapy catalogue --export. docs/record.md describes the fields for people."
    )

    def run(self, args: list[str], _: argparse.Namespace) -> None:
        """Print it.

        Raises:
            UsageError: there is an argument.
        """
        refuse_options(args)
        if args:
            raise UsageError(f"schema takes no arguments, but got {args[0]!r}")
        say(json.dumps(record_schema(), ensure_ascii=False, indent=2), as_is=True)
