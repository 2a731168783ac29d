"""Processes of a command: each task is answered once, and one that ends is an error and never a wait."""

import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection

import pytest
from harness import ROOT

from mediacrawl.base.workers import WorkerEndedError, workers


def adder(first):
    """Work: adds to what was given at the start."""

    def add(task):
        if task == "fail":
            raise ValueError("no number")
        if task == "pid":
            return os.getpid()
        return first + task

    return add


def killed_half_way(first):
    """Work: its process is killed when half of the answer is in the pipe."""

    def half(self, content):
        os.write(self.fileno(), content[: len(content) // 2])
        os.kill(os.getpid(), signal.SIGKILL)

    def answer(task):
        Connection._send = half
        return b"x" * task

    return answer


def failing(first):
    """Work that cannot be made."""
    os._exit(3)


@pytest.mark.parametrize("make", [killed_half_way, failing])
@pytest.mark.parametrize("number", [1, 2])
def test_a_process_that_ends_is_an_error_for_all_who_wait(make, number):
    with workers(number, make, 0) as work, ThreadPoolExecutor(4) as threads:
        waiting = [threads.submit(work, 1000) for _ in range(8)]
        for future in waiting:
            with pytest.raises(WorkerEndedError, match="ended by itself"):
                future.result()


def test_every_task_is_answered_whoever_asks():
    with workers(2, adder, 100) as work, ThreadPoolExecutor(8) as threads:
        assert list(threads.map(work, range(500))) == list(range(100, 600))
        assert len(set(threads.map(work, ["pid"] * 200))) <= 2


def test_what_the_work_raises_reaches_the_caller_and_the_process_goes_on():
    with workers(1, adder, 1) as work:
        with pytest.raises(ValueError, match="no number") as caught:
            work("fail")
        assert "in add" in "".join(caught.value.__notes__)
        assert work(1) == 2


def test_an_answer_nobody_waited_for_is_not_taken_for_the_next_one(monkeypatch):
    with workers(1, adder, 1) as work:
        with monkeypatch.context() as patch:
            patch.setattr(Connection, "recv", lambda pipe: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                work(1)
        with pytest.raises(WorkerEndedError):
            work(2)


def test_no_process_is_left():
    with workers(2, adder, 1) as work:
        started = multiprocessing.active_children()
        assert len(started) == 2
        assert work(1) == 2
    assert not multiprocessing.active_children()
    assert [process.exitcode for process in started] == [-signal.SIGTERM] * 2


BLOCKED = """
import signal

from mediacrawl.base.workers import workers


def make():
    return lambda task: signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


if __name__ == "__main__":
    with workers(2, make) as ask:
        print(ask(1), ask(2))
    print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))
"""


SEEN = """
import sys
from operator import attrgetter

print("imported", file=sys.stderr)

if __name__ == "__main__":
    from mediacrawl.base.workers import workers

    with workers(2, attrgetter, "real") as real:
        print(real(1), real(2))
"""


def test_a_worker_does_not_import_the_program_that_it_does_not_need(tmp_path):
    (tmp_path / "program.py").write_text(SEEN)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "program.py")],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.split() == ["1", "2"]
    assert done.stderr.split() == ["imported"]


def test_ctrl_c_is_blocked_in_a_process_from_its_first_moment(tmp_path):
    # In a program of its own: the process that Python starts beside the first one is there already in this one.
    (tmp_path / "program.py").write_text(BLOCKED)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "program.py")],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.split() == ["True", "True", "False"]
