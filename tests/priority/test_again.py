"""What a visit says of a page that may come back, and how revisits stand in the frontier."""

import pytest

from mediacrawl.priority.again import AGAIN, Came, came_to, candidate_of, is_again, page_of
from mediacrawl.priority.hub import Again, Page
from mediacrawl.records import Candidate, Drop, End, Evidence, Kind, Lease, Outcome, Visit

URL = "https://a.example/shows"
DONE = Outcome(End.DONE)


def lease(kind=Kind.PAGE, via="a", hops=0):
    evidence = Evidence(via)
    return Lease(
        1, URL, "a.example", "a.example/shows", kind, 3, hops, "https://a.example/", evidence, 0, b"", 0.0, 0.0
    )


def visit(status=200, content_type="text/html", kind=Kind.PAGE, via="a", stored=0, found=()):
    return Visit(
        lease(kind, via), URL, kind, status=status, content_type=content_type, stored=stored, found=list(found)
    )


@pytest.mark.parametrize("kind", [Kind.PAGE, Kind.LIST])
@pytest.mark.parametrize(
    ("status", "outcome", "came"),
    [
        (200, DONE, Came.CHANGED),
        (200, Outcome(End.DROPPED, Drop.NEAR_DUPLICATE), Came.CHANGED),
        (304, DONE, Came.UNCHANGED),
        (304, Outcome(End.DROPPED, Drop.HTTP_STATUS), Came.FAILED),
        (404, Outcome(End.DROPPED, Drop.HTTP_STATUS), Came.GONE),
        (410, Outcome(End.DROPPED, Drop.HTTP_STATUS), Came.GONE),
        (403, Outcome(End.DROPPED, Drop.HTTP_STATUS), Came.FAILED),
        (503, Outcome(End.DROPPED, Drop.HTTP_STATUS), Came.FAILED),
        (301, DONE, Came.GONE),
        (302, Outcome(End.DROPPED, Drop.REDIRECT_CAP), Came.GONE),
        (200, Outcome(End.DROPPED, Drop.DUPLICATE), Came.GONE),
        (200, Outcome(End.DROPPED, Drop.CONTENT_TYPE), Came.GONE),
        (200, Outcome(End.DROPPED, Drop.NOT_WORTH), Came.FAILED),
        (0, Outcome(End.DROPPED, Drop.DOWNLOAD_ERROR), Came.FAILED),
        (0, Outcome(End.DROPPED, Drop.ROBOTS), Came.GONE),
        (0, Outcome(End.DROPPED, Drop.NEVERCRAWL), Came.GONE),
        (0, Outcome(End.DROPPED, Drop.DUST), Came.GONE),
        (503, Outcome(End.AGAIN), None),
        (0, Outcome(End.RETURNED), None),
        (200, Outcome(End.CONTINUE), None),
    ],
)
def test_a_visit_says_of_its_page_whether_it_is_there_and_whether_it_was_sent(kind, status, outcome, came):
    assert came_to(visit(status, kind=kind), outcome) is came


@pytest.mark.parametrize(
    "file",
    [
        visit(kind=Kind.MEDIA),
        visit(content_type="audio/mpeg"),
        visit(content_type="application/octet-stream", stored=1),
        visit(content_type="application/vnd.apple.mpegurl; charset=utf-8", stored=1),
        visit(content_type="application/json", kind=Kind.LIST, via="oembed", stored=1),
    ],
)
def test_a_file_says_nothing_of_a_page(file):
    assert came_to(file, DONE) is None


@pytest.mark.parametrize(
    "listed",
    [
        visit(content_type="audio/x-mpegurl", kind=Kind.LIST, found=[Candidate(f"{URL}.mp3", "a.example")]),
        visit(content_type="application/rss+xml", kind=Kind.LIST, stored=20),
        visit(content_type="", kind=Kind.LIST),
    ],
)
def test_a_list_of_files_is_none(listed):
    assert came_to(listed, DONE) is Came.CHANGED


def test_a_revisit_is_known_by_its_door_and_its_redirects_target_is_none():
    again = candidate_of(Again(URL, "a.example", Kind.LIST, "a.example/shows", 3, 0.4))
    assert (again.url, again.site, again.kind, again.depth, again.score) == (URL, "a.example", Kind.LIST, 3, 0.4)
    assert (again.link_class, again.parent) == (AGAIN, "")
    assert is_again(lease(via=again.evidence.via))
    assert not is_again(lease(via=again.evidence.via, hops=1))
    assert not is_again(lease())


def test_a_page_is_told_as_it_was_leased():
    page = page_of(lease(Kind.LIST), "https://a.example/")
    assert page == Page(URL, "a.example", Kind.LIST, "a.example/shows", 3, "https://a.example/")
