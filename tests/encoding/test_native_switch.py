"""Whether the native part or Python prices texts, and who is told so. Passes with and without it."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from mediacrawl.encoding import codepages, detect, native
from mediacrawl.encoding.models import clear_caches
from mediacrawl.encoding.pricing import kernel_tables


@pytest.fixture(autouse=True)
def asked_anew():
    native._module.cache_clear()
    yield
    clear_caches()


def test_the_environment_switches_it_off(monkeypatch):
    monkeypatch.setitem(sys.modules, native.MODULE, SimpleNamespace(ABI=native.ABI))
    monkeypatch.delenv(native.SWITCH, raising=False)
    assert (native.is_native(), native.description()) == (True, "native")
    monkeypatch.setenv(native.SWITCH, "0")
    assert not native.is_native()
    assert native.description() == "pure Python (MEDIACRAWL_NATIVE=0)"


@pytest.mark.parametrize("module", [None, SimpleNamespace(ABI=native.ABI + 1), SimpleNamespace()])
def test_a_module_that_is_missing_or_of_another_version_is_not_used(monkeypatch, module):
    monkeypatch.setitem(sys.modules, native.MODULE, module)
    monkeypatch.delenv(native.SWITCH, raising=False)
    assert not native.is_native()
    assert native.description() == "pure Python (mediacrawl_native is not installed, or is of another version)"


def test_models_that_do_not_fit_are_priced_in_python(monkeypatch, caplog):
    def refuse(spec, loader):
        raise ValueError("The tables do not fit: size.")

    monkeypatch.setitem(sys.modules, native.MODULE, SimpleNamespace(ABI=native.ABI, Kernel=refuse))
    monkeypatch.delenv(native.SWITCH, raising=False)
    clear_caches()
    assert native.kernel() is None
    assert detect(["Группа крови".encode("cp1251")]).texts == ("Группа крови",)
    assert [record.getMessage() for record in caplog.records] == [
        "Texts are priced in pure Python, since the models do not fit the native part: The tables do not fit: size."
    ]


def test_an_alphabet_beyond_the_basic_plane_does_not_fit(monkeypatch):
    for module in (codepages, kernel_tables):
        monkeypatch.setattr(module, "characters", lambda encoding: "a\U0001e922")
    with pytest.raises(ValueError, match=r"u-ff has the character U\+1E922\."):
        kernel_tables._codes("u-ff")


def test_texts_are_priced_in_python_beside_such_an_alphabet(monkeypatch, caplog):
    monkeypatch.setattr(kernel_tables, "characters", lambda encoding: "a\U0001e922")
    monkeypatch.setitem(sys.modules, native.MODULE, SimpleNamespace(ABI=native.ABI, Kernel=lambda *given: given))
    monkeypatch.delenv(native.SWITCH, raising=False)
    clear_caches()
    assert native.kernel() is None
    (record,) = caplog.records
    assert record.getMessage().endswith(" has the character U+1E922.")


def test_a_wheel_of_another_abi_has_another_version():
    """Pip does not replace an installed wheel by one of the same version."""
    folder = Path(__file__).parents[2] / "deploy" / "native"
    version = tomllib.loads((folder / "pyproject.toml").read_text())["project"]["version"]
    assert version.split(".")[0] == str(native.ABI)
    assert f"mediacrawl_native-{version}-" in (folder / "README.md").read_text()


def test_the_command_tells_it():
    command = [sys.executable, "-m", "scrapy", "version", "-v"]
    environment = {**os.environ, native.SWITCH: "0"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=environment)
    assert "Encoding detection: pure Python (MEDIACRAWL_NATIVE=0)" in done.stdout.splitlines()
