r"""Where secrets stand in a text: behind their names in JSON, scripts, HTML, URLs and forms, and by their shape.

A text is searched as it is, not parsed: JSON may stand in a string of JSON, in an attribute of HTML or in a URL, with
its quotes written as ``\"``, ``&quot;`` or ``%22``. Each expression runs in linear time (RE2). What it finds is the end
of a name; whether the whole name is that of a secret, and where the value ends, is decided here.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

import re2

from mediacrawl.site_adapters.har.found import NO_VALUES
from mediacrawl.site_adapters.har.secrets import NAME_ENDS, REMOVED, secret_kind

_LONGEST_VALUE = 1 << 16
"""Bytes of a value. The longest ones, assertions of SAML, have 20,000."""
_LONGEST_NAME = 100
_LONGEST_GROUP = 8_192
"""Bytes of a list or object that has the name of a secret, and of a tag."""
_REMOVED = REMOVED.encode()


class Place(NamedTuple):
    """A secret in a text.

    Attributes:
        start: of its value, in bytes.
        end: behind its value.
        kind: of the secret.
        from_script: whether its name is one of a program's.
        instead: what is put in its place.
    """

    start: int
    end: int
    kind: str
    from_script: bool = False
    instead: bytes = _REMOVED


Finder = Callable[[bytes], Iterator[Place | None]]
"""Finds secrets in a text in UTF-8. None stands for what looked like one, and took as much time."""


def compiled(pattern: bytes) -> Any:
    """An expression of RE2 on bytes, which ignores case.

    Args:
        pattern: as RE2 writes it.
    """
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.case_sensitive = False
    return re2.compile(pattern, options)


_ENDS = b"|".join(end.replace(" ", "[_.-]?").encode() for end in sorted(NAME_ENDS, key=len, reverse=True))
_NAME = rb"(" + _ENDS + rb")(?:[0-9_\])-]|%5D){0,6}"
_HEX = rb"%(?:25){0,3}"
_QUOTE = (
    rb"""\\{0,15}(?:["'`]|&(?:amp;){0,3}(?:quot|#0?3[49]|#x2[27]);)|\\{1,15}u002[27]"""
    rb"|(?:" + _HEX + rb"5C){0,15}" + _HEX + rb"(?:2[27]|26(?:amp" + _HEX + rb"3B){0,3}quot" + _HEX + rb"3B)"
)  # fmt: skip
"""A quote as it is, in a string within strings, in HTML, and in URLs."""
_SPACE = rb"(?:[ \t\r\n+]|\\{1,15}[nrt]|" + _HEX + rb"(?:20|0[9AD])){0,20}"
_IS = _SPACE + rb"(?::|=>?|" + _HEX + rb"3[AD])" + _SPACE
_FIELD = rb"(?:name|key|id|property)(?:" + _QUOTE + rb")?" + _IS + rb"(?:" + _QUOTE + rb")"
_OF_FIELD = _SPACE + rb"[,;]?" + _SPACE + rb"(?:" + _QUOTE + rb")?(?:value|content|val)(?:" + _QUOTE + rb")?"
_SEPARATOR = _HEX + rb"(?:3F|26|23|3B)"

_behind_name = compiled(_NAME + rb"(" + _QUOTE + rb")?" + _IS + rb"(?:(" + _QUOTE + rb")|(-?[0-9]{1,40})|([\[{]))")
_first_of_two = compiled(
    rb"([\[(])" + _SPACE + rb"(?:" + _QUOTE + rb")[A-Za-z0-9_.\[\]-]{0,60}" + _NAME
    + rb"(?:" + _QUOTE + rb")" + _SPACE + rb"," + _SPACE + rb"(" + _QUOTE + rb")"
)  # fmt: skip
_element = compiled(_NAME + rb"(?:[ \t\r\n][^<>]*)?>(?:<!\[CDATA\[)?([^<>\]]+)(?:\]\]>)?<\\{0,15}/")
_name_and_value = compiled(
    _FIELD + rb"[A-Za-z0-9_.\[\]-]{0,60}" + _NAME + rb"(?:" + _QUOTE + rb")" + _OF_FIELD + _IS + rb"(" + _QUOTE + rb")"
)
_parameter = compiled(
    # A comparison is no parameter.
    _NAME + rb"""(=|%(?:25){0,3}3D|\\{1,7}u003d)((?:[^=&#\s"'<>\\`()]|\\{1,15}/)(?:[^&#\s"'<>\\`()]|\\{1,15}/)*)"""
)
_tag = compiled(rb"(?:<|\\{1,7}u003c|&lt;|%3C)(?:input|meta|param)[ \t\r\n/]")
_user = compiled(rb"""[a-z]:(?:\\{0,15}/){2}([^/\s"'<>@\\?#:]{0,300}:[^/\s"'<>@\\?#]{1,500})@""")
_encoded_user = compiled(
    rb"[a-z]" + _HEX + rb"3A(?:/|" + _HEX + rb"2F){2}"
    rb"""([\w.~+*!$%-]{0,300}?""" + _HEX + rb"""3A[^\s"'<>\\&/?#@]{1,500}?)""" + _HEX + rb"40"
)
_jwt = compiled(rb"(?-i)(eyJ[\w-]{8,}\.(?:[\w-]{10,}\.[\w-]*|[\w-]*\.[\w-]{10,})(?:\.[\w-]+)*)")
_bearer = compiled(rb"\bbearer(?:[ \t]|%20|\+){1,5}([\w.~+/-]{12,}=*)")
_basic = compiled(rb"\bbasic(?:[ \t]|%20|\+){1,5}([a-z0-9+/]{8,}={0,2})")
_address = compiled(
    rb"(?:[?&]|&amp;|\\{1,7}u0026|" + _SEPARATOR + rb")[\w.\[\]-]{1,60}(?:=|%(?:25){0,3}3D)"
    rb"""([^&#\s"'<>\\=@%]{1,80}(?:@|%(?:25){0,3}40)[a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,60}){1,4})"""
)
_any = compiled(rb"eyJ|@|%(?:25){0,3}40|bearer|basic|" + _ENDS)

_NAME_BYTES = bytes(range(48, 58)) + bytes(range(65, 91)) + bytes(range(97, 123)) + b"_.-[]$%"
_last_part = re.compile(rb"[^?&#;=/\"'{,:]*+\Z")
_encoded_slash = re.compile(rb"%(?:25)*+2F", re.IGNORECASE)
_separator = re.compile(_SEPARATOR, re.IGNORECASE)
_of_path: Callable[[bytes, int], Any] = re.compile(rb"[^;?/]*+").match
_encoded_end = re.compile(rb"%(?:25)*+2[2367]", re.IGNORECASE)
_attribute = re.compile(
    rb"""([A-Za-z][\w:-]{0,40})\s{0,20}=\s{0,20}(?:(\\{0,15}["']|&quot;)(.*?)\2|([^\s"'<>\\&]+))""", re.DOTALL
)
_end_of_tag = re.compile(rb"[<>]|\\{1,7}u003[ce]|&[lg]t;", re.IGNORECASE)
_TEXT = rb"""(\\{0,15}["'])([^"'\\]{1,8000})\1"""
_text_in_group = re.compile(_TEXT)
_member_in_group = re.compile(
    rb"""["'](?:data|hash|id|key|raw|val|value)\\{0,15}["']\s{0,9}:\s{0,9}""" + _TEXT, re.IGNORECASE
)


def has_any(data: bytes) -> bool:
    """Whether a text may have a secret at all.

    Args:
        data: the text in UTF-8.
    """
    return _any.search(data) is not None


def behind_names(data: bytes) -> Iterator[Place | None]:
    """Values behind a name, in quotes: in JSON, scripts and attributes.

    A number, a list and an object behind a name are values too if the name is in quotes.

    Args:
        data: the text in UTF-8.
    """
    for match in _behind_name.finditer(data):
        kind = secret_kind(_name_at(data, *match.span(1))[0])
        name_quote, quote, number, bracket = (match.group(each) or b"" for each in (2, 3, 4, 5))
        end = match.end()
        if not kind:
            yield None
        elif quote:
            yield from _quoted(data, end, quote, kind, from_script=not name_quote)
        elif bracket and name_quote:
            yield from _in_group(data, end, kind, is_list=bracket == b"[")
        elif number and name_quote and not data[end : end + 1].isalnum() and _is_value(number):
            # The text is still JSON then.
            yield Place(end - len(number), end, kind, instead=name_quote + _REMOVED + name_quote)


def beside_names(data: bytes) -> Iterator[Place | None]:
    """Values of pairs: ``{"name": "token", "value": "x"}``.

    Args:
        data: the text in UTF-8.
    """
    for match in _name_and_value.finditer(data):
        kind = secret_kind(_name_at(data, *match.span(1))[0])
        yield from _quoted(data, match.end(), match.group(2), kind) if kind else (None,)


def in_calls(data: bytes) -> Iterator[Place | None]:
    """Values behind a name in a call or a list of two: ``setItem("token", "x")``, ``["token", "x"]``.

    Args:
        data: the text in UTF-8.
    """
    for match in _first_of_two.finditer(data):
        kind = secret_kind(_name_at(data, *match.span(2))[0])
        for place in _quoted(data, match.end(), match.group(3), kind, from_script=True) if kind else ():
            # A list of names goes on.
            behind = place.end + len(match.group(3))
            is_list = match.group(1) == b"[" and not data[behind : behind + 20].lstrip().startswith(b"]")
            yield None if is_list else place
        yield None


def in_elements(data: bytes) -> Iterator[Place | None]:
    """The texts of elements of XML: ``<token>x</token>``.

    Args:
        data: the text in UTF-8.
    """
    for match in _element.finditer(data):
        name, before, _ = _name_at(data, *match.span(1))
        kind = secret_kind(name) if data[before - 1 : before] in (b"<", b":") else ""
        yield Place(match.start(2), match.end(2), kind) if kind and _is_value(match.group(2)) else None


def in_parameters(data: bytes) -> Iterator[Place | None]:
    """Values of parameters in URLs, also in those that are a parameter themselves, and in forms.

    Args:
        data: the text in UTF-8.
    """
    for match in _parameter.finditer(data):
        name, before, raw = _name_at(data, *match.span(1))
        kind = secret_kind(name)
        if not kind or not _is_parameter(data, before, raw, kind):
            yield None
            continue
        start, end = match.span(3)
        if match.group(2) != b"=" and (encoded := _encoded_end.search(data, start, end)):
            end = encoded.start()
        elif data[before - 1 : before] == b";":
            end = min(end, _of_path(data, start).end())
        if _is_value(data[start:end]):
            yield Place(start, end, kind)


def in_tags(data: bytes) -> Iterator[Place | None]:
    """Values of ``<meta name="csrf-token" content>``, of hidden fields, and of fields for passwords.

    Args:
        data: the text in UTF-8.
    """
    for match in _tag.finditer(data):
        limit = min(len(data), match.end() + _LONGEST_GROUP)
        closing = _end_of_tag.search(data, match.end(), limit)
        values, kind = list[tuple[int, int]](), ""
        for found in _attribute.finditer(data, match.end(), closing.start() if closing else limit):
            name, group = found[1].lower(), 3 if found[2] else 4
            if name in (b"name", b"id", b"property"):
                kind = kind or secret_kind(found[group].decode("latin-1"))
            elif name == b"type" and found[group].lower() == b"password":
                kind = "password"
            elif name in (b"value", b"content"):
                values.append(found.span(group))
        yield None
        for start, end in values if kind else ():
            if _is_value(data[start:end]):
                yield Place(start, end, kind)


def by_shape(data: bytes) -> Iterator[Place]:
    """JSON Web Tokens (RFC 7519), wherever they stand.

    Args:
        data: the text in UTF-8.
    """
    for match in _jwt.finditer(data):
        yield Place(match.start(), match.end(), "jwt")


def behind_schemes(data: bytes) -> Iterator[Place | None]:
    """Values behind ``Bearer`` (RFC 6750) and ``Basic`` (RFC 7617). ``Basic`` is a word of many texts too.

    Args:
        data: the text in UTF-8.
    """
    for match in _bearer.finditer(data):
        has_digit = any(48 <= byte < 58 for byte in match.group(1))
        yield Place(match.start(1), match.end(1), "authorization") if has_digit else None
    for match in _basic.finditer(data):
        has_user = b":" in _of_base64(match.group(1))
        yield Place(match.start(1), match.end(1), "authorization") if has_user else None


def of_users(data: bytes) -> Iterator[Place | None]:
    """``user:password`` in URLs (RFC 3986, 3.2.1).

    Args:
        data: the text in UTF-8.
    """
    for match in _user.finditer(data):
        yield Place(match.start(1), match.end(1), "userinfo")
    for match in _encoded_user.finditer(data):
        # host:port/path/@name
        is_path = _encoded_slash.search(match.group(1)) is not None
        yield None if is_path else Place(match.start(1), match.end(1), "userinfo")


def addresses(data: bytes) -> Iterator[Place]:
    """Mail addresses that are the value of a parameter in a URL.

    Args:
        data: the text in UTF-8.
    """
    for match in _address.finditer(data):
        yield Place(match.start(1), match.end(1), "email")


FINDERS: tuple[Finder, ...] = (
    by_shape,
    of_users,
    in_tags,
    beside_names,
    behind_names,
    in_calls,
    in_elements,
    in_parameters,
    behind_schemes,
    addresses,
)
"""In the order in which they are applied: what one removes, the next ones do not see."""


def _name_at(data: bytes, start: int, end: int) -> tuple[str, int, bytes]:
    """The whole name that ends with what stands from ``start`` to ``end``, its place, and how it is written."""
    piece = data[max(0, start - _LONGEST_NAME) : end]
    raw = piece[len(piece.rstrip(_NAME_BYTES)) :]
    part = _last_part.search(unquote_to_bytes(raw))
    return part[0].decode("latin-1") if part else "", end - len(raw), raw


def _is_parameter(data: bytes, start: int, raw: bytes, kind: str) -> bool:
    """Whether a name that begins at ``start`` is that of a parameter, and not a variable of a script."""
    before = data[max(0, start - 1) : start]
    if before == b";":
        # ;token=x is a statement of a script, &amp;token=x and ;jsessionid=x are parameters.
        return kind == "session" or data[max(0, start - 4) : start].lower() in (b"amp;", b"#38;")
    if before == b"\\":
        return raw[:5].lower() in (b"u0026", b"u003f", b"u0023")
    return before in (b"", b"?", b"&", b"#") or _separator.search(raw) is not None


def _quoted(data: bytes, start: int, quote: bytes, kind: str, *, from_script: bool = False) -> Iterator[Place]:
    """The value that begins behind an opening quote, if there is one."""
    end = _end_of_quoted(data, start, quote)
    if _is_value(data[start:end]):
        yield Place(start, end, kind, from_script)


def _end_of_quoted(data: bytes, start: int, quote: bytes) -> int:
    """Where the quote stands that closes the value: it is written as the opening one.

    In a string within a string each quote has one backslash or more; those inside the value have more of them.
    """
    limit = min(len(data), start + _LONGEST_VALUE)
    sign, slashes = quote[-1:], len(quote) - 1
    if sign not in (b'"', b"'", b"`"):
        end = data.find(quote, start, limit)
        return end if end >= 0 else limit
    place = data.find(sign, start, limit)
    while place >= 0:
        count = place - start - len(data[start:place].rstrip(b"\\"))
        if count <= slashes or (not slashes and count % 2 == 0):
            return place - (count if slashes else 0)
        place = data.find(sign, place + 1, limit)
    return limit


def _in_group(data: bytes, start: int, kind: str, *, is_list: bool) -> Iterator[Place]:
    """The texts of a list, or the members of an object that are the secret itself."""
    closing = data.find(b"]" if is_list else b"}", start, start + _LONGEST_GROUP)
    for match in (_text_in_group if is_list else _member_in_group).finditer(data, start, max(start, closing)):
        if _is_value(match[2]):
            yield Place(match.start(2), match.end(2), kind)


def _is_value(value: bytes) -> bool:
    return value.strip().lower().decode("latin-1") not in NO_VALUES


def _of_base64(value: bytes) -> bytes:
    try:
        return b64decode(value + b"=" * (-len(value) % 4))
    except ValueError:
        return b""
