"""A run that was killed with SIGKILL continues, and ends with what an undisturbed one ends with."""

import gzip
import json
import resource
import shutil
from types import SimpleNamespace

import pytest
from harness import slow
from stored_items import RECORDS, ROWS, go, killed, our_record, stored

from mediacrawl.encoding import Substitutions
from mediacrawl.programs.rerun import RerunError, RerunOptions, rerun
from mediacrawl.programs.rerun.endpoints import location_of
from mediacrawl.programs.rerun.json_lines import LineWriter
from mediacrawl.programs.rerun.output_file import OutputFile
from mediacrawl.programs.rerun.run import RerunWatcher
from mediacrawl.store import Catalogue

pytest.importorskip("pyarrow", reason="pip install -e '.[parquet]'")


@pytest.fixture(scope="module")
def sources(lines, tmp_path_factory):
    """Inputs by kind of file; those of JSON lines are one."""
    folder = tmp_path_factory.mktemp("sources")
    records = [our_record(number) for number in range(RECORDS)]
    tables = {kind: stored(folder / f"in.{kind}", *records) for kind in ("csv", "parquet")}
    return {"jl": lines, "jl.gz": lines, **tables}


@pytest.fixture(scope="module")
def whole(sources, tmp_path_factory):
    """What undisturbed runs write, by kind of file."""
    folder = tmp_path_factory.mktemp("whole")
    found = {}
    for kind, source in sources.items():
        result = go(source, folder / f"out.{kind}")
        found[kind] = ((folder / f"out.{kind}").read_bytes(), result)
    return found


def check(result, found, path):
    data, undisturbed = found
    assert path.read_bytes() == data
    assert result.tally == undisturbed.tally
    assert not {entry.name for entry in path.parent.iterdir()} - {path.name}


@pytest.mark.parametrize("kind", ["jl", *slow("jl.gz", "csv"), "parquet"])
@pytest.mark.parametrize("save_every", [0.0, 1000.0], ids=["saved each time", "never saved"])
def test_a_killed_run_goes_on(sources, whole, tmp_path, kind, save_every):
    path = tmp_path / f"out.{kind}"
    killed(sources[kind], path, 3, save_every=save_every)
    assert not path.exists()
    result = go(sources[kind], path, save_every=save_every)
    assert (result.resumed > 0) is (save_every == 0)
    check(result, whole[kind], path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["jl", "jl.gz", "parquet"])
def test_a_run_that_is_killed_again_and_again_ends(sources, whole, tmp_path, kind):
    path = tmp_path / f"out.{kind}"
    for _ in range(4):
        killed(sources[kind], path, 1, save_every=0.0)
    result = go(sources[kind], path)
    assert result.resumed > 0
    check(result, whole[kind], path)


@pytest.mark.parametrize("kind", ["jl", *slow("jl.gz", "csv"), "parquet"])
@pytest.mark.parametrize("moment", ["OutputFile.settle", *slow("OutputFile.finish"), "place"])
def test_a_kill_at_the_end_leaves_only_the_end_to_do(sources, whole, tmp_path, kind, moment):
    path = tmp_path / f"out.{kind}"
    writer = "parquet:ParquetWriter.place" if kind == "parquet" else "json_lines:TextWriter.place"
    killed(
        sources[kind],
        path,
        f"mediacrawl.programs.rerun.{writer if moment == 'place' else f'output_file:{moment}'}",
        save_every=0.0,
    )
    assert not path.exists()
    result = go(sources[kind], path)
    assert result.resumed == result.tally.records
    check(result, whole[kind], path)


@pytest.mark.parametrize("kind", ["jl", "csv"])
def test_a_kill_behind_the_last_rename_is_no_loss(sources, whole, tmp_path, kind, monkeypatch):
    path = tmp_path / f"out.{kind}"
    with monkeypatch.context() as patch:
        patch.setattr("mediacrawl.programs.rerun.output_file.sync_folder", dies_if_placed(path))
        patch.setattr("pathlib.Path.unlink", lambda self, missing_ok=False: None)
        with pytest.raises(Killed):
            go(sources[kind], path)
    assert path.exists()
    assert path.with_name(path.name + ".progress").exists()
    check(go(sources[kind], path), whole[kind], path)


class Killed(BaseException):
    """Stands for a kill where a process of its own would need to be told too much."""


def dies_if_placed(path):
    def sync_folder(folder):
        if path.exists():
            raise Killed

    return sync_folder


def test_packed_input_goes_on(lines, whole, tmp_path):
    with gzip.open(tmp_path / "in.jl.gz", "wb") as file:
        file.write(lines.read_bytes())
    (tmp_path / "out").mkdir()
    killed(tmp_path / "in.jl.gz", tmp_path / "out/out.jl", 3, save_every=0.0)
    result = go(tmp_path / "in.jl.gz", tmp_path / "out/out.jl")
    assert result.resumed > 0
    check(result, whole["jl"], tmp_path / "out/out.jl")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_other_inputs_go_on(sources, tmp_path, kind):
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
    undisturbed = go(sources[kind], tmp_path / "whole/out.jl")
    killed(sources[kind], tmp_path / "killed/out.jl", 3, save_every=0.0)
    result = go(sources[kind], tmp_path / "killed/out.jl")
    assert result.resumed > 0
    check(result, ((tmp_path / "whole/out.jl").read_bytes(), undisturbed), tmp_path / "killed/out.jl")


# -- stores that have transactions -----------------------------------------------------------------------------------


def rows(path):
    with Catalogue(path, read_only=True) as catalogue:
        return list(catalogue.search(()))


@pytest.mark.parametrize(
    "when",
    [2, *slow("mediacrawl.programs.rerun.media_db:InPlaceWriter.place"), "mediacrawl.store.bulk:BulkCatalogue.close"],
)
def test_a_catalogue_in_place_goes_on(catalogue, tmp_path, when):
    for name in ("whole.db", "killed.db"):
        shutil.copy(catalogue, tmp_path / name)
    undisturbed = go(tmp_path / "whole.db")
    killed(tmp_path / "killed.db", None, when, save_every=0.0)
    result = go(tmp_path / "killed.db")
    assert 0 < result.resumed < ROWS or when != 2
    assert (result.tally, result.overtaken) == (undisturbed.tally, 0)
    assert rows(tmp_path / "killed.db") == rows(tmp_path / "whole.db")
    assert go(tmp_path / "killed.db").resumed == 0


def test_what_a_crawl_writes_meanwhile_wins(catalogue, tmp_path, monkeypatch):
    """The run has read the first block; then the crawl sees one of its files again."""
    path = tmp_path / "media.db"
    shutil.copy(catalogue, path)
    first = rows(path)[-1]
    from mediacrawl.programs.rerun.media_db import InPlaceWriter

    pack = InPlaceWriter.pack

    def pack_after_the_crawl(self, block, entries):
        if block.number == 1:
            with Catalogue(path) as crawl:
                crawl.upsert({**first, "title": "what the crawl says", "etag": "new"})
        return pack(self, block, entries)

    monkeypatch.setattr(InPlaceWriter, "pack", pack_after_the_crawl)
    result = go(path)
    assert result.overtaken == 1
    assert rows(path)[-1]["etag"] == "new"
    assert rows(path)[-1]["tags"] == first["tags"]


@pytest.mark.parametrize("when", [2, "mediacrawl.programs.rerun.redis_list:ListWriter.place"])
def test_a_redis_list_goes_on(lines, redis_list, tmp_path, monkeypatch, when):
    monkeypatch.chdir(tmp_path)
    client, url = redis_list
    client.rpush("items", *lines.read_bytes().splitlines())
    undisturbed = go(url("items"), url("whole"))
    killed(url("items"), url("out"), when, tmp_path, save_every=0.0)
    assert not client.exists("out")
    result = go(url("items"), url("out"))
    assert result.resumed > 0
    assert result.tally == undisturbed.tally
    assert client.lrange("out", 0, -1) == client.lrange("whole", 0, -1)
    assert set(client.scan_iter()) == {b"items", b"whole", b"out"}


# -- what cannot continue
# -------------------------------------------------------------------------------------------------


def test_other_options_or_another_input_do_not_go_on_with_it(lines, tmp_path):
    source, path = tmp_path / "in.jl", tmp_path / "out.jl"
    shutil.copy(lines, source)
    killed(source, path, 3, save_every=0.0)
    with pytest.raises(RerunError, match=r"another min-confidence and only-mangled\. .*--restart"):
        go(source, path, min_confidence=0.5, only_mangled=True)
    with source.open("ab") as file:
        file.write(b"{}\n")
    with pytest.raises(RerunError, match=r"another input"):
        go(source, path)
    result = go(source, path, restart=True)
    assert result.resumed == 0
    assert result.tally.records == RECORDS + 1


@pytest.mark.parametrize("damage", ["{", *slow("[]", '{"offset": "x"}', '{"offset": 0}'), '{"offset": 99999999999}'])
def test_damaged_progress_is_a_sentence(lines, tmp_path, damage):
    path = tmp_path / "out.jl"
    killed(lines, path, 3, save_every=0.0)
    path.with_name("out.jl.progress").write_text(damage)
    with pytest.raises(RerunError, match="--restart"):
        go(lines, path)
    assert go(lines, path, restart=True).tally.records == RECORDS


def test_a_part_file_of_somebody_else_is_left_alone(lines, tmp_path):
    (tmp_path / "out.jl.part").write_text("precious")
    with pytest.raises(RerunError, match="in the way"):
        go(lines, tmp_path / "out.jl")
    with pytest.raises(RerunError, match="in the way"):
        go(lines, tmp_path / "out.jl", restart=True)
    assert (tmp_path / "out.jl.part").read_text() == "precious"


def test_what_came_out_of_a_pipe_begins_anew(lines, tmp_path, monkeypatch):
    with lines.open("rb") as pipe:
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=pipe))
        with pytest.raises(KeyboardInterrupt):
            rerun(RerunOptions("-", str(tmp_path / "out.jl"), save_every=0.0), Interrupter())
    with lines.open("rb") as pipe:
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=pipe))
        result = go("-", tmp_path / "out.jl")
    assert (result.resumed, result.tally.records) == (0, RECORDS)
    go(lines, tmp_path / "whole.jl")
    assert (tmp_path / "out.jl").read_bytes() == (tmp_path / "whole.jl").read_bytes()


class Interrupter(RerunWatcher):
    """Presses Ctrl-C after the second block."""

    left = 2

    def block(self, done, items, rows):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def test_an_output_that_is_there_is_replaced_only_by_force(lines, tmp_path):
    path = tmp_path / "out.jl"
    path.write_text("precious")
    for restart in (False, True):
        with pytest.raises(RerunError, match="is there already"):
            go(lines, path, restart=restart)
    assert path.read_text() == "precious"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.jl"]
    assert go(lines, path, force=True).tally.records == RECORDS


def test_a_forced_run_that_is_killed_leaves_the_old_output(lines, whole, tmp_path):
    path = tmp_path / "out.jl"
    path.write_text("precious")
    killed(lines, path, 3, save_every=0.0, force=True)
    assert path.read_text() == "precious"
    check(go(lines, path, force=True), whole["jl"], path)


@pytest.mark.parametrize("kind", ["jl", "jl.gz", "csv", "parquet"])
def test_a_full_disk_is_a_sentence_and_the_run_goes_on(sources, whole, tmp_path, kind):
    path = tmp_path / f"out.{kind}"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(RerunError, match="cannot be written: File too large"):
            go(sources[kind], path, save_every=0.0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    check(go(sources[kind], path), whole[kind], path)


def test_a_run_that_was_broken_off_before_its_first_block_is_in_nobodys_way(lines, whole, tmp_path):
    (tmp_path / "bad.jl.gz").write_bytes(b"no gzip")
    with pytest.raises(RerunError, match="damaged"):
        go(tmp_path / "bad.jl.gz", tmp_path / "out.jl")
    (tmp_path / "bad.jl.gz").unlink()
    check(go(lines, tmp_path / "out.jl"), whole["jl"], tmp_path / "out.jl")


def test_two_runs_do_not_write_one_file(lines, tmp_path):
    first = OutputFile(tmp_path / "out.jl", LineWriter(location_of("out.jl")), lambda: 0.0)
    fresh = {"task": {}, "position": None, "number": 1, "done": 0, "tally": {}}
    first.begin(fresh, restart=True, force=False)
    with pytest.raises(RerunError, match="Another run"):
        go(lines, tmp_path / "out.jl")
    first.close()
    assert go(lines, tmp_path / "out.jl").tally.records == RECORDS


def test_input_and_output_must_differ(lines, redis_list, tmp_path):
    (tmp_path / "link.jl").symlink_to(lines)
    client, url = redis_list
    client.rpush("items", "{}")
    for source, output in ((lines, tmp_path / "link.jl"), (url("items"), url("items"))):
        with pytest.raises(RerunError, match="the same"):
            go(source, output, force=True)
    assert json.loads(client.lindex("items", 0)) == {}


def test_pairs_are_part_of_what_a_run_is_gone_on_with(lines, tmp_path):
    path = tmp_path / "out.jl"
    killed(lines, path, 3, save_every=0.0)
    learned = Substitutions()
    learned.learn("KABÃT", "KABÁT", "utf-8")
    with pytest.raises(RerunError, match="it had another pairs"):
        go(lines, path, substitutions=learned)
    assert go(lines, path).resumed > 0
