"""Links as they are found, and as they are leased."""

from mediacrawl.priority.link_class import link_class
from mediacrawl.records import Candidate, Evidence, Kind, Lease


def found(url, parent="http://start.example/", anchor="", path="", kind=Kind.PAGE, via="a"):
    site = url.partition("://")[2].partition("/")[0]
    return Candidate(url, site, link_class(url), kind, parent=parent, evidence=Evidence(via, anchor, path=path))


def leased(candidate, number=1):
    return Lease(
        id=number,
        url=candidate.url,
        site=candidate.site,
        link_class=candidate.link_class,
        kind=candidate.kind,
        depth=candidate.depth,
        hops=candidate.hops,
        parent=candidate.parent,
        evidence=candidate.evidence,
        attempt=0,
        state=b"",
        delay=0.0,
        taken=0.0,
    )
