"""Parameters that only the long form of a test has."""

import pytest


def slow(*values):
    """Each value as one parameter with the marker ``slow``: ``make test`` leaves it out, ``make test-all`` does not."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]
