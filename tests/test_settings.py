"""The settings file is the whole truth about settings."""

import ast
import re
from pathlib import Path

import pytest
import scrapy.settings.default_settings as scrapy_defaults
from scrapy.settings import BaseSettings

import mediacrawl.settings as ours
from mediacrawl.setting_kinds import KINDS, wrong_values

PACKAGE = Path(ours.__file__).parent
READ = re.compile(r'(?:settings\.get\w*\(|settings\[|(?<![.\w])get\w*\()\s*"([A-Z][A-Z0-9_]{3,})"')
"""From settings, or by a ``get`` that was taken from them; not from the environment."""


def used():
    for path in PACKAGE.rglob("*.py"):
        for name in READ.findall(path.read_text(encoding="utf-8")):
            yield name, path.name


def test_every_setting_that_is_read_stands_in_the_settings_file():
    known = set(vars(ours)) | set(dir(scrapy_defaults))
    assert {(name, where) for name, where in used() if name not in known} == set()


def test_every_setting_of_ours_is_read_somewhere():
    names = {name for name, _ in used()}
    mine = {name for name in vars(ours) if name.isupper() and not hasattr(scrapy_defaults, name)}
    assert mine - names - {"FORCE_CRAWLER_PROCESS"} == set()


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


def test_every_setting_of_ours_has_its_kind_and_none_that_is_gone_has_one():
    known = {name for name in vars(ours) if name.isupper()}
    assert {name for name in known if not hasattr(scrapy_defaults, name)} - KINDS.keys() == set()
    assert KINDS.keys() - known - set(dir(scrapy_defaults)) == set()


@pytest.mark.parametrize("name", KINDS)
def test_every_default_is_of_its_kind(name):
    default = getattr(ours, name, getattr(scrapy_defaults, name, None))
    KINDS[name].read(BaseSettings({name: default}), name)


@pytest.mark.parametrize("name", KINDS)
def test_no_kind_takes_anything(name):
    (sentence,) = wrong_values(BaseSettings({name: object()}))
    assert sentence.startswith(name)
    assert "\n" not in sentence
