"""The package as it is shipped: a wheel, which is run here as a zip file, as scrapyd runs its eggs."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from command_line import QUICK, crawl_command, run
from harness import ROOT

SOURCES = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "mediacrawl", "exclusions", "deploy/native")
FOR_SDIST = (
    *("MANIFEST.in", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "Makefile", "constraints.txt", "scrapy.cfg"),
)


def has_backend():
    """Whether pyproject.toml's backend is here; else pip fetches it for the build, as it does for anybody."""
    try:
        return int(version("setuptools").partition(".")[0]) >= 77
    except PackageNotFoundError:
        return False


def copied(folder, names):
    for name in names:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "_build", "reference", "*.so", "build")
            shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=ignored, dirs_exist_ok=True)
        else:
            shutil.copy(ROOT / name, folder / name)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel built from a copy of the sources."""
    return wheel_of(tmp_path_factory.mktemp("build"))


def wheel_of(folder, **environment):
    """Return a wheel of a copy of the sources in an empty folder; it is built without a word."""
    copied(folder, SOURCES)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", "dist", "."]
    if has_backend():
        command.append("--no-build-isolation")
    around = {**os.environ, **environment}
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300, env=around)
    assert (built.returncode, built.stdout) == (0, ""), built.stderr
    (path,) = (folder / "dist").glob("*.whl")
    return path


def run_zipped(wheel, folder, *command):
    """Run a command with the wheel, as it is, before everything else on the path."""
    return run(folder, *command, PYTHONPATH=str(wheel), SCRAPY_SETTINGS_MODULE="mediacrawl.settings")


def test_the_wheel_has_all_data_and_no_more(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    lists = {f"mediacrawl/exclusions/{path.name}" for path in (ROOT / "exclusions").glob("*.txt")}
    media = {
        f"mediacrawl/programs/demo/media/{path.name}" for path in (ROOT / "mediacrawl/programs/demo/media").iterdir()
    }
    modules = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "mediacrawl").rglob("*.py")
        if "__pycache__" not in path.parts
    }
    assert "mediacrawl/exclusions/NeverCrawl.txt" in lists
    assert len(media) > 10
    models = {"mediacrawl/encoding/models.bin", "mediacrawl/encoding/models.NOTICE.txt"}
    template = {"mediacrawl/politeness/botpage.html"}
    assert lists | media | modules | models | template | {"mediacrawl/py.typed"} <= names
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "training"))]


def test_the_extension_is_in_it_where_it_can_be_built(wheel):
    with zipfile.ZipFile(wheel) as archive:
        has_extension = "mediacrawl/encoding/_native.abi3.so" in archive.namelist()
    headers = Path(sysconfig.get_path("include"), "Python.h")
    assert has_extension == (shutil.which("gcc") is not None and headers.exists())


@pytest.mark.parametrize("fault", [{"CC": "/nonexistent/cc"}, {"CFLAGS": "-include no_such_header.h"}])
def test_without_a_compiler_or_headers_the_wheel_is_pure_and_decides(tmp_path, fault):
    folder = tmp_path / "sources"
    folder.mkdir()
    wheel = wheel_of(folder, **fault)
    with zipfile.ZipFile(wheel) as archive:
        assert not [name for name in archive.namelist() if name.endswith(".so")]
    code = "from mediacrawl.encoding import detect; print(detect(['Группа крови'.encode('cp1251')]).texts)"
    assert run_zipped(wheel, tmp_path, sys.executable, "-c", code).check().out == "('Группа крови',)\n"


def test_the_package_that_runs_is_the_zipped_one(wheel, tmp_path):
    done = run_zipped(wheel, tmp_path, sys.executable, "-c", "import mediacrawl; print(mediacrawl.__file__)")
    assert done.out == os.path.join(wheel, "mediacrawl", "__init__.py") + "\n"  # noqa: PTH118 - below a file


@pytest.mark.slow
def test_a_crawl_from_the_zip_obeys_the_lists_in_it(wheel, tmp_path, site):
    """Both lists are the package's own: no file of that name is here."""
    hosts = dict.fromkeys(("tonspur.example", "nevercrawl.example", "www.nevercrawl.example"), "127.0.0.1")
    site.page("/", "/a", "/a.zip", *(site.url("/", host) for host in hosts))
    site.page("/a")
    settings = {
        **QUICK,
        "MEDIACRAWL_CONTACT": "http://localhost/tests",
        "LOG_LEVEL": "INFO",
        "RESOLVER_HOSTS": json.dumps(hosts),
    }
    command = crawl_command({"seed": site.url("/", "tonspur.example")}, settings)
    done = run_zipped(wheel, tmp_path, *command).check()
    assert sorted(site.paths) == ["/", "/a"]
    assert {entry.host for entry in site.log} == {"tonspur.example"}
    assert "'drop/nevercrawl': 2" in done.err
    assert "'drop/extension': 1" in done.err


def built(folder, *options):
    """Run ``python -m build`` in a folder."""
    command = [sys.executable, "-m", "build", "--no-isolation", *options, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_wheel_and_sdist_install_in_an_empty_environment_and_run_the_demo(tmp_path):
    """The wheel is the one that is made from the sdist, as ``python -m build`` does."""
    source = tmp_path / "source"
    source.mkdir()
    copied(source, [*SOURCES, *FOR_SDIST, "docs", "deploy", "tests"])
    built(source)
    (sdist,) = (source / "dist").glob("mediacrawl-*.tar.gz")
    (wheel,) = (source / "dist").glob("mediacrawl-*.whl")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "deploy/native/module.c",
        "deploy/native/pricing.h",
        "tests/conftest.py",
        "docs/index.md",
        "deploy/Dockerfile",
        "mediacrawl/py.typed",
        "CHANGELOG.md",
    } <= names
    assert not [name for name in names if name.startswith("training/") or name.endswith((".pyc", ".so"))]
    place = tmp_path / "empty"
    subprocess.run([sys.executable, "-m", "venv", place], check=True, timeout=120)
    words = ["install", "--quiet", "--constraint", ROOT / "constraints.txt", wheel]
    subprocess.run([place / "bin/python", "-m", "pip", *words], check=True, timeout=300)
    done = subprocess.run(
        [place / "bin/mediacrawl", "demo"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SCRAPY"))},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "titles shown right: 84 of 84" in done.stdout
    assert (tmp_path / "demo-crawl" / "crawl.html").is_file()
