"""The README of the library: its example runs, and it names what the library has."""

import re
import subprocess
import sys
from importlib import resources

from probe_media import SAMPLES

from mediacrawl import probe
from mediacrawl.probe.formats import READERS

TEXT = resources.files("mediacrawl.probe").joinpath("README.md").read_text(encoding="utf-8")


def test_the_example_reads_a_file():
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    command = [sys.executable, "-c", example, str(SAMPLES / "tagged.mp3")]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert shown.startswith("complete mp3 mp3 ")
    assert "id3v2.3 TIT2 title" in shown


def test_each_public_name_and_format_is_named():
    assert [name for name in probe.__all__ if f"`{name}`" not in TEXT] == []
    assert len(probe.__all__) <= 12
    words = {
        "latm",
        "flac",
        "ogg",
        "aiff",
        "ape",
        "wavpack",
        "musepack",
        "tta",
        "tak",
        "optimfrog",
        "midi",
        "caf",
        "amr",
    }
    assert words <= set(READERS)
    assert [name for name in words - {"ape"} if name not in TEXT.lower()] == []
