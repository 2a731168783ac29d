"""Starts ``python -m scrapy`` and ``python -m mediacrawl`` in a second less: as forks of a process that imported them.

The interpreter's start, the imports and the models take most of the time of a command, and these tests start hundreds.
So one process has Scrapy, mediacrawl and the models in its memory, and forks for each command. The fork takes over the
command's folder, environment, arguments, streams, their encoding and the paths of its PYTHONPATH, changes the constants
that the command names (`constants`), and ends with an exit code or a signal, as every process does; what ended without
an exception is spared the taking apart of all modules, which takes longer than most commands.
The process that is forked has no thread, no reactor and no project. What depends on the interpreter's own start
(options, other ``PYTHON...`` variables, installed scripts) or its own end needs a process of its own.
"""

import contextlib
import functools
import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import constants

ROOT = Path(__file__).resolve().parents[1]

PARTS = [
    "mediacrawl.extensions",
    "mediacrawl.frontier.redis.start_urls",
    "mediacrawl.frontier.redis.worker",
    "mediacrawl.frontier.sqlite.store",
    "mediacrawl.net.http_handler",
    "mediacrawl.middlewares",
    "mediacrawl.pipelines",
    "mediacrawl.priority.adaptive",
    "mediacrawl.rerun.redis_list",
    "mediacrawl.net.resolver",
    "mediacrawl.scheduler",
    "mutagen.flac",
    "mutagen.id3",
    "scrapy.cmdline",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.core.scraper",
    "scrapy.crawler",
    "scrapy.spiderloader",
    "twisted.internet.asyncioreactor",
    "twisted.web.client",
]
WHOLE = [
    "mediacrawl.commands",
    "mediacrawl.spiders",
    "scrapy.commands",
    "scrapy.downloadermiddlewares",
    "scrapy.spidermiddlewares",
]
"""Packages of which Scrapy imports each module, or nearly."""


class Launched:
    """A command under way; like ``subprocess.Popen``, as far as these tests go."""

    def __init__(self, answers):
        self._answers = answers
        self.pid = int(answers.recv(100))
        self.returncode = None

    def poll(self):
        """Its exit code if it has ended."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, seconds=None):
        """Wait for its end; answers its exit code, or the number of the signal that ended it below zero."""
        if self.returncode is not None:
            return self.returncode
        self._answers.settimeout(seconds)
        try:
            self.returncode = int(self._answers.recv(100))
        except (TimeoutError, BlockingIOError):
            raise subprocess.TimeoutExpired(f"process {self.pid}", seconds) from None
        self._answers.close()
        return self.returncode

    def send_signal(self, number):
        """Nothing happens if it has ended."""
        if self.poll() is None:
            # It may end in this moment, before its end is told.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self):
        """kill -9."""
        self.send_signal(9)

    def terminate(self):
        """kill."""
        self.send_signal(15)


class Launcher:
    """The process that forks, from the side of the tests."""

    def __init__(self, environment):
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [sys.executable, __file__, str(theirs.fileno())]
            self._process = subprocess.Popen(
                command,
                env={**environment, "OPENBLAS_NUM_THREADS": "1"},
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def start(self, program, arguments, folder, environment, stdout, stderr, warnings=None, stdin=None):
        """Start a module, or the script of a path, in a folder, with files as its streams; the input may be empty."""
        asked = [program, arguments, str(folder), environment, warnings]
        answers, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, Path(os.devnull).open("rb") as nothing:
            streams = [theirs.fileno(), (stdin or nothing).fileno(), stdout.fileno(), stderr.fileno()]
            socket.send_fds(self._ours, [json.dumps(asked).encode()], streams)
        return Launched(answers)

    def run(self, *asked, seconds, **more):
        """Start what `start` does, and wait so long for its end; answers its exit code."""
        process = self.start(*asked, **more)
        try:
            return process.wait(seconds)
        finally:
            process.kill()

    def run_and_read(self, program, arguments, folder, environment, *, seconds, **more):
        """As `run`; answers what ``subprocess.run`` does, with both streams as text."""
        with output() as out, output() as err:
            code = self.run(program, arguments, folder, environment, out, err, seconds=seconds, **more)
            return subprocess.CompletedProcess([program, *arguments], code, written(out), written(err))

    def stop(self):
        """End it; commands that are under way continue."""
        self._ours.close()
        self._process.wait(30)


def output():
    """A file for what a command writes."""
    return tempfile.TemporaryFile("w+", encoding="utf-8", errors="surrogateescape")


def written(file):
    """All that was written into it."""
    file.seek(0)
    return file.read()


def environment(**changes):
    """The environment without what points to a project, and without the width that pytest-xdist sets."""
    left = ("SCRAPY", "PYTHON", "COLUMNS")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left)}
    return {**kept, "PYTHONPATH": str(ROOT), **changes}


@functools.cache
def launcher():
    """What starts commands; one for all tests of a pytest process, which `stop` ends."""
    return Launcher(environment())


def stop():
    """End the process that starts commands, if there is one."""
    if launcher.cache_info().currsize:
        launcher().stop()


def serve(requests):
    """Fork for each request until nobody can send one; only the fork for a command comes back from here."""
    while True:
        asked, streams, _, _ = socket.recv_fds(requests, 2**20, 4)
        if not asked:
            os._exit(0)
        watcher = os.fork()
        if not watcher:
            requests.close()
            if not watch(streams[0]):
                return json.loads(asked), streams[1:]
            os._exit(0)
        for stream in streams:
            os.close(stream)
        bury()


def bury():
    """Ask for the ends of watchers, so that they leave the table of processes."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def watch(answers):
    """Fork once more, and tell the number of that process and how it ended; answers whether this is the watcher."""
    os.setsid()
    pid = os.fork()
    if not pid:
        os.close(answers)
        os.setsid()
        return False
    with socket.socket(fileno=answers) as teller:
        teller.send(str(pid).encode())
        _, status = os.waitpid(pid, 0)
        # Perhaps nobody waits for the end.
        with contextlib.suppress(BrokenPipeError):
            teller.send(str(os.waitstatus_to_exitcode(status)).encode())
    return True


def become(asked, streams):
    """Be ``python -m module`` or ``python script.py``, as far as a program can see."""
    import runpy
    import warnings

    program, arguments, folder, environment, shown = asked
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        os.close(stream)
    if encoding := environment.get("PYTHONIOENCODING"):
        sys.stdout.reconfigure(encoding=encoding)
        sys.stderr.reconfigure(encoding=encoding, errors="backslashreplace")
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    # It reads the environment when it is imported.
    sys.modules.pop("mediacrawl.settings", None)
    if shown:
        warnings.simplefilter(shown)
    # A settings file that is written twice within a second at the same length must not be taken for the first.
    sys.dont_write_bytecode = True
    is_script = program.endswith(".py")
    sys.path[0] = str(Path(program).parent) if is_script else folder
    paths = environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[1:1] = [path for path in paths if path and path not in sys.path]
    sys.argv = [program, *constants.take(arguments)]
    try:
        if is_script:
            runpy.run_path(program, run_name="__main__")
        else:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        leave(end.code or 0, told=bool(shown))
    leave(0, told=bool(shown))


def leave(code, *, told):
    """End as the interpreter does: with the threads, then what is registered for the end, then the streams.

    Where warnings are told, so is what garbage has to say.
    """
    import atexit
    import gc
    import threading

    if told:
        gc.collect()
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code & 0xFF)


def main():
    """What the process does that is forked."""
    import gc
    import importlib
    import pkgutil
    import platform

    from scrapy.settings.default_settings import EXTENSIONS_BASE

    from mediacrawl.encoding import repair
    from mediacrawl.scope import site_of

    # Projects without our add-on import also those that are switched off: remote control brings all of aiohttp.
    for part in (*PARTS, *(name.rpartition(".")[0] for name in EXTENSIONS_BASE)):
        importlib.import_module(part)
    for package in WHOLE:
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
            importlib.import_module(module.name)
    # The models are unpacked when they are first asked.
    for encoding in ("utf-8", "cp1251"):
        repair(["Привет, мир".encode(encoding).decode("latin-1")])
    # So is the list of public suffixes, and what Scrapy logs of the machine: another program is asked for it.
    site_of("http://www.example.co.uk/")
    platform.platform()
    with contextlib.suppress(ImportError):
        importlib.import_module("uvloop")
    assert "twisted.internet.reactor" not in sys.modules
    gc.collect()
    gc.freeze()
    become(*serve(socket.socket(fileno=int(sys.argv[1]))))


if __name__ == "__main__":
    main()


def free_port():
    """A port of this machine that nobody listens on now."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]
