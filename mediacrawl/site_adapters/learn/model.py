"""What learning gives: a site adapter, or the reasons why there is none."""

from __future__ import annotations

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
    """A reason why there is no adapter.

    Attributes:
        name: one of `RefusalName`.
        sentence: what is the matter, where, and what can be done.
    """

    name: RefusalName
    sentence: str


@dataclass(frozen=True)
class HeldOut:
    """A recorded page that was not learned from.

    Attributes:
        url: of the page.
        expected: media that the browser asked for on it.
        found: media that the adapter finds by the recorded answers.
        right: whether the adapter's requests are among the recorded ones, and it finds what was played and nothing that
            belongs to an advertisement.
        why: the end of a sentence if it is not right: ``its data request is not in the recording``.
    """

    url: str
    expected: tuple[str, ...]
    found: tuple[str, ...]
    right: bool
    why: str = ""


@dataclass
class Learned:
    """The result of `learning.learn`.

    Attributes:
        adapter: the content of a site adapter's file; None if there is none.
        refusals: why there is none.
        steps: for people: each piece of the data URLs, and where it comes from.
        held_out: how the adapter does on pages that it was not learned from.
    """

    adapter: dict[str, Any] | None = None
    refusals: list[Refusal] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    held_out: list[HeldOut] = field(default_factory=list)
