"""Kills, full disks, links, odd names and damaged files: no file is lost, and the others are mended."""

import argparse
import errno
import fcntl
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
from io import FileIO

import pytest
from command_line import SCRAPY, environment
from mending import in_child, killed_at, lines_of, mend
from music_files import FORMATS, TEXTS, mp3

from mediacrawl.commands import on_disk
from mediacrawl.music import replacing
from mediacrawl.music.journal import HEADER, JournalError, UndoJournal, undo
from mediacrawl.music.reading import read_tags
from mediacrawl.music.replacing import is_draft
from mediacrawl.music.run import MusicOptions, run


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


PLACES = {
    "before the copy is made": ("mediacrawl.music.replacing.copy_contents", False),
    "after the copy was made": ("mediacrawl.music.replacing.copy_contents", True),
    "while the copy is changed": ("mediacrawl.music.own_tags.take_id3v1", True),
    "before the copy is changed": ("mediacrawl.music.run.write_tags", False),
    "after the copy was changed": ("mediacrawl.music.run.write_tags", True),
    "before the copy is safe on the disk": ("mediacrawl.music.batches.sync", False),
    "before the journal": ("mediacrawl.music.journal.UndoJournal.add", False),
    "after the journal": ("mediacrawl.music.journal.UndoJournal.add", True),
    "before the rename": ("mediacrawl.music.batches.put", False),
    "after the rename": ("mediacrawl.music.batches.put", True),
    "before the folder is safe on the disk": ("mediacrawl.music.batches.sync_folder", False),
}
RENAMED_ALONE = {"after the rename": 3, "before the folder is safe on the disk": 3}
RENAMED_TOGETHER = {"before the rename": 2, "after the rename": 3, "before the folder is safe on the disk": 4}


@pytest.mark.parametrize("place", PLACES)
def test_a_kill_leaves_each_file_whole_and_the_same_command_goes_on(place, music, monkeypatch):
    monkeypatch.setattr("mediacrawl.music.batches.MOST_FILES", 1)
    name, after = PLACES[place]
    killed(music, name, 3, after=after, renamed=RENAMED_ALONE.get(place, 2))


@pytest.mark.parametrize("place", PLACES)
def test_a_kill_in_the_middle_of_a_batch_leaves_each_file_old_or_new_and_undo_brings_all_back(place, music):
    name, after = PLACES[place]
    once = name.endswith(("add", "sync_folder"))
    killed(music, name, 1 if once else 3, after=after, renamed=RENAMED_TOGETHER.get(place, 0), jobs=3)


def killed(music, name, number, *, after, renamed, jobs=1):
    """Kills a run, looks at what it left, lets the same command continue, and takes all back."""
    old = contents(music)

    def work():
        with killed_at(name, number, after=after):
            mend(music, jobs=jobs)

    assert in_child(work) == -signal.SIGKILL
    found = contents(music)
    new = [file for file in old if found[file] != old[file]]
    assert len(new) == renamed
    assert all(title(music / file) == TEXTS["title"] for file in new)
    left = drafts(music)
    journal = music.parent / "Music.jsonl"
    lines = [line["path"] for line in lines_of(journal)] if journal.exists() else []
    assert lines == sorted(lines)
    assert {str(music / file) for file in new} <= set(lines)
    if lines:
        shutil.copytree(music, music.parent / "again")
        assert [done.path.name for done in undo(journal, keep_mtime=False) if not done.why] == sorted(new)[::-1]
        assert contents(music) == old
        shutil.rmtree(music)
        (music.parent / "again").rename(music)
    outcome, told, journal = mend(music, jobs=jobs)
    assert (outcome.written, outcome.leftovers, told.troubles) == (4 - len(new), len(left), [])
    assert not drafts(music)
    assert all(not done.failed for done in undo(journal, keep_mtime=False))
    assert contents(music) == old


def test_files_that_find_no_space_together_are_written_one_by_one(music, monkeypatch):
    copy = replacing.copy_contents

    def full(path, descriptor):
        if len(drafts(music)) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        copy(path, descriptor)

    monkeypatch.setattr(replacing, "copy_contents", full)
    outcome, told, journal = mend(music)
    assert (outcome.written, told.troubles) == (4, [])
    assert [line["path"][-5:] for line in lines_of(journal)] == [f"{number}.mp3" for number in range(4)]


def test_a_journal_that_finds_no_space_is_written_file_by_file(music, monkeypatch):
    class Full(FileIO):
        def write(self, data):
            if len(drafts(music)) > 1:
                super().write(data[: len(data) // 3])
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(data)

    old = contents(music)
    monkeypatch.setattr("mediacrawl.music.journal.FileIO", Full)
    outcome, told, journal = mend(music)
    assert (outcome.written, told.troubles) == (4, [])
    assert not any(done.failed for done in undo(journal, keep_mtime=False))
    assert contents(music) == old


def test_a_batch_ends_with_the_space_that_its_copies_take(music, monkeypatch):
    added = []
    add = UndoJournal.add
    monkeypatch.setattr(UndoJournal, "add", lambda self, lines: added.append(len(lines)) or add(self, lines))
    monkeypatch.setattr("mediacrawl.music.batches.MOST_BYTES", (music / "0.mp3").stat().st_size * 2 + 10)
    assert mend(music)[0].written == 4
    assert added == [2, 2]


def test_threads_change_neither_the_journal_nor_what_is_told(music):
    os.link(music / "1.mp3", music.parent / "other name.mp3")
    found = []
    for jobs in (1, 4):
        _, told, journal = mend(music, jobs=jobs)
        found.append((told.files, told.troubles, journal.read_bytes()))
        assert not any(done.failed for done in undo(journal, keep_mtime=True))
        journal.unlink()
    assert found[0] == found[1]
    assert len(found[0][0]) == 4
    assert [name for name, _ in found[0][1]] == ["1.mp3"]


def test_a_line_of_the_journal_that_a_kill_cut_off_is_no_line(music):
    old = contents(music)
    _, _, journal = mend(music)
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:4]) + lines[4][:90])
    assert [done.why for done in undo(journal, keep_mtime=False)] == ["", "", ""]
    assert [name for name, data in contents(music).items() if data != old[name]] == ["3.mp3"]


def test_a_run_takes_a_line_that_was_cut_off_out_of_its_journal(music):
    old = contents(music)
    _, _, journal = mend(music, journal=music.parent / "Music.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    list(undo(journal, keep_mtime=False))
    journal.write_bytes(b"".join(lines[:2]) + b'{"path": "/half')
    mend(music)
    assert len([done for done in undo(journal, keep_mtime=False) if not done.why]) == 4
    assert contents(music) == old


@pytest.mark.parametrize("data", [b"JFIF\nno line", b"[]\n", b"no line", HEADER[:30] + b"?", b"\n" + HEADER])
def test_a_file_that_is_no_journal_is_not_touched(data, music):
    old = contents(music)
    journal = music.parent / "cover.jpg"
    journal.write_bytes(data)
    with pytest.raises(JournalError, match=r"cover\.jpg is no journal of this program, and nothing is added to it"):
        mend(music, journal=journal)
    assert journal.read_bytes() == data
    assert contents(music) == old
    assert not drafts(music)


def test_a_journal_whose_first_line_was_cut_off_is_gone_on_with(music):
    journal = music.parent / "Music.jsonl"
    journal.write_bytes(HEADER[:20])
    assert mend(music)[0].written == 4
    assert len(lines_of(journal)) == 4


@pytest.mark.parametrize("error", [KeyboardInterrupt(), JournalError("The disk is full.")])
def test_a_run_that_is_stopped_names_its_journal(error, music, monkeypatch, capsys):
    def stopped(made, *, keep_mtime):
        raise error

    stores = dict.fromkeys(("output", "fields", "raw", "only_mangled", "force", "restart", "report", "undo"))
    journal = music.parent / "back.jsonl"
    options = argparse.Namespace(
        **stores, write=True, dry_run=False, jobs=1, journal=str(journal), m3u=False, cue=False, id3v1="keep",
        keep_mtime=False, min_confidence=None, color="never", limit=0,
    )  # fmt: skip
    monkeypatch.setattr("mediacrawl.music.batches._put_all", stopped)
    assert on_disk.mend([str(music)], options, 0.0, None)
    assert f"scrapy demojibake --undo {journal}\n" in capsys.readouterr().err
    journal.write_bytes(b"a picture")
    assert on_disk.mend([str(music)], options, 0.0, None) == 1
    assert "--undo" not in capsys.readouterr().err


@pytest.mark.parametrize("bad", [b"?", b"[]", b'{"path": 3}', b"\xff\x00", b""])
def test_a_bad_line_of_a_journal_is_told_and_the_others_go_back(bad, music):
    old = contents(music)
    _, _, journal = mend(music)
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:2], bad + b"\n", *lines[3:]]))
    done = list(undo(journal, keep_mtime=False))
    at = sum(map(len, lines[:2]))
    assert [(each.path, each.why) for each in done if each.failed] == [
        (journal, f"its line at byte {at} cannot be read")
    ]
    assert [name for name, data in contents(music).items() if data != old[name]] == ["1.mp3"]
    journal.write_bytes(b"".join([bad + b"\n", *lines[1:]]))
    assert [each.path for each in undo(journal, keep_mtime=False) if each.failed] == [journal]
    assert contents(music) == old


def test_two_runs_do_not_write_one_journal(music):
    journal = music.parent / "Music.jsonl"
    journal.write_bytes(HEADER)
    with journal.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(JournalError, match="Another run writes the journal"):
            mend(music)


def test_what_is_no_journal_is_said_to_be_none(tmp_path):
    (tmp_path / "list.jsonl").write_text('{"title": "a"}\n')
    with pytest.raises(JournalError, match="no journal of this program"):
        list(undo(tmp_path / "list.jsonl", keep_mtime=False))
    with pytest.raises(JournalError, match="No such file"):
        list(undo(tmp_path / "none.jsonl", keep_mtime=False))


def test_a_disk_that_is_full_costs_a_sentence_for_each_file(music):
    small = mp3(music, 3, name="small.mp3", cover=False)
    limit = small.stat().st_size + 1400
    old = contents(music)
    told_of = music.parent / "told"

    def work():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        outcome, told, _ = mend(music)
        told_of.write_text(json.dumps([outcome.written, told.troubles]))

    assert in_child(work) == 0
    written, troubles = json.loads(told_of.read_text())
    assert written == 1
    assert troubles == [[f"{number}.mp3", "it cannot be written: File too large"] for number in range(4)]
    assert {name for name, data in contents(music).items() if data != old[name]} == {"small.mp3"}
    assert not drafts(music)


def test_without_a_journal_nothing_is_written(music):
    old = contents(music)
    with pytest.raises(JournalError, match="/dev/full cannot be written: No space left on device"):
        mend(music, journal=type(music)("/dev/full"))
    assert contents(music) == old
    assert not drafts(music)


def test_a_draft_that_another_run_is_writing_stays(music):
    draft = music / ".demojibake-0123456789abcdef.tmp"
    draft.touch()
    with draft.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert mend(music)[0].leftovers == 0
        assert draft.exists()
    assert mend(music)[0].leftovers == 1
    assert not draft.exists()


def test_read_only_files_and_files_with_two_names_are_left(music):
    (music / "0.mp3").chmod(0o444)
    os.link(music / "1.mp3", music.parent / "other name.mp3")
    outcome, told, _ = mend(music)
    assert outcome.written == 2
    assert [(name, why.partition(",")[0]) for name, why in told.troubles] == [
        ("0.mp3", "it is read-only"),
        ("1.mp3", "it has 2 names (hard links)"),
    ]
    assert mend(music, journal=None)[1].troubles == told.troubles


def test_files_in_a_read_only_folder_are_left(music):
    music.chmod(0o555)
    outcome, told, _ = mend(music)
    music.chmod(0o755)
    assert outcome.written == 0
    assert {why for _, why in told.troubles} == {"its folder is read-only"}


def test_links_in_a_folder_are_not_followed_and_named_ones_are(music, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    song = mp3(outside, 3)
    (music / "link.mp3").symlink_to(song)
    (music / "folder").symlink_to(outside)
    outcome, told, _ = mend(music)
    assert (outcome.written, outcome.links, told.troubles) == (4, 1, [])
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
    _, _, journal = mend(music)
    with (music / "1.mp3").open("ab") as file:
        file.write(b"\0")
    done = {each.path.name: each for each in undo(journal, keep_mtime=True)}
    assert done["1.mp3"].failed
    assert done["1.mp3"].why == "it was changed since by another program"
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
    outcome, told, journal = mend(folder)
    assert (outcome.written, told.troubles) == (2, [])
    assert [done.why for done in undo(journal, keep_mtime=False)] == ["", ""]
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
    outcome, told, journal = mend(folder)
    assert outcome.written >= 1
    assert all(why and "Traceback" not in why for _, why in told.troubles)
    changed = {name for name, found in contents(folder).items() if found != old[name]}
    assert len(changed) == outcome.written
    assert not any(done.failed for done in undo(journal, keep_mtime=False))
    assert contents(folder) == old


def test_files_of_long_texts_are_not_held_in_memory_together(music, monkeypatch):
    from mediacrawl.music import run as module

    held = []
    decide = module.Decider.decide
    monkeypatch.setattr(module, "_TEXT_TOGETHER", 60)
    monkeypatch.setattr(module.Decider, "decide", lambda self, files: held.append(len(files)) or decide(self, files))
    assert mend(music)[0].written == 4
    assert held == [2, 2]


def test_what_is_no_music_is_said_to_be_none(tmp_path):
    for name, data in (("empty.mp3", b""), ("page.mp3", b"<html><body>404"), ("zeros.flac", bytes(9000))):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "folder.mp3").mkdir()
    os.mkfifo(tmp_path / "pipe.mp3")
    outcome, told, _ = mend(tmp_path, journal=None)
    assert outcome.wrong == 0
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
    command = [*SCRAPY, "demojibake", str(folder), "--write", "--journal", str(tmp_path / "journal.jsonl")]
    rng, kills = random.Random(7), 0
    for _ in range(12):
        process = subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL, cwd=tmp_path)
        begun = time.monotonic()
        while not (tmp_path / "journal.jsonl").exists() and time.monotonic() - begun < 30 and process.poll() is None:
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.1) if kills == 0 else rng.uniform(0.5, 1.2))
        process.kill()
        kills += process.wait() == -signal.SIGKILL
        assert all(read_tags(path).tags for path in folder.iterdir() if not is_draft(path.name))
    assert kills >= 3
    subprocess.run(command, env=environment(), check=True, capture_output=True, cwd=tmp_path)
    assert all(title(path) == TEXTS["title"] for path in folder.iterdir())
    assert not any(done.failed for done in undo(tmp_path / "journal.jsonl", keep_mtime=False))
    assert contents(folder) == old


def test_a_folder_and_a_file_in_it_are_taken_once(music):
    class Silent:
        def file(self, path, fields):
            pass

        trouble = file

    outcome = run(MusicOptions(paths=[music, music, music / "." / "0.mp3"]), Silent())
    assert outcome.files == 5
