"""The README of the library: its example runs, and it names what the library has."""

import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

from mediacrawl import site_adapters

TEXT = resources.files("mediacrawl.site_adapters").joinpath("README.md").read_text(encoding="utf-8")
RECORDING = Path(__file__).parent / "recordings" / "demo.har.gz"


def test_the_example_learns_an_adapter_and_reads_an_answer(tmp_path):
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    command = [sys.executable, "-c", example, str(RECORDING)]
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60).stdout
    request, media = shown.splitlines()
    assert request.startswith("http://ljosvaki.example:8016/")
    assert "/straumar/9.mp3" in media


def test_each_public_name_is_named():
    assert [name for name in site_adapters.__all__ if f"`{name}`" not in TEXT] == []
