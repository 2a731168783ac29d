"""Makes the egg that scrapyd runs (``make egg``); everything else stands in pyproject.toml."""

from setuptools import setup

setup()
