"""Removes secrets from URLs, headers and bodies, each where it stands."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator
from urllib.parse import unquote, unquote_plus

from mediacrawl.site_adapters.har.found import NO_VALUES, Found, TooManySecretsError
from mediacrawl.site_adapters.har.places import FINDERS, Place, has_any
from mediacrawl.site_adapters.har.secrets import REMOVED, header_kind, secret_kind

_MOST_PLACES = 20_000
"""Secrets in one text. What has more of them is no page and no answer of a site."""
_MOST_COOKIES = 1_000
"""Cookies in one header."""
_DIGEST = frozenset({"cnonce", "id", "mac", "nonce", "opaque", "response", "username"})
"""Parameters of an Authorization header that are secret (RFC 7616, RFC 5849), beside those named as secrets are."""

_mail = re.compile(r"[\w.!#$%&'*+^`{|}~-]{1,80}@[A-Za-z0-9-]{1,60}(?:\.[A-Za-z0-9-]{1,60}){1,4}").fullmatch
_named = re.compile(r'([A-Za-z_]{1,40})="?([^=][^"]*+)"?').fullmatch


class TooManyPlacesError(TooManySecretsError):
    """One text has too many secrets. It must not be kept."""


def clean_text(text: str, found: Found) -> str:
    """Remove the secrets of a text.

    Args:
        text: of any type, without lone surrogates.
        found: takes what is removed.

    Raises:
        TooManyPlacesError: the text has too many.
        TooManySecretsError: the recording has too many.
    """
    data = text.encode()
    if not has_any(data):
        return text
    before, places = data, 0
    for find in FINDERS:
        data, count = _without(data, find(data), found)
        places += count
        if places > _MOST_PLACES:
            raise TooManyPlacesError
    return text if data is before else data.decode("utf-8", "replace")


def note_form(text: str, found: Found) -> None:
    """Note the secrets of what was posted: a form, JSON, or anything.

    Args:
        text: without lone surrogates.
        found: takes the secrets.

    Raises:
        TooManyPlacesError: the text has too many.
        TooManySecretsError: the recording has too many.
    """
    clean_text(f"&{text}", found)


def _without(data: bytes, places: Iterable[Place | None], found: Found) -> tuple[bytes, int]:
    pieces, at, count = list[bytes](), 0, 0
    for place in places:
        found.look()
        # A value may contain what looks like a name.
        if place is None or place.start < at:
            continue
        count += 1
        if count > _MOST_PLACES:
            break
        value = data[place.start : place.end].decode("utf-8", "replace")
        if place.kind == "userinfo":
            _add_user(value, found)
        else:
            found.add(value, place.kind, from_script=place.from_script)
        pieces += (data[at : place.start], place.instead)
        at = place.end
    return (b"".join([*pieces, data[at:]]) if pieces else data), count


def clean_url(url: str, found: Found) -> str:
    """Remove the secrets of a URL: user and password, parameters of path, query and fragment, tokens by their shape.

    Args:
        url: absolute or relative.
        found: takes what is removed.

    Raises:
        TooManyPlacesError: the text has too many.
        TooManySecretsError: the recording has too many.
    """
    if not has_any(url.encode("utf-8", "replace")):
        return url
    head, hash_, fragment = url.partition("#")
    base, mark, query = head.partition("?")
    base = _clean_base(base, found)
    query = _clean_query(query, found)
    route, mark_2, rest = fragment.partition("?")
    fragment = _clean_query(route, found) + mark_2 + _clean_query(rest, found)
    cleaned = f"{base}{mark}{query}{hash_}{fragment}"
    return clean_text(cleaned.encode("utf-8", "replace").decode(), found)


def _clean_base(base: str, found: Found) -> str:
    scheme, slashes, rest = base.partition("//")
    authority, slash, path = rest.partition("/")
    user, at, host = authority.rpartition("@")
    if at and slashes:
        if user != REMOVED:
            _add_user(user, found)
        base = f"{scheme}//{REMOVED}@{host}{slash}{path}"
    if ";" not in base:
        return base
    first, *others = base.split(";")
    return ";".join([first, *(_clean_parameter(each, found) for each in others)])


def _clean_query(query: str, found: Found) -> str:
    return "&".join(_clean_parameter(each, found) for each in query.split("&")) if "=" in query else query


def _clean_parameter(parameter: str, found: Found) -> str:
    name, mark, value = parameter.partition("=")
    if value.lower() in NO_VALUES:
        return parameter
    meant = unquote_plus(value) if "@" in value or "%40" in value else ""
    kind = secret_kind(unquote_plus(name)) or ("email" if _mail(meant) else "")
    if not kind:
        return parameter
    found.add(value, kind)
    return f"{name}{mark}{REMOVED}"


def _add_user(user: str, found: Found) -> None:
    found.add(user, "userinfo")
    for part in user.split(":", 1):
        found.note(part, "userinfo")


def clean_header(name: str, value: str, found: Found) -> str:
    """Remove the secrets of a header.

    Args:
        name: of a request or response header, in lower case.
        value: its value.
        found: takes what is removed.

    Raises:
        TooManyPlacesError: the text has too many.
        TooManySecretsError: the recording has too many.
    """
    kind = header_kind(name)
    if not kind:
        return clean_url(value, found) if "://" in value[:12] else clean_text(value, found)
    if value.lower() in NO_VALUES:
        return value
    if kind == "cookie":
        # Some tools join several Set-Cookie headers by line feeds.
        is_set = name.startswith("set-")
        cookies = [each.partition(";")[0] for each in value.split("\n")] if is_set else value.split(";")
        add_cookies((cookie.partition("=")[::2] for cookie in cookies[:_MOST_COOKIES]), found)
    else:
        found.add(value, kind)
        for part in _parts_of_authorization(value) if kind == "authorization" else ():
            found.note(part, kind)
    return REMOVED


def add_cookies(cookies: Iterable[tuple[str, str]], found: Found) -> None:
    """Note the values of cookies, and the tokens that they contain.

    Args:
        cookies: name and value of each.
        found: takes them.

    Raises:
        TooManyPlacesError: the text has too many.
        TooManySecretsError: the recording has too many.
    """
    for _, value in cookies:
        value = value.strip()  # noqa: PLW2901 - the same value
        if value.lower() in NO_VALUES:
            continue
        meant = unquote(value).encode("utf-8", "replace").decode()
        if meant.startswith(("http://", "https://")):
            # Sites store the page that one came from. Removed as a value it would take the beginning of other URLs.
            found.counts["cookie"] += 1
        else:
            found.add(value, "cookie")
        # A cookie may be a form or JSON itself.
        note_form(meant, found)


def _parts_of_authorization(value: str) -> Iterator[str]:
    """What is secret in an Authorization header beside the whole: credentials, and parameters of Digest, OAuth, AWS."""
    _, _, rest = value.partition(" ")
    if not rest:
        return
    yield rest
    for piece in rest.replace(",", " ").split():
        match = _named(piece)
        if match is None:
            yield piece
            yield from _user_of_basic(piece)
        elif match[1].lower() in _DIGEST or match[1].lower().startswith("oauth_") or secret_kind(match[1]):
            yield match[2]


def _user_of_basic(credentials: str) -> Iterator[str]:
    try:
        user = b64decode(credentials, validate=True).decode()
    except (binascii.Error, ValueError):
        return
    if user.isprintable() and ":" in user:
        yield user
        yield from user.split(":", 1)
