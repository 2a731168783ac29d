"""Completion in a real bash."""

import subprocess

import pytest
from command_line import MEDIACRAWL, run

from mediacrawl.commands.frontier import Command as FrontierCommand
from mediacrawl.commands.nevercrawl import Command as NeverCrawlCommand


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    return run(tmp_path_factory.mktemp("here"), *MEDIACRAWL, "completion", "bash").check().out


def completed(script, *typed):
    words = " ".join(f"'{word}'" for word in typed)
    shown = "printf '%s\\n' \"${COMPREPLY[@]}\""
    line = f"COMP_WORDS=(mediacrawl {words}); COMP_CWORD={len(typed)}; _mediacrawl; {shown}"
    done = subprocess.run(["bash", "-c", f"{script}\n{line}"], capture_output=True, text=True, check=True, timeout=30)
    assert done.stderr == ""
    return done.stdout.split()


def test_commands_options_verbs_and_spiders_are_completed(script):
    assert completed(script, "dem") == ["demo", "demojibake"]
    assert completed(script, "frontier", "re") == ["resume", "repair"]
    assert completed(script, "crawl", "m") == ["media"]
    assert completed(script, "catalogue", "--exp") == ["--export"]
    assert completed(script, "crawl", "seeds") == []


def test_fish_and_zsh_get_a_script(tmp_path):
    fish = run(tmp_path, *MEDIACRAWL, "completion", "fish").check().out
    assert "complete -c mediacrawl -n '__fish_seen_subcommand_from catalogue' -l export -d " in fish
    assert "bashcompinit" in run(tmp_path, *MEDIACRAWL, "completion", "zsh").check().out
    assert run(tmp_path, *MEDIACRAWL, "completion", "dosh").sentence == "name a shell: bash, zsh, fish"


@pytest.mark.parametrize(("name", "command"), [("frontier", FrontierCommand), ("nevercrawl", NeverCrawlCommand)])
def test_the_completed_verbs_are_those_of_the_command(tmp_path, name, command):
    known = run(tmp_path, *MEDIACRAWL, name, "no-verb").sentence.partition("use one of ")[2]
    assert known.split(", ") == list(command.verbs)
