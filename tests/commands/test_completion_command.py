"""Completion in real shells: bash, and zsh and fish where they are installed."""

import shutil
import subprocess

import pytest
from command_line import MEDIACRAWL, run

from mediacrawl.commands.nevercrawl import Command as NeverCrawlCommand
from mediacrawl.programs.commands.frontier import Command as FrontierCommand


@pytest.fixture(scope="module")
def script_of(tmp_path_factory):
    """By shell: the file of its script."""
    folder = tmp_path_factory.mktemp("here")

    def written(shell):
        path = folder / f"script.{shell}"
        path.write_text(run(folder, *MEDIACRAWL, "completion", shell).check().out, encoding="utf-8")
        return path

    return written


def in_shell(shell, *lines):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    words = [shell, "-f"] if shell == "zsh" else [shell]
    done = subprocess.run([*words, "-c", "\n".join(lines)], capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
    return done.stdout.splitlines()


TYPED = {
    "dem": ["demo", "demojibake"],
    "frontier re": ["resume", "repair"],
    "crawl m": ["media"],
    "catalogue --exp": ["--export"],
    "frontier --sort f": ["finds"],
}


@pytest.mark.parametrize("program", ["mediacrawl", "scrapy"])
def test_bash_completes_commands_options_verbs_spiders_and_choices(script_of, program):
    source = f"source '{script_of('bash')}'"
    for typed, expected in {**TYPED, "crawl seeds": [""]}.items():
        words = [program, *typed.split()]
        line = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _shtab_mediacrawl"
        assert in_shell("bash", source, line, "printf '%s\\n' \"${COMPREPLY[@]}\"") == expected
    assert "-F _shtab_mediacrawl" in in_shell("bash", source, f"complete -p {program}")[0]


@pytest.mark.parametrize("program", ["mediacrawl", "scrapy"])
def test_fish_completes_them_too(script_of, program):
    source = f"source '{script_of('fish')}'"
    for typed, expected in TYPED.items():
        found = in_shell("fish", source, f"complete -C '{program} {typed}'")
        assert [line.partition("\t")[0] for line in found] == expected


def test_zsh_registers_them_for_both_programs(script_of):
    read = f"autoload -U compinit; compinit -D -u; eval \"$(cat '{script_of('zsh')}')\""
    assert in_shell("zsh", read, "print $_comps[mediacrawl] $_comps[scrapy]") == ["_shtab_mediacrawl _shtab_mediacrawl"]


def test_another_shell_is_told_of_those_that_are_known(tmp_path):
    assert run(tmp_path, *MEDIACRAWL, "completion", "dosh").sentence == "name a shell: bash, zsh, fish"


@pytest.mark.parametrize(("name", "command"), [("frontier", FrontierCommand), ("nevercrawl", NeverCrawlCommand)])
def test_the_completed_verbs_are_those_of_the_command(tmp_path, name, command):
    known = run(tmp_path, *MEDIACRAWL, name, "no-verb").sentence.partition("use one of ")[2]
    assert known.split(", ") == list(command.verbs)
