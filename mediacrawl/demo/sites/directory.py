"""A folder on a server without an index page: the listing that the web server makes."""

from __future__ import annotations

from mediacrawl.demo.sites import names
from mediacrawl.demo.virtual_host import VirtualHost

_TINY_JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xd9"
_EMPTY_ZIP = b"PK\x05\x06" + bytes(18)
_COLUMNS = (("N", "Name"), ("M", "Last modified"), ("S", "Size"), ("D", "Description"))


def hosts(port: int) -> list[VirtualHost]:
    """One host; robots.txt forbids the sort links, as many a careful administrator does."""
    folder = VirtualHost(names.DIRECTORY, port)
    folder.robots("User-agent: *\nDisallow: /*?C=\n")
    folder.media("/musik/low-water.flac", "low-water.flac")
    folder.media("/musik/thalassa.ogg", "thalassa.ogg")
    folder.media("/musik/alt/nychta.opus", "nychta.opus")
    folder.media("/musik/alt/utro.mp3", "utro.mp3", seconds=240)
    folder.file("/musik/README.txt", b"Recordings in this folder are free to copy.\n", "text/plain")
    for path, data, content_type in (
        ("/musik/cover.jpg", _TINY_JPEG, "image/jpeg"),
        ("/musik/alles.zip", _EMPTY_ZIP, "application/zip"),
        ("/abbild.iso", bytes(4096), "application/octet-stream"),
    ):
        folder.file(path, data, content_type)
        folder.forbid(path, "extension")
    for path in ("/", "/musik/", "/musik/alt/"):
        folder.forbid(f"{path}?C=", "robots.txt")
    _list(folder, "/", ("musik/", "abbild.iso"))
    _list(folder, "/musik/", ("alt/", "README.txt", "alles.zip", "cover.jpg", "low-water.flac", "thalassa.ogg"))
    _list(folder, "/musik/alt/", ("nychta.opus", "utro.mp3"))
    return [folder]


def _list(folder: VirtualHost, path: str, names_here: tuple[str, ...]) -> None:
    columns = " ".join(f'<a href="?C={key};O={"D" if key == "N" else "A"}">{name}</a>' for key, name in _COLUMNS)
    parent = "" if path == "/" else f'<a href="{path[:-1].rpartition("/")[0]}/">Parent Directory</a>\n'
    rows = "\n".join(f'<a href="{name}">{name}</a>   2026-01-01 00:00' for name in names_here)
    folder.page(path, f"Index of {path}", f"<pre>{columns}<hr>\n{parent}{rows}\n<hr></pre>")
