"""The JSON Schema and docs/record.md are made of the declaration, and records keep to them."""

import dataclasses
import json
import runpy
import shlex
import subprocess
import sys

import harness
import pytest
from harness import ROOT, environment
from jsonschema import Draft202012Validator

from mediacrawl.base.declaration import declared_fields
from mediacrawl.base.parts import Chapter, Person
from mediacrawl.record import MediaItem
from mediacrawl.store.schema import COLUMNS


def errors(record):
    return [error.json_path for error in Draft202012Validator(MediaItem.schema()).iter_errors(record)]


def record(**more):
    made = MediaItem(content_url="https://a.example/a.mp3", id="0" * 32)
    return {**dataclasses.asdict(made), **more}


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(MediaItem.schema())


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        ({}, []),
        ({"chapters": [{"start": 0.0, "title": "x"}]}, []),
        ({"chapters": [{"title": "x"}]}, ["$.chapters[0]"]),
        ({"chapters": [{"start": -1.0}]}, ["$.chapters[0].start"]),
        ({"tracks": [{"kind": "smell"}]}, ["$.tracks[0].kind"]),
        ({"language": "English"}, ["$.language"]),
        ({"language": "en-GB"}, []),
        ({"identifiers": {"isrc": ["DEA122600001"]}}, []),
        ({"identifiers": {"isrc": "DEA122600001"}}, ["$.identifiers.isrc"]),
        ({"loudness": {"track_gain": -6.5}}, []),
        ({"duration": "long"}, ["$.duration"]),
        ({"explicit": "maybe"}, ["$.explicit"]),
        ({"unheard_of": 1}, ["$"]),
        ({"work": None, "last_seen_at": "2026-08-01T12:00:00Z", "extra": {"price": 3}}, []),
    ],
)
def test_what_breaks_the_declaration_is_found(more, wrong):
    assert errors(record(**more)) == wrong


def test_every_field_says_what_it_is_and_every_column_is_declared():
    for owner in (MediaItem, Chapter, Person):
        for each in declared_fields(owner):
            assert each.about.meaning.endswith((".", "...")), each.name
    assert {each.name for each in declared_fields(MediaItem)} == COLUMNS.keys() - {"last_seen_at", "work", "extra"}


def test_the_documentation_is_that_of_the_declaration():
    """``python docs/record_page.py`` writes it."""
    made = runpy.run_path(str(ROOT / "docs" / "record_page.py"))["page"]()
    assert (ROOT / "docs" / "record.md").read_text(encoding="utf-8") == made


def command(*words):
    return harness.run("mediacrawl", ["schema", *words], ROOT, environment(), seconds=60)


def test_the_command_prints_the_schema():
    done = command()
    assert json.loads(done.stdout) == MediaItem.schema()
    assert (done.returncode, done.stderr) == (0, "")


def test_the_command_takes_no_arguments():
    done = command("titles")
    assert done.returncode == 2
    assert "takes no arguments, but got 'titles'" in done.stderr


def test_a_reader_that_leaves_early_is_no_error():
    done = subprocess.run(
        f"{shlex.quote(sys.executable)} -m mediacrawl schema | head -1",
        shell=True, cwd=ROOT, check=False, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("{\n", "")
