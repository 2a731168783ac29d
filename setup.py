"""Builds the C extension, where there is a compiler, and the egg for scrapyd (``make egg``); see pyproject.toml."""

import compileall
import py_compile
import sys
from pathlib import Path

from setuptools import Command, Extension, setup
from setuptools.command.bdist_egg import bdist_egg
from setuptools.errors import CompileError


class BytecodeBeside(bdist_egg):
    """An egg whose bytecode Python finds: from a zip it takes ``name.pyc`` beside ``name.py``, never ``__pycache__``.

    Without it each job compiles all modules before it begins, and scrapyd starts two processes for each deployment.
    The bytecode is not compared with the time of its source, which a zip keeps in the local time of whoever made it.
    """

    def call_command(self, cmdname: str, **kw: object) -> Command:
        """As setuptools does; what it has put into the folder of the egg is compiled.

        Raises:
            CompileError: a module is no Python; what is wrong with it stands on the standard output.
        """
        if cmdname != "install_lib":
            return super().call_command(cmdname, **kw)
        command = super().call_command(cmdname, **kw, compile=False, optimize=0)
        unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
        folder = self.bdist_dir
        if not compileall.compile_dir(folder, quiet=1, legacy=True, stripdir=folder, invalidation_mode=unchecked):
            raise CompileError("the egg cannot be made: a module does not compile")
        return command


NATIVE = Extension(
    "mediacrawl.encoding._native",
    sorted(map(str, Path("deploy/native").glob("*.c"))),
    depends=sorted(map(str, Path("deploy/native").glob("*.h"))),
    # The limited API: one build serves CPython 3.11 and all later versions.
    define_macros=[("Py_LIMITED_API", "0x030B0000")],
    extra_compile_args=["-O3"],
    py_limited_api=True,
    # Without a compiler or Python's headers mediacrawl is installed without it.
    optional=True,
)

setup(
    cmdclass={"bdist_egg": BytecodeBeside},
    # An egg runs on any machine, and nothing can be loaded from its zip but Python.
    ext_modules=[] if "bdist_egg" in sys.argv else [NATIVE],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
