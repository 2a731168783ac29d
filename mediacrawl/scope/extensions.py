"""Extensions of media, and of files that are never requested."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


AUDIO_EXTENSIONS = _words(
    "3ga aac ac3 adif adts aif aifc aiff amr ape au awb bwf caf dff dsf dts eac3 ec3 f4a flac kar latm loas m4a m4b "
    "m4p m4r mid midi mka mod mp1 mp2 mp3 mpa mpc mpga ofr ofs oga ogg opus ra rf64 rmi s3m snd spx tak tta voc w64 "
    "wav wave weba wma wv xm"
)
"""Modules of Impulse Tracker end in ``it``, which is left out: servers that choose pages by language have pages of this
ending. A module is recognized by its content then."""
VIDEO_EXTENSIONS = _words(
    "3g2 3gp 3gpp asf avi divx dv f4v flv m1v m2p m2ts m2v m4v mkv mov mp4 mpe mpeg mpg mpv mts mxf ogm ogv qt "
    "rm rmvb vob webm wmv"
)
PLAYLIST_EXTENSIONS = _words("asx m3u m3u8 mpd pls ram wax wvx xspf")
"""Lists of media. They are requested; their segments are not."""
_NAMES = _words(
    "ai app bin c cc class com cpp cs dll dot go h java js key kt lua map numbers one pages pub py rb rs run sh so"
)
"""Extensions that hosts, tools and other names end in, too: ``/review/a.com``, ``/docker.run``, ``/wiki/Node.js``."""
_is_filed = re.compile(
    r"/(?:assets?|blob|dist|downloads?|files?|firmware|include|js|lib|packages?|raw|releases?|scripts?|src|source|static"
    r"|trunk|vendor)/|/(?:config|index|install|main|setup)\.[^/]*$|[-_.](?:v?[0-9]+|min)\.[^/.]*$",
    re.IGNORECASE,
).search
"""A folder of files, a name of a program or a version number: there such an extension is a file's."""
MEDIA_EXTENSIONS = AUDIO_EXTENSIONS | VIDEO_EXTENSIONS | PLAYLIST_EXTENSIONS


def extension_of(url: str) -> str:
    """Return the extension of a canonical URL's path in lower case without its dot; empty if there is none."""
    return extension_of_name(url.partition("?")[0].rpartition("/")[2])


def extension_of_name(name: str) -> str:
    """Return the extension of a path's last segment in lower case without its dot; empty if it has none."""
    if "?" in name:
        name = name.partition("?")[0]
    if ";" in name:
        name = name.partition(";")[0]
    dot = name.rfind(".")
    return name[dot + 1 :].lower() if dot >= 0 else ""


_is_extension = re.compile(r"\.?[\w~+-]+").fullmatch


class ExtensionFilter:
    """Refuses URLs whose extension is neither a page's nor that of media.

    Attributes:
        refused: the extensions, in lower case without a dot. Extensions of media are never refused, whatever the file
            says.
    """

    __slots__ = ("refused",)

    def __init__(self, refused: Iterable[str] = ()) -> None:
        self.refused = frozenset(refused) - MEDIA_EXTENSIONS

    @classmethod
    def load(cls, path: Path) -> ExtensionFilter:
        """Read a file with one extension a line, with or without its dot; ``#`` begins a comment.

        Raises:
            OSError: the file cannot be read.
            ValueError: a word in it is no extension.
        """
        return cls(parse_extensions(path.read_text("utf-8", "replace"), path.name))

    def refuses(self, url: str) -> bool:
        """Whether a canonical URL is refused."""
        # A compressed sitemap has the extension of an archive, and a JSON Feed that of data.
        extension = extension_of(url)
        if extension not in self.refused or is_packed_list(url) or (extension == "json" and _is_feed(url)):
            return False
        return extension not in _NAMES or _is_filed(url.partition("?")[0], url.find("/", 8)) is not None


def is_packed_list(url: str) -> bool:
    """Whether a canonical URL has the name of a compressed sitemap or feed."""
    return url.partition("?")[0][-7:].lower() == ".xml.gz"


def _is_feed(url: str) -> bool:
    """Whether the name of a file of JSON says that it is a feed: ``feed.json``, ``audio-feed.json``."""
    return "feed" in url.partition("?")[0].rpartition("/")[2].lower()


def parse_extensions(text: str, where: str) -> frozenset[str]:
    """Parse a list of extensions, separated by white space.

    Raises:
        ValueError: a word is no extension.
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
