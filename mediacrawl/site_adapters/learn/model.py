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

    `steps` tell people where each piece of the data URLs comes from.
    """

    adapter: dict[str, Any] | None = None
    refusals: list[Refusal] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    held_out: list[HeldOut] = field(default_factory=list)
