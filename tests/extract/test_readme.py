"""The examples of the library's README print what it says."""

import re
from pathlib import Path

import mediacrawl.extract

README = Path(mediacrawl.extract.__file__).with_name("README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE).findall


def test_the_examples_print_what_is_said(capsys):
    page, shown, playlist = [text for _, text in BLOCK(README)]
    exec(page, {})
    assert capsys.readouterr().out == shown
    exec(playlist, {})
    assert f"It prints `{capsys.readouterr().out.strip()}`" in README


def test_each_public_name_is_explained():
    assert all(f"`{name}`" in README for name in mediacrawl.extract.__all__)
    assert len(mediacrawl.extract.__all__) <= 12
