"""Candidates for the frontier: from seeds, feeds of other programs and imported files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path

from mediacrawl.base.format import plural
from mediacrawl.base.terms import Candidate, Drop, Evidence, Kind
from mediacrawl.frontier.export import evidence_of, read_json
from mediacrawl.frontier.export import kind_of as written_kind
from mediacrawl.frontier.redis.start_urls import StartUrlEntry
from mediacrawl.priority import Scores, link_class
from mediacrawl.scope.gate import ContactScope, Scope
from mediacrawl.scope.urls import (
    RESERVED,
    Spelling,
    host_of,
    is_address,
    is_loopback,
    is_top_level,
    kind_and_extension,
    scheme_of,
    site_of,
    spelling,
)

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
    """A list of seeds cannot be read. The text is one whole sentence."""


def parse_seeds(text: bytes | str, where: str) -> tuple[list[tuple[int, str]], list[str]]:
    """Parse a list of seeds, one a line.

    ``#`` begins a comment at the start of a line or after white space (inside a URL it begins a fragment). Blank lines
    are skipped. A bare domain gets ``https://``: nearly all sites answer there, and ``http://`` would cost two more
    visits with their delays, the robots.txt of the other scheme and a redirect. Bare addresses and ``localhost`` get
    ``http://``.

    Args:
        text: the list; bytes are read as UTF-8, with or without byte order mark, or, with a remark, as Latin-1.
        where: name of the list, for the remarks.

    Returns:
        The line number and the requested form of each seed, without repetitions; and a remark for each problem,
        ``where:line: ...``.
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
    """Split a list of URLs that was given in place of a file, at commas and line ends.

    A comma splits only if what follows looks like a URL or a domain, since URLs have commas too.
    """
    parts = [part.strip(" \t,") for line in argument.splitlines() for part in _inline_comma(line)]
    return [part for part in parts if part]


def names_domain(word: str) -> bool:
    """Whether a word without a scheme is a domain rather than the name of a file.

    It is an address, has a port, or ends in a known or reserved top-level domain: ``radio.example/shows``.
    """
    url = _seed(word)
    host = host_of(url.key) if url else ""
    last = host.rpartition(".")[2]
    is_known = last in RESERVED or is_top_level(last) or is_address(host)
    return bool(url) and (is_known or ":" in re.split("[/?#]", word)[0])


def read_seed_source(argument: str, folder: Path) -> tuple[bytes, str]:
    """Read a list of seeds and its name from a file (below `folder`), or from ``pkg:package/path``, also inside an egg.

    Raises:
        SeedError: it cannot be read; the sentence says where it was looked for.
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
    """Split at line ends as editors do, so that the line numbers agree; `str.splitlines` splits at more."""
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


def candidate(
    url: str | Spelling,
    evidence: Evidence,
    scores: Scores,
    kind: Kind | None = None,
    *,
    depth: int = 0,
    hops: int = 0,
    parent: str = "",
) -> Candidate:
    """Make the candidate of a URL, with its site, link class and first score.

    Args:
        url: in both forms; or the canonical one, which is requested then. What it was published as is added to the
            evidence.
        evidence: where and how it was found.
        scores: the rules of the crawl.
        kind: what is expected there; None leaves it to the extension. The extension of a list always decides.
        depth: clicks from a seed.
        hops: redirects in a row that led there.
        parent: URL of the page it was found on, as requested; empty for a seed.
    """
    url, requested, published = url if isinstance(url, Spelling) else (url, url, "")
    if published:
        evidence = replace(evidence, requested_url=published)
    site, (expected, extension) = site_of(url), kind_and_extension(url)
    kind = expected if expected is Kind.LIST else kind or expected
    return Candidate(
        url=url,
        site=site,
        link_class=link_class(url),
        kind=kind,
        depth=depth,
        hops=hops,
        parent=parent,
        score=scores.first(kind, evidence.via, depth, extension),
        evidence=evidence,
        requested="" if requested == url else requested,
    )


_LONGEST_DOMAIN = 2_048
_white_space = re.compile(r"\s").search


def candidate_of_entry(entry: StartUrlEntry, scope: Scope, reach: ContactScope, scores: Scores) -> Candidate | Drop:
    """Make the candidate of an entry of ``media:start_urls``, or return why it must not join.

    The entry is untrusted: nothing in it widens the scope of the crawl.
    """
    url = _spelled(entry.url, scope)
    if isinstance(url, Drop):
        return url
    reason = scope.check(url.key, entry.depth)
    if reason is not None:
        return reason
    if not reach.covers(host_of(url.key)):
        return Drop.PLACEHOLDER_CONTACT
    parent = scope.spelled(entry.parent) if entry.parent else None
    found = candidate(
        url,
        entry.evidence,
        scores,
        entry.kind,
        depth=entry.depth,
        hops=entry.hops,
        parent=parent.requested if isinstance(parent, Spelling) else "",
    )
    if entry.score is not None:
        found.score = entry.score
    return found


def _spelled(written: str, scope: Scope) -> Spelling | Drop:
    """Return the URL of an entry; a bare domain is accepted as in a list of seeds."""
    if _white_space(written):
        return Drop.BAD_URL
    if "://" not in written and len(written) <= _LONGEST_DOMAIN:
        seeds, _ = parse_seeds(written, "")
        return scope.spelled(seeds[0][1]) if seeds else Drop.BAD_URL
    return scope.spelled(written)


@dataclass(slots=True)
class Import:
    """The URLs of one file. Site, class and canonical form are computed again: another program may have written it.

    Args:
        scope: what decides whether a URL may be added.
        scores: gives the first score of its class.
        lines: of the file.
        json: whether they are JSON objects; else they are a list of seeds.

    Attributes:
        drops: refused URLs by reason.
        problems: a sentence for each of the first lines that could not be read.
        unread: how many could not be.
        broken: why the file could not be read to its end; empty if it could.
    """

    scope: Scope
    scores: Scores
    lines: Iterable[str]
    json: bool
    drops: Counter[Drop] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    unread: int = 0
    broken: str = ""

    def __iter__(self) -> Iterator[Candidate]:
        for number, line in enumerate(self._whole_lines(), 1):
            found = self._read(line.strip().lstrip("\ufeff"), number)
            if found is None:
                continue
            reason = self.scope.check(found.url, found.depth)
            if reason is None:
                yield found
            else:
                self.drops[reason] += 1

    def report(self, new: int, known: int) -> str:
        """Return in one sentence what became of the lines, of which so many URLs were added or known."""
        parts = [f"{plural(new, 'URL')} joined", f"{plural(known, '', 'was')} known"]
        parts += [f"{number:,} refused ({reason})" for reason, number in self.drops.most_common()]
        parts += [f"{plural(self.unread, 'line')} could not be read, first {self.problems[0]}"] if self.unread else []
        return ", ".join(parts) + (f"; {self.broken}" if self.broken else "")

    def _whole_lines(self) -> Iterator[str]:
        try:
            yield from self.lines
        except OSError as error:
            self.broken = f"{error.filename}: {error.strerror}"

    def _read(self, line: str, number: int) -> Candidate | None:
        if not line or line.startswith("#"):
            return None
        try:
            found = read_json(line) if self.json else {"url": _seed_in_line(line)}
        except ValueError as error:
            self._problem(number, str(error))
            return None
        url = self.scope.spelled(found["url"])
        if isinstance(url, Drop):
            self._problem(number, f"{found['url'][:100]!r} is no http or https URL")
            return None
        return candidate(
            url,
            evidence_of(found, "seed"),
            self.scores,
            written_kind(found),
            depth=_whole(found.get("depth")),
            hops=_whole(found.get("hops")),
            parent=str(found.get("parent") or ""),
        )

    def _problem(self, number: int, what: str) -> None:
        self.unread += 1
        if len(self.problems) < _SHOWN:
            self.problems.append(f"line {number}: {what}")


_SHOWN = 20


def _seed_in_line(line: str) -> str:
    seeds, problems = parse_seeds(line.encode("utf-8", "replace"), "line")
    if problems or not seeds:
        raise ValueError(problems[0] if problems else f"no URL in {line[:100]!r}")
    return seeds[0][1]


def _whole(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 1_000_000 else 0
