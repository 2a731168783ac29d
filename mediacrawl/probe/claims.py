"""What a file is by its URL and by the server: claims, which never decide a format.

Where the content is recognized they are not looked at. Where it is not, and they say MPEG audio, its frames may begin
behind bytes of something else, and those are worth some requests, see `formats.mpeg_audio.find_behind_junk`.
"""

from __future__ import annotations

import re

MPEG_AUDIO = "audio/mpeg"
_EXTENSIONS = frozenset({"mp1", "mp2", "mp3", "mpa", "mpga", "m2a"})
_says_mpeg = re.compile(r"(?:audio|application)/(?:x-)?(?:mpeg(?:-?[23]|audio)?|mp[23ag])").fullmatch
_SPECIFIC = ("audio/", "video/", "image/", "text/html", "text/xml", "application/xml", "application/xhtml")
"""Prefixes of types that say what a file is. Download scripts invent others."""
_filename = re.compile(r"filename\*?\s*=\s*(?:\"([^\"]*)\"|([^;]*))", re.IGNORECASE).search


def expected_by_name(url: str) -> str:
    """Returns the MIME type that the extension of a URL or a file name stands for; empty unless it is MPEG audio."""
    name = url.partition("#")[0].partition("?")[0].rpartition("/")[2]
    _, dot, extension = name.rpartition(".")
    return MPEG_AUDIO if dot and extension.lower() in _EXTENSIONS else ""


def expected_by_type(content_type: str, by_name: str = "") -> str:
    """Returns the MIME type that a Content-Type stands for; empty unless it is MPEG audio.

    Args:
        content_type: as the server sent it, empty if it did not.
        by_name: result of `expected_by_name`, which holds where the server's type is unspecific.
    """
    mime = content_type.partition(";")[0].strip().lower()
    if _says_mpeg(mime):
        return MPEG_AUDIO
    return "" if mime.startswith(_SPECIFIC) else by_name


def disposition_name(content_disposition: str) -> str:
    """Returns the file name of a Content-Disposition (RFC 6266); percent-encoded if it is ``filename*``."""
    found = _filename(content_disposition[:2_000]) if content_disposition else None
    return (found[1] or found[2] or "").strip() if found else ""
