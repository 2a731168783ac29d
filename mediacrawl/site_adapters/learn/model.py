"""What learning gives: a site adapter, or the reasons why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

RefusalName = Literal[
    "ambiguous",
    "drm",
    "expires",
    "login",
    "not_found",
    "one_page",
    "page_names_it",
    "post_only",
    "robots",
    "signed",
    "unexplained",
    "websocket",
]
"""Reasons why no adapter is made of recordings."""


@dataclass(frozen=True)
class Refusal:
    """A reason why there is no adapter, with a sentence: what is the matter, where, and what can be done."""

    name: RefusalName
    sentence: str


@dataclass(frozen=True)
class HeldOut:
    """How an adapter does on a recorded page that it was not learned from.

    `expected` are the media that the browser asked for, `found` those that the adapter finds by the recorded answers.
    It is right if it finds a medium that was played; `why` is the end of a sentence if it is not.
    """

    url: str
    expected: tuple[str, ...]
    found: tuple[str, ...]
    right: bool
    why: str = ""


@dataclass
class Learned:
    """The content of a site adapter's file, or None and the refusals.

    `steps` tell people where each piece of the data URLs comes from, `read` what was read of each recording.
    """

    adapter: dict[str, Any] | None = None
    refusals: list[Refusal] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    held_out: list[HeldOut] = field(default_factory=list)
    read: list[str] = field(default_factory=list)

    def tried(self) -> Iterator[str]:
        """Return how the adapter does on the pages that were held out, for people."""
        for page in self.held_out:
            how = f"right: {', '.join(page.found)}" if page.right else f"WRONG: {page.why or 'it finds other media'}"
            yield f"  held out: {page.url} is {how}"
