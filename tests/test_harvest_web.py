"""The synthetic web of the harvest benchmark: a function of its seed, spelled canonically, the same over HTTP."""

import os
import random
import subprocess
import sys
from collections import Counter
from datetime import date
from heapq import heappop, heappush
from http.client import HTTPConnection
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.append(str(BENCHMARKS))

from harvest_kinds import KINDS  # noqa: E402
from harvest_server import Pen, mp3, seeds, with_port  # noqa: E402
from harvest_sites import FRONT, GET, ITEM  # noqa: E402
from harvest_web import Web  # noqa: E402

from mediacrawl.base.notes import NoNotes  # noqa: E402
from mediacrawl.base.terms import Drop  # noqa: E402
from mediacrawl.extract import Fingerprint, parse_list, parse_page  # noqa: E402
from mediacrawl.extract.lists import list_form  # noqa: E402
from mediacrawl.scope import Base, Duplicates, Scope, canonical, host_of  # noqa: E402

SITES = 400
KINDS_OF_ANSWERS = {"page", "list", "media", "gone", "redirect", "fake"}


@pytest.fixture(scope="module")
def web():
    return Web(5, SITES)


@pytest.fixture(scope="module")
def walked(web):
    """URL -> answer, for 1,000 URLs reached from all front pages: by chance, and every fourth beside media."""
    even, near, answers = list(web.seeds(SITES)), [], {}
    chance = random.Random(1)
    while len(answers) < 1000:
        url = heappop(near)[2] if near and not len(answers) % 4 else even[chance.randrange(len(even))]
        if url in answers:
            continue
        answer = answers[url] = web.fetch(url)
        found = [link.url for link in answer.links] + [answer.location] * bool(answer.location)
        even += found
        for there in found:
            heappush(near, (abs(web.distance(there) - 1), chance.random(), there))
    return answers


def links_of(walked):
    return {link for answer in walked.values() for link in answer.links}


FETCH = """
import sys
sys.path.append(sys.argv[1])
from harvest_web import Web
web = Web(5, 400)
for line in sys.stdin:
    print(web.fetch(line[:-1]))
"""


def test_the_web_is_a_function_of_its_seed_in_every_process(walked):
    urls = list(walked)[:500]
    environment = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONIOENCODING": "utf-8"}
    asked = "".join(f"{url}\n" for url in reversed(urls))
    command = [sys.executable, "-c", FETCH, str(BENCHMARKS)]
    answers = subprocess.check_output(command, input=asked, env=environment, encoding="utf-8")
    assert answers.splitlines() == [str(walked[url]) for url in reversed(urls)]


def test_every_link_is_spelled_canonically_and_leads_to_a_host_of_the_web(web, walked):
    addresses = web.addresses()
    for link in links_of(walked):
        assert canonical(link.url) == link.url
        assert host_of(link.url) in addresses


def test_scope_refuses_calendars_and_facets_only(walked):
    scope = Scope(today=lambda: date(2026, 11, 21))
    reasons = Counter(scope.check(link.url) for link in links_of(walked))
    assert set(reasons) <= {None, Drop.TRAP_CALENDAR, Drop.TRAP_FACETS}
    assert reasons[None] > 0.95 * reasons.total()


def test_links_lead_where_the_web_has_something(walked):
    kinds = Counter(answer.kind for answer in walked.values())
    assert set(kinds) == KINDS_OF_ANSWERS
    assert kinds["gone"] < 0.1 * kinds.total()
    assert 0.002 * kinds.total() < kinds["redirect"] < 0.05 * kinds.total()


@given(st.data())
def test_a_site_reads_what_it_has_spelled(data):
    world = Web(5, SITES)._world
    site = world.site(data.draw(st.integers(0, SITES - 1)))
    if site.outline.kind == "open directory":
        role, number = ITEM, data.draw(st.integers(0, site.items - 1))
    else:
        role = data.draw(st.sampled_from([role for role in range(FRONT, GET + 1) if site.count(role)]))
        number = data.draw(st.integers(0, site.count(role) - 1))
    url = site.spelling.page(role, number)
    assert canonical(url) == url
    assert site.spelling.read(url.removeprefix(site.base)) == (role, number, 0)
    item, track = data.draw(st.integers(0, site.items - 1)), data.draw(st.integers(0, site.files - 1))
    file = site.spelling.file(item, track)
    owner = world.of_files(world.by_host(host_of(file)), file.partition(host_of(file))[2])
    assert owner is site
    assert owner.spelling.read(file.partition(host_of(file))[2])[1:] == (item, track)


@given(st.integers(0, SITES - 1), st.text(max_size=40), st.sampled_from(["", "?p=", "calendar/", "catalogue?", "1/"]))
def test_any_url_has_an_answer(number, path, before):
    web = Web(5, SITES)
    answer = web.fetch(f"{web.seeds(SITES)[number]}{before}{path}")
    assert answer.kind in KINDS_OF_ANSWERS


@pytest.mark.slow
def test_the_default_web_has_what_the_benchmark_is_about():
    world = Web(1)._world
    assert {outline.shown_as for outline in world.outlines} == set(KINDS)
    sites = [world.site(number) for number in range(8000)]
    rich = [site for site in sites if site.mask]
    assert 0.03 * 8000 <= len(rich) <= 0.06 * 8000
    hinting = sum(any(word in site.outline.host for word in site.words.hosts) for site in rich)
    assert 0.35 <= hinting / len(rich) <= 0.65
    assert sum(site.pages for site in sites) > 2_000_000


def test_chance_finds_little_and_who_knows_all_finds_much():
    web, chance = Web(11), random.Random(1)
    queue, seen, found = list(web.seeds()), set(web.seeds()), set()
    for _ in range(1000):
        place = chance.randrange(len(queue))
        queue[place], queue[-1] = queue[-1], queue[place]
        answer = web.fetch(queue.pop())
        found |= {answer.nugget} - {""}
        queue += [link.url for link in answer.links if not (link.url in seen or seen.add(link.url))]
    assert len(found) < 15
    heap, seen, found = [(web.distance(url), url) for url in web.seeds()], set(web.seeds()), set()
    for _ in range(1000):
        answer = web.fetch(heappop(heap)[1])
        found |= {answer.nugget} - {""}
        for link in answer.links:
            if link.url not in seen:
                seen.add(link.url)
                heappush(heap, (web.distance(link.url), link.url))
    assert len(found) > 300


# -- over HTTP ---------------------------------------------------------------------------------------------------


def told(answer):
    """What a crawl should read of a page: URL and door, and of ordinary links their text; each with its path."""
    return [(link.url, link.anchor, link.path, link.via) for link in answer.links]


def read(body, url, port):
    page = parse_page(body, with_port(url, port))
    found = []
    for link in page.links:
        there = Base(page.base).canonical(link.href).replace(f":{port}/", "/", 1)
        found.append((there, page.anchor(link), page.path(link), link.via))
    return page, found


def test_pages_over_http_have_the_same_links_with_the_same_words_in_the_same_places(web, walked):
    pen = Pen(8123)
    pages = {url: answer for url, answer in walked.items() if answer.kind in {"page", "fake"}}
    assert {link.via for answer in pages.values() for link in answer.links} == {"a", "audio", "feed"}
    for url, answer in list(pages.items())[:300]:
        _, found = read(pen.page(url, answer, web.text(url, answer)), url, 8123)
        assert found == told(answer)


def test_feeds_over_http_name_the_same_files_and_pages(web, walked):
    feeds = {url: answer for url, answer in walked.items() if answer.kind == "list"}
    assert len(feeds) > 2
    for url, answer in feeds.items():
        body = Pen(80).feed(answer, web.text(url, answer))
        form = list_form("application/rss+xml", body, url)
        links = parse_list(form, body, url).links
        listed = [(link.href.replace(":80/", "/"), link.title, "", link.via) for link in links]
        assert sorted(listed) == sorted(told(answer))


def test_the_rules_on_duplicates_take_no_page_for_another(web, walked):
    pen, duplicates, verdicts = Pen(8123), Duplicates(NoNotes()), Counter()
    for url, answer in walked.items():
        site = web._world.by_host(host_of(url))
        if answer.kind == "page" and site.outline.kind != "parked" and not site.is_soft:
            page, _ = read(pen.page(url, answer, web.text(url, answer)), url, 8123)
            media = [link.href for link in page.links if link.via == "audio" or link.href.endswith(".mp3")]
            verdicts[duplicates.judge(site.outline.host, url, Fingerprint.of(page, media))] += 1
    assert verdicts[None] > 400
    assert verdicts.total() - verdicts[None] < 0.01 * verdicts.total()


@given(st.text("0123456789abcdef-", min_size=1, max_size=30), st.text("0123456789abcdef-", min_size=1, max_size=30))
def test_a_recording_is_the_same_file_everywhere_and_no_other(one, other):
    assert mp3(one, "http://a.example/1.mp3") == mp3(one, "http://b.example/2.mp3")
    assert (mp3(one, "") == mp3(other, "")) is (one == other)
    assert (mp3("", one) == mp3("", other)) is (one == other)


@pytest.fixture(scope="module")
def served():
    """A server's process and its port."""
    command = [sys.executable, str(BENCHMARKS / "harvest_server.py"), "--seed", "5", "--sites", str(SITES)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process, int(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


def test_the_server_serves_the_web_and_says_how_often_a_site_was_asked(web, walked, served):
    process, port = served
    connection = HTTPConnection("127.0.0.1", port, timeout=20)

    def get(url, **headers):
        host = host_of(url)
        connection.request("GET", url.partition(host)[2], headers={"Host": f"{host}:{port}", **headers})
        answer = connection.getresponse()
        return answer, answer.read()

    assert seeds(web, port, 1)[0] == with_port(web.seeds(1)[0], port)
    asked = dict(list(walked.items())[:150])
    for url, expected in asked.items():
        answer, body = get(url)
        kinds = {"page": "text/html", "fake": "text/html", "list": "application/rss+xml", "media": "audio/mpeg"}
        status = {"gone": 404, "redirect": 301}.get(expected.kind, 200)
        assert answer.status == status
        if status == 200:
            assert answer.getheader("Content-Type").startswith(kinds[expected.kind])
        if expected.location:
            assert answer.getheader("Location") == with_port(expected.location, port)
        if expected.kind == "page":
            assert read(body, url, port)[1] == told(expected)
    file = next(url for url in walked if walked[url].nugget)
    answer, body = get(file, Range="bytes=0-99")
    assert (answer.status, body) == (206, mp3(walked[file].nugget, file)[:100])
    assert get(f"{web.seeds(1)[0]}robots.txt")[0].status == 404
    connection.close()
    # No site was asked again before as many requests as there are sites between.
    assert 0 <= int(process.communicate(timeout=20)[0]) < 200
    assert process.returncode == 0
