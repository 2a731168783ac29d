"""How an attack is written: a function that answers the requests to one host, and the sentence that says how."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from hashlib import md5

from sin import Visit

Answer = Callable[[Visit], Awaitable[None]]

ATTACKS: dict[str, str] = {}
"""Name -> one sentence on what the server does. The name is also the first label of the host's name."""

ANSWERS: dict[str, Answer] = {}
"""Name -> the function that does it."""

SILENT = [f"silent{number}.example" for number in range(450)]
"""Hosts that take a connection and never answer."""


def attack(name: str, sentence: str) -> Callable[[Answer], Answer]:
    """Register a function under a name, with the sentence that says what it does.

    Raises:
        ValueError: another attack has this name.
    """

    def register(answer: Answer) -> Answer:
        if name in ATTACKS:
            raise ValueError(f"two attacks are named {name}")
        ATTACKS[name] = sentence
        ANSWERS[name] = answer
        return answer

    return register


def page_of(name: str, body: str = "") -> bytes:
    """A small page with a text of its own, so that it is no copy of another."""
    words = " ".join(md5(f"{name}.{n}".encode(), usedforsecurity=False).hexdigest()[:6] for n in range(60))
    return f"<!DOCTYPE html>\n<title>{md5(name.encode()).hexdigest()[:8]}</title><p>{words}</p>{body}".encode()
