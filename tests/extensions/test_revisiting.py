"""The door to revisits, told of visits by the scheduler of a crawl without a network, on a clock of the test's own."""

from random import Random
from types import SimpleNamespace

import pytest
from reactor_thread import wait_for
from scrapy import Request, Spider, signals
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from mediacrawl.base.terms import Drop, End, Evidence, Kind, Nugget, Outcome
from mediacrawl.base.visit import VISIT, FetchFacts, Visit
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.failures import RefusedRequest
from mediacrawl.extensions import Revisiting
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.site_state import AGAIN
from mediacrawl.frontier.sqlite.tables import UrlRow
from mediacrawl.middlewares import RedirectCapMiddleware, SeenMiddleware
from mediacrawl.priority.hubs import DAY, Hubs, Posterior
from mediacrawl.priority.revisits import FRONT, is_revisit
from mediacrawl.scheduler import PenaltyBoxScheduler
from mediacrawl.scope.candidates import candidate

NOW = 1_700_000_000.0
FRONT_PAGE, SHOWS, SONG = "http://a.example/", "http://a.example/shows", "http://a.example/1.mp3"


class ListeningSpider(Spider):
    name = "media"
    makes_requests_of_leases = True
    revisit = 0.0


class Told:
    """A crawl of which the frontier, the scheduler and the extension `Revisiting` are there.

    Attributes:
        now: what the crawl's clock says, seconds since the epoch.
        asked: the leases so far.
    """

    def __init__(self, folder, revisit=1.0, is_ours=True, **settings):
        self.now = NOW
        ours = {"SCHEDULER": "mediacrawl.scheduler.PenaltyBoxScheduler", "SCHEDULER_STORE": "memory"}
        ours |= {"PRIORITY": "rules", "EXTENSIONS_BASE": {}, "MEDIACRAWL_CONTACT": "http://localhost/tests"}
        # Chance decides nothing here: neither who is asked, nor which rates are drawn.
        ours |= {"FRONTIER_EXPLORE": 0.0}
        self.crawler = get_crawler(ListeningSpider, {**ours, "MEDIACRAWL_DIR": str(folder), **settings})
        self.context = CrawlContext.of(self.crawler)
        self.context.clock = SimpleNamespace(now=lambda: self.now, offset=None)
        self.crawler.spider = ListeningSpider()
        self.crawler.spider.revisit, self.crawler.spider.makes_requests_of_leases = revisit, is_ours
        self.crawler.spider.scope = self.context.scope()
        self.context.open()
        self.scheduler = PenaltyBoxScheduler.from_crawler(self.crawler)
        wakes = SimpleNamespace(schedule=lambda: None)
        slot = SimpleNamespace(inprogress=set(), nextcall=wakes, closing=None)
        self.crawler.engine = SimpleNamespace(scheduler=self.scheduler, _slot=slot)
        self.door = Revisiting.from_crawler(self.crawler)
        self.door._rng = Random(1)
        self.send(signals.spider_opened)
        self.asked = []

    def send(self, signal, **told):
        async def sent():
            answers = self.crawler.signals.send_catch_log(signal, **told)
            assert all(answer is None for _, answer in answers), answers

        wait_for(sent)

    @property
    def frontier(self):
        return self.context.frontier

    @property
    def hubs(self):
        return self.context.hubs

    def stat(self, name):
        return self.scheduler._context.counted[f"revisit/{name}"]

    def found(self, url, parent="", kind=None):
        return candidate(url, Evidence(), self.context.scores, kind, depth=1 if parent else 0, parent=parent)

    def take(self):
        """The next lease, when its site may be requested."""
        self.now = max(self.now, self.frontier.next_release())
        (lease,) = self.frontier.take(self.now, 1)
        self.asked.append(lease)
        return lease

    def end(self, lease, status=200, links=(), finds=0, etag="", outcome=None):
        """A visit's answer comes, and what it found joins."""
        visit = Visit(lease, FetchFacts(lease.url, lease.kind, sent=self.now, response_time=0.1, status=status))
        visit.fetch.content_type = "audio/mpeg" if lease.kind is Kind.MEDIA else "text/html"
        headers = {"ETag": etag} if etag else {}
        request = Request(lease.url, meta={VISIT: visit})
        self.send(
            signals.response_received,
            response=HtmlResponse(lease.url, status, headers, request=request),
            request=request,
            spider=None,
        )
        visit.decision.outcome = outcome or Outcome(End.DONE)
        visit.decision.found = [self.found(url, lease.url) for url in links]
        visit.decision.nuggets = [Nugget(f"{lease.url} {number}") for number in range(finds)]
        visit.decision.stored = visit.decision.earned = finds
        visit.decision.reward = float(finds)
        self.scheduler.end(visit)

    def hub(self, url=SHOWS, etag='"1"'):
        """A page is visited, and the file that it names: it is a hub then, and its host's front page."""
        self.scheduler.add([self.found(url)])
        self.end(self.take(), links=[url + ".mp3"], etag=etag)
        self.end(self.take(), finds=1)
        assert self.hubs.get(url) is not None
        return url

    def lively(self, *urls):
        """Let these hubs, and no others, be worth a visit in a day."""
        for bucket in self.hubs._hubs._buckets:
            for hub in bucket.values():
                hub.learn(Posterior(1e3 if hub.url in urls else 1e-9, 1e3))

    def look(self, days=1.0):
        """Some time passes, and the door looks who is due; answers the waiting URLs then, by URL."""
        self.now += days * DAY
        self.door._add_due()
        return {found.url: found for found in self.rows}

    def again_class(self):
        """Name, score and URLs of the class of revisits on a.example."""
        return next(found for found in self.frontier.site("a.example").classes if found[0] == AGAIN)

    @property
    def rows(self):
        self.frontier.commit()
        rows = self.frontier._db.execute(
            "SELECT site.name, class.name, seq, url, facts FROM"
            " (SELECT class, seq, url, facts FROM url UNION ALL"
            " SELECT class, seq, url, facts FROM inbox) AS waiting JOIN class ON class.id = waiting.class"
            " JOIN site ON site.id = class.id >> 8 WHERE seq NOT IN (SELECT seq FROM lease)"
        )
        return [UrlRow(seq, url, facts).read(site, name, 0.0)[0] for site, name, seq, url, facts in rows]


@pytest.fixture
def told(tmp_path):
    told = Told(tmp_path)
    yield told
    told.send(signals.spider_closed)


def test_a_page_that_led_to_a_find_waits_anew_in_a_class_of_its_own(told):
    url = told.hub()
    told.lively(url)
    waiting = told.look()
    assert set(waiting) == {url}
    again = waiting[url]
    assert (again.link_class, again.evidence.via, again.kind, again.depth) == (AGAIN, AGAIN, Kind.PAGE, 0)
    assert told.again_class() == (AGAIN, pytest.approx(1.0, rel=0.3), 1)
    assert told.look() == waiting
    assert (told.stat("joined"), told.frontier.counts().again) == (1, 1)


def test_it_is_asked_under_the_condition_that_its_last_answer_gave(told):
    url = told.hub(etag='"1"')
    told.lively(url)
    for etag in ("", '"2"', '"3"'):
        told.look()
        told.end(told.take(), etag=etag)
        assert told.hubs.conditional(url) == ({"If-None-Match": etag} if etag else {})
        told.lively(url)
    told.look()
    told.end(told.take(), status=304)
    assert told.hubs.conditional(url) == {"If-None-Match": '"3"'}
    assert (told.stat("changed"), told.stat("unchanged")) == (3, 1)


def test_a_find_behind_a_page_that_came_back_is_credited_to_it_and_an_old_one_is_not(told):
    url = told.hub()
    told.lively(url)
    told.look()
    told.end(told.take(), links=["http://a.example/new.mp3"])
    before = told.hubs.get(url).posterior.a
    told.end(told.take(), finds=1)
    assert told.hubs.get(url).posterior.a == pytest.approx(before + 1.0)
    told.scheduler.add([told.found("http://a.example/old.mp3", url)])
    told.end(told.take(), finds=1)
    assert told.hubs.get(url).posterior.a == pytest.approx(before + 1.0)


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (404, Outcome(End.DROPPED, Drop.HTTP_STATUS)),
        (301, Outcome(End.DONE)),
        (0, Outcome(End.DROPPED, Drop.ROBOTS, asked=False)),
        (200, Outcome(End.DROPPED, Drop.CONTENT_TYPE)),
    ],
)
def test_a_page_that_is_gone_comes_back_no_more(told, status, outcome):
    url = told.hub()
    told.lively(url)
    told.look()
    told.end(told.take(), status=status, outcome=outcome)
    assert told.hubs.get(url) is None
    assert told.stat("gone") == 1
    assert url not in told.look(days=60)


def test_a_page_that_could_not_be_had_brought_nothing_and_comes_back(told):
    url = told.hub(etag='"1"')
    told.lively(url)
    told.look()
    told.end(told.take(), status=500, outcome=Outcome(End.AGAIN))
    assert told.stat("failed") == 0
    told.end(told.take(), status=500, outcome=Outcome(End.DROPPED, Drop.HTTP_STATUS))
    assert (told.stat("failed"), told.hubs.conditional(url)) == (1, {"If-None-Match": '"1"'})
    told.lively(url)
    assert set(told.look()) == {url}


def test_a_page_that_may_not_join_by_now_is_forgotten(told):
    url = told.hub()
    told.lively(url)
    told.crawler.spider.scope = told.context.scope(only_sites=frozenset({"b.example"}))
    assert told.look() == {}
    assert told.hubs.get(url) is None


# -- front pages -------------------------------------------------------------------------------------------------


def test_a_front_page_that_nobody_found_joins_as_any_url_and_comes_back_afterwards(told):
    told.hub()
    told.lively(FRONT_PAGE)
    front = told.look()[FRONT_PAGE]
    assert (front.link_class, front.evidence.via) == ("a.example/", FRONT)
    assert (told.stat("fronts"), told.stat("joined"), told.frontier.counts().again) == (1, 0, 0)
    told.end(told.take(), links=["http://a.example/archive"])
    # All that it shows is new to us, and none of that is news.
    assert told.hubs.get(FRONT_PAGE).left == 0.0
    told.lively(FRONT_PAGE)
    assert told.look()[FRONT_PAGE].link_class == AGAIN
    assert told.stat("joined") == 1


def test_a_front_page_that_waits_for_its_first_visit_does_not_wait_twice(told):
    told.scheduler.add([told.found(FRONT_PAGE)])
    told.frontier.set_scores("a.example", {"a.example/": -1.0})
    url = told.hub()
    told.lively(FRONT_PAGE)
    assert set(told.look()) == {FRONT_PAGE}
    # Meanwhile another page of the site may come.
    told.lively(url)
    assert set(told.look()) == {FRONT_PAGE, url}
    assert len(told.rows) == 2
    assert told.stat("fronts") == 0


@pytest.mark.parametrize("status", [200, 404])
def test_a_front_page_that_ended_long_ago_comes_back_unless_nothing_was_there(told, status):
    told.scheduler.add([told.found(FRONT_PAGE)])
    told.end(told.take(), status=status)
    # So many pages later, or after a restart, it is not remembered.
    told.context.hubs = Hubs(told.frontier)
    told.hub()
    told.lively(FRONT_PAGE)
    assert set(told.look()) == ({FRONT_PAGE} if status == 200 else set())


# -- how many ----------------------------------------------------------------------------------------------------


def hosts(told, number):
    """Hubs of so many sites."""
    urls = [told.hub(f"http://h{each}.example/shows") for each in range(number)]
    told.lively(*urls)
    return urls


def test_while_others_wait_they_are_a_share_of_the_visits(tmp_path):
    told = Told(tmp_path, revisit=0.25)
    hosts(told, 10)
    told.scheduler.add([told.found(f"http://b.example/{number}") for number in range(40)])
    assert len([url for url in told.look() if "shows" in url]) == 5, "20 visits before"
    told.look()
    assert told.stat("joined") == 5
    for visit in range(1, 13):
        told.end(told.take())
        told.look(days=0)
        assert told.stat("joined") == 5 + visit // 4
    told.send(signals.spider_closed)


def test_when_nothing_else_is_left_the_share_does_not_bind(tmp_path):
    told = Told(tmp_path, revisit=0.05)
    urls = hosts(told, 10)
    assert set(told.look()) == set(urls)
    assert told.scheduler.has_pending_requests()
    told.send(signals.spider_closed)


def test_for_what_waits_on_a_paused_site_nobody_waits(told):
    hosts(told, 2)
    told.frontier.pause("h0.example")
    told.look()
    assert told.stat("joined") == 2
    told.scheduler.add([told.found("http://b.example/1")])
    assert told.frontier.pending() > told.hubs.pending


# -- on and off --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("revisit", "is_ours"), [(0.0, True), ("a stranger's argument", False), (None, False)])
def test_without_the_argument_nothing_is_kept(tmp_path, revisit, is_ours):
    told = Told(tmp_path, revisit=revisit, is_ours=is_ours)
    told.scheduler.add([told.found(SHOWS)])
    told.end(told.take(), links=[SONG])
    told.end(told.take(), finds=1)
    assert told.context.hubs is None
    assert not told.scheduler.has_pending_requests()
    told.send(signals.spider_closed)


def test_what_takes_the_place_of_a_revisit_is_none(told, monkeypatch):
    hub, plain = told.hub(SHOWS + "?from=rss"), "http://a.example/plain"
    told.lively(hub)
    told.look()
    # Learned since: the parameter changes nothing.
    monkeypatch.setattr(told.context.duplicates, "waiting", lambda site, url: (Drop.DUST, plain))
    lease = told.take()
    assert lease.url == hub
    visit = Visit.of(lease)
    with pytest.raises(RefusedRequest):
        SeenMiddleware.from_crawler(told.crawler).process_request(Request(lease.url, meta={VISIT: visit}))
    told.scheduler.end(visit)
    assert told.stat("gone") == 1
    lease = told.take()
    assert (lease.url, lease.evidence) == (plain, Evidence())
    assert not is_revisit(lease)
    told.end(lease)
    assert told.stat("gone") == 1
    assert told.stat("changed") == 0


def test_the_target_of_a_revisits_redirect_is_a_found_url(told):
    hub = told.hub()
    told.lively(hub)
    told.look()
    lease = told.take()
    assert is_revisit(lease)
    visit = Visit(lease, FetchFacts(lease.url, lease.kind, sent=told.now, status=301))
    request = Request(lease.url, meta={VISIT: visit})
    answer = HtmlResponse(lease.url, 301, {"Location": "/moved"}, request=request)
    told.crawler.spider.admit = lambda found: True
    RedirectCapMiddleware.from_crawler(told.crawler).process_response(request, answer)
    told.scheduler.end(visit)
    lease = told.take()
    assert (lease.url, lease.evidence) == ("http://a.example/moved", Evidence(requested_url=hub))


def test_without_our_scheduler_it_is_off(tmp_path):
    with pytest.raises(NotConfigured):
        Told(tmp_path, SCHEDULER="scrapy.core.scheduler.Scheduler")


def test_what_the_frontier_cannot_keep_stops_the_crawl(told, monkeypatch):
    told.hub()
    told.lively(SHOWS)
    error, stopped = FrontierError("the disk is full"), []

    def fails(*_):
        raise error

    monkeypatch.setattr(told.scheduler, "stop", lambda *why: stopped.append(why))
    # There is no event loop here in which the crawl could be closed.
    monkeypatch.setattr("mediacrawl.crawl.housekeeping.call_later", lambda *_: None)
    monkeypatch.setattr(told.frontier, "rejoin", fails)
    told.look()
    monkeypatch.setattr(told.hubs, "save", fails)
    told.look()
    assert stopped[0] == stopped[-1] == ("frontier_error", error)


def test_what_was_learned_is_written_at_each_look_and_at_the_end(tmp_path):
    told = Told(tmp_path, SCHEDULER_STORE="sqlite")
    urls = hosts(told, 30)
    told.door._add_due()
    told.frontier.commit()
    some = len(Hubs(told.frontier))
    assert 0 < some < 60
    told.scheduler.close("finished")
    told.send(signals.spider_closed)
    again = Told(tmp_path, SCHEDULER_STORE="sqlite")
    assert len(again.hubs) == 60
    assert all(again.hubs.get(url) is not None for url in urls)
    again.scheduler.close("finished")
    again.send(signals.spider_closed)
