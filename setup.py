"""scrapyd-deploy builds its egg by this file; everything else stands in pyproject.toml."""

from setuptools import setup

setup()
