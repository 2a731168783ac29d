"""``mediacrawl completion``: completes commands and their options in a shell."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.utils.project import inside_project

from mediacrawl.commands import Checked, refuse_options, say
from mediacrawl.crawl import scrapy_internals

PROGRAMS = ("mediacrawl", "scrapy")
_SPIDERS = ("feeds", "media", "recheck")


@dataclass(slots=True)
class CommandWords:
    """What may follow a command.

    Attributes:
        meaning: one line.
        options: each spelling, with its help.
        words: of the first argument, such as the spiders of ``crawl``.
    """

    meaning: str
    options: dict[str, str] = field(default_factory=dict)
    words: Sequence[str] = ()


class Command(Checked, ScrapyCommand):
    """Prints a completion script for bash, zsh or fish, made of the commands that are installed."""

    requires_project = False
    requires_crawler_process = False

    def syntax(self) -> str:
        """What may follow the name of the command."""
        return "bash|zsh|fish"

    def short_desc(self) -> str:
        """For the list of all commands."""
        return "Print a script that completes commands and options in a shell"

    def long_desc(self) -> str:
        """For ``-h``."""
        return (
            'Prints a completion script. bash: eval "$(mediacrawl completion bash)" in ~/.bashrc; zsh: the same, with'
            " zsh, in ~/.zshrc behind compinit; fish: mediacrawl completion fish >"
            " ~/.config/fish/completions/mediacrawl.fish."
        )

    def run(self, args: list[str], _: argparse.Namespace) -> None:
        """Print the script.

        Raises:
            UsageError: the shell is not named, or not known.
        """
        refuse_options(args)
        if len(args) != 1 or args[0] not in SCRIPTS:
            raise UsageError(f"name a shell: {', '.join(SCRIPTS)}")
        assert self.settings is not None
        commands = {
            name: _words(name, command, self.settings)
            for name, command in scrapy_internals.command_objects(self.settings, inproject=inside_project()).items()
        }
        say(SCRIPTS[args[0]](commands), as_is=True)


def _words(name: str, command: ScrapyCommand, settings: Settings) -> CommandWords:
    command.settings = settings
    parser = argparse.ArgumentParser(conflict_handler="resolve", add_help=False)
    command.add_options(parser)
    words = CommandWords(command.short_desc(), {"-h": "show the help"})
    for action in parser._actions:  # noqa: SLF001 - argparse has no other list of its options
        meaning = "" if action.help in (None, argparse.SUPPRESS) else " ".join(str(action.help).split())
        words.options.update(dict.fromkeys(action.option_strings, meaning.replace("%%", "%")))
    words.words = _SPIDERS if name == "crawl" else getattr(command, "verbs", ())
    return words


def _bash(commands: Mapping[str, CommandWords]) -> str:
    cases = [
        f"        {name}) words={shlex.quote(' '.join([*each.words, *each.options]))} ;;"
        for name, each in sorted(commands.items())
    ]
    return "\n".join(
        [
            "_mediacrawl() {",
            "    local word=${COMP_WORDS[COMP_CWORD]} words",
            '    if [ "$COMP_CWORD" -eq 1 ]; then',
            f"        words={shlex.quote(' '.join(sorted(commands)))}",
            '        COMPREPLY=($(compgen -W "$words" -- "$word"))',
            "        return",
            "    fi",
            "    case ${COMP_WORDS[1]} in",
            *cases,
            "        *) words= ;;",
            "    esac",
            '    COMPREPLY=($(compgen -W "$words" -- "$word"))',
            "}",
            # Files where no word fits.
            f"complete -o bashdefault -o default -F _mediacrawl {' '.join(PROGRAMS)}",
        ]
    )


def _zsh(commands: Mapping[str, CommandWords]) -> str:
    """Zsh runs the functions of bash."""
    return f"autoload -U +X bashcompinit && bashcompinit\n{_bash(commands)}"


def _fish(commands: Mapping[str, CommandWords]) -> str:
    lines = []
    for program in PROGRAMS:
        first = f"complete -c {program} -n __fish_use_subcommand -f"
        for name, each in sorted(commands.items()):
            lines.append(f"{first} -a {name} -d {shlex.quote(each.meaning)}")
            seen = f"complete -c {program} -n '__fish_seen_subcommand_from {name}'"
            lines += [f"{seen} -a {word}" for word in each.words]
            for option, meaning in each.options.items():
                kind = "-l" if option.startswith("--") else "-s"
                lines.append(f"{seen} {kind} {option.lstrip('-')} -d {shlex.quote(meaning)}")
    return "\n".join(lines)


SCRIPTS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
