"""Makes the modules of this folder importable by their names; test folders are no packages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if str(Path(__file__).parent) not in sys.path:
    sys.path.insert(0, str(Path(__file__).parent))

if TYPE_CHECKING:
    from misbehaving import MisbehavingWeb


@pytest.fixture
def misbehaving() -> Iterator[MisbehavingWeb]:
    """A running server with one host for each sin."""
    from misbehaving import MisbehavingWeb

    with MisbehavingWeb() as web:
        yield web
