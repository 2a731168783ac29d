"""`scrapy demojibake` over music, called as a person calls it."""

import json
import shutil

import pytest
from command_line import SCRAPY, run
from harness import ROOT

MEDIA = ROOT / "mediacrawl" / "programs" / "demo" / "media"


@pytest.fixture
def music(tmp_path):
    folder = tmp_path / "Music"
    folder.mkdir()
    for name in ("ozero.mp3", "minato.mp3", "burza.m4a", "kisa.wav"):
        shutil.copy(MEDIA / name, folder)
    return folder


def demojibake(folder, *arguments):
    return run(folder, *SCRAPY, "demojibake", *arguments)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_folder_is_shown_written_and_undone(music):
    old = contents(music)
    home = music.parent
    shown = demojibake(home, "Music").check()
    assert contents(music) == old
    assert shown.out.splitlines()[0].split() == ["field", "before", "after", "encoding", "sure"]
    assert "Озеро в октябре" in shown.out
    assert "4 files read, 2 with wrong texts, none written: that takes --write" in shown.out
    written = demojibake(home, "Music", "--write", "--originals", "back", "--report", "r.json").check()
    assert json.loads((home / "r.json").read_text())["min_confidence"] == 0.9
    assert "2 written" in written.out
    assert "scrapy demojibake --undo back" in written.out
    report = json.loads((home / "r.json").read_text())
    assert (report["files"], report["written"], len(report["changed"])) == (4, 2, 2)
    assert {name for name, data in contents(music).items() if data != old[name]} == set(old) - {"burza.m4a", "kisa.wav"}
    again = demojibake(home, "Music", "--write").check()
    assert "0 with wrong texts, 0 written" in again.out
    assert sorted(path.name for path in home.iterdir()) == ["Music", "back", "r.json"]
    undone = demojibake(home, "--undo", "back").check()
    assert undone.out == "2 files brought back\n"
    assert contents(music) == old


def test_what_cannot_be_read_or_written_is_told_and_the_exit_code_says_so(music):
    (music / "broken.mp3").write_bytes(b"ID3")
    (music / "ozero.mp3").chmod(0o444)
    done = demojibake(music.parent, "Music", "--write", "--limit", "0")
    assert done.code == 1
    assert [line.partition("/Music/")[2] for line in done.err.splitlines()] == [
        "broken.mp3 is left as it is: it is no media.",
        "ozero.mp3 is left as it is: it is read-only.",
    ]
    assert "1 written" in done.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("Music", "-o", "out.jl"), "--output is for stored items, not for music on a disk"),
        (("Music", "--write", "--dry-run"), "--write and --dry-run exclude each other"),
        (("--write",), "name a folder or a file"),
        (("--undo", "x.jsonl", "Music"), "--undo takes a folder of originals and nothing else"),
        (("--write", "nowhere"), "nowhere is not there"),
        (("--write", "items.jl"), "items.jl is no folder of music and no media file"),
    ],
)
def test_options_that_make_no_sense_are_errors(music, arguments, sentence):
    (music.parent / "items.jl").write_text("{}\n")
    assert demojibake(music.parent, *arguments).sentence == sentence
    assert contents(music)["ozero.mp3"] == (MEDIA / "ozero.mp3").read_bytes()
