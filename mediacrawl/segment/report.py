"""What a run came to, in numbers and as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mediacrawl.observe.format import count, elapsed, plural
from mediacrawl.observe.text import printable
from mediacrawl.segment.links import BadLines

_WORDS = {
    "seen": "seen",
    "per_site": "beyond --per-site",
    "limit": "beyond --limit",
}


@dataclass(slots=True)
class Result:
    """What became of the links. All of them are accounted for: `links` = `repeated` + all of `left_out` + `written`.

    Attributes:
        files: that were read for links.
        links: that were found in them.
        repeated: links to a URL that another link had led to, in whatever spelling.
        left_out: number of URLs by reason: ``seen``, a value of `records.Drop`, ``per_site`` or ``limit``; of those
            that are no URL, the spellings.
        written: URLs of the queue.
        sites: of the queue.
        bad: lines that could not be read, by file; those of files of what was seen too.
        remarks: one sentence for each other thing worth knowing.
        seconds: that it took.
    """

    files: int = 0
    links: int = 0
    repeated: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    written: int = 0
    sites: int = 0
    bad: list[BadLines] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    seconds: float = 0.0


def report(result: Result, name: str) -> str:
    """The numbers as lines of text.

    Args:
        result: of a run.
        name: of the output.
    """
    return "\n".join(_lines(result, name))


def _lines(result: Result, name: str) -> Iterator[str]:
    yield from map(printable, result.remarks)
    for bad in result.bad:
        least = " or more" if bad.is_least else ""
        lines = "line" if bad.number == 1 else "lines"
        yield printable(f"{bad.name}: {count(bad.number)}{least} {lines} could not be read.")
        yield from (printable(f"  {line}") for line in bad.named)
    rows = [("links", result.links), ("repeated", -result.repeated)]
    rows += [(_WORDS.get(why, why), -number) for why, number in sorted(result.left_out.items(), key=_by_number)]
    sites = plural(result.sites, "site")
    rows.append((f"URLs of {sites} in {'the standard output' if name == '-' else name}", result.written))
    width = max(len(count(number)) for _, number in rows)
    for what, number in rows:
        if number or what == "links" or what.startswith("URLs of"):
            yield printable(f"{count(number):>{width}} {what}")
    yield f"{count(result.files)} {'file' if result.files == 1 else 'files'}, {elapsed(result.seconds)}"


def _by_number(row: tuple[str, int]) -> tuple[int, str]:
    return -row[1], row[0]
