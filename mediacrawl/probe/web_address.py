"""Addresses of the web in texts of files."""

from __future__ import annotations

import re

_LONGEST = 2000
_ADDRESS = re.compile(r"https?://[^\s\x00-\x20<>\"]{3,}", re.IGNORECASE)


def address_in(text: str) -> str | None:
    """The URL that a text is, None if it is something else.

    Args:
        text: of a field that may hold a URL.
    """
    plain = text.strip("\0 \t\r\n\ufeff")
    return plain if len(plain) <= _LONGEST and _ADDRESS.fullmatch(plain) else None
