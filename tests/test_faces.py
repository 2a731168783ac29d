"""Libraries, `record`, `store` and the programs are taken by their face: `__init__` names what others may use."""

import ast
import functools

import pytest
from harness import ROOT

PACKAGE = ROOT / "mediacrawl"
PROGRAMS = sorted(path.parent.name for path in (PACKAGE / "programs").glob("*/__init__.py"))
FACED = [
    *("encoding", "extract", "probe", "site_adapters", "record", "store"),
    *(f"programs.{name}" for name in PROGRAMS if name not in {"commands", "recheck"}),
]
MOST = 12
"""Public names of a face."""


def module_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@functools.cache
def imports(path):
    """The modules that a module imports, and those that it imports names of."""
    return list(_imported(path))


def _imported(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for name in node.names:
                full = f"{node.module}.{name.name}"
                yield full if full in SOURCES else node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


@pytest.mark.parametrize("room", FACED)
def test_nobody_takes_a_name_past_a_face(room):
    inside = f"mediacrawl.{room}"
    past = [
        f"{module} takes {target}"
        for module, path in SOURCES.items()
        if module != inside and not module.startswith(f"{inside}.")
        for target in imports(path)
        if target.startswith(f"{inside}.")
    ]
    assert past == []


@pytest.mark.parametrize("room", FACED)
def test_a_face_says_what_it_is_for_and_has_few_names(room):
    tree = ast.parse(SOURCES[f"mediacrawl.{room}"].read_text("utf-8"))
    names = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__"
    )
    assert len(ast.get_docstring(tree)) > 200
    assert 0 < len(names) <= MOST


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("*/__init__.py")), ids=lambda path: path.parent.name)
def test_each_room_says_what_it_is_for(path):
    assert len(ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "") > 100


def test_libraries_know_nothing_of_a_crawl():
    libraries = ("encoding", "extract", "probe", "site_adapters")
    known = {
        module: set(imports(path))
        for module, path in SOURCES.items()
        if module.split(".")[1:2] and module.split(".")[1] in libraries
    }
    rooms = {
        target.split(".")[1] for targets in known.values() for target in targets if target.startswith("mediacrawl.")
    }
    assert rooms <= {*libraries, "base"}
