"""What docs/site-adapters.md says of site adapters is so."""

import re
from pathlib import Path
from typing import get_args

import pytest
from demo_recording import RECORDING

from mediacrawl.site_adapters.har.reading import read_recording
from mediacrawl.site_adapters.learn.learning import learn
from mediacrawl.site_adapters.learn.model import RefusalName
from mediacrawl.site_adapters.loading import parse
from mediacrawl.site_adapters.schema import SCHEMA, Located
from mediacrawl.site_adapters.transforms import WORDS

PAGE = (Path(__file__).parents[2] / "docs" / "site-adapters.md").read_text(encoding="utf-8")
LEARNED, FULL = re.findall(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
FIELDS = {"comment", "learned"}
"""Fields that the full example need not have."""


def section(name):
    """The text below a heading."""
    return PAGE.partition(f"\n## {name}\n")[2].partition("\n## ")[0]


def first_column(text):
    """The names in the first cells of all tables."""
    cells = re.findall(r"^\| (`[^|]*`[^|]*) \|", text, re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


@pytest.mark.parametrize("written", [LEARNED, FULL], ids=["learned", "full"])
def test_an_adapter_that_is_shown_has_no_faults(written):
    parse(written.encode(), "site-adapters.md")


def test_the_adapter_of_the_worked_example_is_learned_from_the_recording_of_the_demo():
    found = learn([read_recording(RECORDING, RECORDING.name)])
    shown = Located(LEARNED).value
    assert [shown.pop("learned").keys(), shown] == [found.adapter.pop("learned").keys(), found.adapter]
    assert all(f"\n  {step}\n" in PAGE for step in found.steps)


def test_the_full_example_has_all_parts_of_the_form():
    shown = Located(FULL).value
    assert shown.keys() | FIELDS == SCHEMA["properties"].keys()
    assert shown["page"].keys() == SCHEMA["properties"]["page"]["properties"].keys()
    assert {each["in"].partition(" ")[0] for each in shown["slots"].values()} == {"url", "slot", "page", "answer"}


def test_each_field_each_place_and_each_change_is_told():
    told = " ".join(first_column(section("The file")))
    records = SCHEMA["properties"]["records"]["properties"]
    names = [*SCHEMA["properties"], *SCHEMA["properties"]["page"]["properties"], *records, *WORDS]
    names += ["json", "css", "script", "regex", "as", "url", "headers", "read"]
    names += ["pad", "split", "after", "before"]
    assert [name for name in names if not re.search(rf"\b{name}\b", told)] == []


def test_each_refusal_is_told():
    assert sorted(first_column(section("What is refused"))) == sorted(get_args(RefusalName))
