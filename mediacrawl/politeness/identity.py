"""The contact in the User-Agent: whether the operator of a site can reach us.

A request carries name and contact. Without a usable contact a crawl does not start.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

_LONGEST = 200
"""Characters of a contact; some servers refuse a long User-Agent."""
_is_mail = re.compile(r"(?:mailto:)?[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@([A-Za-z0-9.-]+)").fullmatch
_BREAKING = frozenset(' "<>()\\;,')
"""Characters that end the comment of a User-Agent (RFC 9110, 5.6.5), or the link in it."""
_NOBODYS = frozenset(("example", "invalid", "test", "localhost", "local", "localdomain"))
_EXAMPLES = ("example.com", "example.net", "example.org")
"""Example domains and local names (RFC 2606, RFC 6761, RFC 6762)."""


def contact_problem(contact: str) -> str | None:
    """Return what is wrong with a contact (an http(s) URL or a mail address), as a predicate; None if it is valid."""
    if not contact.strip():
        return "is empty"
    if not contact.isascii() or not contact.isprintable():
        return "holds characters that cannot stand in a header: a line feed, or letters beyond ASCII"
    if len(contact) > _LONGEST:
        return f"is longer than {_LONGEST} characters"
    if not _BREAKING.isdisjoint(contact):
        return "holds a blank, a bracket, a quote, a comma or a semicolon, which break the User-Agent apart"
    return None if _host(contact) else "is neither the URL of a page (https://...) nor a mail address"


def leads_nowhere(contact: str) -> bool:
    """Tell whether a contact cannot be reached from outside: its host is an example, local, or has no domain."""
    host = _host(contact)
    try:
        return not ip_address(host.strip("[]")).is_global
    except ValueError:
        pass
    return "." not in host or is_nobodys(host) or any(f".{host}".endswith(f".{name}") for name in _EXAMPLES)


def mail_of(contact: str) -> str:
    """Return the mail address that a contact is, without ``mailto:``; empty if it is a URL."""
    return contact.removeprefix("mailto:") if _is_mail(contact) else ""


def is_nobodys(host: str) -> bool:
    """Tell whether a host name is reserved for examples, tests or the local machine."""
    return host.rpartition(".")[2] in _NOBODYS


def agent_problem(agent: str, contact: str) -> str | None:
    """Return what is wrong with a User-Agent, as a predicate; None if nothing is."""
    if not agent.isascii() or not agent.isprintable():
        return "holds characters that cannot stand in a header: a line feed, or letters beyond ASCII"
    return None if contact in agent else "does not name the contact: put {contact} into it"


def _host(contact: str) -> str:
    """Return the host of a URL or of a mail address, in lower case; empty if it is neither."""
    mail = _is_mail(contact)
    if mail is not None:
        return mail[1].strip(".").lower()
    try:
        parts = urlsplit(contact)
        host = parts.hostname or ""
    except ValueError:
        return ""
    return host.rstrip(".") if parts.scheme in ("http", "https") and re.search(r"[a-z0-9]", host) else ""
