"""`scrapy demojibake`, called as a person calls it."""

import json
import os
import signal
import subprocess
import time

import harness
import pytest
from command_line import MEDIACRAWL, SCRAPY, environment, run
from harness import ROOT
from misreading import stripped

from mediacrawl.base.evidence import tag_element
from mediacrawl.base.terms import Tag
from mediacrawl.store import Catalogue

TITLES = [
    ("cp1251", "Группа крови на рукаве"),
    ("cp932", "時代はまわる夜明けの歌"),
    ("latin-1", "Tous les garçons et les filles de mon âge"),
    ("ascii", "A plain title"),
]


def record(number):
    encoding, title = TITLES[number % len(TITLES)]
    raw = f"{title} {number}".encode(encoding)
    element = tag_element(Tag("id3v2.3", "TIT2", "title", "latin-1", raw, raw.decode("latin-1")))
    url = f"https://media.tonspur.example/{number}.mp3"
    return {"content_url": url, "title": element["text"], "tags": [element]}


@pytest.fixture
def folder(tmp_path):
    """A folder with stored items, and no project."""
    lines = [json.dumps(record(number), ensure_ascii=False) for number in range(40)]
    (tmp_path / "items.jl").write_text("\n".join([*lines, "torn", ""]))
    return tmp_path


def demojibake(folder, *arguments, **changes):
    return run(folder, *SCRAPY, "demojibake", *arguments, **changes)


def lines(path):
    return [json.loads(line) for line in path.read_bytes().splitlines() if line.startswith(b"{")]


@pytest.mark.parametrize("command", [SCRAPY, MEDIACRAWL], ids=["scrapy", "mediacrawl"])
def test_stored_items_are_mended_and_the_report_tells_how(folder, command):
    done = run(folder, *command, "demojibake", "items.jl", "-o", "out.jl").check()
    assert [item["title"] for item in lines(folder / "out.jl")] == [f"{TITLES[n % 4][1]} {n}" for n in range(40)]
    assert done.out.startswith("40 records read, 20 mended (50.0 %)\n")
    assert "cp1251 10, cp932 10" in done.out
    assert "1 not JSON (line 41)" in done.out
    assert "title: 20 of 30 mended" in done.out
    assert done.err == ""


def test_the_standard_streams_carry_json_lines_and_nothing_else(folder):
    words = ["demojibake", "-", "-o", "-"]
    with (folder / "items.jl").open("rb") as items:
        done = harness.run("scrapy", words, folder, environment(), seconds=60, stdin=items)
    demojibake(folder, "items.jl", "-o", "out.jl").check()
    assert done.returncode == 0
    assert done.stdout.encode() == (folder / "out.jl").read_bytes()
    assert done.stderr.startswith("40 records read, 20 mended")


def test_a_dry_run_writes_nothing_and_shows_texts_before_and_after(folder):
    before = sorted(path.name for path in folder.iterdir())
    done = demojibake(folder, "items.jl", "--dry-run", "-o", "out.jl").check()
    assert sorted(path.name for path in folder.iterdir()) == before
    head, first, *_ = done.out.splitlines()
    assert head.split() == ["field", "before", "after", "encoding", "sure"]
    garbled = "Группа крови на рукаве 0".encode("cp1251").decode("latin-1")
    assert first.split("  ")[0] == "title"
    assert garbled in first
    assert first.index("Группа крови на рукаве 0") == head.index("after")
    assert "cp1251" in first
    assert "40 records read, 20 mended" in done.out
    assert "\x1b" not in done.out


def test_a_run_that_looked_at_no_text_is_an_error(folder):
    (folder / "links.jl").write_text('{"id": "x", "link": "https://a.example/\u00e9"}\n', "utf-8")
    done = demojibake(folder, "links.jl", "-o", "out.jl")
    assert (done.code, done.err) == (
        1,
        "No text of links.jl was checked. It has: id (identifiers), link (addresses). Name texts with --fields A,B.\n",
    )
    assert "fields     none checked" in done.out


def test_the_report_as_json_has_all_of_it(folder):
    demojibake(folder, "items.jl", "-o", "out.jl", "--report", "report.json").check()
    report = json.loads((folder / "report.json").read_text())
    assert report["records"] == 40
    assert report["changed"] == 20
    assert report["encodings"] == {"cp1251": 10, "cp932": 10}
    assert report["languages"] == {"ru": 10, "ja": 10}
    assert report["bad_lines"] == {"not JSON": [41]}
    assert len(report["models"]) == 12


def test_a_catalogue_is_mended_in_place(folder):
    with Catalogue(folder / "media.db") as catalogue:
        for number in range(40):
            catalogue.upsert(record(number))
    assert "20 mended" in demojibake(folder, "media.db").check().out
    listed = run(folder, *SCRAPY, "catalogue", "--db", "media.db", "--json", "крови").check().out
    assert len(listed.splitlines()) == 10
    assert "0 mended" in demojibake(folder, "media.db").check().out


# -- killed, and mistaken ----------------------------------------------------------------------------------------------


HOLDING = """
import os
import time

from mediacrawl.programs.rerun import blocks
from mediacrawl.programs.rerun.output_file import OutputFile

blocks.BLOCK_BYTES = 1 << 14

begin, save = OutputFile.__init__, OutputFile._save
waited = []

def save_each_block(self, path, writer, clock, save_every):
    begin(self, path, writer, clock, 0.0)

def save_and_wait(self, state):
    is_held = state["offset"] and "HELD" in os.environ and not waited
    if is_held:
        # Before it is saved: a Ctrl-C may come as soon as the test can see it, and the save that follows must not wait.
        waited.append(True)
    save(self, state)
    if is_held:
        time.sleep(600)

OutputFile.__init__, OutputFile._save = save_each_block, save_and_wait
"""


@pytest.fixture
def held(tmp_path_factory):
    """The environment in which a run stands still as soon as its first block is safe."""
    folder = tmp_path_factory.mktemp("settings")
    (folder / "holding.py").write_text(HOLDING)
    paths = os.pathsep.join([str(ROOT), str(folder)])
    return environment(SCRAPY_SETTINGS_MODULE="holding", PYTHONPATH=paths, HELD="1")


def offset(folder):
    """How far the run is that writes there."""
    try:
        return json.loads((folder / "out.jl.progress").read_bytes())["offset"]
    except FileNotFoundError:
        return 0


@pytest.mark.slow
def test_ctrl_c_says_how_to_go_on(tmp_path, held):
    (tmp_path / "items.jl").write_text("".join(json.dumps(record(number)) + "\n" for number in range(640)))
    process = subprocess.Popen(
        [*SCRAPY, "demojibake", "items.jl", "-o", "out.jl", "--jobs", "2"],
        cwd=tmp_path, env=held, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    while not offset(tmp_path):
        assert process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    error = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 130, error
    assert error.endswith("Stopped. The same command goes on from here.\n")
    assert "Traceback" not in error
    # Of these 640 records fill so many that two processes have work.
    small = ("-s", f"mediacrawl.programs.rerun.blocks.BLOCK_BYTES={1 << 14}")
    done = demojibake(tmp_path, "items.jl", "-o", "out.jl", *small).check()
    assert done.err.startswith("Going on after")
    assert len(lines(tmp_path / "out.jl")) == 640


# -- pairs -------------------------------------------------------------------------------------------------------


@pytest.fixture
def learnable(tmp_path):
    """Items whose artist lost bytes that no model can know, and pairs that tell what he is called."""
    right = "Океан Ельзи"
    lost = stripped(right)
    items = [{"artist": lost, "number": number} for number in range(3)]
    (tmp_path / "items.jl").write_text("".join(json.dumps(item) + "\n" for item in items))
    pair = json.dumps({"before": lost, "after": right, "encoding": "utf-8"})
    (tmp_path / "pairs.jl").write_text(f"{pair}\ntorn\n{pair}\n")
    return tmp_path


def test_pairs_mend_what_the_models_cannot_and_bad_lines_are_named(learnable):
    done = demojibake(learnable, "items.jl", "-o", "out.jl", "--pairs", "pairs.jl").check()
    assert [item["artist"] for item in lines(learnable / "out.jl")] == ["Океан Ельзи"] * 3
    assert "substitution 3" in done.out
    assert done.err == "pairs.jl: 1 of 3 lines are no pairs and were passed over (2).\n"
    demojibake(learnable, "items.jl", "-o", "alone.jl").check()
    assert all(item["artist"] != "Океан Ельзи" for item in lines(learnable / "alone.jl"))
