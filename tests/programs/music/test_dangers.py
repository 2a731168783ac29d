"""Kills, full disks, links, odd names and damaged files: no file is lost, and the others are mended."""

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import time

import pytest
from command_line import SCRAPY, environment
from mending import in_child, killed_at, mend
from music_files import FORMATS, TEXTS, mp3

from mediacrawl.programs.commands import on_disk
from mediacrawl.programs.music.originals import LIST, OriginalsError, is_draft, undo
from mediacrawl.programs.music.reading import read_tags
from mediacrawl.programs.music.run import MusicOptions, mend_music


@pytest.fixture
def music(tmp_path):
    """A folder with four songs."""
    folder = tmp_path / "Music"
    folder.mkdir()
    for number in range(4):
        mp3(folder, 3, name=f"{number}.mp3")
    return folder


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if not is_draft(path.name)}


def drafts(folder):
    return [path for path in folder.iterdir() if is_draft(path.name)]


def title(path):
    return next(tag.text for tag in read_tags(path).tags if tag.key == "title")


def taken_back(originals):
    """The names of the files whose originals are back; nothing may fail."""
    done = list(undo(originals))
    assert not any(each.failed for each in done)
    return sorted(each.path.name for each in done if not each.why)


PLACES = {
    "before the copy is made": ("shutil.copy2", False, 2),
    "after the copy was made": ("shutil.copy2", True, 2),
    "before the copy is changed": ("mediacrawl.programs.music.run.write_tags", False, 2),
    "while the copy is changed": ("mediacrawl.programs.music.writing._home", True, 2),
    "after the copy was changed": ("mediacrawl.programs.music.run.write_tags", True, 2),
    "before the line of the list": ("mediacrawl.programs.music.originals.Originals.keep", False, 2),
    "before the original is linked": ("os.link", False, 2),
    "after the original was linked": ("os.link", True, 2),
    "before the rename": ("mediacrawl.programs.music.originals.Originals.keep", True, 2),
    "after the rename": ("mediacrawl.programs.music.run.replace_file", True, 3),
}


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("place", PLACES)
def test_a_kill_leaves_each_file_whole_and_the_same_command_goes_on(place, jobs, music):
    name, after, renamed = PLACES[place]
    old = contents(music)

    def work():
        with killed_at(name, 3, after=after):
            mend(music, jobs=jobs)

    assert in_child(work) == -signal.SIGKILL
    found = contents(music)
    new = [file for file in old if found[file] != old[file]]
    assert jobs > 1 or len(new) == renamed
    assert all(title(music / file) == TEXTS["title"] for file in new)
    outcome, told, originals = mend(music, jobs=jobs)
    assert (outcome.counts["written"], told.troubles) == (4 - len(new), [])
    assert not drafts(music)
    assert all(title(path) == TEXTS["title"] for path in music.iterdir())
    assert taken_back(originals) == sorted(old)
    assert contents(music) == old
    assert not originals.exists()


@pytest.mark.parametrize("place", ["after the original was linked", "before the rename", "after the rename"])
def test_what_a_kill_left_can_be_undone(place, music):
    name, after, renamed = PLACES[place]
    old = contents(music)

    def work():
        with killed_at(name, 3, after=after):
            mend(music)

    assert in_child(work) == -signal.SIGKILL
    assert len(taken_back(music.parent / "Music.originals")) == renamed
    assert contents(music) == old
    assert {path.stat().st_nlink for path in music.iterdir() if not is_draft(path.name)} == {1}


def test_a_kill_of_another_run_does_not_keep_a_file_from_being_written(music, monkeypatch):
    """The default folder has another name in each run."""
    monkeypatch.chdir(music.parent)

    def work():
        with killed_at("os.link", 3, after=True):
            mend(music, originals=music.parent / "demojibake-1")

    assert in_child(work) == -signal.SIGKILL
    outcome, told, _ = mend(music, originals=music.parent / "demojibake-2")
    assert (outcome.counts["written"], told.troubles) == (2, [])


@pytest.mark.parametrize("kind", ["no hard links", "another disk"])
def test_a_disk_without_links_gets_copies(kind, music, monkeypatch):
    def refused(*paths, **options):
        raise OSError(1 if kind == "no hard links" else 18, "no")

    old = contents(music)
    monkeypatch.setattr(os, "link", refused)
    outcome, told, originals = mend(music)
    assert (outcome.counts["written"], told.troubles) == (4, [])
    replace = type(music).replace
    monkeypatch.setattr(
        type(music), "replace", lambda path, to: replace(path, to) if is_draft(path.name) else refused()
    )
    assert taken_back(originals) == sorted(old)
    assert contents(music) == old
    assert not originals.exists()


def test_originals_are_kept_once_and_are_no_music(music):
    old = contents(music)
    originals = music / "kept"
    assert mend(music, originals=originals)[0].counts["written"] == 4
    assert mend(music, originals=originals)[0].counts["files"] == 4
    assert len(list(originals.iterdir())) == 5
    assert taken_back(originals) == sorted(old)


def test_without_originals_there_is_no_way_back(music):
    assert mend(music, originals=None)[0].counts["written"] == 4
    assert [path.name for path in music.parent.iterdir()] == ["Music"]


def test_a_line_that_a_kill_cut_off_is_no_line(music):
    old = contents(music)
    _, _, originals = mend(music)
    text = (originals / LIST).read_bytes()
    (originals / LIST).write_bytes(text + text[:40])
    assert taken_back(originals) == sorted(old)
    assert contents(music) == old
    assert mend(music)[0].counts["written"] == 4
    with (originals / LIST).open("ab") as file:
        file.write(b'{"path": "/half')
    mp3(music, 3, name="4.mp3")
    assert mend(music)[0].counts["written"] == 1
    assert len(taken_back(originals)) == 5


@pytest.mark.parametrize("bad", [b"?", b"[]", b'{"path": 3}', b"\xff\x00", b"", b'{"path": "a", "original": "../b"}'])
def test_a_bad_line_is_reported_and_the_others_go_back(bad, music):
    old = contents(music)
    _, _, originals = mend(music)
    lines = (originals / LIST).read_bytes().splitlines(keepends=True)
    (originals / LIST).write_bytes(b"".join([*lines[:2], bad + b"\n", *lines[3:]]))
    assert [each.why for each in undo(originals) if each.failed] == ["a line of it cannot be read"]
    assert len([name for name, data in contents(music).items() if data != old[name]]) == 1
    (originals / LIST).write_bytes(lines[2])
    assert len(taken_back(originals)) == 1
    assert contents(music) == old


def test_a_folder_of_others_is_not_touched(music):
    old = contents(music)
    other = music.parent / "Pictures"
    other.mkdir()
    (other / "cover.jpg").write_bytes(b"JFIF")
    with pytest.raises(OriginalsError, match="Pictures is no folder of originals"):
        mend(music, originals=other)
    with pytest.raises(OriginalsError, match="Pictures is no folder of originals"):
        list(undo(other))
    assert [path.name for path in other.iterdir()] == ["cover.jpg"]
    assert contents(music) == old
    assert not drafts(music)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OriginalsError("The disk is full.")])
def test_a_run_that_is_stopped_names_its_originals(error, music, monkeypatch, capsys):
    def stopped(*rest, **options):
        raise error

    stores = dict.fromkeys(("output", "fields", "raw", "only_mangled", "force", "restart", "report", "undo"))
    options = argparse.Namespace(
        **stores, write=True, dry_run=False, jobs=1, originals=str(music.parent / "way back"), no_originals=False,
        m3u=False, cue=False, id3v1="keep", keep_mtime=False, min_confidence=None, color="never", limit=0,
    )  # fmt: skip
    monkeypatch.setattr("mediacrawl.programs.music.originals.sync_folder", stopped)
    assert on_disk.mend([str(music)], options, 0.0, None)
    assert f"scrapy demojibake --undo '{music.parent}/way back'\n" in capsys.readouterr().err


def test_a_disk_that_is_full_costs_a_sentence_for_each_file(music):
    small = mp3(music, 3, name="small.mp3", cover=False)
    limit = small.stat().st_size + 1400
    old = contents(music)
    told_of = music.parent / "told"

    def work():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        outcome, told, _ = mend(music)
        told_of.write_text(json.dumps([outcome.counts["written"], told.troubles]))

    assert in_child(work) == 0
    written, troubles = json.loads(told_of.read_text())
    assert written == 1
    assert troubles == [[f"{number}.mp3", "it cannot be written: File too large"] for number in range(4)]
    assert {name for name, data in contents(music).items() if data != old[name]} == {"small.mp3"}
    assert not drafts(music)


def test_where_originals_cannot_be_kept_nothing_is_written(music):
    old = contents(music)
    (music.parent / "file").touch()
    with pytest.raises(OriginalsError, match="cannot be written"):
        mend(music, originals=music.parent / "file" / "in it")
    assert contents(music) == old
    assert not drafts(music)


def test_read_only_files_and_files_with_two_names_are_left(music):
    (music / "0.mp3").chmod(0o444)
    os.link(music / "1.mp3", music.parent / "other name.mp3")
    outcome, told, _ = mend(music)
    assert outcome.counts["written"] == 2
    assert [(name, why.partition(",")[0]) for name, why in told.troubles] == [
        ("0.mp3", "it is read-only"),
        ("1.mp3", "it has 2 names (hard links)"),
    ]
    assert mend(music, write=False)[1].troubles == told.troubles


def test_files_in_a_read_only_folder_are_left(music):
    music.chmod(0o555)
    outcome, told, _ = mend(music)
    music.chmod(0o755)
    assert outcome.counts["written"] == 0
    assert {why for _, why in told.troubles} == {"its folder is read-only"}


def test_links_in_a_folder_are_not_followed_and_named_ones_are(music, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    song = mp3(outside, 3)
    (music / "link.mp3").symlink_to(song)
    (music / "folder").symlink_to(outside)
    outcome, told, _ = mend(music)
    assert (outcome.counts["written"], told.troubles) == (4, [])
    assert title(song) != TEXTS["title"]
    mend(music / "link.mp3")
    assert title(song) == TEXTS["title"]
    assert (music / "link.mp3").is_symlink()


def test_permissions_attributes_and_times_stay(music):
    path = music / "0.mp3"
    path.chmod(0o640)
    if not os.geteuid():
        os.chown(path, 4321, 4322)
    owner = path.stat().st_uid, path.stat().st_gid
    os.utime(path, ns=(10**18, 10**18))
    try:
        os.setxattr(path, "user.note", b"mine")
    except OSError:
        noted = None
    else:
        noted = b"mine"
    mend(path, keep_mtime=True)
    assert title(path) == TEXTS["title"]
    assert path.stat().st_mode & 0o777 == 0o640
    assert (path.stat().st_uid, path.stat().st_gid) == owner
    assert path.stat().st_mtime_ns == 10**18
    assert noted is None or os.getxattr(path, "user.note") == noted


def test_undo_brings_back_times_and_leaves_what_was_changed_since(music):
    os.utime(music / "0.mp3", ns=(10**18, 10**18))
    _, _, originals = mend(music)
    with (music / "1.mp3").open("ab") as file:
        file.write(b"\0")
    done = {each.path.name: each for each in undo(originals)}
    assert done["1.mp3"].failed
    assert done["1.mp3"].why.startswith("it was changed since by another program; its original is ")
    assert (music / "0.mp3").stat().st_mtime_ns == 10**18
    assert title(music / "1.mp3") == TEXTS["title"]
    assert title(music / "2.mp3") != TEXTS["title"]


def test_names_that_are_no_utf8_and_deep_folders(tmp_path):
    folder = tmp_path / "Music"
    deep = folder / os.fsdecode(b"\xcf\xe5\xf1\xed\xe8") / "/".join(["d"] * 400)
    deep.mkdir(parents=True)
    path = mp3(deep, 3, name=os.fsdecode(b"\xef\xe5\xf1\xed\xff.mp3"))
    nice = mp3(folder, 3, name="песня 🎵.mp3")
    old = path.read_bytes(), nice.read_bytes()
    outcome, told, originals = mend(folder)
    assert (outcome.counts["written"], told.troubles) == (2, [])
    assert [done.why for done in undo(originals)] == ["", ""]
    assert (path.read_bytes(), nice.read_bytes()) == old


@pytest.mark.parametrize("kind", FORMATS)
def test_damaged_files_are_mended_or_left_and_what_was_written_can_be_undone(kind, tmp_path):
    rng = random.Random(kind)
    folder = tmp_path / "Music"
    folder.mkdir()
    whole = FORMATS[kind](folder)
    data = whole.read_bytes()
    for number in range(12):
        damaged = bytearray(data[: rng.randrange(1, len(data))] if number % 3 == 0 else data)
        for _ in range(rng.choice((0, 1, 8)) if number % 3 == 0 else rng.choice((1, 3, 30))):
            damaged[rng.randrange(min(len(damaged), 4000))] = rng.randrange(256)
        (folder / f"{number}{whole.suffix}").write_bytes(damaged)
    old = contents(folder)
    outcome, told, originals = mend(folder)
    assert outcome.counts["written"] >= 1
    assert all(why and "Traceback" not in why for _, why in told.troubles)
    changed = {name for name, found in contents(folder).items() if found != old[name]}
    assert len(changed) == outcome.counts["written"]
    taken_back(originals)
    assert contents(folder) == old


def test_files_of_long_texts_are_not_held_in_memory_together(music, monkeypatch):
    from mediacrawl.programs.music import run as module

    held = []
    decide = module.Decider.decide
    monkeypatch.setattr(module, "_TEXT_TOGETHER", 60)
    monkeypatch.setattr(module.Decider, "decide", lambda self, files: held.append(len(files)) or decide(self, files))
    assert mend(music)[0].counts["written"] == 4
    assert held == [2, 2]


def test_what_is_no_music_is_said_to_be_none(tmp_path):
    for name, data in (("empty.mp3", b""), ("page.mp3", b"<html><body>404"), ("zeros.flac", bytes(9000))):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "folder.mp3").mkdir()
    os.mkfifo(tmp_path / "pipe.mp3")
    outcome, told, _ = mend(tmp_path, write=False)
    assert outcome.counts["wrong"] == 0
    assert [name for name, _ in told.troubles] == ["empty.mp3", "page.mp3", "pipe.mp3", "zeros.flac"]


@pytest.mark.slow
def test_ten_thousand_files_take_bounded_memory(tmp_path):
    whole = mp3(tmp_path, 3, cover=False).read_bytes()[:3000]
    for number in range(10_000):
        (tmp_path / f"{number:05}.mp3").write_bytes(whole)
    command = [*SCRAPY, "demojibake", str(tmp_path), "--limit", "0"]
    script = (
        f"import resource, subprocess; subprocess.run({command}, check=True);"
        " print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [SCRAPY[0], "-c", script], env=environment(), capture_output=True, check=True, cwd=tmp_path.parent, text=True
    )
    assert "10,001 files read, 10,001 with wrong texts" in done.stdout
    assert int(done.stdout.split()[-1]) < 300 * 1024


@pytest.mark.slow
def test_the_command_is_killed_at_any_time(tmp_path):
    folder = tmp_path / "Music"
    folder.mkdir()
    whole = mp3(folder, 3).read_bytes()
    for number in range(150):
        (folder / f"{number}.mp3").write_bytes(whole)
    old = contents(folder)
    command = [*SCRAPY, "demojibake", str(folder), "--write", "--originals", str(tmp_path / "kept")]
    rng, kills = random.Random(7), 0
    for _ in range(12):
        process = subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL, cwd=tmp_path)
        begun = time.monotonic()
        while not (tmp_path / "kept" / LIST).exists() and time.monotonic() - begun < 30 and process.poll() is None:
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.1) if kills == 0 else rng.uniform(0.5, 1.2))
        process.kill()
        kills += process.wait() == -signal.SIGKILL
        assert all(read_tags(path).tags for path in folder.iterdir() if not is_draft(path.name))
    assert kills >= 3
    subprocess.run(command, env=environment(), check=True, capture_output=True, cwd=tmp_path)
    assert all(title(path) == TEXTS["title"] for path in folder.iterdir())
    assert len(taken_back(tmp_path / "kept")) == len(old)
    assert contents(folder) == old


def test_a_folder_and_a_file_in_it_are_taken_once(music):
    class Silent:
        def file(self, path, fields):
            pass

        trouble = file

    outcome = mend_music(MusicOptions(paths=[music, music, music / "." / "0.mp3"]), Silent())
    assert outcome.counts["files"] == 5
