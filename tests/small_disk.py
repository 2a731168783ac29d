"""A file system of its own, which can be really full."""

import shutil
import subprocess
from contextlib import contextmanager

import pytest


@contextmanager
def small_disk(folder, size, free):
    """Mounts a file system of so many bytes, with a file ``filler`` that leaves some free.

    The test is skipped where that is not allowed, or a bare machine has no such program.
    """
    folder.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a file system")
    try:
        (folder / "filler").write_bytes(bytes(size - free))
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
