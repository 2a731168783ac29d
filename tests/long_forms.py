"""Parameters that only the long form of a test has, and how many examples its short form tries."""

import pytest

_SHARE, _LEAST = 6, 5
"""The short form tries one of so many examples, and so many at least."""
_short = False


def begin(*, short):
    """Say which form runs, before modules of tests are imported."""
    global _short  # noqa: PLW0603 - Hypothesis takes the number when a module is imported
    _short = short


def examples(number):
    """How many examples Hypothesis tries: ``number`` in the long form (``make test-all``), else a sixth."""
    return max(_LEAST, number // _SHARE) if _short else number


def slow(*values):
    """Each value as one parameter with the marker ``slow``: ``make test`` leaves it out, ``make test-all`` does not."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]
