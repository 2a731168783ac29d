"""What is remembered of servers: those that ignore Range are not asked for a second one."""

from __future__ import annotations

from collections import OrderedDict

from mediacrawl.notes import Notes

_ROOM = "ranges"
_IGNORES, _OBEYS = b"\x00", b"\x01"
_HELD = 10_000
"""Authorities in memory, some 200 bytes each; all others lie in the notes."""


class RangeSupport:
    """Whether an authority (scheme, host and port) ignored a Range when it was last asked for one.

    A mistake heals by itself: the next file is asked for with a Range too, only a larger one, and a 206 says that the
    server obeys by now.

    On disk: one note of a byte in the room ``ranges`` for each authority that ignored a Range once.

    Args:
        notes: where it outlives the process.
        size: authorities held in memory.
    """

    def __init__(self, notes: Notes, size: int = _HELD) -> None:
        self._notes = notes
        self._size = max(size, 1)
        self._held: OrderedDict[str, bool] = OrderedDict()

    def ignores(self, authority: str) -> bool:
        """Tell whether an authority is known to ignore Range.

        Args:
            authority: scheme, host and port.
        """
        if self._notes.shared or authority not in self._held:
            self._hold(authority, ignores=self._notes.note(_ROOM, authority) == _IGNORES)
        self._held.move_to_end(authority)
        return self._held[authority]

    def learn(self, authority: str, *, obeys: bool) -> None:
        """Take what an answer to a Range showed.

        Args:
            authority: scheme, host and port.
            obeys: whether it gave the range.
        """
        if self.ignores(authority) is obeys:
            self._notes.set_note(_ROOM, authority, _OBEYS if obeys else _IGNORES)
            self._hold(authority, ignores=not obeys)

    def _hold(self, authority: str, *, ignores: bool) -> None:
        self._held[authority] = ignores
        while len(self._held) > self._size:
            self._held.popitem(last=False)
