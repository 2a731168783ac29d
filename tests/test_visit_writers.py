"""Who writes which part of a `Visit`: the downloader side its fetch, the spider side its decision."""

import ast
import functools
from pathlib import Path

import mediacrawl

ROOT = Path(mediacrawl.__file__).parent
DOWNLOADER_SIDE = (
    "middlewares/",
    "download/",
    "crawl/leases.py",
    "crawl/failures.py",
    "crawl/request_serialization.py",
)
LIFE_CYCLE = ("crawl/leases.py", "crawl/intake.py", "scheduler.py")
SPIDER_SIDE = ("spiders/", "reading/", "programs/single/", "priority/nuggets.py", *LIFE_CYCLE)
CHANGES = frozenset({"append", "extend", "insert", "add", "update", "clear", "pop", "remove", "discard"})


def written(tree):
    """The parts of visits (``fetch``, ``decision``) that a module assigns to, or whose collections it changes."""
    for node in ast.walk(tree):
        targets = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets = [node.target]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
            targets = [node.func.value]
        for target in targets:
            yield from parts_in(target)


def parts_in(target):
    """``fetch`` of ``visit.fetch.status``, and of ``fetch.status``."""
    while isinstance(target, ast.Attribute | ast.Subscript):
        target = target.value
        name = getattr(target, "attr", getattr(target, "id", ""))
        if name in {"fetch", "decision"}:
            yield name


@functools.cache
def parts_by_module():
    """What `written` finds in each module that has one of the words at all."""
    texts = {path: path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py") if path.name != "visit.py"}
    return {
        str(path.relative_to(ROOT)): set(written(ast.parse(text)))
        for path, text in texts.items()
        if "fetch" in text or "decision" in text
    }


def writers(part):
    return {path for path, parts in parts_by_module().items() if part in parts}


def test_the_fetch_is_written_by_the_downloader_side_only():
    found = writers("fetch")
    assert {"middlewares/answers.py", "download/http_handler.py"} <= found
    assert [path for path in sorted(found) if not path.startswith(DOWNLOADER_SIDE)] == []


def test_the_decision_is_written_by_the_spider_side_only():
    found = writers("decision")
    assert {"reading/reader.py", "priority/nuggets.py"} <= found
    assert [path for path in sorted(found) if not path.startswith(SPIDER_SIDE)] == []
