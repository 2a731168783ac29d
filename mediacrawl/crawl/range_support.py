"""Remembers the servers that ignore Range, so that no second range is requested from them."""

from __future__ import annotations

from collections import OrderedDict

from mediacrawl.base.notes import Notes

_NAMESPACE = "ranges"
_IGNORES, _OBEYS = b"\x00", b"\x01"
_HELD = 10_000
"""Authorities in memory, some 200 bytes each; all others are in the notes."""


class RangeSupport:
    """Whether an authority (scheme, host and port) ignored its last request with a Range.

    A mistake corrects itself: the next file is requested with a Range too, only a larger one, and a 206 shows that the
    server supports ranges by now.

    On disk: one note of a byte in the namespace ``ranges`` for each authority that ever ignored a Range.
    """

    def __init__(self, notes: Notes, size: int = _HELD) -> None:
        self._notes = notes
        self._size = max(size, 1)
        self._held: OrderedDict[str, bool] = OrderedDict()

    def ignores(self, authority: str) -> bool:
        """Tell whether an authority is known to ignore Range."""
        if self._notes.shared or authority not in self._held:
            self._hold(authority, ignores=self._notes.note(_NAMESPACE, authority) == _IGNORES)
        self._held.move_to_end(authority)
        return self._held[authority]

    def learn(self, authority: str, *, obeys: bool) -> None:
        """Store the outcome of a request with a Range."""
        if self.ignores(authority) is obeys:
            self._notes.set_note(_NAMESPACE, authority, _OBEYS if obeys else _IGNORES)
            self._hold(authority, ignores=not obeys)

    def _hold(self, authority: str, *, ignores: bool) -> None:
        self._held[authority] = ignores
        while len(self._held) > self._size:
            self._held.popitem(last=False)
