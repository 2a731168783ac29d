"""Makes ``docs/settings.md`` from the declarations in ``mediacrawl/settings.py``. Run it after a change there."""  # noqa: INP001

import ast
import inspect
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import mediacrawl.settings as declared
from mediacrawl.crawl.setting_checks import TYPES

HEAD = """# Settings

<!-- Made by `python docs/settings_table.py` from mediacrawl/settings.py. -->

The settings of mediacrawl. Set them with `-s NAME=VALUE`, or in a settings module that begins with
`from mediacrawl.settings import *`. `mediacrawl/settings.py` says more of each, and has Scrapy's settings where the
default differs.
"""
SECTION = re.compile(r"# -- (.+?) -+\n")
SCRAPYS = "Scrapy's settings"
LONGEST = 80
"""Characters of a default that is shown as it is."""


def table() -> str:
    """The text of ``docs/settings.md``."""
    lines = [HEAD]
    source = inspect.getsource(declared)
    starts = [(match.start(), match.group(1)) for match in SECTION.finditer(source)]
    for (start, title), (end, _) in zip(starts, [*starts[1:], (len(source), "")], strict=True):
        if title.startswith(SCRAPYS):
            break
        lines += [f"## {title}\n", "| name | default | value | what it is |", "|---|---|---|---|"]
        lines += [_row(name, text) for name, text in _documented(source[start:end])]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _documented(source: str) -> Iterator[tuple[str, str]]:
    """Names and docstrings of the settings of a part of the module."""
    body = ast.parse(source).body
    for node, after in pairwise(body):
        if isinstance(node, ast.AnnAssign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            yield ast.unparse(node.target), " ".join(str(after.value.value).split())


def _row(name: str, text: str) -> str:
    sentence = re.match(r".+?(?<!\be\.g)[.](?= [A-Z0-9`]|$)", text)
    cells = (f"`{name}`", _default(name), TYPES[name].expected, (sentence.group() if sentence else text))
    return "| " + " | ".join(cell.replace("``", "`").replace("|", "\\|") for cell in cells) + " |"


def _default(name: str) -> str:
    value = getattr(declared, name)
    if name == "REDIS_URL":
        return "`$REDIS_URL`"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int | float):
        return f"{value:,.10g}"
    if not value:
        return "empty"
    written = repr(value)
    return f"`{written}`" if len(written) <= LONGEST else f"{len(value)} of them"


if __name__ == "__main__":
    Path(__file__).with_name("settings.md").write_text(table(), encoding="utf-8")
