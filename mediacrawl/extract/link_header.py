"""The header Link (RFC 8288): what a page can say with ``<link>``, and a file that is no page only here."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LONGEST = 8_192
"""Characters of the headers that are read."""
_LINKS = re.compile(r'<([^<>]*)>((?:[^",<]|"[^"]*")*)')
"""A target, and its parameters up to the comma."""
_PARAMETERS = re.compile(r';\s*([a-z*]+)\s*=\s*(?:"([^"]*)"|([^;\s"]*))', re.IGNORECASE)


def link_header(values: Iterable[str], rel: str) -> str:
    """Return what the headers name with a relation; empty if they name nothing, or several things. Never raises.

    Args:
        values: of the headers, one each.
        rel: the relation, in lower case: ``canonical``.
    """
    found = {target.strip() for target, said in _LINKS.findall(",".join(values)[:_LONGEST]) if rel in _relations(said)}
    return found.pop() if len(found) == 1 else ""


def _relations(said: str) -> list[str]:
    """The relations that the parameters of one link name; none if the link is said of something else (``anchor``)."""
    values: dict[str, str] = {}
    for name, quoted, plain in _PARAMETERS.findall(said):
        # The first of a name counts (RFC 8288, 3.3).
        values.setdefault(name.lower(), quoted or plain)
    return [] if "anchor" in values else values.get("rel", "").lower().split()
