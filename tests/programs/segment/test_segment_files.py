"""What can be read and written, and what a file that is not as it should be costs."""

import gzip
import io
import sqlite3
from contextlib import closing

import pytest
from segment_run import go, rows_of, write_lines

from mediacrawl.base.terms import Candidate, End, Evidence, Kind, Outcome
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.export import write
from mediacrawl.frontier.sqlite.reader import FrontierReader
from mediacrawl.frontier.stores import open_store
from mediacrawl.politeness.delay import DelayPolicy
from mediacrawl.priority.links import Scores
from mediacrawl.programs.segment import SegmentError, report
from mediacrawl.record import MediaItem
from mediacrawl.store import Catalogue

duckdb = pytest.importorskip("duckdb", reason="pip install -e '.[segment]'")
pa = pytest.importorskip("pyarrow", reason="pip install -e '.[segment]'")
pq = pytest.importorskip("pyarrow.parquet", reason="pip install -e '.[segment]'")


URLS = [f"http://site{number}.example/page" for number in range(5)]


def written(path):
    return path.read_text().split()


@pytest.mark.parametrize("name", ["a.jl", "a.jsonl.gz", "a.json", "a.jl.zst", "a.txt", "a.txt.gz", "a.parquet", "a.db"])
def test_links_are_read_from_every_kind_of_file(tmp_path, name):
    path = tmp_path / name
    if name.endswith(".db"):
        with Catalogue(path) as catalogue:
            for url in URLS[1:]:
                catalogue.upsert(MediaItem(content_url=url, page_url=URLS[0], site="x"))
    elif name.endswith(".parquet"):
        pq.write_table(pa.table({"url": URLS}), path)
    elif name == "a.json":
        # As Scrapy writes it.
        path.write_text("[\n" + ",\n".join(f'{{"url": "{url}"}}' for url in URLS) + "\n]")
    else:
        lines = URLS if ".txt" in name else [f'{{"url": "{url}"}}' for url in URLS]
        text = "\n".join(lines) + "\n"
        if name.endswith(".zst"):
            copy = f"COPY (SELECT unnest($1)) TO '{path}' (FORMAT csv, HEADER false, QUOTE '', COMPRESSION zstd)"
            duckdb.execute(copy, [lines])
        else:
            path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    result = go(path, tmp_path / "next.txt")
    assert sorted(written(tmp_path / "next.txt")) == URLS
    assert result.bad == []


def test_a_list_is_read_as_seeds_are_read(tmp_path):
    lines = [
        "# site.example",
        "",
        "site.example  # a remark",
        "http://a.example/x y",
        "  http://b.example/#top",
        "[::1]",
    ]
    (tmp_path / "list.txt").write_bytes("\r\n".join(lines).encode("utf-8-sig"))
    result = go(tmp_path / "list.txt", tmp_path / "next.txt")
    assert sorted(written(tmp_path / "next.txt")) == ["http://[::1]/", "http://b.example/", "https://site.example/"]
    assert result.left_out == {"bad_url": 1}


def test_an_item_gives_its_file_and_its_page_and_a_field_can_be_named(tmp_path):
    item = {"content_url": URLS[0], "page_url": URLS[1], "link": URLS[2], "Score": 'a"b'}
    source = write_lines(tmp_path / "items.jl", [item])
    go(source, tmp_path / "usual.txt")
    assert sorted(written(tmp_path / "usual.txt")) == URLS[:2]
    go(source, tmp_path / "named.txt", url_fields=("missing", "link"))
    assert written(tmp_path / "named.txt") == URLS[2:3]
    pq.write_table(pa.table({"url": URLS}), tmp_path / "a.parquet")
    with pytest.raises(SegmentError, match="no column missing"):
        go(tmp_path / "a.parquet", tmp_path / "other.txt", url_fields=("missing",))


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_bad_line_costs_that_line_and_is_named_by_its_number(tmp_path, end):
    good = [f'{{"url": "{url}"}}'.encode() for url in URLS]
    lines = [
        good[0],
        b"no json",
        b"",
        b'{"url": "http://a.example/\xff"}',
        good[1],
        b'{"url": "http://a.example/cut',
        b"\x00\x00",
        b'{"score": 1}',
        b'["http://a.example/"]',
        b'{"url": "' + b"x" * 1_500_000 + b'"}',
        good[2],
        b'{"url": null}',
        b'{"url": "http://a.example/\\ud83d"}',
        good[3],
        b"{" * 100_000,
        good[4],
    ]
    (tmp_path / "links.jl").write_bytes(end.join(lines) + end)
    result = go(tmp_path / "links.jl", tmp_path / "next.txt")
    assert sorted(written(tmp_path / "next.txt")) == URLS
    (bad,) = result.bad
    assert bad.number == 10
    assert [line.partition("links.jl:")[2].partition(":")[0] for line in bad.named] == ["2", "4", "6", "7", "8"]
    assert "no UTF-8" in bad.named[1]
    assert "\x00" not in report(result, "next.txt")


def test_fields_of_another_shape_are_as_if_they_were_not_there(tmp_path):
    source = write_lines(
        tmp_path / "links.jl",
        [
            {"url": URLS[0], "score": "high", "depth": [], "hops": {}, "kind": "x", "parent": 5, "anchor": "y" * 999},
            {"url": URLS[1], "score": float("inf"), "depth": -7, "via": None},
            {"url": URLS[2], "score": float("nan"), "depth": 1e300},
        ],
    )
    go(source, tmp_path / "next.jl")
    first, second, third = rows_of(tmp_path / "next.jl")
    usual = Scores().first(Kind.PAGE)
    assert (third["score"], third["depth"]) == (usual, 0)
    assert (first["score"], first["depth"], first["hops"], first["kind"], first["parent"]) == (usual, 0, 0, "page", "5")
    assert len(first["anchor"]) == 200
    assert (second["score"], second["depth"], second["via"]) == (usual, 0, "")


def test_a_file_that_was_cut_off_is_read_as_far_as_it_goes(tmp_path):
    text = "".join(f'{{"url": "http://s{number * 7919 % 10007}.example/"}}\n' for number in range(5000))
    packed = gzip.compress(text.encode())
    (tmp_path / "links.jl.gz").write_bytes(packed[: len(packed) // 2])
    result = go(tmp_path / "links.jl.gz", tmp_path / "next.txt")
    assert 1000 < len(written(tmp_path / "next.txt")) < 5000
    assert result.remarks == [f"{tmp_path / 'links.jl.gz'} is damaged; its content before the damage was read."]


def test_what_is_no_parquet_file_is_an_error_that_names_it(tmp_path):
    (tmp_path / "links.parquet").write_bytes(b"noise" * 100)
    with pytest.raises(SegmentError, match=r"links\.parquet"):
        go(tmp_path / "links.parquet", tmp_path / "next.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["links.parquet"]


def test_names_with_signs_of_patterns_and_quotes_are_names(tmp_path):
    for number, name in enumerate(["we[i]rd*.jl", "it's.jl", 'a"b?.jl']):
        write_lines(tmp_path / name, [{"url": URLS[number]}])
    write_lines(tmp_path / "weird1.jl", [{"url": URLS[4]}])
    names = [tmp_path / name for name in ("we[i]rd*.jl", "it's.jl", 'a"b?.jl')]
    go(names, tmp_path / "it's next.txt")
    assert sorted(written(tmp_path / "it's next.txt")) == URLS[:3]


def test_patterns_and_folders_mean_their_files_and_a_file_counts_once(tmp_path):
    write_lines(tmp_path / "1.jl", [{"url": URLS[0]}])
    write_lines(tmp_path / "2.jl", [{"url": URLS[1]}])
    (tmp_path / "set" / "part=0").mkdir(parents=True)
    pq.write_table(pa.table({"url": URLS[2:4]}), tmp_path / "set" / "part=0" / "x.parquet")
    result = go([tmp_path / "*.jl", tmp_path / "2.jl", tmp_path / "set"], tmp_path / "next.txt")
    assert sorted(written(tmp_path / "next.txt")) == URLS[:4]
    assert (result.files, result.links) == (3, 4)


@pytest.fixture
def frontier(tmp_path):
    """The file of a frontier in which a URL has ended, one is out, and three wait, one of them in the inbox."""
    policy = FrontierPolicy(delay=DelayPolicy(0, 0, 0, 0), explore=0.0)
    with closing(open_store("sqlite", tmp_path / "crawl", policy, now=0.0)) as store:
        for url in URLS[:2]:
            store.add([Candidate(url, url.split("/")[2])])
            (lease,) = store.take(100.0, 1)
        store.finish(lease, Outcome(End.DONE), 100.0)
        found = Evidence("audio", "Lied \ud83d", page_title="Lieder")
        song = "http://site3.example/song"
        store.add([Candidate(song, "site3.example", "songs", Kind.MEDIA, 3, 1, URLS[2], 0.75, found)])
        store.add([Candidate(URLS[4], "site4.example", score=0.5)])
        store.commit()
        yield tmp_path / "crawl" / "frontier.db"


def test_a_frontier_says_what_was_seen_also_while_it_is_open(frontier, tmp_path):
    source = write_lines(tmp_path / "links.txt", URLS)
    result = go(source, tmp_path / "next.txt", seen=[frontier])
    assert written(tmp_path / "next.txt") == URLS[2:4]
    assert result.left_out == {"seen": 3}


def test_what_waits_in_a_frontier_is_read_from_its_file_and_from_an_export(frontier, tmp_path):
    with FrontierReader(frontier) as reader:
        waiting = list(reader.waiting())
    for name in ("export.jl", "export.jl.gz", "export.txt"):
        write(waiting, tmp_path / name)
    queues = {}
    for name in (frontier, tmp_path / "export.jl", tmp_path / "export.jl.gz", tmp_path / "export.txt"):
        result = go(name, tmp_path / "next.jl", force=True)
        assert (result.bad, result.left_out) == ([], {})
        queues[name.name] = rows_of(tmp_path / "next.jl")
    song, *others = queues["frontier.db"]
    assert {name: song[name] for name in ("url", "kind", "score", "depth", "hops", "parent", "via")} == {
        "url": "http://site3.example/song", "kind": "media", "score": 0.75, "depth": 3, "hops": 1, "parent": URLS[2],
        "via": "audio",
    }  # fmt: skip
    assert song["anchor"].startswith("Lied ")
    assert sorted(row["url"] for row in others) == sorted({each.url for each in waiting} - {song["url"]})
    assert queues["export.jl"] == queues["export.jl.gz"] == queues["frontier.db"]
    assert sorted(row["url"] for row in queues["export.txt"]) == sorted(each.url for each in waiting)


def test_a_database_of_another_program_is_an_error_that_names_it(tmp_path):
    with closing(sqlite3.connect(tmp_path / "other.db")) as db:
        db.execute("CREATE TABLE url (url TEXT)")
    links, other = write_lines(tmp_path / "links.txt", URLS), tmp_path / "other.db"
    for inputs, seen in (([other], []), ([links], [other])):
        with pytest.raises(SegmentError, match=r"other\.db is neither a frontier nor a catalogue"):
            go(inputs, tmp_path / "next.txt", seen=seen)


def test_a_database_that_is_none_is_an_error_that_names_it(tmp_path):
    (tmp_path / "frontier.db").write_bytes(b"noise" * 1000)
    source = write_lines(tmp_path / "links.txt", URLS)
    with pytest.raises(SegmentError, match=r"frontier\.db cannot be read"):
        go(source, tmp_path / "next.txt", seen=[tmp_path / "frontier.db"])
    assert not (tmp_path / "next.txt").exists()


def test_several_files_of_what_was_seen_count_together(tmp_path):
    source = write_lines(tmp_path / "links.txt", URLS)
    one = write_lines(tmp_path / "one.jl", [{"content_url": URLS[0], "page_url": URLS[1]}, "broken"])
    pq.write_table(pa.table({"url": [URLS[2]]}), tmp_path / "two.parquet")
    result = go(source, tmp_path / "next.txt", seen=[one, tmp_path / "two.parquet"])
    assert written(tmp_path / "next.txt") == URLS[3:]
    assert [bad.named for bad in result.bad] == [[f"{one}:2: neither a record with a URL nor a URL: broken"]]


@pytest.mark.parametrize("packing", [bytes, gzip.compress])
def test_the_standard_input_and_output_are_lists(tmp_path, packing):
    out = io.BytesIO()
    text = f'{URLS[0]}\n{{"url": "{URLS[1]}"}}\n'.encode()
    result = go(["-"], "-", stdin=packing(text), stdout=out)
    assert out.getvalue().decode().split() == URLS[:2]
    assert result.bad == []


def test_parquet_and_packed_lines_hold_the_same_rows(tmp_path):
    source = write_lines(tmp_path / "links.jl", [{"url": url, "score": 0.5, "anchor": 'ä"\n'} for url in URLS])
    go(source, tmp_path / "next.jl")
    go(source, tmp_path / "next.jl.gz")
    go(source, tmp_path / "next.parquet")
    assert gzip.decompress((tmp_path / "next.jl.gz").read_bytes()) == (tmp_path / "next.jl").read_bytes()
    assert pq.read_table(tmp_path / "next.parquet").to_pylist() == rows_of(tmp_path / "next.jl")


def test_a_folder_is_parted_by_site_and_gives_the_next_queue_again(tmp_path):
    links = [{"url": f"http://s{number % 40}.example/{number}", "score": number % 9} for number in range(400)]
    source = write_lines(tmp_path / "links.jl", links)
    go(source, tmp_path / "next.jl")
    go(source, f"{tmp_path}/set/")
    rows = []
    for path in sorted((tmp_path / "set").rglob("*.parquet")):
        part = pq.read_table(path, partitioning=None).to_pylist()
        assert path.parent.name == "part=" + duckdb.execute("SELECT md5($1)[:2]", [part[0]["site"]]).fetchone()[0]
        sites = [row["site"] for row in part]
        assert sites == sorted(sites, key=sites.index)
        rows += part
    assert sorted(rows, key=lambda row: row["url"]) == sorted(rows_of(tmp_path / "next.jl"), key=lambda row: row["url"])
    go(tmp_path / "set", tmp_path / "again.jl")
    assert [row["url"] for row in rows_of(tmp_path / "again.jl")] == [
        row["url"] for row in rows_of(tmp_path / "next.jl")
    ]


def test_what_is_there_stays_unless_it_is_to_be_replaced(tmp_path):
    source = write_lines(tmp_path / "links.txt", URLS)
    (tmp_path / "next.txt").write_text("mine\n")
    with pytest.raises(SegmentError, match="--force"):
        go(source, tmp_path / "next.txt")
    assert (tmp_path / "next.txt").read_text() == "mine\n"
    go(source, tmp_path / "next.txt", force=True)
    assert written(tmp_path / "next.txt") == URLS
    with pytest.raises(SegmentError, match="an input and the output"):
        go(source, source, force=True)


def test_a_folder_of_other_things_is_never_replaced(tmp_path):
    source = write_lines(tmp_path / "links.txt", URLS)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.txt").write_text("mine")
    with pytest.raises(SegmentError, match="holds other things"):
        go(source, f"{tmp_path}/work/", force=True)
    go(source, f"{tmp_path}/set/")
    with pytest.raises(SegmentError, match="--force"):
        go(source, f"{tmp_path}/set/")
    go(write_lines(tmp_path / "few.txt", URLS[:1]), f"{tmp_path}/set/", force=True)
    assert pq.read_table(tmp_path / "set").num_rows == 1
    assert (tmp_path / "work" / "thesis.txt").exists()


@pytest.mark.parametrize(
    ("name", "told"),
    [("missing.jl", "no such file"), ("links.doc", "does not tell"), ("", "empty name"), ("*.jl", "no such file")],
)
def test_an_input_that_is_not_there_or_not_known_is_named(tmp_path, monkeypatch, name, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "links.doc").write_text("x")
    with pytest.raises(SegmentError, match=told):
        go(name, tmp_path / "next.txt")


def test_an_empty_input_makes_an_empty_queue(tmp_path):
    (tmp_path / "links.jl").write_bytes(b"")
    result = go(tmp_path / "links.jl", tmp_path / "next.jl")
    assert (tmp_path / "next.jl").read_bytes() == b""
    assert (result.links, result.written, result.sites) == (0, 0, 0)
