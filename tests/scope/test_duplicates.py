"""What was seen before: copies, near copies, soft 404s, facets, and all of them together."""

import itertools
import random

import pytest

from mediacrawl.base.notes import NoNotes
from mediacrawl.base.terms import Drop
from mediacrawl.extract import Fingerprint
from mediacrawl.scope import DuplicatePolicy, Duplicates
from mediacrawl.scope.duplicates import Copies, Facets, SoftErrors, is_named_copy, of_a_copy
from mediacrawl.scope.urls import Spelling

SITE, HOST = "site.example", "https://site.example"
NAMESPACES = ("copies", "parameters", "facets", "soft_404")


def shown(name, shape=None, media=0, length=1000):
    random_bits = random.Random(name).getrandbits
    return Fingerprint(random_bits(64), media, length, random_bits(64) if shape is None else shape)


# -- copies ------------------------------------------------------------------------------------------------------


def test_the_second_page_that_shows_the_same_is_a_copy():
    copies = Copies(NoNotes())
    assert copies.judge(SITE, f"{HOST}/1", shown("a")) is None
    assert copies.judge(SITE, f"{HOST}/2", shown("b")) is None
    assert copies.judge(SITE, f"{HOST}/3", shown("a")) is Drop.DUPLICATE
    assert copies.judge("other.example", f"{HOST}/3", shown("a")) is None


def test_a_page_is_no_copy_of_itself():
    copies = Copies(NoNotes())
    assert [copies.judge(SITE, f"{HOST}/1", shown("a")) for _ in range(3)] == [None] * 3
    assert copies.judge(SITE, f"{HOST}/1", shown("a", shape=7)) is None


def near(copies, shape, **other):
    """The verdict on a page, after two that were as long, so that shapes are known."""
    copies.judge(SITE, f"{HOST}/1", shown("a", shape=0xFF00))
    copies.judge(SITE, f"{HOST}/2", shown("b", shape=0xABCD << 40))
    return copies.judge(SITE, f"{HOST}/3", shown("c", shape=shape, **other))


@pytest.mark.parametrize(
    ("shape", "other", "verdict"),
    [
        ((0xABCD << 40) ^ 0b111, {}, Drop.NEAR_DUPLICATE),
        ((0xABCD << 40) ^ 0b1111, {}, None),
        (0xABCD << 40, {"media": 5}, None),
        (0xABCD << 40, {"length": 499}, None),
        (0xABCD << 40, {"length": 1020}, Drop.NEAR_DUPLICATE),
        (0xABCD << 40, {"length": 1100}, None),
    ],
)
def test_a_near_copy_differs_in_three_bits_at_most_and_in_no_file(shape, other, verdict):
    assert near(Copies(NoNotes()), shape, **other) is verdict


def test_only_the_last_pages_of_a_site_are_kept(notes):
    copies = Copies(notes, pages=20)
    for number in range(100):
        copies.judge(SITE, f"{HOST}/{number}", shown(number))
    assert copies.judge(SITE, f"{HOST}/200", shown(99)) is Drop.DUPLICATE
    assert copies.judge(SITE, f"{HOST}/200", shown(79)) is None
    assert sum(map(len, notes.values())) < 20 * 48


def test_copies_are_known_after_a_kill_but_for_the_last_seven_pages(notes):
    copies = Copies(notes)
    for number in range(100):
        copies.judge(SITE, f"{HOST}/{number}", shown(number))
    again = Copies(notes)
    assert [again.judge(SITE, f"{HOST}/{1000 + number}", shown(number)) for number in range(93)] == [
        Drop.DUPLICATE
    ] * 93


def test_a_clean_stop_loses_nothing(notes):
    duplicates = Duplicates(notes)
    pages = [
        (site, f"https://{site}{path}", shown(f"{site}{path}"))
        for site in "abc"
        for path in ("/", "/1", "/2", "/3", "/4")
    ]
    for page in pages:
        duplicates.judge(*page)
    written = dict(notes)
    duplicates.save()
    assert notes != written
    again = Duplicates(notes)
    assert [again.judge(site, f"{url}?again", page) for site, url, page in pages] == [Drop.DUPLICATE] * len(pages)


def test_what_is_saved_twice_is_written_once(notes):
    duplicates = Duplicates(notes)
    duplicates.judge(SITE, f"{HOST}/", shown("a"))
    duplicates.save()
    notes.clear()
    duplicates.save()
    assert notes == {}


def test_a_near_copy_leads_on_unless_all_that_is_new_looks_like_copies(notes):
    duplicates = Duplicates(notes)
    for number in range(3):
        verdict = duplicates.judge(SITE, f"{HOST}/month/{number}", shown(number, shape=7))
    assert verdict is Drop.NEAR_DUPLICATE
    months, event = [link(0, f"{HOST}/month/8"), link(1, f"{HOST}/month/9?view=2")], link(2, f"{HOST}/event/1")
    elsewhere, song = link(3, "https://other.example/event/1"), link(4, f"{HOST}/month/1.mp3")
    assert duplicates.leading_on(SITE, months) == []
    assert duplicates.leading_on(SITE, [*months, event]) == [*months, event]
    assert duplicates.leading_on(SITE, [*months, elsewhere]) == [elsewhere]
    assert duplicates.leading_on(SITE, [*months, song]) == [*months, song]


@pytest.mark.parametrize("page", ["/list/{}", "/calendar?from={}", "/tag/{}/more/"])
def test_pages_that_differ_in_their_links_alone_are_none_until_they_lead_only_to_their_like(notes, page):
    copies = Copies(notes)
    texts = [Fingerprint(number, 0, 1000, 0xABC, 0xDEF) for number in range(40)]
    verdicts = [copies.judge(SITE, HOST + page.format(number), text) for number, text in enumerate(texts)]
    assert verdicts == [None] * 20 + [Drop.DUPLICATE] * 20


def test_a_list_is_followed_as_far_as_it_leads_to_other_pages(notes):
    copies = Copies(notes)
    for number in range(100):
        assert copies.judge(SITE, f"{HOST}/list/{number}", Fingerprint(number, 0, 1000, 0xABC, 0xDEF)) is None
        for each in range(6):
            assert copies.judge(SITE, f"{HOST}/show/{number}-{each}", shown(f"{number}-{each}")) is None


def test_a_site_that_leaves_the_memory_loses_nothing(notes):
    copies = Copies(notes)
    copies.judge(SITE, f"{HOST}/1", shown("a"))
    for number in range(3000):
        copies.judge(f"site{number}.example", f"{HOST}/1", shown("a"))
    assert copies.judge(SITE, f"{HOST}/2", shown("a")) is Drop.DUPLICATE


# -- soft 404 ----------------------------------------------------------------------------------------------------


def test_the_second_page_of_its_kind_in_place_of_media_is_a_soft_404(notes):
    errors = SoftErrors(notes)
    assert not errors.is_one(SITE, shown("sorry"))
    assert errors.is_one(SITE, shown("sorry"))
    assert errors.is_one(SITE, shown("sorry, it is 12:05", shape=shown("sorry").shape ^ 3))
    assert not errors.is_one(SITE, shown("File:Song.ogg"))
    assert not errors.is_one("other.example", shown("sorry"))
    assert SoftErrors(notes).is_one(SITE, shown("sorry"))


def test_the_front_page_in_place_of_media_is_a_soft_404(notes):
    errors = SoftErrors(notes)
    errors.front_page(SITE, shown("welcome"))
    assert errors.is_one(SITE, shown("welcome"))
    assert not errors.is_one(SITE, shown("welcome and listen", shape=shown("welcome").shape, media=7))


def test_pages_without_text_are_no_soft_404_of_each_other(notes):
    errors = SoftErrors(notes)
    assert [errors.is_one(SITE, shown(name, shape=0, length=0)) for name in "ab"] == [False, False]


# -- facets ------------------------------------------------------------------------------------------------------


def follow(facets, urls):
    return sum(not facets.beyond(SITE, [url]) for url in urls)


def queries(**values):
    for combination in itertools.product(*values.values()):
        query = "&".join(f"{name}={value}" for name, value in zip(values, combination, strict=True) if value != "")
        yield f"{HOST}/shop?{query}"


DIGITS = ["", *range(9)]


def test_filters_upon_filters_end_at_the_limit():
    urls = [url for url in queries(a=DIGITS, b=DIGITS, c=DIGITS) if "&" in url]
    assert follow(Facets(NoNotes(), limit=300), urls) == 300 < len(urls)


def test_a_calendar_by_day_month_and_year_ends_too():
    days = queries(d=range(1, 29), m=range(1, 13), y=range(1990, 2020))
    # The first day of the month has 360 months, which are two filters only.
    assert follow(Facets(NoNotes(), limit=300), days) == 361


@pytest.mark.parametrize(
    "urls",
    [
        [f"{HOST}/topic?f={n % 5}&start={n % 3}&t={n}" for n in range(2000)],
        [f"{HOST}/list?page={n // 8}&section={n % 8}" for n in range(2000)],
        [f"{HOST}/show?a=1&b=2&c=3&id={n}" for n in range(2000)],
        [f"{HOST}/{n}?a={n % 7}&b={n % 5}&c={n % 3}" for n in range(2000)],
        [f"{HOST}/get.mp3?a={n % 7}&b={n % 5}&c={n % 13}&d={n % 11}" for n in range(2000)],
    ],
)
def test_what_has_an_identifier_or_too_few_filters_goes_on(urls):
    assert follow(Facets(NoNotes(), limit=300), urls) == len(urls)


def test_filters_whose_pages_lead_to_something_new_go_on(notes):
    duplicates = Duplicates(notes, DuplicatePolicy(combinations=50))
    days = list(queries(d=range(1, 6), m=range(1, 6), y=range(5)))

    def followed(new):
        pages = [days[0]]
        for page, after in itertools.pairwise(days):
            if page == pages[-1]:
                found = [link(0, after), link(1, f"{page.partition('?')[0]}{new(page)}")]
                links, _ = duplicates.sift(page, found, unknown())
                pages += [url.key for _, url in links if url.key == after]
        return len(pages)

    assert followed(lambda _: "?d=1") < 60
    duplicates = Duplicates(notes, DuplicatePolicy(combinations=50))
    assert followed(lambda page: f"/{page.partition('?')[2].replace('&', '-')}.html") == len(days)


def test_the_count_goes_on_after_a_kill_and_is_bounded(notes):
    urls = [url for url in queries(a=DIGITS, b=DIGITS, c=DIGITS) if "&" in url]
    assert follow(Facets(notes), urls[:200]) == 200
    assert follow(Facets(notes), urls[200:]) == 100
    for number in range(500):
        Facets(notes).beyond(SITE, [f"{HOST}/{number}?a={number}&b={number}&{number}={number}"])
    assert sum(map(len, notes.values())) < 50_000


# -- together ----------------------------------------------------------------------------------------------------


def link(place, key, requested=""):
    return place, Spelling(key, requested or key)


def unknown(*known):
    return lambda urls: [url for url in urls if url.removeprefix(HOST) not in known]


def test_links_are_reduced_before_they_are_looked_up(notes):
    duplicates = Duplicates(notes)
    for page in "abc":
        for value in range(4):
            duplicates.judge(SITE, f"{HOST}/{page}?ref={page}{value}", shown(page))
    links = [
        link(0, f"{HOST}/a?ref=3"),
        link(1, f"{HOST}/new?a=1&b=2&ref=1", f"{HOST}/new?b=2&ref=1&a=1"),
        link(2, f"{HOST}/new?a=1&b=2&ref=2"),
        link(3, f"{HOST}/old"),
        link(4, f"{HOST}/x"),
    ]
    kept, drops = duplicates.sift(HOST + "/", links, unknown("/a", "/old"))
    assert sorted(kept) == [link(1, f"{HOST}/new?a=1&b=2", f"{HOST}/new?b=2&a=1"), link(4, f"{HOST}/x")]
    assert drops == {Drop.DUST: 2}
    known = Spelling(f"{HOST}/b?a=1&c=2&ref=9", f"{HOST}/b?c=2&ref=9&a=1")
    assert duplicates.waiting(SITE, known) == (Drop.DUST, Spelling(f"{HOST}/b?a=1&c=2", f"{HOST}/b?c=2&a=1"))
    assert duplicates.waiting(SITE, Spelling(f"{HOST}/b", f"{HOST}/b"))[0] is None


def test_each_rule_can_be_switched_off(notes):
    policy = DuplicatePolicy(pages=0, dust_pages=0, combinations=0, soft_404=False)
    duplicates = Duplicates(notes, policy)
    for number in range(400):
        url = f"{HOST}/?a={number % 7}&b={number % 9}&c={number % 11}"
        assert duplicates.judge(SITE, url, shown("a")) is None
        assert duplicates.sift(HOST + "/", [link(0, url)], unknown()) == ([link(0, url)], {})
        assert duplicates.judge_stand_in(SITE, shown("a")) is None
    assert notes == {}


@pytest.mark.parametrize(
    "note", [b"", b"\xc1", b"\x01", b"\x80", b"\x91\x01", b"\x95\x01\x02\x03\x04\x05", b"\x92\x01\x02"]
)
def test_broken_notes_are_as_good_as_none(notes, note):
    for key in (SITE, "", *(f"{number:x}" for number in range(3))):
        notes.update({(room, key): note for room in NAMESPACES})
    duplicates = Duplicates(notes)
    assert duplicates.judge(SITE, f"{HOST}/?a=1&b=2", shown("a")) is None
    assert duplicates.judge_stand_in(SITE, shown("b")) is None
    links = [link(0, f"{HOST}/?a=1&b=2")]
    assert duplicates.sift(HOST + "/", links, unknown())[0] == links


@pytest.mark.parametrize(
    ("page", "original", "is_believed"),
    [
        ("http://a.example/song?ref=1", "http://a.example/song", True),
        ("http://a.example/print/song", "http://a.example/song", True),
        ("http://www.a.example/song", "https://a.example/song", True),
        ("http://a.example/?ref=1", "http://a.example/", True),
        # The page itself, another host, or the front page that broken templates name everywhere.
        ("http://a.example/song", "http://a.example/song", False),
        ("http://a.example/song", "http://b.example/song", False),
        ("http://a.example/song", "http://m.a.example/song", False),
        ("http://a.example/song", "http://a.example/", False),
        ("http://a.example/song?x=1", "http://a.example/?home", False),
        ("http://a.example/song", None, False),
    ],
)
def test_a_page_is_believed_to_be_a_copy_if_it_names_another_of_its_host(page, original, is_believed):
    assert is_named_copy(page, original) is is_believed


def test_of_such_a_copy_the_original_and_media_are_followed():
    original = "http://a.example/song"
    urls = ["http://a.example/next", original, "http://b.example/x.mp3", "http://b.example/x"]
    links = [(place, Spelling(url, url)) for place, url in enumerate(urls)]
    assert of_a_copy(links, original) == [links[1], links[2]]
