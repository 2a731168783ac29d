"""What an entry had before its secrets were removed, as far as it decides whether a site can be learned."""

from __future__ import annotations

import re
from typing import Any

from mediacrawl.site_adapters.har.places import compiled
from mediacrawl.site_adapters.har.raw_entry import RawEntry
from mediacrawl.site_adapters.har.secrets import header_kind, secret_kind

_AUTHORIZATION = frozenset({"authorization", "proxy-authorization"})

_password_field = compiled(rb"""<input\b[^<>]*\btype\s*=\s*["']?password\b""")
_drm_url = re.compile(r"widevine|playready|fairplay|\bdrm|[/._-]licen[sc]es?\b", re.IGNORECASE).search
_user = re.compile(r"\w+://[^/?#@]*+@", re.ASCII).match
_key_system = re.compile(r"widevine|playready|fairplay", re.IGNORECASE).search
# RFC 8216, 4.3.2.4: the method with a key system; ISO 23009-1, 5.8.4.1; Smooth Streaming.
_drm_manifest = compiled(
    rb"METHOD=SAMPLE-AES|KEYFORMAT=\"?(?:com\.|urn:uuid:)|<(?:\w+:)?ContentProtection\b|<ProtectionHeader\b"
)
_drm_json = compiled(
    rb'"(?:[\w.]*(?:widevine|playready|fairplay)[\w.]*|licen[sc]e_?(?:server_?|acquisition_?)?ur[il]|(?:is_?|has_?)?drm'
    rb'(?:_?(?:protected|enabled|config|type))?)"\s*:\s*(?:"(?:https?:)?(?:\\?/){2}|\{\s*"|\[\s*[{"]|true|"(?:com\.|cenc|cbcs))'
)


def marks_of(raw: RawEntry, body: str | None, kind: str) -> frozenset[str]:
    """The marks of an entry.

    Args:
        raw: the entry with its secrets.
        body: the text of the answer, or None.
        kind: of the body (`bodies.text_kind`).
    """
    names = {name.lower() for name, value in raw.request_headers if value}
    found = {
        "authorization": bool(names & _AUTHORIZATION) or _user(raw.url) is not None,
        "cookie": "cookie" in names or bool(raw.request_cookies),
        "csrf": any(header_kind(name) == "csrf" for name in names),
        "login_form": _has_login(raw, body, kind),
        "drm": _has_drm(raw, body, kind),
    }
    return frozenset(mark for mark, is_set in found.items() if is_set)


def _has_login(raw: RawEntry, body: str | None, kind: str) -> bool:
    """Whether a page asks for a password, or one was posted."""
    if kind == "html" and body is not None:
        return _search(_password_field, body)
    if any(secret_kind(name) == "password" for name, _ in raw.post_fields):
        return True
    names = re.findall(r'(?:^|&)([^=&]{1,100})=|"([^"\\]{1,100})"\s{0,9}:', raw.post[:10_000])
    return any(secret_kind(form or member) == "password" for form, member in names)


def _has_drm(raw: RawEntry, body: str | None, kind: str) -> bool:
    """Whether a licence was requested, or the answer names one. Scripts of players name all key systems."""
    if _drm_url(raw.url) if raw.has_post else _key_system(raw.url) and kind != "script":
        return True
    if body is None or kind in ("html", "script"):
        return False
    return _search(_drm_json if kind == "json" else _drm_manifest, body)


def _search(expression: Any, text: str) -> bool:
    return expression.search(text.encode("utf-8", "replace")) is not None
