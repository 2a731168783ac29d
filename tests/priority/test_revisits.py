"""What a visit says of a page that may come back, and how revisits are in the frontier."""

import pytest

from mediacrawl.base.terms import Candidate, Drop, End, Evidence, Kind, Lease, Outcome
from mediacrawl.base.visit import FetchFacts, Visit, VisitDecision
from mediacrawl.frontier.site_state import AGAIN
from mediacrawl.priority.hubs import Hub
from mediacrawl.priority.revisits import RevisitResult, is_revisit, revisit_result

URL = "https://a.example/shows"
DONE = Outcome(End.DONE)


def lease(kind=Kind.PAGE, via="a", hops=0):
    evidence = Evidence(via)
    return Lease(
        1, URL, "a.example", "a.example/shows", kind, 3, hops, "https://a.example/", evidence, 0, b"", 0.0, 0.0
    )


def visit(status=200, content_type="text/html", kind=Kind.PAGE, via="a", stored=0, parsed=0, found=()):
    fetch = FetchFacts(URL, kind, status=status, content_type=content_type)
    return Visit(lease(kind, via), fetch, VisitDecision(stored=stored, parsed_bytes=parsed, found=list(found)))


@pytest.mark.parametrize("kind", [Kind.PAGE, Kind.LIST])
@pytest.mark.parametrize(
    ("status", "outcome", "came"),
    [
        (200, DONE, RevisitResult.CHANGED),
        (200, Outcome(End.DROPPED, Drop.NEAR_DUPLICATE), RevisitResult.CHANGED),
        (304, DONE, RevisitResult.UNCHANGED),
        (304, Outcome(End.DROPPED, Drop.HTTP_STATUS), RevisitResult.FAILED),
        (404, Outcome(End.DROPPED, Drop.HTTP_STATUS), RevisitResult.GONE),
        (410, Outcome(End.DROPPED, Drop.HTTP_STATUS), RevisitResult.GONE),
        (403, Outcome(End.DROPPED, Drop.HTTP_STATUS), RevisitResult.FAILED),
        (503, Outcome(End.DROPPED, Drop.HTTP_STATUS), RevisitResult.FAILED),
        (301, DONE, RevisitResult.GONE),
        (302, Outcome(End.DROPPED, Drop.REDIRECT_CAP), RevisitResult.GONE),
        (200, Outcome(End.DROPPED, Drop.DUPLICATE), RevisitResult.GONE),
        (200, Outcome(End.DROPPED, Drop.CONTENT_TYPE), RevisitResult.GONE),
        (200, Outcome(End.DROPPED, Drop.NOT_WORTH), RevisitResult.FAILED),
        (0, Outcome(End.DROPPED, Drop.DOWNLOAD_ERROR), RevisitResult.FAILED),
        (0, Outcome(End.DROPPED, Drop.ROBOTS), RevisitResult.GONE),
        (0, Outcome(End.DROPPED, Drop.NEVERCRAWL), RevisitResult.GONE),
        (0, Outcome(End.DROPPED, Drop.DUST), RevisitResult.GONE),
        (503, Outcome(End.AGAIN), None),
        (0, Outcome(End.RETURNED), None),
        (200, Outcome(End.CONTINUE), None),
    ],
)
def test_a_visit_says_of_its_page_whether_it_is_there_and_whether_it_was_sent(kind, status, outcome, came):
    assert revisit_result(visit(status, kind=kind), outcome) is came


@pytest.mark.parametrize(
    "file",
    [
        visit(kind=Kind.MEDIA),
        visit(content_type="audio/mpeg"),
        visit(content_type="application/octet-stream", stored=1),
        visit(content_type="text/html", stored=1),
        visit(content_type="application/vnd.apple.mpegurl; charset=utf-8", stored=1, parsed=99),
        visit(content_type="application/json", kind=Kind.LIST, via="oembed", stored=1),
        visit(content_type="application/json", kind=Kind.LIST, via="adapter_request"),
    ],
)
def test_a_file_says_nothing_of_a_page(file):
    assert revisit_result(file, DONE) is None


@pytest.mark.parametrize(
    "listed",
    [
        visit(content_type="audio/x-mpegurl", kind=Kind.LIST, found=[Candidate(f"{URL}.mp3", "a.example")]),
        visit(content_type="application/rss+xml", kind=Kind.LIST, stored=20, parsed=99),
        visit(content_type="text/plain", stored=2, parsed=99),
        visit(content_type="", kind=Kind.LIST),
    ],
)
def test_a_list_of_files_is_none(listed):
    assert revisit_result(listed, DONE) is RevisitResult.CHANGED


def test_a_revisit_is_known_by_its_door_and_its_redirects_target_is_none():
    again = Hub.of(lease(Kind.LIST), 0.0, "https://a.example/").candidate(0.4)
    assert (again.url, again.site, again.kind, again.depth, again.score) == (URL, "a.example", Kind.LIST, 3, 0.4)
    assert (again.link_class, again.parent) == (AGAIN, "")
    assert is_revisit(lease(via=again.evidence.via))
    assert not is_revisit(lease(via=again.evidence.via, hops=1))
    assert not is_revisit(lease())
