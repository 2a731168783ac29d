"""What a person reads on a terminal of their own, and what a pipe and a file get."""

import os
import re
import shlex
import subprocess
import time
from pathlib import Path

import harness
import pytest
from command_line import MEDIACRAWL, QUICK, SCRAPY, crawl, crawl_command, run, typed
from harness import environment
from scrapy.settings import Settings

from mediacrawl.base.text import columns, printable
from mediacrawl.log.request_log import RequestLine, RequestLog
from mediacrawl.log.totals import Totals
from mediacrawl.programs.commands.fleet import _CommonLog, _facts
from mediacrawl.programs.demo.answers import Resource
from mediacrawl.programs.demo.library import media_bytes
from mediacrawl.store import Catalogue
from mediacrawl.watch.status import CrawlStatus

EVIL = "\x1b[2J\x1b]0;owned\x07\u202e"
REDRAWN = ("\r", "\x1b[K")
"""What draws the progress line again."""


@pytest.fixture
def pages(site):
    """A site with a file whose names are evil."""
    html = f"<title>{EVIL}</title><a href='/song.mp3'>{EVIL} a song</a><a href='/gone'>gone</a>"
    site.at("/", Resource(html.encode()))
    site.at("/song.mp3", Resource(media_bytes("ozero.mp3"), "audio/mpeg"))
    return site.url("/")


def lines(shown):
    """The lines of a terminal, each state of a redrawn one counted."""
    return re.split(r"[\r\n]+", shown.replace("\x1b[K", ""))


def too_wide(shown, width):
    """Lines that are wider than the terminal, but for a path or URL alone."""
    return [line for line in lines(shown) if columns(line) > width and " " in line.strip()]


@pytest.mark.parametrize(("width", "changes"), [(50, {}), (80, {"TERM": "dumb"}), (200, {"NO_COLOR": "1"})])
def test_a_crawl_shows_no_escape_as_text_and_no_line_beyond_the_width(tmp_path, pages, width, changes):
    # Its removal is told before the crawl has begun.
    settings = {**QUICK, "LOGSTATS_INTERVAL": 0.5, "POLITENESS_ADDRESS_MAX_DELAY": 3}
    shown, code = typed(tmp_path, *crawl_command({"seed": pages, "fresh": "1"}, settings), width=width, **changes)
    assert code == 0
    assert "1 media file on 1 site" in shown
    assert "is no longer a setting" in re.sub(r"\s+", " ", shown)
    assert too_wide(shown, width) == []
    if changes.get("TERM") == "dumb":
        assert "\x1b" not in shown
    # The only escape that is shown as text is the title of the stranger.
    assert "\\x1b" not in shown.replace(printable(EVIL), "")
    for ours in REDRAWN:
        shown = shown.replace(ours, "")
    assert all(char.isprintable() for char in shown.replace("\n", ""))


def test_a_log_file_and_a_pipe_get_one_line_a_record(tmp_path, pages):
    start = r"^\S+ \S+ \[mediacrawl\.spiders\.media\] INFO: Start: .*; records \S+media\.db$"
    piped = crawl(tmp_path, seed=pages).check().err
    assert re.search(start, piped, re.MULTILINE)
    command = crawl_command({"seed": pages, "fresh": "1"}, {**QUICK, "LOG_FILE": "job.log"})
    shown, code = typed(tmp_path, *command, width=60)
    assert (code, shown) == (0, "")
    told = (tmp_path / "job.log").read_text(encoding="utf-8")
    assert re.search(start, told, re.MULTILINE)
    assert "\n1 media file on 1 site" in told
    assert "\x1b" not in piped + told


MISTAKES = [
    ["init", "."],
    ["crawl", "media", "-a", "seed=no-such-list.txt", "-a", "scope=everything", "-a", "fresh=maybe"],
    ["probe", "no-such-file.mp3"],
    ["frontier", "stats", "--jsno"],
    ["nevercrawl", "lsit"],
    ["demojibake", "no such file.jl", "-o", "x.jl"],
    ["fleet", "-n", "many", "-a", "seed=x"],
    ["top", "nowhere"],
]


@pytest.mark.parametrize("words", MISTAKES, ids=lambda words: words[0])
def test_a_mistake_is_a_sentence_that_fits(tmp_path, words):
    (tmp_path / "taken").write_text("")
    program = MEDIACRAWL if words[0] in {"init", "fleet", "top"} else SCRAPY
    shown, code = typed(tmp_path, *program, *words, width=60, SCRAPY_SETTINGS_MODULE="mediacrawl.settings")
    assert code in {1, 2}
    assert too_wide(shown, 60) == []
    assert not re.search(r"Traceback|\bFalse\b|^\(", shown, re.MULTILINE)


def test_a_command_that_is_printed_can_be_typed(tmp_path, pages):
    folder = "it's; my $HOME"
    told = run(tmp_path, *MEDIACRAWL, "init", folder, "--contact", "http://localhost/me").check().out
    change = next(line for line in told.splitlines() if line.startswith("  cd "))
    entered = subprocess.run(
        ["sh", "-c", f"{change} && pwd"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert entered == f"{tmp_path / folder}\n"
    done = crawl(tmp_path, {**QUICK, "MEDIACRAWL_DIR": f"{folder}/state"}, seed=pages).check()
    next_one = re.search(r"^  next +mediacrawl (.+)$", done.err, re.MULTILINE)[1]
    shell = f'"$0" -m mediacrawl {next_one}'
    found = subprocess.run(
        ["sh", "-c", shell, MEDIACRAWL[0]], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True
    )
    assert "song.mp3" in found.stdout


def test_the_command_after_a_fleet_can_be_typed(tmp_path):
    folder = tmp_path / "my state; x"
    with Catalogue(folder / "media.db"):
        pass
    (folder / "worker-1").mkdir()
    CrawlStatus(written=2.0, first_began=1.0, catalogue=str(folder / "media.db")).save(folder / "worker-1")
    settings = Settings({"MEDIACRAWL_DIR": str(folder)})
    words = shlex.split(_facts(settings, 0.0, Totals()).next_command)
    assert words[1:] == ["catalogue", "--db", str(folder / "media.db")]


LONG = [
    ["crawl", "media", "-h"],
    ["probe", "-h"],
    ["schema"],
    ["completion", "bash"],
    ["nevercrawl", "list"],
    ["probe", "song.mp3"],
    ["version", "-v"],
    ["list"],
    ["--help"],
]


def leave():
    """The writing end of a pipe whose reader has left."""
    reading, writing = os.pipe()
    os.close(reading)
    return os.fdopen(writing, "wb")


@pytest.mark.parametrize("words", LONG, ids=" ".join)
def test_a_reader_that_leaves_ends_a_command_quietly_and_a_full_disk_with_a_sentence(tmp_path, words):
    (tmp_path / "song.mp3").write_bytes(media_bytes("ozero.mp3"))
    told = []
    for output in (leave(), Path("/dev/full").open("wb")):  # noqa: SIM115 - it is closed below
        with output, (tmp_path / "errors").open("wb") as errors:
            code = harness.start("mediacrawl", words, tmp_path, environment(), output, errors).wait(60)
        told.append((code, (tmp_path / "errors").read_text()))
    assert told == [(0, ""), (1, "the output: No space left on device\n")]


def test_so_does_one_whose_output_has_no_buffer(tmp_path):
    with leave() as output:
        seen = {"env": environment(PYTHONUNBUFFERED="1"), "stdout": output, "stderr": subprocess.PIPE}
        done = subprocess.run([*MEDIACRAWL, "schema"], cwd=tmp_path, timeout=60, check=False, **seen)
    assert (done.stderr, done.returncode) == (b"", 0)


@pytest.mark.parametrize("width", [40, 200])
def test_the_draft_of_a_reply_is_set_off_by_a_line_that_fits(tmp_path, width):
    with RequestLog(tmp_path / ".mediacrawl" / "log") as log:
        log.write(RequestLine(time.time(), "http://a.example/", 200, duration=0.5, site="a.example", delay=20.0))
    shown, code = typed(tmp_path, *MEDIACRAWL, "complaint", "a.example", width=width)
    assert code == 0
    assert [len(line) for line in lines(shown) if line.startswith("---")] == [min(width, 72)] * 2


def test_a_fleet_tells_once_how_its_crawl_starts(tmp_path):
    record = "2026-01-01 00:00:0{} [mediacrawl.spiders.media] INFO: {}: 2 seeds on 2 sites; scope=web"
    with (tmp_path / "log").open("w+") as stream:
        log = _CommonLog(stream, 0)
        log.show(1, record.format(1, "Start"))
        log.show(2, record.format(2, "Resuming: 5 URLs wait. No seeds"))
        log.show(3, record.format(3, "Start"))
        log.show(2, "2026-01-01 00:00:04 [mediacrawl.spiders.media] INFO: Start-up is over")
        stream.seek(0)
        told = stream.read()
    assert told.count("scope=web") == 1
    assert "Start-up is over" in told
