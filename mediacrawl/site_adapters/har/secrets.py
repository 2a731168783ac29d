"""What is a secret in a recording: by the name of a field, by the name of a header, by its shape.

Only what is named or placed as a secret is one. A value that merely looks random may be the id of a medium, and stays.
All names are in this module.
"""

from __future__ import annotations

import re
from functools import lru_cache

REMOVED = "REMOVED"
"""What stands in the place of a secret's value."""

SECRET_KINDS = (
    "api_key",
    "authorization",
    "cookie",
    "csrf",
    "email",
    "jwt",
    "password",
    "session",
    "signature",
    "token",
    "userinfo",
)
"""Kinds of secrets; ``userinfo`` is the user and password of a URL (RFC 3986, 3.2.1)."""

_WHOLE = {
    "auth": "authorization",
    "basicauth": "authorization",
    "httpauth": "authorization",
    "hdnea": "signature",
    "hdntl": "signature",
    "hdnts": "signature",
    "pass": "password",
    "pw": "password",
    "sess": "session",
    "session": "session",
    "wpnonce": "csrf",
}
"""Names that are a secret if nothing stands beside them: ``auth`` is one, ``requires_auth`` is none."""

_LAST_WORD = {
    "csrf": "csrf",
    "hmac": "signature",
    "jwt": "jwt",
    "otp": "password",
    "pwd": "password",
    "sid": "session",
    "sig": "signature",
    "xsrf": "csrf",
}
"""Short words, which are a secret as the last word of a name: ``user_sid`` is one, ``inside`` is none."""

_ENDING_WORDS = {
    "access key": "api_key",
    "api key": "api_key",
    "private key": "api_key",
    "secret key": "api_key",
    "subscription key": "api_key",
    "auth code": "authorization",
    "auth hash": "authorization",
    "auth key": "authorization",
    "authorization": "authorization",
    "credential": "authorization",
    "credentials": "authorization",
    "authenticity token": "csrf",
    "csrf hash": "csrf",
    "csrf middleware token": "csrf",
    "csrf token": "csrf",
    "csrf value": "csrf",
    "request verification token": "csrf",
    "xsrf token": "csrf",
    "passcode": "password",
    "passphrase": "password",
    "passwd": "password",
    "password": "password",
    "password confirm": "password",
    "password confirmation": "password",
    "password hash": "password",
    "passwort": "password",
    "secret": "password",
    "sess id": "session",
    "session hash": "session",
    "session id": "session",
    "session key": "session",
    "signature": "signature",
    "token": "token",
    "token value": "token",
}
"""Ends of names: ``access_token``, ``accessToken`` and ``accesstoken`` are the same."""
_ENDING = {words.replace(" ", ""): kind for words, kind in _ENDING_WORDS.items()}

NAME_ENDS = (*_WHOLE, *_LAST_WORD, *_ENDING_WORDS)
"""What names of secrets end with, for a search in text; there may be a sign at each space. `secret_kind` decides on the
whole name."""

_NO_SECRET = ("pagetoken", "continuationtoken", "cursortoken", "synctoken", "offsettoken")
"""Ends of names of places in a list; the next page of the list is requested with them."""

_HEADERS = {
    "cookie": "cookie",
    "cookie2": "cookie",
    "set-cookie": "cookie",
    "set-cookie2": "cookie",
    "authorization": "authorization",
    "proxy-authorization": "authorization",
    "authentication-info": "authorization",
    "x-auth": "authorization",
    "x-session": "session",
}

_LONGEST_NAME = 100
"""Characters of a name; longer ones are no names of fields."""

_word = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+").findall
_letters = re.compile(r"[A-Za-z]+").findall


@lru_cache(maxsize=4096)
def secret_kind(name: str) -> str:
    """The kind of secret that a field of this name holds, one of `SECRET_KINDS`; empty if it holds none.

    Args:
        name: of a query parameter, of a field in a form or in JSON, of an attribute or variable; in any case, with or
            without separators. Digits and signs in it are ignored.
    """
    if len(name) > _LONGEST_NAME:
        return ""
    joined = "".join(_letters(name)).lower()
    if not joined or joined.endswith(_NO_SECRET):
        return ""
    if kind := _WHOLE.get(joined):
        return kind
    words = _word(name)
    if kind := _LAST_WORD.get(words[-1].lower() if words else ""):
        return kind
    return _ENDING.get(max((end for end in _ENDING if joined.endswith(end)), key=len, default=""), "")


@lru_cache(maxsize=1024)
def header_kind(name: str) -> str:
    """The kind of secret that a header of this name holds, one of `SECRET_KINDS`; empty if it holds none.

    Args:
        name: of a request or response header, in any case.
    """
    lower = name.strip().lower()
    if lower.startswith(("x-csrf", "x-xsrf")):
        return "csrf"
    return _HEADERS.get(lower) or secret_kind(lower)
