"""NeverCrawl: an entry more, also while a crawl reads the list and somebody else adds one."""

import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.scope import NeverCrawl, NeverCrawlError
from mediacrawl.scope.exclusions import adding
from mediacrawl.scope.exclusions.adding import add_entry, copy_list, covering, parse_entry

DAY = date(2026, 11, 2)


@pytest.fixture
def listed(tmp_path):
    path = tmp_path / "NeverCrawl.txt"
    path.write_bytes(b"# mine\nfirst.example # asked us\n")
    return path


def names_in(folder):
    return [path.name for path in folder.iterdir()]


def add(path, written, reason="asked by mail"):
    return add_entry([path], written, reason, DAY)


def test_an_entry_is_added_as_a_line_with_its_reason_and_date(listed):
    added = add(listed, " New.example ")
    assert listed.read_bytes() == b"# mine\nfirst.example # asked us\nNew.example  # asked by mail, 2026-11-02\n"
    assert added.new
    assert added.entry == NeverCrawl.load(listed).match("www.new.example")
    assert (added.path, added.entry.line) == (listed, 3)
    assert names_in(listed.parent) == ["NeverCrawl.txt"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b"a.example  # x, 2026-11-02\n"),
        (b"b.example", b"b.example\na.example  # x, 2026-11-02\n"),
        (b"b.example\r\n", b"b.example\r\na.example  # x, 2026-11-02\r\n"),
        (b"b.example\r\n# c", b"b.example\r\n# c\r\na.example  # x, 2026-11-02\r\n"),
        (b"b.example\r# c\r", b"b.example\r# c\ra.example  # x, 2026-11-02\r"),
        (b"\xef\xbb\xbfb.example\n", b"\xef\xbb\xbfb.example\na.example  # x, 2026-11-02\n"),
    ],
)
def test_the_file_keeps_its_line_ends(listed, before, after):
    listed.write_bytes(before)
    added = add(listed, "a.example", "x")
    assert listed.read_bytes() == after
    assert NeverCrawl.load(listed).match("a.example") == added.entry


@pytest.mark.parametrize("written", ["www.first.example", "first.example/private", "http://FIRST.example/"])
def test_what_is_covered_already_is_not_added(listed, written):
    before = _writing_of(listed)
    added = add(listed, written)
    assert (added.new, added.entry.where, added.entry.reason) == (False, "NeverCrawl.txt:2", "asked us")
    assert _writing_of(listed) == before


def _writing_of(path):
    """When it was written last, and which file it is. To read it may change the time of the last access."""
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_ctime_ns


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "is no domain"),
        ("a b", "more than one word"),
        ("a.example\nb.example", "more than one word"),
        ("a.example#x", "begins a comment"),
        ("# comment", "begins a comment"),
        ("a.example?x=1", "has a query"),
        ("a.example:80", "has a port"),
        ("ex ample.org", "more than one word"),
        ("-", "is no domain"),
        ("0.0.0.0 a.example", "hosts file"),
    ],
)
def test_what_is_no_entry_is_refused_with_a_sentence(listed, written, said):
    before = listed.read_bytes()
    with pytest.raises(NeverCrawlError, match=said):
        add(listed, written)
    assert listed.read_bytes() == before


@given(st.text(max_size=60), st.sampled_from(["a.example", "ü.example", "b.example/%23x", "10.0.0.0/8"]))
def test_whatever_the_reason_the_line_is_one_line_and_says_it(tmp_path_factory, reason, written):
    path = Path(tmp_path_factory.mktemp("lists")) / "list.txt"
    path.write_bytes(b"# \n")
    added = add(path, written, reason)
    never = NeverCrawl.load(path)
    assert (never.size, never.bad_lines) == (1, [])
    (entry,) = never.entries()
    assert (entry.covers, entry.date, entry.line) == (added.entry.covers, "2026-11-02", 2)


def test_the_reason_comes_back_as_it_was(listed):
    add(listed, "a.example", "Mr\tX asked us\r\nby mail (#12)")
    assert NeverCrawl.load(listed).match("a.example").reason == "Mr X asked us by mail (#12)"


def test_owner_mode_and_link_are_kept(tmp_path, listed):
    listed.chmod(0o640)
    link = tmp_path / "links" / "NeverCrawl.txt"
    link.parent.mkdir()
    link.symlink_to("../NeverCrawl.txt")
    before = listed.stat()
    added = add(link, "a.example")
    after = listed.stat()
    assert link.is_symlink()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert after.st_ino != before.st_ino
    assert added.entry == NeverCrawl.load(link).match("a.example")


@pytest.mark.parametrize(
    ("where", "what", "error"),
    [(os, "fchown", (1, "Operation not permitted")), (Path, "replace", (16, "Device or resource busy"))],
)
def test_where_the_file_cannot_be_replaced_the_line_is_appended_in_place(listed, monkeypatch, where, what, error):
    """Its owner cannot be kept; or it is a mount of its own, as a list that is handed to a container is."""

    def refuse(*_):
        raise OSError(*error)

    monkeypatch.setattr(where, what, refuse)
    before = listed.stat()
    add(listed, "a.example")
    assert listed.stat().st_ino == before.st_ino
    assert NeverCrawl.load(listed).match("a.example")
    assert names_in(listed.parent) == ["NeverCrawl.txt"]


def test_it_goes_to_the_first_list_that_may_be_written(tmp_path, listed, monkeypatch):
    missing, closed = tmp_path / "missing.txt", tmp_path / "closed.txt"
    closed.write_text("closed.example\n")
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != closed and allowed(path, mode))
    assert add_entry([missing, closed, listed], "a.example", "", DAY).path == listed
    assert add_entry([missing, closed, listed], "www.closed.example", "", DAY).path == closed
    with pytest.raises(
        NeverCrawlError, match=r"no list can be written: .*missing.txt: No such file.*closed.txt may not"
    ):
        add_entry([missing, closed], "b.example", "", DAY)
    with pytest.raises(NeverCrawlError, match="NEVERCRAWL_FILES names none"):
        add_entry([], "b.example", "", DAY)


def test_a_broken_list_gets_no_line_that_would_not_count(listed):
    listed.write_bytes(b"<html>\n<p>\n")
    with pytest.raises(NeverCrawlError, match="no list of domains"):
        add(listed, "a.example")
    assert listed.read_bytes() == b"<html>\n<p>\n"


@pytest.mark.parametrize("path", ["\udcff", "a\0b", "x" * 9_000])
def test_a_line_that_would_not_be_read_again_is_not_written(listed, path):
    """An octet that is no text, one that would make the whole list unreadable, and a path that is too long."""
    before = listed.read_bytes()
    with pytest.raises(NeverCrawlError, match=r"would not be read again|zero bytes"):
        add(listed, f"a.example/{path}")
    assert listed.read_bytes() == before


def test_a_full_disk_leaves_the_list_as_it_was(listed, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    before = listed.read_bytes()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NeverCrawlError, match="No space left"):
        add(listed, "a.example")
    assert listed.read_bytes() == before
    assert names_in(listed.parent) == ["NeverCrawl.txt"]


@pytest.mark.slow
def test_of_many_that_add_at_once_none_is_lost_and_a_reader_sees_whole_lines_only(listed):
    code = (
        "import sys; from datetime import date; from pathlib import Path;"
        "from mediacrawl.scope.exclusions.adding import add_entry\n"
        "for n in range(20): add_entry([Path(sys.argv[1])], f'h{n}.p{sys.argv[2]}.example', 'x', date.today())"
    )
    root = Path(adding.__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(listed), str(number)], env=environment) for number in range(3)
    ]
    seen = 0
    while any(process.poll() is None for process in started):
        never = NeverCrawl.load(listed)
        assert never.bad_lines == []
        assert never.size >= seen
        seen = never.size
    assert [process.returncode for process in started] == [0, 0, 0]
    assert NeverCrawl.load(listed).size == 1 + 60


def test_a_list_is_copied_where_none_is(tmp_path, listed):
    copy_list(listed, tmp_path / "new" / "folder" / "list.txt")
    assert names_in(tmp_path / "new" / "folder") == ["list.txt"]
    assert (
        covering([tmp_path / "new" / "folder" / "list.txt", tmp_path / "none"], parse_entry("first.example")).line == 2
    )
    with pytest.raises(NeverCrawlError, match="can not be written"):
        copy_list(listed, listed / "list.txt")


def test_a_list_that_another_one_has_just_made_is_not_replaced(tmp_path, listed):
    other = tmp_path / "other.txt"
    other.write_text("second.example\n")
    copy_list(other, listed)
    assert NeverCrawl.load(listed).match("first.example")
