"""Help for tests that mend a folder: what is told of it, and a run that is killed."""

import itertools
import os
import pkgutil
import signal
import warnings
from unittest import mock

from mediacrawl.programs.music.run import MusicOptions, mend_music


class Told:
    """Notes what is told of a run."""

    def __init__(self):
        self.files, self.troubles = [], []

    def file(self, path, fields):
        self.files.append((path.name, fields))

    def trouble(self, path, why):
        self.troubles.append((path.name, why))


def mend(folder, **options):
    """Mends a folder; the originals are kept beside it."""
    told = Told()
    originals = folder.parent / f"{folder.name}.originals"
    outcome = mend_music(MusicOptions(paths=[folder], **({"write": True, "originals": originals} | options)), told)
    return outcome, told, originals


def in_child(work):
    """Runs something in a process of its own; gives the signal that ended it, or its exit code."""
    with warnings.catch_warnings():
        # Python 3.12 warns where there are threads; xdist has one, which holds nothing that this needs.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        code = 70
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def killed_at(place, number, *, after=False):
    """Lets a process kill itself at the `number`th call of a function, before it or after it."""
    holder, _, name = place.rpartition(".")
    owner = pkgutil.resolve_name(holder)
    whole, numbers = getattr(owner, name), itertools.count(1)

    def counted(*args, **kwargs):
        # Several threads may be in here.
        is_last = next(numbers) == number
        if is_last and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        result = whole(*args, **kwargs)
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return mock.patch.object(owner, name, counted)
