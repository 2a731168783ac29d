"""What a command imports before it does anything: packages that take long are imported where they are used."""

import subprocess
import sys

from forked import PARTS
from harness import ROOT

PROGRAM = """
import importlib, sys
from scrapy.cmdline import execute

try:
    execute(["scrapy", "list"])
except SystemExit as ended:
    assert not ended.code
for name in sys.argv[1:]:
    importlib.import_module(name)
print("LATE", sorted(set(sys.modules) & {"mutagen"}))
"""


def test_no_command_imports_mutagen_before_it_reads_a_file():
    """Its import takes 120 ms, for a list of genres."""
    modules = [*(name for name in PARTS if not name.startswith("mutagen")), "mediacrawl.programs.commands.probe"]
    command = [sys.executable, "-c", PROGRAM, *modules]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert "LATE []" in done.stdout


def test_what_mutagen_knows_is_there_when_it_is_asked():
    from mediacrawl.probe.formats.id3 import genres
    from mediacrawl.record.values import best_values

    assert genres()[17] == "Rock"
    element = {"source": "id3v2.3", "frame": "TCON", "key": "genre", "text": "(17)"}
    assert best_values([element])["genre"] == "Rock"
