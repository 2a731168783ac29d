"""Where the lists of the project are."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def exclusions():
    return Path(__file__).parents[2] / "exclusions"
