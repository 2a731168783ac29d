"""``mediacrawl completion``: completes commands and their options in a shell."""

from __future__ import annotations

import argparse

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.utils.project import inside_project

from mediacrawl.base.text import say
from mediacrawl.commands.own import OwnCommand
from mediacrawl.crawl import scrapy_internals

_AS_SCRAPY = {
    # With files where no word fits.
    "bash": "complete -o bashdefault -o default -F _shtab_mediacrawl mediacrawl scrapy",
    "zsh": "compdef _shtab_mediacrawl scrapy",
    "fish": "complete -c scrapy -w mediacrawl",
}
"""By shell: completes the program ``scrapy`` likewise."""
_SPIDERS = ("feeds", "media", "recheck")


class Command(OwnCommand, ScrapyCommand):
    """Prints a completion script for bash, zsh or fish, made of the commands that are installed."""

    verbs = tuple(_AS_SCRAPY)

    usage = "bash|zsh|fish"
    summary = "Print a script that completes commands and options in a shell"
    description = (
        'Prints a completion script. bash: eval "$(mediacrawl completion bash)" in ~/.bashrc; zsh: the same, with'
        " zsh, in ~/.zshrc behind compinit; fish: mediacrawl completion fish >"
        " ~/.config/fish/completions/mediacrawl.fish."
    )

    def run(self, args: list[str], _: argparse.Namespace) -> None:
        """Print the script.

        Raises:
            UsageError: the shell is not named, or not known.
        """
        import shtab  # noqa: PLC0415 - no other command needs it

        if len(args) != 1 or args[0] not in self.verbs:
            raise UsageError(f"name a shell: {', '.join(self.verbs)}")
        known = scrapy_internals.command_objects(self._settings, inproject=inside_project())
        parser = argparse.ArgumentParser(prog="mediacrawl")
        commands = parser.add_subparsers()
        for name, command in sorted(known.items()):
            command.settings = self._settings
            options = commands.add_parser(name, help=command.short_desc(), conflict_handler="resolve")
            command.add_options(options)
            if words := _SPIDERS if name == "crawl" else getattr(command, "verbs", ()):
                options.add_argument("the first word", choices=list(words))
            options.add_argument("further words", nargs="*")
            for action in options._actions:  # noqa: SLF001 - argparse has no other list of its options
                if action.nargs != 0 and not action.choices:
                    action.complete = shtab.FILE  # type: ignore[attr-defined]
        say(f"{shtab.complete(parser, args[0])}\n{_AS_SCRAPY[args[0]]}", as_is=True)
