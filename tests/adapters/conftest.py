"""Makes the modules of this folder importable by their names, and projects as a user makes them."""

import sys
from pathlib import Path

import pytest

if str(Path(__file__).parent) not in sys.path:
    sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="module")
def stock(tmp_path_factory):
    """A project that ``scrapy startproject`` has just made; one a module, since each test writes its own settings."""
    from stock_project import StockProject

    return StockProject.make(tmp_path_factory.mktemp("stock"))


@pytest.fixture
def project(stock, tmp_path):
    """The same project with its settings as they came, and state in a folder of its own."""
    stock.begin(tmp_path)
    return stock


@pytest.fixture
def site():
    """A small server; what it answers is added with ``page``, ``redirect`` and ``at``."""
    from stock_project import SmallWeb

    with SmallWeb() as web:
        yield web


@pytest.fixture(scope="session")
def breton(tmp_path_factory):
    """The file of a model of Breton, a language that the program does not have."""
    from harness import ROOT

    from mediacrawl.encoding.languages import Language
    from mediacrawl.encoding.train import train

    trained = train(Language("br", "", ""), [ROOT / "training" / "sentences" / "br.txt.gz"])
    path = tmp_path_factory.mktemp("models") / "br.bin"
    path.write_bytes(trained.content)
    return path


@pytest.fixture
def bundled_models():
    """The models of the program alone, before a test and after it."""
    from mediacrawl.encoding import use_models

    use_models([])
    yield
    use_models([])
