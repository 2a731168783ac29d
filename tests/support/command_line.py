"""mediacrawl as a user types it, in a process of its own."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import harness
from harness import ROOT, environment

MEDIACRAWL = [sys.executable, "-m", "mediacrawl"]
SCRAPY = [sys.executable, "-m", "scrapy"]
QUICK = {
    "POLITENESS_FACTOR": 1.0,
    "POLITENESS_MIN_DELAY": 0.05,
    # All hosts of this web have one address.
    "POLITENESS_ADDRESS_FACTOR": 0.0,
    "POLITENESS_ADDRESS_MIN_DELAY": 0.0,
    "POLITENESS_FIRST_DELAY": 0.05,
    "ROBOTS_RETRY": 1.0,
}
"""Settings by which a crawl of a few pages ends at once."""


class Ended:
    """What a command left: exit code, standard output, standard error."""

    def __init__(self, code, out, err):
        self.code = code
        self.out = out
        self.err = err

    @property
    def sentences(self):
        """What tells why the command did nothing: no log, no traceback, only the usage before it."""
        assert self.code == 2, (self.code, self.err[-3000:])
        assert self.out == ""
        before, mark, told = self.err.partition(": error: ")
        assert mark, self.err
        assert re.fullmatch(r"Usage\n=+\n  (scrapy|mediacrawl) \w+ [^\n]+\n\S+", before), self.err
        return told.splitlines()

    @property
    def sentence(self):
        """The one sentence that tells why the command did nothing."""
        (sentence,) = self.sentences
        return sentence

    @property
    def logged(self):
        """The one sentence of a crawl that had begun and could not continue."""
        assert self.code == 1, (self.code, self.err[-3000:])
        assert "Traceback" not in self.err, self.err
        (line,) = [line for line in self.err.splitlines() if " CRITICAL: " in line]
        return line.partition(" CRITICAL: ")[2]

    def check(self):
        """It did what it should."""
        assert self.code == 0, self.err[-3000:]
        assert "Traceback" not in self.err, self.err[-3000:]
        return self


def run(folder, *command, **changes):
    """Run a command in a folder until it ends: of Python by the fork server, if nothing is asked of the interpreter."""
    interpreter, first, *words = command
    is_script = first.endswith(".py")
    launched = interpreter == sys.executable and (is_script or first == "-m")
    if not launched or any(_asks(*change) for change in changes.items()):
        return run_anew(folder, *command, **changes)
    program = str(folder / first) if is_script else words.pop(0)
    done = harness.run(program, words, folder, environment(**changes), seconds=90)
    return Ended(done.returncode, done.stdout, done.stderr)


def _asks(name, value):
    """Whether a variable asks something of the interpreter itself that a fork cannot do."""
    if name == "PYTHONPATH":
        return str(ROOT) not in value.split(os.pathsep)
    return name.startswith("PYTHON") and name != "PYTHONIOENCODING"


def run_anew(folder, *command, **changes):
    """Run a command in a folder until it ends, with nothing imported before."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(**changes),
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        check=False,
        timeout=90,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def crawl_command(arguments, settings, spider="media"):
    """``mediacrawl crawl media -a ... -s ...``."""
    command = [*MEDIACRAWL, "crawl", spider]
    for name, value in arguments.items():
        command += ["-a", f"{name}={value}"]
    for name, value in settings.items():
        command += ["-s", f"{name}={value}"]
    return command


def crawl(folder, settings=None, **arguments):
    """``mediacrawl crawl media`` with these spider arguments, in a folder without a project."""
    return run(folder, *crawl_command(arguments, {**QUICK, **(settings or {})}))


def recheck(folder, settings=None, **arguments):
    """``mediacrawl crawl recheck`` with these spider arguments, in a folder without a project."""
    return run(folder, *crawl_command(arguments, {**QUICK, **(settings or {})}, "recheck"))


def typed(folder, *command, width=80, **changes):
    """What a command shows on a terminal of its own, of so many columns, and its exit code."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    _, _, program, *words = command
    with os.fdopen(side, "r+b", buffering=0) as terminal:
        # Under xdist pytest's own width is in the environment, and it would count.
        seen = environment(**{"COLUMNS": "", **changes})
        process = harness.start(program, words, folder, seen, terminal, terminal, stdin=terminal)
    shown = _read(main)
    return shown, process.wait(120)


def _read(main):
    raw = b""
    while True:
        try:
            chunk = os.read(main, 65536)
        except OSError:
            # Linux: the other side is closed.
            break
        if not chunk:
            break
        raw += chunk
    os.close(main)
    return raw.decode()
