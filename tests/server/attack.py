"""The attacks: what answers the requests to one host, see ``sin.py``."""

from __future__ import annotations

from hashlib import md5

from sin import Book

ATTACKS = attack = Book()

SILENT = [f"silent{number}.example" for number in range(450)]
"""Hosts that take a connection and never answer."""


def page_of(name: str, body: str = "") -> bytes:
    """A small page with a text of its own, so that it is no copy of another."""
    words = " ".join(md5(f"{name}.{n}".encode(), usedforsecurity=False).hexdigest()[:6] for n in range(60))
    return f"<!DOCTYPE html>\n<title>{md5(name.encode()).hexdigest()[:8]}</title><p>{words}</p>{body}".encode()
