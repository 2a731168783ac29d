"""What pages show, in numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.extract import Fingerprint, parse_page
from mediacrawl.extract.fingerprint import _majority

URL = "https://site.example/dir/page.html"
LINES = [f"Line {number} of a page about the river and the radio" for number in range(200)]


def taken(html, media=(), url=URL, **arguments):
    return Fingerprint.of(parse_page(html.encode(), url), media, **arguments)


def page(lines, head=""):
    return f"<html><head><title>A page</title>{head}</head><body>" + "".join(f"<p>{line}</p>" for line in lines)


def distance(one, other):
    return (one.shape ^ other.shape).bit_count()


@pytest.mark.parametrize(
    "other",
    [
        page(LINES, "<script>var now = 4711;</script><style>p { color: red }</style>"),
        page(LINES).replace("<p>", "<p class='x'  id=5>"),
        page(LINES) + "<!-- served by node 7 -->",
        page(LINES) + "<script>document.write('a')</script>",
    ],
)
def test_what_nobody_sees_does_not_count(other):
    first, second = taken(page(LINES)), taken(other)
    assert first.text == second.text
    assert first.length == second.length


@pytest.mark.parametrize(
    "other",
    [
        page(LINES[:-1]),
        page([*LINES, "one more"]),
        page(LINES) + "<img src=a.png>",
        page(LINES) + "</body></html>behind the end",
    ],
)
def test_what_is_seen_counts(other):
    assert taken(page(LINES)).text != taken(other).text


def test_two_pages_that_differ_in_nothing_but_their_file_are_two():
    first, second = taken(page(LINES), ["/a.mp3"]), taken(page(LINES), ["/b.mp3"])
    assert first.text != second.text
    assert first.media != second.media != 0
    assert first.shape == second.shape


def test_the_same_relative_reference_in_two_folders_is_two_files():
    first, second = taken(page(LINES), ["a.mp3"]), taken(page(LINES), ["a.mp3"], "https://site.example/other/")
    assert first.media != second.media
    rooted = [taken(page(LINES), ["/a.mp3"], f"https://site.example/{folder}/") for folder in "ab"]
    assert rooted[0].text == rooted[1].text


def test_where_there_is_hardly_any_text_the_folder_counts():
    thumbnails = "<a href=1><b>1</b></a><a href=2><b>2</b></a>"
    first, second = (taken(thumbnails, url=f"https://site.example/{folder}/") for folder in "ab")
    assert first.text != second.text
    first, second = (taken(thumbnails, url=f"https://site.example/{folder}/", thin=0) for folder in "ab")
    assert first.text == second.text


def linked(*hrefs, head=""):
    return taken(page(LINES, head) + "".join(f"<a href='{href}'>Listen</a>" for href in hrefs)).text


@pytest.mark.parametrize(
    ("hrefs", "others"),
    [
        (["/show/1", "/show/2"], ["/show/3", "/show/4"]),
        (["/show/1", "/show/2"], ["/show/1", "/show/3"]),
        (["/show/1", "/show/2"], ["show/1", "show/2"]),
        (["/show?id=1", "/show?id=2"], ["/show?id=3", "/show?id=4"]),
        (["/show?id=1&sid=a", "/show?id=2&sid=a"], ["/show?id=3&sid=a", "/show?id=4&sid=a"]),
        (["https://a.example/1", "/2"], ["https://b.example/1", "/2"]),
    ],
)
def test_pages_with_other_links_are_two(hrefs, others):
    assert linked(*hrefs) != linked(*others)


@pytest.mark.parametrize(
    ("hrefs", "others"),
    [
        (["/1", "/2"], ["/2", "/1"]),
        (["/1?sid=a", "/2?sid=a"], ["/1?sid=b", "/2?sid=b"]),
        (["/1?a=1&ref=x7", "/2"], ["/1?ref=q9&a=1", "/2"]),
        (["/show?id=1&sid=a", "/show?id=2&sid=a"], ["/show?sid=b&id=1", "/show?sid=b&id=2"]),
        (["/login?back=/a", "/1"], ["/login?back=/b", "/1"]),
        (["/1?sid=4k3j", "/2?sid=9f8g"], ["/1?sid=0a1b", "/2?sid=3c4d"]),
    ],
)
def test_parameters_that_do_not_tell_links_apart_make_no_other_page(hrefs, others):
    assert linked(*hrefs) == linked(*others)


def test_the_name_of_a_page_in_its_head_makes_no_other_page():
    heads = (f"<link rel=canonical href=/{name}><link rel=next href=/{name}2>" for name in "ab")
    assert len({linked("/1", head=head) for head in heads}) == 1


def test_what_names_the_missing_file_can_be_left_out():
    sorry = "<h1>Sorry</h1><p>There is no {} here</p>"
    first, second = (taken(sorry.format(name), without=(name,)) for name in ("a.mp3", "b.mp3"))
    assert (first.text, first.shape) == (second.text, second.shape)


@pytest.mark.parametrize("lines", [LINES[:20], [" " * 3000, "a", " " * 3000]])
def test_white_space_does_not_count_in_a_short_text(lines):
    first, second = taken(page(lines)), taken(page(lines).replace("<p>", "<p>\n\t  "))
    assert first.text == second.text
    assert first.length == second.length == len("".join(["Apage", *lines]).replace(" ", ""))


def test_ten_new_titles_below_a_long_menu_turn_few_bits_of_the_simhash_but_many_of_the_odd_sketch():
    menu = [f"Entry {number} of the menu" for number in range(600)]
    first, *others = (taken(page([*menu, *(f"Title {n} {archive}" for n in range(10))])) for archive in range(20))
    assert min(distance(first, other) for other in others) <= 3
    assert min((first.lines ^ other.lines).bit_count() for other in others) > 6


def test_another_line_turns_two_bits_of_the_odd_sketch_at_most():
    first = taken(page(LINES))
    for number in range(0, 200, 20):
        other = taken(page([*LINES[:number], "something else", *LINES[number + 1 :]]))
        assert (first.lines ^ other.lines).bit_count() in (0, 2)


@pytest.mark.parametrize("before", [1_000, 3_000, 9_000])
def test_a_line_at_the_end_of_a_long_page_counts(before):
    first, second = (taken(page([f"Line {number}." for number in range(before)] + [end])) for end in ("one", "two"))
    assert (first.shape ^ second.shape).bit_count() <= 3
    assert first.lines != second.lines


def test_a_page_in_which_little_differs_has_nearly_the_same_shape():
    first = taken(page(LINES))
    near = [taken(page([*LINES[:number], "something else", *LINES[number + 1 :]])) for number in range(0, 200, 20)]
    assert sorted(distance(first, other) for other in near)[5] <= 3
    assert all(first.text != other.text for other in near)


def test_a_page_in_which_much_differs_has_another_shape():
    first = taken(page(LINES))
    for number in range(5):
        other = taken(page([*LINES[:100], *(f"{number} {line}" for line in LINES[100:])]))
        assert distance(first, other) > 6


@pytest.mark.parametrize(
    "html", ["", "\0", "<", "<html>", "<svg/>", "<p>" * 5000, "\ud83d".encode("utf-16", "surrogatepass")]
)
def test_any_page_has_a_fingerprint(html):
    body = html if isinstance(html, bytes) else html.encode()
    shown = Fingerprint.of(parse_page(body, URL), [])
    assert 0 <= shown.text < 1 << 64
    assert 0 <= shown.shape < 1 << 64
    assert shown.media == 0


def test_a_fingerprint_is_the_same_in_every_process():
    shown = taken("<p>Radio</p>", ["/a.mp3"])
    assert shown.text == 0xC842609E18948D12
    assert shown.media == 0xC03739A412942F5A
    assert shown.shape == 0x14B8B61B0E712E9B


@given(st.lists(st.integers(0, (1 << 64) - 1), min_size=1, max_size=70))
def test_the_majority_of_each_bit_is_counted_right(words):
    joined = sum(word << 64 * place for place, word in enumerate(words))
    counted = sum((2 * sum(word >> bit & 1 for word in words) > len(words)) << bit for bit in range(64))
    assert _majority(joined, len(words)) == counted


def test_a_fingerprint_shows_itself():
    assert repr(Fingerprint(255, 1, 7)) == "Fingerprint(0xff, media=0x1, length=7)"
