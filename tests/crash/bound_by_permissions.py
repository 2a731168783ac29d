"""``python -m mediacrawl`` without the capability by which root writes everywhere; others have it not.

See capabilities(7) for the numbers, and capset(2) for the two structures.
"""

import ctypes
import os
import runpy

VERSION_3 = 0x20080522
DAC_OVERRIDE = 1 << 1


class Header(ctypes.Structure):
    """Of which process, and in which version of the structures."""

    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class Capabilities(ctypes.Structure):
    """32 capabilities, a bit each."""

    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def drop():
    """Give the capability up, for this process and all that it starts by fork."""
    libc = ctypes.CDLL(None, use_errno=True)
    header, found = Header(VERSION_3, 0), (Capabilities * 2)()
    assert libc.capget(ctypes.byref(header), found) == 0, os.strerror(ctypes.get_errno())
    for name, _ in Capabilities._fields_:
        setattr(found[0], name, getattr(found[0], name) & ~DAC_OVERRIDE)
    assert libc.capset(ctypes.byref(header), found) == 0, os.strerror(ctypes.get_errno())


if __name__ == "__main__":
    drop()
    runpy.run_module("mediacrawl", run_name="__main__", alter_sys=True)
