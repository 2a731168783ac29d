"""Signs that media or data are protected: signatures, expiry, logins, DRM."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mediacrawl.site_adapters.har.recording import Entry
from mediacrawl.site_adapters.learn.model import RefusalName
from mediacrawl.site_adapters.learn.secrets import header_kind, in_path, is_account, kind_of, secret_kind
from mediacrawl.site_adapters.learn.trees import Tree
from mediacrawl.site_adapters.learn.urls import Url, parsed
from mediacrawl.site_adapters.learn.visits import is_manifest
from mediacrawl.site_adapters.learn.words import WORDS

_OF_CLOUD = ("xamz", "xgoog")
_KIND_OF_LOGIN = frozenset({"api_key", "authorization", "account", "csrf", "password", "session"})
_SIGNED = frozenset({"signature", "token", "jwt"})
_is_digest = re.compile(r"(?=.*[0-9])[A-Za-z0-9_=+/-]{16,}").fullmatch
_in_path = re.compile(r"(?:^|[/~,;])(?:exp|expires?|e|st|hmac|hdnts|token|sig)[=_-]([0-9]{10})(?![0-9])").search
_signs = re.compile(r"[^a-z0-9]").sub
_sentence_of_drm = re.compile(
    r"widevine|playready|fairplay|clearkey|com\.apple\.fps|licen[sc]e_?server|drm_?(?:type|token|key|config|url|licen[sc]e)"
    r"|key_?system",
    re.IGNORECASE,
).search
_drm_in_hls = re.compile(r"#EXT-X-(?:SESSION-)?KEY:[^\n]*(?:METHOD=SAMPLE-AES|KEYFORMAT=\"(?!identity))").search
_licence_url = re.compile(r"widevine|playready|fairplay|\bdrm|[/._-]licen[sc]es?\b", re.IGNORECASE).search
_key_system = re.compile(r"widevine|playready|fairplay", re.IGNORECASE).search
_FALSE = frozenset({"", "0", "false", "none", "null", "no", "off"})
_LONGEST_MANIFEST = 1_000_000


def signature_in(url: str) -> str:
    """Return the name of the parameter of a URL that holds a signature; empty if there is none."""
    found = parsed(url)
    if found is None:
        return ""
    for each in found.parameters:
        if is_signature(each.name, each.value):
            return each.name
    segments = [each.value for each in found.segments]
    named = (name for name, value in in_path(segments) if secret_kind(name) in _SIGNED and len(value) >= 8)
    return next((f"{name} in the path" for name in named), "")


def is_signature(name: str, value: str) -> bool:
    """Return whether a parameter holds a signature."""
    plain = _signs("", name.lower())
    if plain in WORDS["signatures"] or plain.startswith(_OF_CLOUD):
        return True
    if value and kind_of(name, value) in _SIGNED:
        return True
    return plain in WORDS["short_signs"] and _is_digest(value) is not None


def expiry_in(url: str, started: float) -> str:
    """Return what says that a URL expires: the name of a parameter, or a part of the path; empty if nothing does."""
    found = parsed(url)
    if found is None:
        return ""
    for each in found.parameters:
        if is_expiry(each.name, each.value, started):
            return each.name
    for segment in found.segments:
        match = _in_path(segment.value)
        if match is not None and int(match[1]) > started > 0:
            return segment.value[:40]
    return ""


def is_expiry(name: str, value: str, started: float) -> bool:
    """Return whether a parameter holds the time until which a URL is valid."""
    plain = _signs("", name.lower())
    if plain in WORDS["expiries"]:
        return any(mark.isdigit() for mark in value)
    # Whatever its name is: a time after the request, up to a year, is no date of the medium.
    is_time = value.isdecimal() and len(value) in (10, 13) and started > 0
    return is_time and started + 30 < int(value[:10]) < started + 366 * 86_400


def login_in(entry: Entry) -> str:
    """Return what says that a request needs a login or a key: the end of a sentence; empty if nothing does."""
    kinds = {header_kind(name) for name, value in entry.request_headers.items() if value}
    if "authorization" in kinds:
        return "has an Authorization header or a key"
    if "csrf" in kinds:
        return "has a header with a token of the visit"
    found = parsed(entry.url)
    for each in found.parameters if found is not None else ():
        if kind_of(each.name, each.value) in _KIND_OF_LOGIN - {"session"}:
            return f"has a key in its parameter {each.name}"
    return ""


def asks_for_login(entry: Entry) -> bool:
    """Return whether a browser asked before a request whether it may send credentials to another origin (CORS)."""
    asked = entry.request_headers.get("access-control-request-headers", "").lower()
    return entry.method == "OPTIONS" and any(header_kind(name.strip()) for name in asked.split(","))


def drm_in_entry(entry: Entry) -> str:
    """Return what says that a manifest is protected, or that a licence was asked for; empty if nothing does.

    Scripts of players name all key systems.
    """
    body = (entry.body or "")[:_LONGEST_MANIFEST]
    if is_manifest(entry) and ("<ContentProtection" in body or ":ContentProtection" in body):
        return "ContentProtection"
    if is_manifest(entry) and _drm_in_hls(body) is not None:
        return "EXT-X-KEY"
    is_licence = _licence_url(entry.url) if entry.post else "script" not in entry.mime and _key_system(entry.url)
    return "a licence" if is_licence else ""


def drm_in_answer(tree: Tree) -> str:
    """Return the field of an answer that names a DRM system or its licence server; empty if none does."""
    for path, text in tree.leaves.items():
        if text.strip().lower() in _FALSE:
            continue
        for step in path:
            if isinstance(step, str) and _sentence_of_drm(step):
                return step[:60]
        name = str(path[-1]).lower() if path else ""
        if ("drm" in name or "keysystem" in name) and _sentence_of_drm(text[:200]):
            return name[:60]
        if name == "drm" or (name in ("isdrm", "encrypted", "drmprotected") and text.lower() == "true"):
            return name
    return ""


def gap_reasons(url: Url, started: float) -> Iterator[tuple[RefusalName, str]]:
    """For each parameter of a data URL that is protected: ``signed``, ``expires`` or ``login``, and its name."""
    for each in url.parameters:
        if kind_of(each.name, each.value) in _KIND_OF_LOGIN or is_account(each.value):
            yield "login", each.name
        elif is_signature(each.name, each.value):
            yield "signed", each.name
        elif is_expiry(each.name, each.value, started):
            yield "expires", each.name


_STARTS = ("sec-", "if-", ":", "access-control-")
_TRACING_STARTS = ("x-b3-", "x-datadog-", "x-dynatrace")
_KEYS = frozenset({"api_key", "token", "jwt", "password", "authorization", "session"})


def unsendable(entries: Sequence[Entry]) -> tuple[RefusalName, str] | None:
    """A header without which the answer may be another one: name of the refusal and of the header; None if all can go.

    A header that is the same on all pages, and named like no secret, may be needed or not: it is taken for not needed.
    """
    for name in sorted({name for entry in entries for name in entry.request_headers}):
        if name in WORDS["by_browser"] or name in WORDS["tracing"] or name.startswith((*_STARTS, *_TRACING_STARTS)):
            continue
        values = [entry.request_headers.get(name, "") for entry in entries]
        kind = header_kind(name)
        if kind == "signature" or any(is_signature(word, "") for word in name.split("-")):
            return "signed", name
        if kind in _KEYS:
            return "login", name
        if len(set(values)) > 1:
            return "unexplained", name
    return None
