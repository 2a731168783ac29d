"""A process that watches its parent ends when that is gone, and not before."""

import os
import signal
import subprocess
import sys

from harness import environment, until

WATCHED = [sys.executable, "-m", "mediacrawl.programs.fleet.parent_watch", "module"]

CHILD = """
import os, signal, sys, time
from pathlib import Path

def stop(*_):
    Path("stopped").write_text(str(os.getpid()))
    sys.exit()

signal.signal(signal.SIGTERM, stop)
Path("ready").write_text(f"{os.getpid()} {__name__} {sys.argv[1:]}")
while True:
    time.sleep(0.05)
"""

PARENT = f"""
import subprocess, time
subprocess.Popen({[*WATCHED, "child", "one", "-s"]!r}, stdin=subprocess.PIPE, start_new_session=True)
time.sleep(600)
"""


def content(path):
    """What is in a file, once it is there."""
    return until(lambda: path.exists() and path.read_text())


def test_a_module_runs_as_python_would_run_it(tmp_path):
    (tmp_path / "shown.py").write_text("import sys; print(__name__, sys.argv[1:])")
    with subprocess.Popen(
        [*WATCHED, "shown", "crawl", "-a", "x=1"],
        cwd=tmp_path, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as child:  # fmt: skip
        assert child.stdout.read() == b"__main__ ['crawl', '-a', 'x=1']\n"
        assert child.wait() == 0


def test_it_stops_cleanly_when_its_parent_is_killed(tmp_path):
    (tmp_path / "child.py").write_text(CHILD)
    parent = subprocess.Popen([sys.executable, "-c", PARENT], cwd=tmp_path, env=environment())
    try:
        pid, rest = content(tmp_path / "ready").split(" ", 1)
        assert rest == "__main__ ['one', '-s']"
        assert not (tmp_path / "stopped").exists()
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    assert content(tmp_path / "stopped") == pid


def test_one_that_hears_no_signal_yet_ends_as_well(tmp_path):
    (tmp_path / "child.py").write_text("import time; open('ready', 'w').write('yes')\nwhile True: time.sleep(0.05)")
    reading, writing = os.pipe()
    child = subprocess.Popen([*WATCHED, "child"], cwd=tmp_path, env=environment(), stdin=reading)
    os.close(reading)
    content(tmp_path / "ready")
    os.close(writing)
    assert child.wait(60) == -signal.SIGTERM
