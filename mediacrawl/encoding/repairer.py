"""STUB until the real one lands."""
from __future__ import annotations
from collections.abc import Sequence
from mediacrawl.encoding.decision import FieldDecision, Hints, Repair
def repair(texts: Sequence[str], hints: Hints | None = None) -> Repair:
    return Repair("", 1.0, tuple(FieldDecision(t, "", "", 1.0, 40.0, "") for t in texts))
