"""Every command of ours that the documents show is understood, and runs."""

import argparse
import json
import re
import shlex
import shutil

import pytest
from command_line import MEDIACRAWL, QUICK, SCRAPY, run
from demo_recording import RECORDING
from demo_web import DemoWeb
from harness import ROOT
from scrapy.settings import Settings

from mediacrawl.crawl import scrapy_internals

DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")])
SHOWN = re.compile(r"^(?:    |\$ )((?:\.venv/bin/)?(?:scrapy|mediacrawl) .+)$", re.MULTILINE)
ELSEWHERE = {
    "scrapy crawl media -s SCHEDULER_STORE=redis": "needs a Redis: tests/programs/fleet",
    "mediacrawl fleet": "ends when it is stopped: tests/programs/fleet",
    "scrapy crawl feeds": "polls until it is stopped: tests/e2e",
    "scrapy demojibake --undo": "undoes what one run has written: tests/programs/commands/test_demojibake_music.py",
    "scrapy trainencoding": "takes a hundred KB of a language: tests/encoding",
    "scrapy segment": "takes the links of several crawls: tests/programs/segment",
    "mediacrawl demo --port": "ends when it is stopped: tests/commands/test_command_line.py",
    "scrapy adapters try": "asks the site that is shown: tests/programs/commands/test_adapters_command.py",
    "scrapy crawl media -a seed=http://ljosvaki.example": "asks it, too: tests/e2e/test_learned_crawl.py",
    "scrapy crawl media -a seed=next.txt": "what scrapy segment wrote: tests/programs/segment",
}
"""Beginning of a command that is not run here -> why, and what runs it."""


def shown():
    """Each command once, as the words behind the program."""
    found = {}
    for path in DOCUMENTS:
        for line in SHOWN.findall(path.read_text(encoding="utf-8")):
            words = shlex.split(line, comments=True)
            words[0] = words[0].rpartition("/")[2]
            found.setdefault(shlex.join(words), path.name)
    return found


COMMANDS = shown()
RUN = [each for each in COMMANDS if not any(each.startswith(beginning) for beginning in ELSEWHERE)]


@pytest.fixture(scope="module")
def known():
    # Not by get_project_settings: it would set the environment of all tests of this process.
    settings = Settings()
    settings.setmodule("mediacrawl.settings", priority="project")
    commands = scrapy_internals.command_objects(settings, inproject=True)
    for command in commands.values():
        command.settings = settings
    return commands


def test_documents_show_commands():
    assert len(COMMANDS) > 50
    assert [beginning for beginning in ELSEWHERE if not any(each.startswith(beginning) for each in COMMANDS)] == []


@pytest.mark.parametrize("line", COMMANDS)
def test_the_options_and_verbs_of_a_shown_command_exist(line, known):
    words = shlex.split(line)[1:]
    if words[0].startswith("-"):
        return
    command = known[words[0]]
    parser = argparse.ArgumentParser(conflict_handler="resolve", exit_on_error=False)
    command.add_options(parser)
    _, others = parser.parse_known_args(words[1:])
    assert [word for word in others if word.startswith("-") and word != "-"] == []
    if verbs := getattr(command, "verbs", ()):
        assert next(word for word in words[1:] if not word.startswith("-")) in verbs


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """A project after a crawl of the demo web, which still answers."""
    folder = tmp_path_factory.mktemp("shown") / "project"
    with DemoWeb() as web:
        run(folder.parent, *MEDIACRAWL, "init", "project", "--contact", "https://crawl.radio.museum/bot").check()
        given = {**QUICK, "RESOLVER_HOSTS": web.hosts, "MEDIACRAWL_DIR": ".mediacrawl", "CLOSESPIDER_TIMEOUT": 8}
        given |= {"MEDIACRAWL_OPERATOR": "The readers", "MEDIACRAWL_EMAIL": "crawl@radio.museum"}
        with (folder / "settings.py").open("a", encoding="utf-8") as file:
            file.writelines(f"{name} = {value!r}\n" for name, value in given.items())
        (folder / "seeds.txt").write_text("\n".join(web.seeds) + "\n")
        run(folder, *SCRAPY, "crawl", "media", "-a", "seed=seeds.txt").check()
        shutil.copytree(folder / ".mediacrawl", folder / "demo-crawl")
        run(folder, *SCRAPY, "frontier", "export", "-o", "next.jl.gz").check()
        run(folder, *SCRAPY, "catalogue", "--export", "items.jl").check()
        run(folder, *SCRAPY, "catalogue", "--export", "excel.csv").check()
        shutil.copy(folder / ".mediacrawl" / "media.db", folder)
        (folder / "more.jl").write_text(json.dumps({"url": web.seeds[0]}) + "\n")
        (folder / "adapters").mkdir()
        (folder / "adapters" / "player.json").write_bytes(next(iter(web.adapters.values())))
        shutil.copy(RECORDING, folder)
        music = folder / "Music"
        music.mkdir()
        song = next((ROOT / "mediacrawl/programs/demo/media").glob("*.mp3"))
        shutil.copy(song, music)
        shutil.copy(song, folder / "song.mp3")
        yield folder, next(iter(web.hosts))


@pytest.mark.slow
@pytest.mark.parametrize("line", RUN)
def test_a_shown_command_runs(line, crawled, tmp_path):
    folder, host = crawled
    here = tmp_path / "project"
    shutil.copytree(folder, here)
    line = line.replace("~/Music", str(here / "Music")).replace("https://site.example/song.mp3", f"http://{host}/")
    words = [word.replace("site.example", host) for word in shlex.split(line)]
    if words[1] == "init":
        shutil.rmtree(here / words[2], ignore_errors=True)
    program = MEDIACRAWL if words[0] == "mediacrawl" else SCRAPY
    ended = run(here, *program, *words[1:])
    # 1: there is something to report, such as a text that was not repaired.
    assert ended.code == 0 or (ended.code == 1 and words[1] in {"complaint", "frontier"}), ended.err[-2000:]
    assert "Traceback" not in ended.err, ended.err[-3000:]
