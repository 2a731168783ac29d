"""``scrapy top``, in a real terminal beside a real crawl."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

import pytest
from command_line import MEDIACRAWL, run
from test_report_command import state

from mediacrawl.base.terms import Candidate, Kind
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.stores import open_store


@pytest.fixture
def crawl(tmp_path):
    folder = state(tmp_path / ".mediacrawl", "a.example")
    store = open_store("sqlite", folder, FrontierPolicy(), time.time())
    store.add([Candidate(f"http://{name}.example/", f"{name}.example", "x", Kind.PAGE) for name in "ab"])
    store.close()
    return tmp_path


def test_without_a_terminal_one_screen_is_printed(crawl):
    out = run(crawl, *MEDIACRAWL, "top").check().out
    assert out.startswith("mediacrawl top · killed")
    assert "2 requests" in out
    assert "b.example" in out


class Screen:
    """A terminal of 100 columns and 30 rows with a program in it."""

    def __init__(self, folder, *command):
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.before = termios.tcgetattr(slave)
        self._slave = slave
        environment = {**os.environ, "TERM": "xterm", "PYTHONUTF8": "1"}
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
        )
        self.text = ""

    def until(self, pattern, seconds=60):
        """Read until the text has a pattern."""
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self.text):
            assert time.monotonic() < deadline, self.text[-2000:]
            if select.select([self._master], [], [], 0.2)[0]:
                self.text += os.read(self._master, 1 << 16).decode("utf-8", "replace")

    def type(self, keys):
        self.text = ""
        os.write(self._master, keys)

    def end(self):
        self.until(r"\x1b\[\?1049l")
        code = self.process.wait(20)
        after = termios.tcgetattr(self._slave)
        os.close(self._master)
        os.close(self._slave)
        return code, after


def test_keys_sort_select_and_quit_and_the_terminal_is_as_before(crawl):
    screen = Screen(crawl, *MEDIACRAWL, "top")
    screen.until(r"ready +a\.example")
    screen.type(b"s")
    screen.until(r"sites by finds[^>]*ready +a\.example")
    screen.type(b"\x1b[B")
    screen.until(r"\n> +0 ")
    screen.type(b"p")
    screen.until(r"use: scrapy frontier pause a\.example")
    screen.type(b"q")
    code, after = screen.end()
    assert code == 0
    assert after == screen.before


def test_ctrl_c_gives_the_terminal_back(crawl):
    screen = Screen(crawl, *MEDIACRAWL, "top")
    screen.until("mediacrawl top")
    screen.type(b"x")
    screen.until("mediacrawl top")
    os.killpg(screen.process.pid, 2)
    code, after = screen.end()
    assert code == 130
    assert after == screen.before
