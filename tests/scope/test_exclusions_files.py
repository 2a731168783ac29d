"""NeverCrawl: a mistake in a file never opens the gates, whatever happens to it while the crawl runs."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.scope import NeverCrawl, NeverCrawlError
from mediacrawl.scope.exclusions import never as files

MINE = b"# mine\nforbidden.example # asked us\nsecond.example\n"


@pytest.fixture
def listed(tmp_path):
    path = tmp_path / "NeverCrawl.txt"
    path.write_bytes(MINE)
    return path


class Looking:
    """A list whose files are looked at again and again."""

    def __init__(self, *paths):
        self.never = NeverCrawl.load(paths)

    def look(self):
        """Look once more; tells whether the list changed."""
        before = self.never.version
        for _ in self.never.look():
            pass
        return self.never.version != before

    def covered(self, *hosts):
        """Which of these are covered, by their first labels."""
        return " ".join(host for host in hosts or ("forbidden", "second", "new") if self.never.match(f"{host}.example"))


def rewrite(path, data):
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_bytes(data)
    stat = path.stat()
    # File systems with coarse clocks: a later write must look later, also than the one before by this function.
    os.utime(path, ns=(stat.st_atime_ns, max(stat.st_mtime_ns, before) + 1_000_000_000))


# What is written before each look; whether it changes the list; what is covered then.
LOOKS = {
    "what is added counts at the next look": [
        (MINE + b"new.example\n", True, "forbidden second new"),
        (None, False, "forbidden second new"),
    ],
    "what is gone counts until a second look finds the file unchanged": [
        (b"# mine\nsecond.example\nnew.example\n", True, "forbidden second new"),
        (None, True, "second new"),
        (None, False, "second new"),
    ],
    "what came while the file was in doubt is not lost by half a file either": [
        (b"# mine\nsecond.example\nnew.example\n", True, None),
        (b"# mine\nsecond.example\n", True, "forbidden second new"),
        (None, True, "second"),
    ],
    "a last line that an editor left without end counts at the second look": [
        (MINE + b"new.example", None, "forbidden second"),
        (None, True, "forbidden second new"),
    ],
    "a file that breaks while it is in doubt loses nothing": [
        (b"new.example\n", None, None),
        (b"", None, "forbidden second new"),
        (None, None, "forbidden second new"),
        (None, None, "forbidden second new"),
    ],
    "a list of comments is an empty list": [(b"# nobody\n", None, None), (None, None, "")],
}


@pytest.mark.parametrize("looks", LOOKS.values(), ids=LOOKS)
def test_a_changed_file_counts_when_it_has_settled(listed, looks):
    crawl = Looking(listed)
    for data, changes, covered in looks:
        if data is not None:
            rewrite(listed, data)
        changed = crawl.look()
        assert changes in (None, changed)
        assert covered in (None, crawl.covered())
    entries = sorted(entry.domain.removesuffix(".example") for entry in crawl.never.entries())
    assert entries == sorted(crawl.covered().split())


def test_of_a_file_that_changes_at_each_look_so_much_is_kept_and_no_more(listed):
    crawl = Looking(listed)
    for number in range(4):
        rewrite(listed, b"second.example\n%d.example\n" % number)
        assert crawl.look()
    assert crawl.covered("forbidden", "second", "0", "1", "2", "3") == "forbidden second 2 3"


def test_a_file_that_is_being_written_slowly_loses_nothing(listed):
    whole = listed.read_bytes() + b"new.example\n"
    crawl = Looking(listed)
    for end in range(8, len(whole) + 1, 9):
        rewrite(listed, whole[:end])
        crawl.look()
        assert crawl.covered("forbidden", "second") == "forbidden second"
    rewrite(listed, whole)
    crawl.look()
    assert crawl.covered() == "forbidden second new"


def test_half_a_last_line_does_not_count_until_it_has_settled(listed):
    crawl = Looking(listed)
    rewrite(listed, listed.read_bytes() + b"com")
    assert crawl.look()
    assert crawl.never.match("any.com") is None
    rewrite(listed, listed.read_bytes() + b"munity.example\n")
    assert crawl.look()
    assert crawl.never.match("any.com") is None
    assert crawl.covered("community") == "community"


@pytest.mark.parametrize(
    "data",
    [b"", b"new.example\0", b"<p>\n<p>\nnew.example\n", "new.example\n".encode("utf-16"), b"0.0.0.0 a.example\n"],
)
def test_a_broken_file_keeps_the_last_good_list_and_says_so(listed, data):
    crawl = Looking(listed)
    rewrite(listed, data)
    assert not crawl.look()
    assert crawl.covered() == "forbidden second"
    assert crawl.never.problem.startswith("NeverCrawl.txt ")
    assert not crawl.look()
    assert crawl.covered() == "forbidden second"
    assert crawl.never.problem
    rewrite(listed, b"new.example\n")
    assert crawl.look()
    assert crawl.never.problem == ""
    assert crawl.look()
    assert crawl.covered() == "new"


def test_a_removed_file_is_not_an_empty_list(listed):
    crawl = Looking(listed)
    data = listed.read_bytes()
    listed.unlink()
    for _ in range(3):
        assert not crawl.look()
        assert crawl.covered() == "forbidden second"
        assert str(listed.parent) in crawl.never.problem
    listed.write_bytes(data + b"new.example\n")
    assert crawl.look()
    assert (crawl.never.problem, crawl.covered()) == ("", "forbidden second new")


def test_a_file_that_changes_while_it_is_read_is_read_again_at_the_next_look(listed):
    crawl = Looking(listed)
    whole = listed.read_bytes() + b"new.example\n"
    rewrite(listed, whole[:-5])
    reading = crawl.never.look()
    next(reading)
    rewrite(listed, whole)
    for _ in reading:
        assert crawl.covered() == "forbidden second"
    assert "changed while it was read" in crawl.never.problem
    assert crawl.look()
    assert (crawl.never.problem, crawl.covered()) == ("", "forbidden second new")


def test_the_old_list_is_in_force_until_the_last_slice(listed):
    never = NeverCrawl.load(listed)
    rewrite(listed, b"".join(b"h%d.example\n" % n for n in range(5_000)) + listed.read_bytes())
    slices = 0
    for _ in never.look():
        slices += 1
        assert never.match("h7.example") is None
        assert never.match("forbidden.example") is not None
    assert slices > 5_000 / 256
    assert never.match("h7.example") is not None


@pytest.mark.parametrize("what", ["missing", "folder", "pipe", "large"])
def test_the_crawl_does_not_start_without_its_list(tmp_path, what, monkeypatch):
    path = tmp_path / "NeverCrawl.txt"
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "large":
        monkeypatch.setattr(files, "LARGEST_FILE", 100)
        path.write_bytes(b"a.example\n" * 11)
    said = {
        "missing": r"NeverCrawl.txt can not be read in .*: No such file",
        "folder": r"NeverCrawl.txt can not be read in .*: Is a directory",
        "pipe": r"NeverCrawl.txt is no file",
        "large": r"NeverCrawl.txt has 110 bytes; a list may have 100",
    }
    with pytest.raises(NeverCrawlError, match=said[what]):
        NeverCrawl.load(path)


def test_several_files_count_together_and_what_happens_to_one_hurts_no_other(tmp_path, listed):
    ours = tmp_path / "ours.txt"
    ours.write_text("ours.example\n", "utf-8")
    third = tmp_path / "third.txt"
    third.write_text("third.example\n", "utf-8")
    crawl = Looking(listed, ours, third)
    ours.unlink()
    rewrite(third, b"")
    rewrite(listed, listed.read_bytes() + b"new.example\n")
    assert crawl.look()
    assert crawl.covered("forbidden", "new", "ours", "third") == "forbidden new ours third"
    assert "ours.txt" in crawl.never.problem
    assert "third.txt" in crawl.never.problem
    assert crawl.never.match("third.example").where == "third.txt:1"


NAMES = st.sets(st.integers(0, 30), max_size=12)


@given(st.lists(st.tuples(NAMES, st.sampled_from(["whole", "cut", "broken", "gone"]), st.integers(0, 200)), max_size=6))
def test_between_two_good_lists_nothing_is_uncovered_that_both_cover(tmp_path_factory, steps):
    """Whatever happens to the file in between."""
    path = Path(tmp_path_factory.mktemp("lists")) / "list.txt"
    path.write_text("# \n" + "".join(f"h{n}.example\n" for n in range(31)))
    crawl = Looking(path)
    settled = set(range(31))
    for names, how, cut in steps:
        data = b"# \n" + b"".join(b"h%d.example\n" % n for n in sorted(names))
        match how:
            case "whole":
                rewrite(path, data)
            case "cut":
                rewrite(path, data[:cut])
            case "broken":
                rewrite(path, b"")
            case "gone":
                path.unlink(missing_ok=True)
        crawl.look()
        covered = {n for n in range(31) if crawl.never.match(f"h{n}.example")}
        assert settled <= covered
        if how == "whole":
            assert names <= covered
            crawl.look()
            covered = {n for n in range(31) if crawl.never.match(f"h{n}.example")}
            assert covered == names
            settled = names
