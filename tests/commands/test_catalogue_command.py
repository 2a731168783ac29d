"""`scrapy catalogue`, called as a person calls it."""

import json
import os

import harness
import pytest
from command_line import MEDIACRAWL, SCRAPY, environment, run, typed

from mediacrawl.base.text import columns
from mediacrawl.record import MediaItem
from mediacrawl.store import Catalogue


@pytest.fixture
def folder(tmp_path):
    """A project that has our command, with a catalogue in its state folder."""
    (tmp_path / "tiny_project_settings.py").write_text(
        "COMMANDS_MODULE = 'mediacrawl.commands.catalogue'\nBOT_NAME = 'tiny'\n"
    )
    (tmp_path / ".mediacrawl").mkdir()
    with Catalogue(tmp_path / ".mediacrawl" / "media.db") as catalogue:
        for number in range(30):
            catalogue.upsert(
                MediaItem(
                    content_url=f"https://media.tonspur.example/{'deep/' * 10}{number}.mp3",
                    site="tonspur.example",
                    title=f"Größe {number}",
                    encoding_format="audio/mpeg",
                    container="mp3",
                    duration=125.0,
                    content_size=4_000_000,
                    bytes_fetched=24_000,
                )
            )
        catalogue.upsert({
            "content_url": "https://evil.example/x.flac", "site": "evil.example",
            "title": "夜に駆ける \x1b]0;owned\x07\x9b2J", "encoding_format": "audio/flac",
        })  # fmt: skip
    return tmp_path


SETTINGS = {"SCRAPY_SETTINGS_MODULE": "tiny_project_settings"}


def catalogue(folder, *args, **changes):
    return run(folder, *SCRAPY, "catalogue", *args, **SETTINGS, **changes)


def test_without_words_the_newest_are_listed_with_whole_urls(folder):
    done = catalogue(folder)
    lines = done.out.splitlines()
    assert done.code == 0, done.err
    assert len(lines) == 20
    assert lines[0].endswith("https://evil.example/x.flac")
    assert lines[1].split()[:6] == ["2:05", "4.0", "MB", "mp3", "Größe", "29"]
    assert "31 in the catalogue" in done.err


def test_a_hostile_title_is_shown_and_does_nothing(folder):
    done = catalogue(folder, "--site", "evil.example")
    assert "夜に駆ける \\x1b]0;owned\\x07\\x9b2J" in done.out
    assert "\x1b" not in done.out
    assert "\x9b" not in catalogue(folder, "--json").out


def test_json_gives_every_record_whole(folder):
    lines = catalogue(folder, "--json", PYTHONIOENCODING="ascii").out.splitlines()
    assert len(lines) == 31
    assert json.loads(lines[1])["title"] == "Größe 29"
    assert len(catalogue(folder, "--json", "--limit", "2").out.splitlines()) == 2


def test_the_summary_tells_sizes_and_saving(folder):
    text = catalogue(folder, "--summary").out
    assert "31 on 2 sites" in text
    assert "audio/mpeg 30, audio/flac 1" in text
    assert "720 KB to describe them, 0.6 %" in text


def test_a_reader_that_leaves_early_is_no_error(folder):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe, (folder / "errors").open("wb") as errors:
        harness.start("scrapy", ["catalogue", "--json"], folder, environment(**SETTINGS), pipe, errors).wait(60)
    assert (folder / "errors").read_text() == ""


def test_on_a_terminal_every_line_fits(folder):
    lines = typed(folder, *SCRAPY, "catalogue", width=70, **SETTINGS)[0].splitlines()
    # Two of them are the sentence on the error output.
    assert len(lines) == 2 + 20
    assert all(columns(line) <= 70 for line in lines)
    assert lines[3].endswith("29.mp3")


def test_a_work_is_shown_once_with_its_other_sources(tmp_path):
    with Catalogue(tmp_path / "media.db") as made:
        for host in ("one", "two"):
            made.upsert({"content_url": f"https://{host}.example/a.flac", "audio_md5": "1" * 32, "title": "Song"})
    shown = run(tmp_path, *MEDIACRAWL, "catalogue", "--db", "media.db", "--works").check()
    first, second = shown.out.splitlines()
    assert first.endswith("https://two.example/a.flac")
    assert second.split() == ["also", "https://one.example/a.flac"]
    told = run(tmp_path, *MEDIACRAWL, "catalogue", "--db", "media.db", "--works", "--json", "song").check()
    (record,) = map(json.loads, told.out.splitlines())
    assert record["sources"] == ["https://one.example/a.flac"]


def test_a_search_is_exported_and_the_catalogue_is_not_overwritten(folder):
    done = catalogue(folder, "größe", "--limit", "7", "--export", "x.csv").check()
    assert "7 records are in x.csv" in done.err
    assert len((folder / "x.csv").read_text("utf-8-sig").splitlines()) == 8
    refused = catalogue(folder, "--export", "x.doc")
    assert (refused.code, "must end in .csv" in refused.err) == (1, True)
    refused = catalogue(folder, "--export", ".mediacrawl/media.db")
    assert (refused.code, "is the catalogue itself" in refused.err) == (2, True)
    assert catalogue(folder, "--export", "nowhere/x.csv").code == 1
