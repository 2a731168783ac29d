"""Links as they are found, and as they are leased."""

from mediacrawl.base.terms import Candidate, Evidence, Kind
from mediacrawl.frontier.site_state import lease_of
from mediacrawl.politeness.delay import Clocks
from mediacrawl.priority.links import link_class


def found(url, parent="http://start.example/", anchor="", path="", kind=Kind.PAGE, via="a"):
    site = url.partition("://")[2].partition("/")[0]
    return Candidate(url, site, link_class(url), kind, parent=parent, evidence=Evidence(via, anchor, path=path))


def leased(candidate, number=1):
    return lease_of(candidate, number, Clocks(), 0.0, attempt=0, state=b"", even=False)
