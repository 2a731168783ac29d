"""Which bytes to ask for next, when several parts of a walk wait for theirs. Pure arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

from mediacrawl.probe.policy import ProbePolicy
from mediacrawl.probe.sparse import MAX_OFFSET, SparseFile

Range = tuple[int, int]


def choose(
    needs: Sequence[Range],
    file: SparseFile,
    policy: ProbePolicy,
    *,
    requests_left: int,
    bytes_left: int,
) -> Range | None:
    """Chooses the next range.

    Parts are served in their order, but one that keeps asking never takes the last requests that the
    others need: a podcast's chapter images must not cost it its duration.

    Args:
        needs: ranges that parts of the walk wait for, in the order of the parts.
        file: what is at hand.
        policy: the limits.
        requests_left: requests that the budget still has.
        bytes_left: bytes that the budget still has.

    Returns:
        Start and stop (exclusive), or None if no need fits into the budget.
    """
    payable = list(dict.fromkeys(need for need in needs if _payable(need, bytes_left)))
    if not payable or requests_left <= 0:
        return None
    need = payable[max(0, len(payable) - requests_left)]
    start, stop = _joined(need, payable, policy.skip_bytes, bytes_left)
    stop = max(stop, start + _read_ahead(file, start, policy))
    steps = -(-(stop - start) // policy.step_bytes)
    end = MAX_OFFSET if file.size is None else file.size
    return start, min(start + steps * policy.step_bytes, start + bytes_left, end)


def _payable(need: Range, bytes_left: int) -> bool:
    start, stop = need
    return start < stop <= MAX_OFFSET and stop - start <= bytes_left


def _joined(need: Range, needs: Sequence[Range], gap: int, bytes_left: int) -> Range:
    """Joins a range with those that are nearer than a request is worth."""
    start, stop = need
    for first, last in sorted(needs):
        near = first - stop <= gap and start - last <= gap
        joined = min(start, first), max(stop, last)
        if near and joined[1] - joined[0] <= bytes_left:
            start, stop = joined
    return start, stop


def _read_ahead(file: SparseFile, start: int, policy: ProbePolicy) -> int:
    """Where much was read already much more will be needed: as much again, up to what a request is worth."""
    before = [len(data) for at, data in file.segments() if 0 <= start - at - len(data) < policy.skip_bytes]
    return min(max([policy.step_bytes, *before]), policy.skip_bytes)
