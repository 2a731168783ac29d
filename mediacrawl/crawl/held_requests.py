"""Requests that wait in memory while their URLs wait in the frontier."""

from __future__ import annotations

from uuid import uuid4

from scrapy import Request

from mediacrawl.notes import NoNotes, Notes

_ROOM = "held"
_LOST = b"lost"


class HeldRequests:
    """Requests of other people's spiders that JSON does not carry exactly, or that a frontier in memory need not store.

    The URL of such a request waits in the frontier as any other does, and the request itself waits here under its key.
    It ends with the process. Of each the notes of the frontier say (room ``held``, by key) that it waits here, so that
    a later process knows a URL whose request is gone: it is not asked, and joins anew when the spider asks for it
    again.

    On disk: these notes, in the frontier's own commits. A kill loses the requests.

    Args:
        notes: the frontier, if it outlives the process.
        resumes: whether it comes from an earlier process.
    """

    def __init__(self, notes: Notes | None, *, resumes: bool) -> None:
        self._notes = notes or NoNotes()
        self._resumes = resumes and notes is not None
        self._process = uuid4().hex.encode("ascii")
        self._requests = dict[str, Request]()

    def __len__(self) -> int:
        """How many requests wait here."""
        return len(self._requests)

    def hold(self, key: str, request: Request) -> None:
        """Hold a request until `end`.

        Args:
            key: of its row in the frontier.
            request: any.
        """
        self._requests[key] = request
        self._notes.set_note(_ROOM, key, self._process)

    def get(self, key: str) -> Request | None:
        """The request of a row; None if it was held by a process that has ended."""
        return self._requests.get(key)

    def end(self, key: str) -> None:
        """The row of a request has ended."""
        if self._requests.pop(key, None) is not None:
            self._notes.set_note(_ROOM, key, b"")
        else:
            self._notes.set_note(_ROOM, key, _LOST)

    def found_again(self, key: str) -> None:
        """A row that ended because nobody held its request joins once more."""
        self._notes.set_note(_ROOM, key, b"")

    def waits_in_vain(self, key: str) -> bool:
        """Whether the row of a key waits, and the process that held its request has ended."""
        return self._resumes and self._notes.note(_ROOM, key) not in {None, b"", _LOST, self._process}

    def is_lost(self, key: str) -> bool:
        """Whether the row of a key ended because nobody held its request any more."""
        return self._resumes and self._notes.note(_ROOM, key) == _LOST
