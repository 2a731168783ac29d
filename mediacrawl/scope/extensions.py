"""Which endings of a path are media, and which are never worth a request."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


AUDIO_EXTENSIONS = _words(
    "aac ac3 aif aifc aiff ape au caf dff dsf dts f4a flac m4a m4b m4p m4r mka mp1 mp2 mp3 "
    "mpa mpc mpga oga ogg opus ra snd spx tta voc w64 wav wave weba wma wv"
)
VIDEO_EXTENSIONS = _words(
    "3g2 3gp 3gpp asf avi divx dv f4v flv m1v m2p m2ts m2v m4v mkv mov mp4 mpe mpeg mpg mpv mts mxf ogm ogv qt "
    "rm rmvb vob webm wmv"
)
PLAYLIST_EXTENSIONS = _words("asx m3u m3u8 mpd pls ram wax wvx xspf")
"""Lists of media. They are allowed, and read by a later step; their segments are never fetched."""
MEDIA_EXTENSIONS = AUDIO_EXTENSIONS | VIDEO_EXTENSIONS | PLAYLIST_EXTENSIONS


def extension_of(url: str) -> str:
    """Return the extension of a URL's path in lower case without its dot; empty if there is none.

    Args:
        url: in canonical form. What stands in its query does not count.
    """
    return extension_of_name(url.partition("?")[0].rpartition("/")[2])


def extension_of_name(name: str) -> str:
    """Return the extension of a path's last segment in lower case without its dot; empty if there is none.

    Args:
        name: what follows the last slash of a URL in canonical form, the query may be there still.
    """
    if "?" in name:
        name = name.partition("?")[0]
    if ";" in name:
        name = name.partition(";")[0]
    dot = name.rfind(".")
    return name[dot + 1 :].lower() if dot >= 0 else ""


_is_extension = re.compile(r"\.?[\w~+-]+").fullmatch


class ExtensionFilter:
    """Refuses URLs whose extension says that they are neither a page nor media.

    Attributes:
        refused: the extensions, in lower case without a dot. Media are never among them, whatever
            the file says: a wrong line there must not blind the crawl.
    """

    __slots__ = ("refused",)

    def __init__(self, refused: Iterable[str] = ()) -> None:
        self.refused = frozenset(refused) - MEDIA_EXTENSIONS

    @classmethod
    def load(cls, path: Path) -> ExtensionFilter:
        """Read a list of extensions.

        Args:
            path: text file, one extension a line, with or without its dot, ``#`` begins a comment.

        Raises:
            OSError: the file can not be read.
            ValueError: a word in it is no extension.
        """
        return cls(parse_extensions(path.read_text("utf-8", "replace"), path.name))

    def refuses(self, url: str) -> bool:
        """Tell whether a URL is not worth a request.

        Args:
            url: in canonical form.
        """
        # A compressed sitemap ends like an archive.
        return extension_of(url) in self.refused and not url.endswith(".xml.gz")


def parse_extensions(text: str, where: str) -> frozenset[str]:
    """Read the lines of a list of extensions; several words on one line are several extensions.

    Args:
        text: the list, ``#`` begins a comment.
        where: its name, for the error.

    Raises:
        ValueError: a word is no extension, so that it would refuse nothing.
    """
    found = set()
    for number, line in enumerate(text.splitlines(), start=1):
        for word in line.partition("#")[0].split():
            if not _is_extension(word):
                raise ValueError(
                    f"{where}:{number}: {word[:99]!r} is no extension; write what follows the last dot of a path: pdf"
                )
            found.add(word.lower().removeprefix("."))
    return frozenset(found)
