"""`scrapy demojibake`, called as a person calls it."""

import base64
import json
import os
import re
import shlex
import signal
import subprocess
import time

import pytest
from command_line import MEDIACRAWL, SCRAPY, environment, run, shown_on_a_terminal
from launcher import ROOT, launcher

from mediacrawl.encoding.records.evidence import tag_element
from mediacrawl.observe.text import columns
from mediacrawl.records import Tag
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
    assert "Группа крови на рукаве 0" in done.out
    assert done.err == ""


def test_the_standard_streams_carry_json_lines_and_nothing_else(folder):
    words = ["demojibake", "-", "-o", "-"]
    with (folder / "items.jl").open("rb") as items:
        done = launcher().run_and_read("scrapy", words, folder, environment(), seconds=60, stdin=items)
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


def test_a_dry_run_shows_as_many_texts_as_are_asked_for(folder):
    shown = demojibake(folder, "items.jl", "--dry-run", "--limit", "3").check().out.split("\n40 records")[0]
    assert len([line for line in shown.splitlines() if line.startswith("title")]) == 3


@pytest.mark.parametrize("limit", ["40", "1000"])
def test_a_dry_run_shows_each_change_once(folder, limit):
    shown = demojibake(folder, "items.jl", "--dry-run", "--limit", limit).check().out
    for number in range(40):
        encoding, title = TITLES[number % 4]
        assert len(re.findall(rf"{title} {number}\b(?=  )", shown)) == (encoding in {"cp1251", "cp932"}), number


def test_a_run_that_looked_at_no_text_is_an_error(folder):
    (folder / "links.jl").write_text('{"id": "x", "link": "https://a.example/\u00e9"}\n', "utf-8")
    done = demojibake(folder, "links.jl", "-o", "out.jl")
    assert (done.code, done.err) == (
        1,
        "No text of links.jl was checked. It has: id (identifiers), link (addresses). Name texts with --fields A,B.\n",
    )
    assert "fields     none checked" in done.out


def test_colours_only_where_they_are_wanted(folder):
    assert "\x1b[32m" in demojibake(folder, "items.jl", "--dry-run", "--color", "always").check().out
    for arguments, changes in ((["--color", "never"], {}), ([], {"NO_COLOR": "1"}), ([], {})):
        shown = on_a_terminal(folder, "items.jl", "--dry-run", *arguments, **changes)
        assert ("\x1b[32m" in shown) is (not arguments and not changes)


def on_a_terminal(folder, *arguments, **changes):
    return shown_on_a_terminal(folder, "demojibake", *arguments, COLUMNS="90", TERM="xterm", **changes)


def test_on_a_terminal_the_table_fits_and_wide_letters_keep_it_straight(folder):
    found = on_a_terminal(folder, "items.jl", "--dry-run", "--color", "never").splitlines()
    table = [line for line in found if line.startswith(("field", "title"))]
    assert len(table) == 21
    assert all(columns(line) <= 90 for line in table)
    places = {columns(line[: line.rindex(word)]) for line in table for word in ("cp1251", "cp932") if word in line}
    assert len(places) == 1


def test_a_hostile_text_commands_no_terminal(folder):
    title = "Группа крови \x1b]0;owned\x07 на рукаве".encode("cp1251")
    element = tag_element(Tag("id3v2.3", "TIT2", "title", "latin-1", title, title.decode("latin-1")))
    element["key"] = "title\x1b[2J"
    (folder / "evil.jl").write_text(json.dumps({"content_url": "https://x.example/", "tags": [element]}) + "\n")
    for arguments in (["--dry-run"], ["-o", "out.jl"]):
        done = demojibake(folder, "evil.jl", *arguments).check()
        assert "\\x1b]0;owned\\x07" in done.out
        assert "\x1b" not in done.out


def test_an_output_that_knows_only_ascii_gets_escapes(folder):
    done = demojibake(folder, "items.jl", "--dry-run", PYTHONIOENCODING="ascii").check()
    assert "\\u0413" in done.out


def test_the_report_as_json_has_all_of_it(folder):
    demojibake(folder, "items.jl", "-o", "out.jl", "--report", "report.json").check()
    report = json.loads((folder / "report.json").read_text())
    assert report["records"] == 40
    assert report["changed"] == 20
    assert report["encodings"] == {"cp1251": 10, "cp932": 10}
    assert report["languages"] == {"ru": 10, "ja": 10}
    assert report["bad_lines"] == {"not JSON": [41]}
    assert report["samples"]["cp1251"][0][2] == "Группа крови на рукаве 0"
    assert len(report["samples"]["cp932"]) == 3
    assert len(report["models"]) == 12


def test_a_catalogue_is_mended_in_place(folder):
    with Catalogue(folder / "media.db") as catalogue:
        for number in range(40):
            catalogue.upsert(record(number))
    assert "20 mended" in demojibake(folder, "media.db").check().out
    listed = run(folder, *SCRAPY, "catalogue", "--db", "media.db", "--json", "крови").check().out
    assert len(listed.splitlines()) == 10
    assert "0 mended" in demojibake(folder, "media.db").check().out


def test_items_of_other_projects_name_their_fields(folder):
    raw = "Группа крови на рукаве".encode("cp1251")
    item = {"naslov": raw.decode("latin-1"), "bytes": base64.b64encode(raw).decode(), "title": "Größe"}
    (folder / "other.jl").write_text(json.dumps(item) + "\n")
    demojibake(folder, "other.jl", "-o", "out.jl", "--fields", "naslov", "--raw", "naslov=bytes").check()
    (found,) = lines(folder / "out.jl")
    assert found["naslov"] == "Группа крови на рукаве"
    assert list(found["mojibake"]) == ["naslov"]


def test_what_the_command_line_does_not_say_the_settings_of_the_pipeline_do(folder):
    raw = "Группа крови на рукаве".encode("cp1251")
    item = {"naslov": raw.decode("latin-1"), "bytes": base64.b64encode(raw).decode()}
    (folder / "other.jl").write_text(json.dumps(item) + "\n")
    settings = ["-s", 'MOJIBAKE_FIELDS={"naslov": "bytes"}', "-s", "MOJIBAKE_MIN_CONFIDENCE=0.5"]
    demojibake(folder, "other.jl", "-o", "out.jl", "--report", "r.json", *settings).check()
    assert lines(folder / "out.jl")[0]["naslov"] == "Группа крови на рукаве"
    assert json.loads((folder / "r.json").read_text())["options"]["min_confidence"] == 0.5
    assert "MOJIBAKE_FIELDS" in demojibake(folder, "other.jl", "-o", "x.jl", "-s", "MOJIBAKE_FIELDS={").sentence
    done = demojibake(folder, "other.jl", "-o", "x.jl", "-s", "MOJIBAKE_MODELS=none.bin")
    assert (done.code, done.err.count("\n")) == (1, 1)


# -- killed, and mistaken ----------------------------------------------------------------------------------------------


HOLDING = """
import os
import time

from mediacrawl.rerun import blocks
from mediacrawl.rerun.output_file import OutputFile

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

# Of these 640 records fill so many that two processes have work.
SMALL_BLOCKS = ["-s", f"mediacrawl.rerun.blocks.BLOCK_BYTES={1 << 14}"]


@pytest.fixture
def held(tmp_path_factory):
    """The environment in which a run stands still as soon as its first block is safe."""
    folder = tmp_path_factory.mktemp("settings")
    (folder / "holding.py").write_text(HOLDING)
    paths = os.pathsep.join([str(ROOT), str(folder)])
    return environment(SCRAPY_SETTINGS_MODULE="holding", PYTHONPATH=paths, HELD="1")


@pytest.mark.slow
def test_a_killed_command_goes_on_and_ends_with_the_same_bytes(tmp_path, held):
    with (tmp_path / "items.jl").open("w") as file:
        file.writelines(json.dumps(record(number)) + "\n" for number in range(640))
    demojibake(tmp_path, "items.jl", "-o", "whole.jl", "--jobs", "2", *SMALL_BLOCKS).check()
    command = [*SCRAPY, "demojibake", "items.jl", "-o", "out.jl", "--jobs", "2"]
    for _ in range(2):
        was = offset(tmp_path)
        process = subprocess.Popen(command, cwd=tmp_path, env=held, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while process.poll() is None and offset(tmp_path) <= was:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        error = process.communicate(timeout=120)[1].decode()
        assert process.returncode == -signal.SIGKILL, error
        assert not (tmp_path / "out.jl").exists()
    done = run(tmp_path, *command, *SMALL_BLOCKS).check()
    assert "Going on after" in done.err
    assert (tmp_path / "out.jl").read_bytes() == (tmp_path / "whole.jl").read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"items.jl", "whole.jl", "out.jl"}


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
    done = demojibake(tmp_path, "items.jl", "-o", "out.jl", *SMALL_BLOCKS).check()
    assert done.err.startswith("Going on after")
    assert len(lines(tmp_path / "out.jl")) == 640


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "takes one input, but got 0"),
        (["a.jl", "b.jl"], "takes one input, but got 2"),
        (["items.jl", "--feilds", "x"], "unknown option --feilds"),
        (["items.jl", "-o", "x.jl", "--min-confidence", "90"], "between 0 and 1"),
        (["items.jl", "-o", "x.jl", "--jobs", "0"], "1 or more"),
        (["items.jl", "-o", "x.jl", "--raw", "title"], "--raw title=title_raw"),
    ],
)
def test_a_mistake_in_the_command_is_one_sentence(folder, arguments, words):
    assert words in demojibake(folder, *arguments).sentence


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.jl", "-o", "out.jl"], "none.jl cannot be read: No such file"),
        (["items.jl"], "Say where to write with -o OUT"),
        (["items.jl", "-o", "items.jl"], "are the same"),
        (["items.jl", "-o", "there.jl"], "there already. Replace it with --force"),
        (["items.jl", "-o", "out.txt"], "does not tell what it holds"),
        (["items.json", "-o", "out.jl"], "jq -c '.[]'"),
        (["items.jl", "-o", "no/folder/out.jl"], "cannot be written: No such file"),
        (["items.jl", "-o", "redis://127.0.0.1:1/0?key=x"], "Redis says"),
        (["items.jl", "--dry-run", "--fields", "titel"], "has no field titel; did you mean title? It has: content_url"),
        (["items.jl", "--dry-run", "--encoding", "koi8-rr"], "koi8-rr is no encoding of text; did you mean koi8-r?"),
        (["items.jl", "--dry-run", "--encoding", ""], "--encoding: empty is no encoding of text."),
    ],
)
def test_what_cannot_be_done_is_one_sentence(folder, arguments, words):
    (folder / "there.jl").write_text("precious")
    done = demojibake(folder, *arguments)
    assert done.code == 1
    assert done.out == ""
    assert words in done.err
    assert done.err.count("\n") == 1
    assert (folder / "there.jl").read_text() == "precious"


def test_an_input_of_which_nothing_can_be_read_is_an_error(folder):
    (folder / "none.csv").write_text('id,title\n1,"open\n')
    done = demojibake(folder, "none.csv", "-o", "out.csv")
    assert done.code == 1
    assert "1 a quote is not closed (line 2)" in done.out
    assert done.err == (
        "Nothing of none.csv could be read: 1 line: a quote is not closed."
        " If the encoding was found out wrongly, name it with --encoding NAME.\n"
    )


def test_a_table_in_another_encoding_is_read_and_its_columns_are_listed(folder):
    text = "Titel;Jahr\r\n" + "".join(f"Ночной поезд {n};19{n}\r\n" for n in range(10, 30))
    (folder / "in.csv").write_bytes(text.encode("cp1251"))
    done = demojibake(folder, "in.csv", "-o", "out.csv", "--report", "r.json").check()
    assert "file       in cp1251" in done.out
    assert "by field   Titel: 0 of 20 mended; Jahr: left, numbers" in done.out
    assert "Ночной поезд 29;1929;".encode() in (folder / "out.csv").read_bytes()
    report = json.loads((folder / "r.json").read_bytes())
    assert (report["encoding"], report["holds"]) == ("cp1251", {"Titel": "text", "Jahr": "numbers"})
    wrong = demojibake(folder, "in.csv", "--dry-run", "--encoding", "utf-16")
    assert (wrong.code, wrong.err.count("\n")) == (1, 1)
    assert wrong.err == "--encoding: the input is not in utf-16, for none of its bytes is zero.\n"


@pytest.mark.slow
def test_a_full_disk_behind_the_standard_output_is_one_sentence(folder):
    shell = f"ulimit -f 1; exec {shlex.join(SCRAPY)} demojibake items.jl -o - > out.jl"
    done = run(folder, "bash", "-c", shell)
    assert done.code == 1
    assert done.err == "The standard output cannot be written: File too large.\n"


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_error(folder):
    (folder / "many.jl").write_text("".join(json.dumps(record(number)) + "\n" for number in range(3000)))
    with subprocess.Popen(
        [*SCRAPY, "demojibake", "many.jl", "-o", "-"],
        cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        process.stdout.close()
        error = process.stderr.read()
        process.wait(120)
    assert error == b""


# -- pairs -------------------------------------------------------------------------------------------------------


@pytest.fixture
def learnable(tmp_path):
    """Items whose artist lost bytes that no model can know, and pairs that tell what he is called."""
    right = "Океан Ельзи"
    lost = "".join(chr(byte) for byte in right.encode() if not 0x80 <= byte < 0xA0)
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


def test_a_run_with_pairs_over_its_own_output_changes_nothing_nor_does_one_without(learnable):
    demojibake(learnable, "items.jl", "-o", "out.jl", "--pairs", "pairs.jl").check()
    demojibake(learnable, "out.jl", "-o", "again.jl", "--pairs", "pairs.jl").check()
    demojibake(learnable, "out.jl", "-o", "without.jl").check()
    first, *others = ((learnable / name).read_bytes() for name in ("out.jl", "again.jl", "without.jl"))
    assert others == [first, first]


def test_pairs_that_cannot_be_read_are_said_in_one_sentence(learnable):
    done = demojibake(learnable, "items.jl", "-o", "out.jl", "--pairs", "none.jl")
    assert done.code != 0
    assert "none.jl cannot be read: No such file or directory" in done.err
    assert not (learnable / "out.jl").exists()
