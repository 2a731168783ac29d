"""Starts ``python -m scrapy`` and ``python -m mediacrawl``, by the fork server of the standard library.

The imports and the models take most of the time of a command, and these tests start hundreds. So the fork server has
them in its memory (`forked`). What depends on the interpreter's own start (its options, ``PYTHON...`` variables,
installed scripts) needs a process of its own.
"""

import functools
import json
import multiprocessing
import os
import socket
import subprocess
import tempfile
import time
from multiprocessing import forkserver
from multiprocessing.connection import Connection

import forked
import pytest

ROOT = forked.ROOT
SHORT = "TESTS_SHORT"
"""The variable of the environment that is set while the short form of all tests runs (conftest.py)."""


def examples(number):
    """How many examples Hypothesis tries: ``number`` in the long form (``make test-all``), else a sixth."""
    return max(5, number // 6) if SHORT in os.environ else number


def slow(*values):
    """Each value as one parameter with the marker ``slow``: ``make test`` leaves it out, ``make test-all`` does not."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


class Started:
    """A command under way; like ``subprocess.Popen``, as far as these tests go."""

    def __init__(self, process):
        self._process = process
        self.pid = process.pid
        self.kill = process.kill
        self.terminate = process.terminate

    @property
    def returncode(self):
        """Its exit code, or the number of the signal that ended it below zero; None while it runs."""
        return self._process.exitcode

    poll = returncode.fget

    def wait(self, seconds=None):
        """Wait for its end; return its exit code."""
        self._process.join(seconds)
        if self.returncode is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", seconds)
        return self.returncode

    def send_signal(self, number):
        """Nothing happens if it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)


def start(program, arguments, folder, environment, stdout, stderr, warned=None, stdin=None):
    """Start a module, or the script of a path, in a folder, with files as its streams; the input may be empty."""
    streams = [Connection(os.dup(each.fileno())) if each else None for each in (stdin, stdout, stderr)]
    asked = (program, arguments, str(folder), dict(environment), streams, warned)
    process = _forking().Process(target=forked.become, args=asked)
    process.start()
    return Started(process)


def run(program, arguments, folder, environment, *, seconds=90, **more):
    """As `start`, and wait for its end; return what ``subprocess.run`` does, with both streams as text."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = start(program, arguments, folder, environment, out, err, **more)
        try:
            code = process.wait(seconds)
        finally:
            process.kill()
        out.seek(0)
        err.seek(0)
        written = [each.read().decode("utf-8", "surrogateescape").replace("\r\n", "\n") for each in (out, err)]
        return subprocess.CompletedProcess([program, *arguments], code, *written)


def switches(settings):
    """Settings, or constants by their path, as words of a command."""
    words = {name: json.dumps(each) if isinstance(each, (dict, list)) else each for name, each in settings.items()}
    return [word for name, value in words.items() for word in ("-s", f"{name}={value}")]


def environment(**changes):
    """The environment without what points to a project, and without the width that pytest-xdist sets."""
    left = ("SCRAPY", "PYTHON", "COLUMNS")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left)}
    return {**kept, "PYTHONPATH": str(ROOT), **changes}


@functools.cache
def _forking():
    """The context of a fork server that has imported everything; it ends with this process."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["forked"])
    seen = environment(
        PYTHONPATH=f"{ROOT}{os.pathsep}{ROOT / 'tests'}", OPENBLAS_NUM_THREADS="1", **{forked.SERVER: "1"}
    )
    with pytest.MonkeyPatch.context() as patch:
        for name in {*os.environ, *seen}:
            patch.setenv(name, seen[name]) if name in seen else patch.delenv(name)
        forkserver.ensure_running()
    return context


def until(seen, seconds=60):
    """Wait until something holds; return what it is."""
    end = time.monotonic() + seconds
    while not (found := seen()):
        assert time.monotonic() < end, "never seen"
        time.sleep(0.02)
    return found


def free_port():
    """A port of this machine that nobody listens on now."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]
