"""What a process does that the fork server of `harness` made: it becomes a command.

Crawls get other values for constants of mediacrawl, so that they end in seconds, as settings whose names are paths:
``-s mediacrawl.middlewares.answers.OPEN_BYTES=4``, or, for the default of a policy's field,
``-s mediacrawl.politeness.delay.BackoffPolicy.jitter=0``.
"""

import atexit
import functools
import gc
import importlib
import json
import os
import pkgutil
import platform
import runpy
import signal
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SERVER = "TESTS_FORK_SERVER"
"""The variable of the environment by which this module knows that it is imported by the fork server."""

PARTS = [
    "mediacrawl.extensions",
    "mediacrawl.frontier.redis.start_urls",
    "mediacrawl.frontier.redis.worker",
    "mediacrawl.frontier.sqlite.store",
    "mediacrawl.download.http_handler",
    "mediacrawl.middlewares",
    "mediacrawl.pipelines",
    "mediacrawl.priority.adaptive",
    "mediacrawl.programs.rerun.redis_list",
    "mediacrawl.download.resolver",
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


def import_all():
    """Import all that commands and crawls need, so that each of them starts at once."""
    from scrapy.settings.default_settings import EXTENSIONS_BASE

    from mediacrawl.encoding import repair
    from mediacrawl.scope import site_of

    # Projects without our add-on import also those extensions that are switched off.
    for part in (*PARTS, *(name.rpartition(".")[0] for name in EXTENSIONS_BASE)):
        importlib.import_module(part)
    for package in WHOLE:
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
            importlib.import_module(module.name)
    # The models and the list of public suffixes are unpacked at their first use, and the platform asks a program.
    for encoding in ("utf-8", "cp1251"):
        repair(["Привет, мир".encode(encoding).decode("latin-1")])
    site_of("http://www.example.co.uk/")
    platform.platform()
    assert "twisted.internet.reactor" not in sys.modules


def become(program, arguments, folder, environment, streams, warned):
    """Be ``python -m module`` or ``python script.py``, as far as a program can see."""
    os.setsid()
    # Where the tests run under nohup it is ignored.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    for place, stream in enumerate(streams):
        if stream:
            os.dup2(stream.fileno(), place)
            stream.close()
    sys.stdin = os.fdopen(0)
    if encoding := environment.get("PYTHONIOENCODING"):
        sys.stdout.reconfigure(encoding=encoding)
        sys.stderr.reconfigure(encoding=encoding, errors="backslashreplace")
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    # It reads the environment when it is imported.
    sys.modules.pop("mediacrawl.settings", None)
    if warned:
        warnings.simplefilter(warned)
    # A settings file that is written twice within a second at the same length must not be taken for the first.
    sys.dont_write_bytecode = True
    tests = str(ROOT / "tests")
    is_script = program.endswith(".py")
    first = [str(Path(program).parent) if is_script else folder, *environment.get("PYTHONPATH", "").split(os.pathsep)]
    sys.path[:] = [*filter(None, first), *(path for path in sys.path if path and not path.startswith(tests))]
    sys.argv = [program, *_take_constants(arguments)]
    try:
        if is_script:
            runpy.run_path(program, run_name="__main__")
        else:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
    finally:
        if warned:
            # Garbage may have something to say.
            gc.collect()
        atexit._run_exitfuncs()


def _take_constants(arguments):
    """Change the constants that a command names; return its other words."""
    words = []
    for word in arguments:
        path, is_one, value = word.partition("=")
        if words[-1:] == ["-s"] and path.startswith("mediacrawl.") and is_one:
            _change(path, json.loads(value))
            words.pop()
        else:
            words.append(word)
    return words


def _change(path, value):
    """Change a constant of a module, or the default of a field of a dataclass."""
    owner, _, name = path.rpartition(".")
    owner = pkgutil.resolve_name(owner)
    if isinstance(owner, type):
        assert name in owner.__dataclass_fields__, path
        owner.__init__ = functools.partialmethod(owner.__init__, **{name: value})
    else:
        assert isinstance(getattr(owner, name), int | float), path
        setattr(owner, name, value)


if os.environ.pop(SERVER, ""):
    import_all()
