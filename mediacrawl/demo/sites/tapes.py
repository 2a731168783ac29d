"""Archives of old tapes: a folder for each language, and tags that claim one encoding and hold another.

Nothing on their pages tells the languages: the page is in English, and a link's text is the name of its file.
"""

from __future__ import annotations

from mediacrawl.demo.mislabelled import RECORDINGS
from mediacrawl.demo.sites import names
from mediacrawl.demo.virtual_host import VirtualHost

_FOLDERS = {
    names.TAPES_NORTH: ("bg", "cs", "de", "lt", "pl", "uk"),
    names.TAPES_SOUTH: ("ar", "el", "fr", "he", "hu", "pt", "tr"),
    names.TAPES_EAST: ("ja", "ru", "th", "vi", "zh-cn", "zh-tw"),
}
"""Several hosts, each a site of its own, so that the demo need not wait for one of them."""

_SECONDS = 60.0


def hosts(port: int) -> list[VirtualHost]:
    """The archives; the first links to the others."""
    return [_archive(port, host, folders) for host, folders in _FOLDERS.items()]


def _archive(port: int, name: str, folders: tuple[str, ...]) -> VirtualHost:
    archive = VirtualHost(name, port)
    archive.robots("User-agent: *\nDisallow:\n")
    paths = {f"/{made.folder}/{file}": file for file, made in RECORDINGS.items() if made.folder in folders}
    for number, (path, file) in enumerate(sorted(paths.items())):
        archive.media(path, file, seconds=_SECONDS + number if file.endswith(".mp3") else 0.0)
    tapes = "\n".join(f'<li><a href="{path}">{file}</a></li>' for path, file in sorted(paths.items()))
    others = ", ".join(f'<a href="{archive.url("/", other)}">{other}</a>' for other in _FOLDERS if other != name)
    archive.page("/", "Tapes", f"<ul>\n{tapes}\n</ul>\n<p>More tapes: {others}</p>")
    return archive
