"""Each setting is declared once, in ``mediacrawl/settings.py``, read with that default, and documented."""

import ast
import functools
import itertools
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import scrapy.settings.default_settings as scrapy_defaults
from harness import ROOT, environment
from scrapy.settings import BaseSettings

import mediacrawl.settings as ours
from mediacrawl.crawl.policies import frontier_policy
from mediacrawl.crawl.setting_checks import REMOVED, TYPES, wrong_values
from mediacrawl.scope.gate import SESSION_NAMES
from mediacrawl.scope.urls import REFUSED_PORTS

PACKAGE = Path(ours.__file__).parent
OURS = {name for name in vars(ours) if name.isupper() and not hasattr(scrapy_defaults, name)}
SCRAPY_REDIS = {"REDIS_URL", "REDIS_HOST", "REDIS_PORT", "REDIS_DB", "REDIS_PARAMS", "SCHEDULER_STORE"}
"""What `connection` reads as scrapy-redis does: in a project that has not set one of them it has no default."""


class Read(NamedTuple):
    """One call that reads a setting."""

    name: str
    where: str
    by: str
    """What it is read from: ``own``, ``OwnSettings(...)``, ``crawler.settings``."""
    has_default: bool


@functools.cache
def reads():
    """All reads of settings in the package. Modules without a call that looks like one need not be parsed."""
    texts = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    trees = {path: ast.parse(text) for path, text in texts.items() if "OwnSettings" in text or NAMED.search(text)}
    own = set(attributes(trees.values()))
    return [read for path, tree in trees.items() for read in reads_of(tree, path.relative_to(PACKAGE).as_posix(), own)]


def reads_of(tree, where, own):
    """The reads of one module. Names are resolved only if there is one: most modules read no setting."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and is_name(node.args)]
    # One name may stand for different things in different functions: then it is taken for settings.
    bound = dict(sorted(bindings(tree), key=lambda pair: "OwnSettings" in pair[1])) if calls else {}
    for node in calls:
        called = ast.unparse(node.func)
        called = bound.get(called, called)
        if GETTER.search(called) and "environ" not in called:
            by = GETTER.sub("", called)
            by = "OwnSettings(...)" if by.rpartition(".")[2] in own else bound.get(by, by)
            yield Read(node.args[0].value, where, by, len(node.args) > 1)


def is_name(arguments):
    """Whether the first argument of a call is written like the name of a setting."""
    value = arguments[0].value if arguments and isinstance(arguments[0], ast.Constant) else None
    return isinstance(value, str) and re.fullmatch("[A-Z][A-Z0-9_]{3,}", value) is not None


NAMED = re.compile(r"""\(\s*["'][A-Z][A-Z0-9_]{3,}["']""")
GETTER = re.compile(r"\.get(bool|int|float|list|dict|str)?$")


def bindings(tree):
    """Names that stand for settings, or for a method of theirs: ``own = OwnSettings(...)``, ``get = own.getint``."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                yield from ((ast.unparse(name), ast.unparse(value)) for name, value in zip(names, values, strict=False))
            case ast.Assign(targets=[name], value=value):
                yield ast.unparse(name), ast.unparse(value)
            case ast.arg(arg=name, annotation=ast.Name(id="OwnSettings")):
                yield name, "OwnSettings(...)"


def attributes(trees):
    """Names of attributes that are an `OwnSettings`, of any class: set by a method, declared, or properties."""
    for node in itertools.chain.from_iterable(map(ast.walk, trees)):
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=name)], value=ast.Call(func=ast.Name(id="OwnSettings"))):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="OwnSettings")):
                yield name
            case ast.FunctionDef(name=name, returns=ast.Name(id="OwnSettings")):
                yield name


def test_every_setting_that_is_read_is_declared():
    names = OURS | set(dir(scrapy_defaults))
    from_settings = [read for read in reads() if re.search("settings|Settings|own", read.by)]
    assert [read for read in from_settings if read.name not in names] == []


def test_every_setting_of_ours_is_read_somewhere():
    assert OURS - {read.name for read in reads()} == set()


def test_no_default_of_a_setting_is_written_a_second_time_where_it_is_read():
    read_aside = [
        read
        for read in reads()
        if read.name in OURS and (read.has_default or not read.by.startswith("OwnSettings("))
        if not (read.where == "crawl/connection.py" and read.name in SCRAPY_REDIS and not read.has_default)
    ]
    assert read_aside == []


def test_every_setting_of_ours_has_its_reason_beside_it():
    body = ast.parse((PACKAGE / "settings.py").read_text(encoding="utf-8")).body
    bare = []
    for node, after in zip(body, [*body[1:], None], strict=True):
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if target is None or hasattr(scrapy_defaults, target.id):
            continue
        explained = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        if not explained:
            bare.append(target.id)
    assert bare == []


def test_every_setting_of_ours_has_its_type_and_none_that_is_gone_has_one():
    assert OURS - TYPES.keys() == set()
    assert TYPES.keys() - OURS - set(dir(scrapy_defaults)) == set()
    assert TYPES.keys() & REMOVED.keys() == set()


def test_there_are_at_most_97_settings_of_ours():
    assert len(OURS) <= 97


def test_the_lists_that_the_scope_has_by_default_are_those_of_the_settings():
    """The settings module imports no package, and scope knows no settings."""
    assert list(SESSION_NAMES) == ours.SCOPE_SESSION_NAMES
    assert list(REFUSED_PORTS) == ours.SCOPE_REFUSED_PORTS


@pytest.mark.parametrize("name", TYPES)
def test_every_default_is_of_its_type(name):
    default = getattr(ours, name, getattr(scrapy_defaults, name, None))
    TYPES[name].read(BaseSettings({name: default}), name)


@pytest.mark.parametrize("name", TYPES)
def test_no_type_takes_anything(name):
    (sentence,) = wrong_values(BaseSettings({name: object()}))
    assert sentence.startswith(name)
    assert "\n" not in sentence


def test_the_settings_are_a_plain_module_that_needs_no_scrapy(tmp_path):
    """Scrapy takes its upper-case names for settings: no other ones, and none of a type."""
    told = (
        "import sys, mediacrawl.settings as s; print(sorted(n for n in dir(s) if n.isupper()), 'scrapy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", told], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True
    )
    names = sorted(name for name in vars(ours) if name.isupper())
    assert done.stdout.strip() == f"{names} False"
    assert OURS | {name for name in names if hasattr(scrapy_defaults, name)} == set(names)


def test_the_table_of_the_docs_is_made_from_the_declarations():
    """``python docs/settings_table.py`` writes it."""
    made = runpy.run_path(str(ROOT / "docs" / "settings_table.py"))["table"]()
    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == made


def test_a_find_is_worth_as_many_requests_as_the_setting_says():
    policy = frontier_policy(BaseSettings())
    assert "and 20 more for each find" in (PACKAGE / "settings.py").read_text(encoding="utf-8")
    assert (policy.further(0), policy.further(1), policy.further(10**6)) == (0, 20, policy.most - policy.budget)
