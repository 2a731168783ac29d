"""Which modules a command needs before it does anything: its own, and none of the other commands."""

import re
import subprocess
import sys
import tomllib

import pytest
from harness import ROOT
from scrapy.commands import ScrapyCommand
from scrapy.settings import Settings

from mediacrawl.crawl import scrapy_internals

DISCOVERY = """
import sys
from importlib.metadata import EntryPoint
from scrapy.cmdline import _get_commands_from_module
from scrapy.utils.project import get_project_settings

known = _get_commands_from_module(get_project_settings()["COMMANDS_MODULE"], True)
for name, value in zip(sys.argv[1::2], sys.argv[2::2]):
    known[name] = EntryPoint(name, value, "scrapy.commands").load()()
print(*sorted(known))
print(*sorted(name for name in sys.modules if name.partition(".")[0] in {"mediacrawl", "mutagen", "sqlite3", "redis"}))
"""

COMMAND = """
import sys
from scrapy import cmdline

cmdline._get_commands_from_entry_points = lambda *_: {}
try:
    cmdline.execute(["scrapy", *sys.argv[1:]])
except SystemExit as ended:
    assert not ended.code
print("\\nLOADED", *sorted(sys.modules))
"""
"""Entry points are those of the installation, which may be older than this folder."""


def printed(program, *words):
    command = [sys.executable, "-c", program, *map(str, words)]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    ).stdout.splitlines()


def modules_of_commands():
    """Those with a command, by their text."""
    packages = (ROOT / "mediacrawl" / "commands", ROOT / "mediacrawl" / "programs" / "commands")
    files = [path for package in packages for path in package.glob("*.py")]
    return {path.stem for path in files if re.search(r"^class Command\(", path.read_text("utf-8"), re.MULTILINE)}


@pytest.fixture(scope="module")
def entry_points():
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]["scrapy.commands"]


def test_scrapy_finds_all_commands_and_imports_none(entry_points):
    known, loaded = printed(DISCOVERY, *(word for pair in entry_points.items() for word in pair))
    assert set(known.split()) == modules_of_commands()
    ours = {name for name in loaded.split() if not name.startswith("mediacrawl.commands.late")}
    packages = {"mediacrawl", "mediacrawl.base", "mediacrawl.commands"}
    assert ours - packages == {"mediacrawl.settings", "mediacrawl.base.setting_types"}


@pytest.mark.parametrize(
    ("words", "unneeded"),
    [
        (
            ["demojibake", "-h"],
            "probe extract scope crawl.context pipelines site_adapters programs.music.run commands.crawl",
        ),
        (["segment", "-h"], "crawl.context pipelines commands.probe commands.crawl"),
        (["catalogue", "-h"], "programs crawl.context pipelines commands.crawl"),
        (["version"], "probe programs crawl.context pipelines scope store commands.crawl"),
        (["genspider", "-h"], "commands.version crawl.context encoding log"),
    ],
)
def test_a_command_imports_no_other_one(words, unneeded):
    loaded = set(printed(COMMAND, *words)[-1].split()[1:])
    assert {f"mediacrawl.{name}" for name in unneeded.split()} & loaded == set()
    assert {"mutagen", "pyarrow", "redis"} & loaded == set()


def test_stored_items_are_mended_without_what_reads_files(tmp_path):
    items, mended = tmp_path / "items.jl", tmp_path / "mended.jl"
    items.write_text('{"title": "CafÃ© crÃ¨me"}\n', "utf-8")
    loaded = set(printed(COMMAND, "demojibake", items, "-o", mended, "--jobs", "1")[-1].split()[1:])
    assert "Café crème" in mended.read_text("utf-8")
    assert {f"mediacrawl.{name}" for name in ("probe", "extract", "crawl.context", "pipelines")} & loaded == set()


@pytest.mark.parametrize("name", sorted(modules_of_commands()))
def test_what_scrapy_holds_is_the_command(name):
    settings = Settings()
    settings.setmodule("mediacrawl.settings", priority="project")
    late = scrapy_internals.command_objects(settings, inproject=True)[name]
    late.settings = settings
    late.exitcode = 3
    assert (late.settings, late.exitcode, isinstance(late, ScrapyCommand)) == (settings, 3, True)
    assert type(late.run.__self__).__module__ in {f"mediacrawl.commands.{name}", f"mediacrawl.programs.commands.{name}"}
    assert (late.run.__self__.settings, late.run.__self__.exitcode) == (settings, 3)
    assert late.short_desc()
