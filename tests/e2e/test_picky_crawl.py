"""A real crawl of hosts that answer only requests with a certain header, judged by the server's log."""

import crawling
import pytest
from crawling import Crawl
from judging import Verdict
from picky_web import FORMS, HOSTS, PickyWeb

READ = ("done", 1)


@pytest.fixture(scope="module")
def web():
    with PickyWeb() as web:
        yield web


@pytest.fixture(scope="module")
def crawl(web, tmp_path_factory):
    crawl = Crawl(web, tmp_path_factory.mktemp("picky"))
    web.seeds = [web.url(name) for name in HOSTS if name not in {"other-site", "hotlinked"}]
    web.seeds += [web.url(name, "/private/x") for name in FORMS] + [web.url("robots-behind-it", "/private/x")]
    web.seeds += [web.url("garbled", f"/{number}") for number in range(3)]
    return crawl.run(BACKOFF_MAX=0.3)


@pytest.fixture(scope="module")
def log(crawl, web):
    """Of each host what it was asked, without robots.txt: path, status, cookie, Referer."""
    found = {}
    for entry in web.settled_log():
        if not entry.path.startswith("/robots.txt"):
            facts = (entry.path, entry.status, entry.headers.get("cookie", ""), entry.headers.get("referer", ""))
            found.setdefault(entry.host.removesuffix(".example"), []).append(facts)
    return found


def visits(log, name):
    return [(path, status, cookie) for path, status, cookie, _ in log[name]]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("to-itself", [("/page", 302, ""), ("/page", 200, "seen=1")]),
        ("to-itself-otherwise-written", [("/page", 307, ""), ("/page", 200, "a=b=c")]),
        ("there-and-back", [("/page", 302, ""), ("/set", 302, ""), ("/page", 200, "id=7")]),
        ("there-with-it", [("/page", 302, ""), ("/check", 302, "id=7"), ("/page", 200, "id=7")]),
        ("by-another-site", [("/page", 302, ""), ("/page", 200, "id=7")]),
        ("other-site", [("/back", 302, "")]),
    ],
)
def test_a_redirect_back_that_sets_a_cookie_is_followed_once_more_with_it(log, name, expected):
    assert visits(log, name) == expected


@pytest.mark.parametrize(("name", "most"), [("never-pleased", 2), ("never-pleased-there", 3)])
def test_it_is_followed_once_more_and_never_again(log, name, most):
    paths = [path for path, *_ in visits(log, name)]
    assert len(paths) == most
    assert paths.count("/page") == 2


@pytest.mark.parametrize("name", ["without-a-cookie", "takes-it-back", "for-tls-only"])
def test_without_a_cookie_that_may_be_sent_it_is_not_followed(log, name):
    assert visits(log, name) == [("/page", 302, "")]


def test_no_cookie_is_stored_or_sent_to_another_url(log, crawl):
    sent = {name for name, entries in log.items() for _, _, cookie, _ in entries if cookie}
    expected = {"to-itself", "to-itself-otherwise-written", "there-and-back", "there-with-it", "by-another-site"}
    assert sent == expected | {"never-pleased", "never-pleased-there"}
    for file in (crawl.folder / "state").rglob("*"):
        assert not file.is_file() or b"seen=1" not in file.read_bytes(), file


def test_a_robots_txt_behind_a_cookie_is_read(web, crawl, log):
    requests = [entry for entry in web.settled_log() if entry.host == "robots-behind-it.example"]
    asked = [entry for entry in requests if entry.path == "/robots.txt"]
    assert [(entry.status, entry.headers.get("cookie", "")) for entry in asked] == [(302, ""), (200, "seen=1")]
    assert visits(log, "robots-behind-it") == [("/page", 200, "")]
    assert Verdict(crawl).of(web.url("robots-behind-it", "/private/x"))[0] == "robots"


@pytest.mark.parametrize(("name", "status"), [("not-acceptable", 406), ("unsupported", 415)])
def test_after_406_and_415_a_page_is_asked_for_once_more_without_an_encoding(web, crawl, log, name, status):
    assert [each[1] for each in log[name]] == [status, 200]
    assert Verdict(crawl).of(web.url(name)) == ("done", 2)


def test_a_file_is_asked_for_without_the_header(log):
    found = [(path, status) for path, status, *_ in log["no-header-or-packed"]]
    assert found == [("/page", 200), ("/one.mp3", 406), ("/one.mp3", 200)]


def test_another_406_is_the_answer(log):
    assert [each[1] for each in log["never-acceptable"]] == [406, 406]


def test_a_host_whose_packed_answer_cannot_be_read_is_asked_for_plain_ones(web, crawl):
    asked = [e.headers["accept-encoding"] for e in web.settled_log() if e.host == "garbled.example"]
    assert asked.count("gzip, deflate") == 1
    assert {Verdict(crawl).of(web.url("garbled", f"/{number}"))[0] for number in range(3)} == {"done"}


def test_a_request_names_the_page_that_linked_there_as_browsers_do(web, log):
    own = web.url("linking")
    origin = own.removesuffix("page")
    assert {(path, referer) for path, _, _, referer in log["linking"]} == {
        ("/page", ""),
        ("/own.mp3", own),
        ("/next?a=b", own),
    }
    assert {(status, referer) for _, status, _, referer in log["hotlinked"]} == {(200, origin)}


def test_every_request_has_an_accept_language(web, crawl):
    assert {entry.headers.get("accept-language") for entry in web.settled_log()} == {"*,en;q=0.5"}


@pytest.mark.parametrize("name", [name for name in FORMS if name != "soft-missing"])
def test_a_robots_txt_in_another_form_binds(web, crawl, name):
    verdict = Verdict(crawl)
    assert verdict.of(web.url(name)) == READ
    assert verdict.of(web.url(name, "/private/x")) == ("robots", 0)


def test_a_page_in_place_of_robots_txt_allows_everything(web, crawl):
    assert Verdict(crawl).of(web.url("soft-missing", "/private/x")) == READ


def test_no_site_was_asked_sooner_than_its_delay(crawl):
    gaps = list(crawl.gaps())
    assert len(gaps) > 30
    assert [gap for gap in gaps if gap[0] < crawling.MIN_DELAY - crawling.CLOCK] == []


@pytest.mark.parametrize(
    ("name", "what"),
    [("utf-sixteen", "in UTF-16, not in UTF-8"), ("rich-text", "Rich Text (RTF), not plain text"), ("wrapped", "HTML")],
)
def test_the_letter_names_what_is_wrong_with_a_robots_txt(crawl, name, what):
    done = crawl.command("complaint", f"{name}.example")
    assert f"The file is {what}" in done.stdout
