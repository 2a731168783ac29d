"""Where a crawl begins."""

import codecs
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.scope.candidates import SeedError, parse_seeds, read_seed_source, split_inline
from mediacrawl.scope.urls import canonical


def test_a_list_is_read_line_by_line():
    text = """# radio
https://one.example/a#part   # the first
two.example

\thttp://three.example:8080/?x=1#2
https://ONE.example/a
#four.example
bücher.example/ü
localhost:8000
127.0.0.1:8000/x
[::1]
"""
    seeds, problems = parse_seeds(text, "seeds.txt")
    assert problems == []
    assert seeds == [
        (2, "https://one.example/a"),
        (3, "https://two.example/"),
        (5, "http://three.example:8080/?x=1"),
        (8, "https://xn--bcher-kva.example/%C3%BC"),
        (9, "http://localhost:8000/"),
        (10, "http://127.0.0.1:8000/x"),
        (11, "http://[::1]/"),
    ]


BAD = """ftp://a.example/
mailto:a@b.example
a@b.example
not a url
nothing
/path
http://
http://[
https://a.example:99999/
?
-
1.2.3
javascript:alert(1)
a.example b.example"""


@pytest.mark.parametrize("line", BAD.splitlines())
def test_a_bad_line_is_reported_with_its_number_and_the_others_count(line):
    seeds, problems = parse_seeds(f"a.example\n{line}\nb.example", "list")
    assert seeds == [(1, "https://a.example/"), (3, "https://b.example/")]
    assert len(problems) == 1
    assert problems[0].startswith("list:2: ")


def test_the_remark_says_what_is_wrong():
    _, problems = parse_seeds("ftp://a.example/\na b", "list")
    assert problems == [
        "list:1: only http and https are crawled, not ftp: 'ftp://a.example/'",
        "list:2: white space inside a URL: 'a b'",
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_line_ends_and_a_byte_order_mark_do_not_matter(end, mark):
    seeds, problems = parse_seeds(mark + end.join(["a.example", "", "b.example", ""]).encode(), "list")
    assert (seeds, problems) == ([(1, "https://a.example/"), (3, "https://b.example/")], [])


def test_a_list_in_latin_1_is_read_with_a_remark():
    seeds, problems = parse_seeds("a.example\nhttp://b.example/ü\n".encode("latin-1"), "list")
    assert [url for _, url in seeds] == ["https://a.example/", "http://b.example/%C3%BC"]
    assert problems == ["list:2: the list is no UTF-8 and was read as Latin-1; save it as UTF-8"]


@pytest.mark.parametrize(
    ("argument", "parts"),
    [
        ("https://a.example/,https://b.example/", ["https://a.example/", "https://b.example/"]),
        ("a.example, b.example ,c.example/x", ["a.example", "b.example", "c.example/x"]),
        ("https://a.example/x,y,b.example", ["https://a.example/x,y", "b.example"]),
        ("https://a.example/?at=48.2,16.4", ["https://a.example/?at=48.2,16.4"]),
        ("https://a.example/1,2\nb.example\r\n", ["https://a.example/1,2", "b.example"]),
        ("a.example,b.example:80/x,c.example?y", ["a.example", "b.example:80/x", "c.example?y"]),
        ("a.example,", ["a.example"]),
        (" ,, \n", []),
    ],
)
def test_urls_in_place_of_a_file_are_cut_at_commas_that_part_them(argument, parts):
    assert split_inline(argument) == parts


def test_a_list_is_read_from_a_file(tmp_path):
    (tmp_path / "seeds.txt").write_bytes(b"a.example\n")
    assert read_seed_source("seeds.txt", tmp_path) == (b"a.example\n", "seeds.txt")
    assert read_seed_source(str(tmp_path / "seeds.txt"), tmp_path / "no")[0] == b"a.example\n"


@pytest.mark.parametrize("name", ["missing.txt", ".", "a\0b"])
def test_a_list_that_can_not_be_read_says_where_it_was_looked_for(tmp_path, name):
    with pytest.raises(SeedError) as caught:
        read_seed_source(name, tmp_path)
    assert str(tmp_path.parent if name == "." else tmp_path) in str(caught.value)


def test_a_list_travels_with_a_package_also_inside_an_egg(tmp_path, monkeypatch):
    egg = tmp_path / "project.egg"
    with zipfile.ZipFile(egg, "w") as archive:
        archive.writestr("seedpackage/__init__.py", "")
        archive.writestr("seedpackage/lists/seeds.txt", "a.example\n")
    monkeypatch.syspath_prepend(str(egg))
    argument = "pkg:seedpackage/lists/seeds.txt"
    assert read_seed_source(argument, tmp_path) == (b"a.example\n", argument)
    for bad in ("pkg:seedpackage/lists/none.txt", "pkg:seedpackage", "pkg:nopackage/x", "pkg:", "pkg:/x"):
        with pytest.raises(SeedError, match=r"^.{20,}"):
            read_seed_source(bad, tmp_path)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_list(data):
    seeds, problems = parse_seeds(data, "list")
    assert all(canonical(url) == url for _, url in seeds)
    assert all(problem.startswith("list:") for problem in problems)


@given(st.lists(st.sampled_from(["a.example", "https://b.example/x,y", "c.example/p?q=1,2"]), max_size=5))
def test_what_is_joined_by_commas_is_parted_again(urls):
    assert split_inline(",".join(urls)) == urls
