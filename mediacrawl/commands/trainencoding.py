"""``scrapy trainencoding``: trains a model of a user's own language."""

from __future__ import annotations

import argparse

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from mediacrawl.base.text import printable, say
from mediacrawl.commands.own import OwnCommand
from mediacrawl.encoding import ModelError, train


class Command(OwnCommand, ScrapyCommand):
    """Trains a model of a language, for the setting ``MOJIBAKE_MODELS``."""

    failures = (ModelError,)
    usage = "[options] LANG TEXT [TEXT ...]"
    summary = "Train the encoding models in a language of your own"
    description = (
        "Makes a model file of the language LANG (a code such as cv or be-Latn) from text files in UTF-8, plain or"
        " gzip. A few hundred KB of any prose will do. Letters, script and encodings are found out from the text"
        " unless you name them. Name the file in the setting MOJIBAKE_MODELS to use it; a language that the program"
        " has already is replaced by yours."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add our options to Scrapy's."""
        super().add_options(parser)
        add = parser.add_argument
        add("-o", "--output", metavar="FILE", help="the model file (default: LANG.bin)")
        add("--letters", metavar="ABC", default="", help="the alphabet in lower case")
        add("--encodings", metavar="A,B", default="", help="its 8-bit encodings, most common first, as windows-1252")
        add("--script", metavar="NAME", default="", help="its writing, as latin or cyrillic")
        add("--like", metavar="LANG", default="", help="a bundled language with the same script and encodings")
        add("--tlds", metavar="A,B", default="", help="country domains of its speakers, as ru,by")
        add("--weight", metavar="N", type=float, default=1.0, help="how common it is; Russian is 8 (default: 1)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Train. Errors go to the standard error, and the exit code is 1."""
        if len(args) < 2:
            raise UsageError("scrapy trainencoding takes the code of a language and at least one text file")
        output = opts.output or f"{args[0]}.bin"
        trained = train(
            args[0],
            args[1:],
            output=output,
            like=opts.like,
            script=opts.script,
            letters=opts.letters,
            encodings=_names(opts.encodings),
            weight=opts.weight,
            tlds=_names(opts.tlds),
        )
        for line in trained.report(output):
            say(printable(line))


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip().lower() for name in text.split(",") if name.strip()))
