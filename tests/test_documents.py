"""The documents name files and modules that exist."""

import functools
import importlib
import re
from pathlib import Path

import pytest

import mediacrawl

ROOT = Path(__file__).parents[1]
PACKAGE = Path(mediacrawl.__file__).parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_each_python_file_that_a_document_names_exists(path):
    named = re.findall(r"`((?:[a-z_0-9]+/)+[a-z_0-9]+\.py)`", path.read_text(encoding="utf-8"))
    assert [name for name in named if not ((PACKAGE / name).exists() or (ROOT / name).exists())] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_each_link_between_documents_leads_to_a_file(path):
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", path.read_text(encoding="utf-8"))
    assert [target for target in targets if not (path.parent / target).exists()] == []


def test_each_module_that_the_story_names_exists():
    named = re.findall(r"(?<!`)`([a-zA-Z_.]+)`(?!`)", mediacrawl.__doc__)
    assert len(named) > 30
    assert [name for name in named if not _exists(name)] == []


def _exists(name):
    """Whether a module, or an attribute of one, has this name."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(["mediacrawl", *parts[:length]]))
        except ModuleNotFoundError:
            continue
        return functools.reduce(lambda owner, part: getattr(owner, part, None), parts[length:], found) is not None
    return False
