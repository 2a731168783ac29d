"""What a person is told when a run cannot begin or go on."""

from __future__ import annotations


class SegmentError(Exception):
    """The run cannot begin, or cannot go on. The message says what, where, and what to do."""


class MemoryShortError(SegmentError):
    """The engine needs more memory for a statement."""
