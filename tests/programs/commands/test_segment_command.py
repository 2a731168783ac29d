"""`scrapy segment`, called as a person calls it."""

import gzip
import signal
import subprocess

import pytest
from command_line import SCRAPY, environment, run

pytest.importorskip("duckdb", reason="pip install -e '.[segment]'")

SETTINGS = {"SCRAPY_SETTINGS_MODULE": "tiny_project_settings"}


@pytest.fixture
def folder(tmp_path):
    """A project that has our command, and two files of links."""
    (tmp_path / "tiny_project_settings.py").write_text(
        "COMMANDS_MODULE = 'mediacrawl.programs.commands.segment'\nBOT_NAME = 'tiny'\n"
    )
    (tmp_path / "one.jl").write_text('{"url": "http://A.example:80/x", "score": 0.5}\nbroken\n')
    (tmp_path / "two.jl.gz").write_bytes(
        gzip.compress(
            b'{"url": "http://a.example/x"}\n{"url": "http://b.example/y.mp3"}\n{"url": "http://b.example/z.zip"}\n'
        )
    )
    return tmp_path


def segment(folder, *args, **changes):
    return run(folder, *SCRAPY, "segment", *args, **SETTINGS, **changes)


def test_the_next_queue_is_written_and_all_links_are_accounted_for(folder):
    done = segment(folder, "*.jl*", "-o", "next.txt").check()
    assert (folder / "next.txt").read_text() == "http://b.example/y.mp3\nhttp://a.example/x\n"
    # On a slow machine the progress is told every ten seconds.
    assert [line for line in done.err.splitlines() if not line.startswith("step ")] == []
    assert done.out.splitlines()[:-1] == [
        "one.jl: 1 line could not be read.",
        "  one.jl:2: neither a record with a URL nor a URL: broken",
        " 4 links",
        "-1 repeated",
        "-1 extension",
        " 2 URLs of 2 sites in next.txt",
    ]
    assert done.out.splitlines()[-1].startswith("2 files, ")


def test_without_the_engine_a_sentence_says_how_to_get_it(folder):
    (folder / "duckdb.py").write_text("raise ImportError('not here')\n")
    done = segment(folder, "one.jl", "-o", "next.txt", PYTHONPATH=f"{folder}:{environment()['PYTHONPATH']}")
    assert done.code == 1
    assert done.err == (
        "scrapy segment needs DuckDB and Arrow; install them with: pip install 'duckdb>=1.4' 'pyarrow>=18'.\n"
    )


@pytest.mark.slow
def test_ctrl_c_ends_it_and_leaves_nothing_behind(folder):
    before = sorted(folder.iterdir())
    with subprocess.Popen(
        [*SCRAPY, "segment", "-", "-o", "next.txt", "--jobs", "2"],
        cwd=folder, env=environment(**SETTINGS, PYTHONDONTWRITEBYTECODE="1"), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        while not list(folder.glob(".segment-*/work.db")):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr.read() == "Stopped. Nothing was written.\n"
        assert process.stdout.read() == ""
    assert sorted(folder.iterdir()) == before
