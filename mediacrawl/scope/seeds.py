"""Seed lists: where a crawl begins, as people write them.

A bad line costs that line, never the list, and is reported with its number.
"""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

from mediacrawl.scope.canonical import Spelling, scheme_of, spelling
from mediacrawl.scope.hosts import is_address, is_loopback
from mediacrawl.scope.sites import host_of

_PACKAGE = "pkg:"
_comment = re.compile(r"(?:^|\s)#.*").sub
# "site.example", "site.example:8080/path", "localhost:8000", "[::1]/": what a person means as an address.
_looks_like_host = re.compile(
    r"(?:[^\s/?#@:\[\]]+\.[^\s/?#@:\[\].,]{2,}|localhost|\[[0-9A-Fa-f:.]+\]|[0-9.]{7,15})(?::[0-9]+)?(?:[/?#]|$)"
).match
_inline_comma = re.compile(
    r"(?<!\s)\s*+,\s*+(?=[A-Za-z][A-Za-z0-9+.-]*://|[^\s,/?#=&]+\.[A-Za-z][^\s,/?#=&.]*(?:[:/?#,]|\s|$))"
).split


class SeedError(ValueError):
    """A list of seeds can not be read at all. The text is one whole sentence."""


def parse_seeds(text: bytes | str, where: str) -> tuple[list[tuple[int, str]], list[str]]:
    """Read a list of seeds, one a line.

    ``#`` begins a comment at the start of a line or after white space (inside a URL it begins a fragment). Blank lines
    are skipped. A bare domain gets ``https://``: nearly all sites answer there, and ``http://`` would cost each of them
    two more visits with their delays, the robots.txt of the other scheme and a redirect. Who means a site without TLS
    writes ``http://``. Bare addresses and ``localhost`` get ``http://``: there TLS is the exception.

    Args:
        text: the list; bytes are read as UTF-8, with or without byte order mark, or, with a remark, as Latin-1.
        where: name of the list, for the remarks.

    Returns:
        The line number and the URL of each seed, as it is requested, without those that come again; and one remark for
        each thing that could not be read, ``where:line: ...``.
    """
    lines, problems = _lines(text, where)
    seeds: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(lines, start=1):
        written = _comment("", line).strip()
        if not written:
            continue
        url = _seed(written)
        if url is None:
            problems.append(f"{where}:{number}: {_why(written)}: {written[:100]!r}")
        else:
            seeds.setdefault(url.key, (number, url.requested))
    return list(seeds.values()), problems


def split_inline(argument: str) -> list[str]:
    """Cut a list of URLs that was given in place of a file, at commas and line ends.

    A comma splits only if what follows looks like a URL or a domain, since URLs have commas too.

    Args:
        argument: ``https://a.example/x,y,b.example`` are two: ``https://a.example/x,y`` and ``b.example``.
    """
    parts = [part.strip(" \t,") for line in argument.splitlines() for part in _inline_comma(line)]
    return [part for part in parts if part]


def read_seed_source(argument: str, folder: Path) -> tuple[bytes, str]:
    """Read a list of seeds from a file or from the data of a package.

    Args:
        argument: a path, absolute or relative to `folder`; or ``pkg:package/path``, for a list that travels with a
            project, also inside an egg.
        folder: where relative paths begin.

    Returns:
        The list and its name for remarks.

    Raises:
        SeedError: it can not be read; the sentence says where it was looked for.
    """
    if argument.startswith(_PACKAGE):
        return _read_package(argument.removeprefix(_PACKAGE)), argument
    path = folder / Path(argument).expanduser()
    try:
        return path.read_bytes(), argument
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise SeedError(f"the seed list {path.name!r} can not be read in {path.parent.resolve()}: {why}") from error


def _read_package(address: str) -> bytes:
    package, _, path = address.partition("/")
    if not path:
        raise SeedError(f"pkg:{address} names no file; write pkg:package/path/in/it")
    try:
        return resources.files(package).joinpath(*path.split("/")).read_bytes()
    except ModuleNotFoundError as error:
        raise SeedError(f"there is no package {package!r}, named by pkg:{address}") from error
    except (OSError, ValueError, TypeError, ImportError) as error:
        raise SeedError(f"the seed list {path!r} can not be read in the package {package!r}: {error}") from error


def _lines(text: bytes | str, where: str) -> tuple[list[str], list[str]]:
    if isinstance(text, str):
        return _cut(text), []
    try:
        return _cut(text.decode("utf-8-sig")), []
    except UnicodeDecodeError as error:
        number = text.count(b"\n", 0, error.start) + 1
        remark = f"{where}:{number}: the list is no UTF-8 and was read as Latin-1; save it as UTF-8"
        return _cut(text.decode("latin-1")), [remark]


def _cut(text: str) -> list[str]:
    """Cut at line ends alone, as editors do, so that the numbers are theirs; `str.splitlines` cuts at more."""
    return re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))


def _seed(written: str) -> Spelling | None:
    if re.search(r"\s", written):
        return None
    if "://" in written.partition("?")[0]:
        return spelling(written)
    if not _looks_like_host(written):
        return None
    url = spelling(f"https://{written}")
    host = host_of(url.key) if url else ""
    return spelling(f"http://{written}") if is_address(host) or is_loopback(host) else url


def _why(written: str) -> str:
    if re.search(r"\s", written):
        return "white space inside a URL"
    scheme = scheme_of(written) if "://" in written else ""
    if scheme not in ("", "http", "https"):
        return f"only http and https are crawled, not {scheme}"
    return "neither a URL nor a domain"
