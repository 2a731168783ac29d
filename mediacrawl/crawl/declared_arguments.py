"""The declared arguments (``-a name=value``) of a spider: the table of ``-h``, and the check of what the user typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from mediacrawl.crawl.arguments import ArgumentError
from mediacrawl.nearest import nearest
from mediacrawl.observe.text import printable

_COLUMN = 22
_WIDTH = 79
_OF_OTHERS = "_"
"""First character of names that are not checked: scrapyd passes ``_job`` and ``_version``."""


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a spider.

    Attributes:
        name: as it is typed.
        value: placeholder of its value in ``-h``.
        text: its description.
        check: raises `ArgumentError` for a value that is wrong in itself, whatever is on disk.
    """

    name: str
    value: str
    text: str
    check: Callable[[str], object] = str


def mistakes(given: Mapping[str, str], spider: type[Any]) -> list[str]:
    """One sentence for each argument that a spider does not take, and for each value that is wrong in itself.

    Args:
        given: the arguments as they were typed.
        spider: its class. One without `takes` has none of ours to check.
    """
    known = {argument.name: argument for argument in getattr(spider, "takes", ())}
    told = []
    for name, value in given.items():
        if name in known:
            try:
                known[name].check(value)
            except ArgumentError as error:
                told.append(str(error))
        elif not name.startswith(_OF_OTHERS) and _is_strict(spider):
            told.append(_unknown(name, known, spider.name))
    return told


def refuse_unknown(others: Mapping[str, Any], spider: type[Any]) -> None:
    """Check that a spider got no argument other than those that it takes.

    Raises:
        ArgumentError: it got one.
    """
    if told := mistakes(others, spider):
        raise ArgumentError("\n".join(told))


def listed(takes: Sequence[Argument], spider: str) -> str:
    """The arguments as ``-h`` shows them, in lines of 79 characters at most."""
    title = f"Arguments Of The Spider {spider}"
    lines = [title, "=" * len(title)]
    for argument in takes:
        head = f"  -a {argument.name}={argument.value}"
        text = wrap(argument.text, _WIDTH - _COLUMN - 2)
        if len(head) < _COLUMN:
            lines.append(f"{head:<{_COLUMN}}  {text.pop(0)}")
        else:
            lines.append(head)
        lines += [f"{'':<{_COLUMN}}  {line}" for line in text]
    return "\n".join(lines)


def _is_strict(spider: type[Any]) -> bool:
    """Whether `takes` has all arguments: a subclass outside mediacrawl may have more."""
    return "takes" in vars(spider) or (spider.__module__.startswith("mediacrawl.") and hasattr(spider, "takes"))


def _unknown(name: str, known: Iterable[str], spider: str) -> str:
    names = list(known)
    alike = nearest(name, names)
    hint = f"did you mean {alike}?" if alike else f"it takes {', '.join(names)}"
    return f"-a {printable(name)}= is no argument of the spider {spider}; {hint}"
