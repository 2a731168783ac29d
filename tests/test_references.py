"""Names that docstrings refer to exist: a rename that leaves one behind is found here."""

import ast
import functools
import re

import pytest
from harness import ROOT

PACKAGE = ROOT / "mediacrawl"
REFERENCE = re.compile(r"(?<!`)`(?:mediacrawl\.)?([a-z_]\w*(?:\.\w+)+)`(?!`)")


@functools.cache
def sources():
    """The modules, parsed, by their paths."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


@functools.cache
def modules():
    """The same by their names."""
    return {module_of(path): tree for path, tree in sources().items()}


def module_of(path):
    """The dotted name of a module, without the name of the package."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def defined(body):
    """Names that statements define, with the statements of those that have a body, and attributes that methods set."""
    found = {}
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name] = node.body
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {each.id: [] for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(each.asname or each.name).partition(".")[0]: None for each in node.names}
        elif isinstance(node, ast.If | ast.Try | ast.With):
            found |= defined([each for name in ("body", "orelse", "handlers") for each in getattr(node, name, [])])
    return found


@functools.cache
def defined_in(module):
    """The same of a module."""
    return defined(modules()[module].body)


def attributes(body):
    """The same of a class, with what its methods set on ``self``."""
    own = {each.attr for node in body for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    return defined(body) | dict.fromkeys(own)


@functools.cache
def resolves(name):
    """Whether a dotted name is a module of ours, or something that one defines."""
    parts = name.split(".")
    for size in range(len(parts), 0, -1):
        module, rest = ".".join(parts[:size]), parts[size:]
        if module in modules():
            break
    else:
        return False
    known = defined_in(module)
    for part in rest:
        if part not in known:
            return False
        if known[part] is None:
            # Imported from elsewhere.
            return True
        known = attributes(known[part])
    return True


def references():
    """Each dotted name in single backquotes, with its place, and the packages around it: a name may leave them out."""
    for path, tree in sources().items():
        parts = module_of(path).split(".")
        around = [".".join(parts[:size]) for size in range(len(parts) + 1)]
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                for name in REFERENCE.findall(node.value.value):
                    yield f"{path.relative_to(ROOT)}:{node.lineno} {name}", name, around


def test_dotted_names_in_docstrings_exist():
    tops = {name.partition(".")[0] for name in modules()} - {""}
    dead = [
        place
        for place, name, around in references()
        if name.partition(".")[0] in tops and not any(resolves(f"{each}.{name}".lstrip(".")) for each in around)
    ]
    assert dead == []


@pytest.mark.parametrize("name", ["frontier.contract.Frontier", "base.terms.Drop", "probe.formats", "base.clock"])
def test_what_exists_is_found(name):
    assert resolves(name)


@pytest.mark.parametrize("name", ["frontier.contract.Nothing", "no.module", "records.Drop.NONE_SUCH"])
def test_what_does_not_exist_is_not(name):
    assert not resolves(name)
