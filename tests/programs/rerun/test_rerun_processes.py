"""Several processes: the same bytes in the same order, and no process left behind."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from harness import slow
from stored_items import RECORDS, ROOT, Killer, go, our_record, stored

from mediacrawl.encoding import model_version, train, use_models
from mediacrawl.programs.rerun import RerunError, RerunOptions, rerun
from mediacrawl.programs.rerun.run import RerunWatcher


@pytest.mark.parametrize("kind", ["jl", *slow("jl.gz", "csv")])
def test_two_processes_write_what_one_writes(many_lines, tmp_path, kind):
    source = stored(tmp_path / "in.csv", *map(our_record, range(2 * RECORDS))) if kind == "csv" else many_lines
    one = go(source, tmp_path / f"one.{kind}", jobs=1)
    two = go(source, tmp_path / f"two.{kind}", jobs=2)
    assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()
    assert one.tally == two.tally


@pytest.mark.slow
def test_three_processes_mend_a_catalogue_as_one_does(catalogue, tmp_path):
    from mediacrawl.store import Catalogue

    found = []
    for jobs in (1, 3):
        shutil.copy(catalogue, tmp_path / f"{jobs}.db")
        go(tmp_path / f"{jobs}.db", jobs=jobs)
        with Catalogue(tmp_path / f"{jobs}.db", read_only=True) as mended:
            found.append(list(mended.search(())))
    assert found[0] == found[1]


def test_a_small_input_starts_no_processes(many_lines, tmp_path, monkeypatch):
    monkeypatch.setattr("mediacrawl.programs.rerun.workers.workers", None)
    (tmp_path / "small.jl").write_bytes(b"".join(many_lines.read_bytes().splitlines(keepends=True)[:10]))
    assert go(tmp_path / "small.jl", tmp_path / "out.jl", jobs=8).tally.records == 10


@pytest.fixture
def own_model(tmp_path):
    """A model of a language of the user's own; afterwards this process has the bundled ones again."""
    source = random.Random(1)
    syllables = ["ка", "ро", "ми", "ту", "ше", "ҫӑ", "вӗ", "ял", "ӑн", "лах", "кил", "тур", "пӗр"]  # noqa: RUF001
    words = ["".join(source.choices(syllables, k=source.randint(2, 4))) for _ in range(3000)]
    lines = (" ".join(source.choices(words, k=9)) for _ in range(5000))
    (tmp_path / "own.txt").write_text("\n".join(lines), encoding="utf-8")
    made = train("cv", [tmp_path / "own.txt"])
    (tmp_path / "cv.bin").write_bytes(made.content)
    yield tmp_path / "cv.bin"
    use_models(())


@pytest.mark.slow
def test_workers_decide_with_the_models_that_were_named(many_lines, tmp_path, own_model):
    bundled = model_version()
    models = (str(own_model),)
    go(many_lines, tmp_path / "one.jl", jobs=1, models=models)
    go(many_lines, tmp_path / "two.jl", jobs=2, models=models)
    assert (tmp_path / "one.jl").read_bytes() == (tmp_path / "two.jl").read_bytes()
    assert model_version() != bundled
    assert f'"fixer": "{model_version()}"'.encode() in (tmp_path / "two.jl").read_bytes()
    assert bundled.encode() not in (tmp_path / "two.jl").read_bytes()


def test_a_model_that_is_none_is_a_sentence(many_lines, tmp_path):
    with pytest.raises(RerunError, match=r"none\.bin"):
        go(many_lines, tmp_path / "out.jl", models=(str(tmp_path / "none.bin"),))


class Interrupter(RerunWatcher):
    """Presses Ctrl-C."""

    def __init__(self):
        self.left = 4

    def block(self, done, items, rows):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


@pytest.mark.parametrize("jobs", [1, *slow(2)])
def test_ctrl_c_keeps_what_is_done(many_lines, tmp_path, jobs):
    go(many_lines, tmp_path / "whole.jl")
    options = RerunOptions(str(many_lines), str(tmp_path / "out.jl"), jobs=jobs, save_every=1000.0)
    with pytest.raises(KeyboardInterrupt):
        rerun(options, Interrupter())
    result = rerun(options)
    assert result.resumed > 0
    assert (tmp_path / "out.jl").read_bytes() == (tmp_path / "whole.jl").read_bytes()


class WorkerKiller(RerunWatcher):
    """Kills a worker as the system does when memory is short."""

    def block(self, done, items, rows):
        import multiprocessing

        for child in multiprocessing.active_children():
            os.kill(child.pid, signal.SIGKILL)


@pytest.mark.slow
def test_a_worker_that_dies_is_a_sentence_and_the_run_goes_on(many_lines, tmp_path):
    options = RerunOptions(str(many_lines), str(tmp_path / "out.jl"), jobs=2)
    with pytest.raises(RerunError, match="worker process ended by itself"):
        rerun(options, WorkerKiller())
    go(many_lines, tmp_path / "whole.jl")
    assert rerun(options).tally.records == 2 * RECORDS
    assert (tmp_path / "out.jl").read_bytes() == (tmp_path / "whole.jl").read_bytes()


PARENT = """
import multiprocessing, os, signal, sys
from mediacrawl.programs.rerun import RerunOptions, rerun
from mediacrawl.programs.rerun.run import RerunWatcher
from stored_items import small_blocks

class Teller(RerunWatcher):
    def block(self, done, items, rows):
        print(*(child.pid for child in multiprocessing.active_children()), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    small_blocks()
    rerun(RerunOptions(sys.argv[1], sys.argv[2], jobs=2), Teller())
"""


def test_workers_end_when_the_parent_is_killed(many_lines, tmp_path):
    (tmp_path / "parent.py").write_text(PARENT)
    paths = [str(ROOT), str(ROOT / "tests"), str(Path(__file__).parent)]
    done = subprocess.run(
        [sys.executable, str(tmp_path / "parent.py"), str(many_lines), str(tmp_path / "out.jl")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    pids = list(map(int, done.stdout.split()))
    assert len(pids) == 2, done.stderr
    for _ in range(400):
        pids = [pid for pid in pids if is_alive(pid)]
        if not pids:
            break
        time.sleep(0.05)
    assert not pids


def is_alive(pid):
    """Whether a process runs; one that has ended and that nobody has asked about is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_killer_of_these_tests_kills():
    """Else the tests of resuming would test nothing."""
    killer = Killer(2)
    killer.block(0, 0, ())
    assert killer.left == 1
