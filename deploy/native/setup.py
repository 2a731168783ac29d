"""Builds the module; the rest stands in pyproject.toml. One wheel (abi3) serves Python 3.11 and all later ones."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "mediacrawl_native",
            [
                "src/module.c",
                "src/pricing.c",
                "src/weighing.c",
                "src/weighing_calls.c",
                "src/mending.c",
                "src/mending_calls.c",
            ],
            depends=["src/calls.h", "src/pricing.h", "src/weighing.h", "src/mending.h"],
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            extra_compile_args=["-O3", "-Wall", "-Wextra"],
            py_limited_api=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
    py_modules=[],
)
