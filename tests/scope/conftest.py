"""Where the lists of the project are."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def exclusions():
    return Path(__file__).parents[2] / "exclusions"


class KeptNotes(dict):
    """Notes that outlive whoever wrote them."""

    shared = False

    def note(self, room, key):
        return self.get((room, key))

    def set_note(self, room, key, record):
        assert isinstance(record, bytes)
        self[room, key] = record


@pytest.fixture
def notes():
    return KeptNotes()
