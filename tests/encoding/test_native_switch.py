"""Whether C or Python prices texts, and who is told so. Passes with the extension and without it."""

import sys
from types import SimpleNamespace

import pytest

from mediacrawl.encoding import codepages, detect, native, use_models
from mediacrawl.encoding.models import clear_caches
from mediacrawl.encoding.pricing import kernel_tables


@pytest.fixture(autouse=True)
def asked_anew():
    native.module.cache_clear()
    yield
    clear_caches()


def test_without_the_extension_python_decides(monkeypatch):
    clear_caches()
    monkeypatch.setitem(sys.modules, native.MODULE, None)
    assert native.kernel() is None
    assert not use_models(check_only=True).is_native
    assert detect(["Группа крови".encode("cp1251")]).texts == ("Группа крови",)


def test_models_that_do_not_fit_are_priced_in_python(monkeypatch, caplog):
    def refuse(spec, loader):
        raise ValueError("The tables do not fit: size.")

    monkeypatch.setitem(sys.modules, native.MODULE, SimpleNamespace(Kernel=refuse))
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
    monkeypatch.setitem(sys.modules, native.MODULE, SimpleNamespace(Kernel=lambda *given: given))
    clear_caches()
    assert native.kernel() is None
    (record,) = caplog.records
    assert record.getMessage().endswith(" has the character U+1E922.")
