"""Writes the pages of the reference that are made from the program itself: commands, request log, stats.

``docs/conf.py`` calls it; the pages are not kept in the repository. ``docs/settings.md`` and
``docs/record.md`` are made by ``docs/settings_table.py`` and ``docs/record_page.py`` and kept, because the README links
to them.
"""  # noqa: INP001

import ast
import dataclasses
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import entry_points
from pathlib import Path

import mediacrawl
from mediacrawl.log.messages import LIMITS, MEANINGS, TROUBLES
from mediacrawl.log.request_log import RequestLine

PACKAGE = Path(mediacrawl.__file__).parent
SPIDERS = ("media", "feeds", "recheck")
_STATS = re.compile(r"^Stats: (.+?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
_ATTRIBUTE = re.compile(r"^    (\w+(?:, \w+)*): (.+?)(?=^    \w+(?:, \w+)*: |\Z)", re.MULTILINE | re.DOTALL)


def write(folder: Path) -> None:
    """Write the pages.

    Args:
        folder: made if it is missing.
    """
    folder.mkdir(exist_ok=True)
    pages = {"commands": commands(), "log": request_log(), "stats": stats()}
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def commands() -> str:
    """The help of every command, as the command prints it."""
    own = sorted(
        entry.name for entry in entry_points(group="scrapy.commands") if entry.module.startswith("mediacrawl.")
    )
    calls = [*([name] for name in own), *(["crawl", spider] for spider in SPIDERS)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        helps = list(pool.map(_help, calls))
    lines = ["# Commands", "", "Each command works as `scrapy NAME` and as `mediacrawl NAME`.", ""]
    for call, text in zip(calls, helps, strict=True):
        lines += [f"## {' '.join(call)}", "", "```text", text.strip(), "```", ""]
    return "\n".join(lines)


def _help(call: list[str]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "mediacrawl", *call, "-h"],
        capture_output=True,
        text=True,
        check=True,
        cwd=PACKAGE.parent,
        env={**os.environ, "COLUMNS": "100"},
    )
    return done.stdout


def request_log() -> str:
    """The fields of a line of the request log."""
    lines = ["# The request log", "", "`log/requests-YYYY-MM-DD.jsonl` in the state folder has one JSON object a line,"]
    lines += ["one line a request. Files of past days end in `.gz`. `log/robots-YYYY-MM-DD.jsonl` has the text of each"]
    lines += ["robots.txt. Lines that a full disk refused have one line together, with the error `LinesLost`: `lost`"]
    lines += [
        "is their number, and `time` and `until` are when the first and the last was refused.",
        "",
        "| field | type | what it is |",
        "|---|---|---|",
    ]
    meanings = _attributes(RequestLine)
    for each in dataclasses.fields(RequestLine):
        lines.append(f"| `{each.name}` | {_shown(each.type)} | {meanings[each.name]} |")
    return "\n".join([*lines, ""])


def stats() -> str:
    """The stats that classes name in their docstrings, and the names of drops, troubles and limits."""
    lines = ["# Stats", "", "Scrapy's stats collector has these keys besides Scrapy's own."]
    lines += ["", "| class | keys |", "|---|---|"]
    lines += [f"| `{where}` | {keys} |" for where, keys in sorted(_documented_stats())]
    lines += ["", "## Drops, troubles and limits", ""]
    lines += [
        "`drop/NAME` counts URLs that were dropped, `trouble/NAME` visits that failed, and `limit/NAME` responses"
    ]
    lines += ["that exceeded a limit.", "", "| name | meaning |", "|---|---|"]
    for kind, meanings in {"drop": MEANINGS, "trouble": TROUBLES, "limit": LIMITS}.items():
        lines += [f"| `{kind}/{name}` | {_cell(meaning)} |" for name, meaning in sorted(meanings.items())]
    return "\n".join([*lines, ""])


def _documented_stats() -> Iterator[tuple[str, str]]:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, (ast.ClassDef, ast.Module)):
                continue
            for match in _STATS.finditer(ast.get_docstring(node) or ""):
                module = path.relative_to(PACKAGE.parent).with_suffix("").as_posix().replace("/", ".")
                name = node.name if isinstance(node, ast.ClassDef) else module.removeprefix("mediacrawl.")
                yield name, _cell(match[1])


def _attributes(kind: type) -> dict[str, str]:
    """Name of each attribute that a docstring describes -> its description."""
    told = (inspect.getdoc(kind) or "").partition("Attributes:\n")[2]
    return {name: _cell(text) for names, text in _ATTRIBUTE.findall(told) for name in names.split(", ")}


def _cell(text: str) -> str:
    joined = " ".join(text.split()).replace("``", "`").replace("|", "\\|")
    return re.sub(r"<(?=[a-z])", "&lt;", joined)


def _shown(kind: object) -> str:
    return str(kind).replace("|", "\\|")
