"""What the spiders have in common that crawl beside the media crawl: a frontier of their own, and its neighbour."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.settings import BaseSettings

from mediacrawl.crawl.arguments import ArgumentError
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.shared_clocks import Neighbour
from mediacrawl.crawl.storage import REDIS, is_of_fleet, store_of
from mediacrawl.frontier import FrontierError
from mediacrawl.paths import state_folder
from mediacrawl.policies import frontier_policy
from mediacrawl.records import Outcome
from mediacrawl.spiders.probing import ProbingSpider

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class BesideSpider(ProbingSpider):
    """Asks for what is known beforehand, by a frontier of its own.

    That is ``frontier.db`` in a folder within the state folder. The clocks of a media crawl in the same state folder
    hold for both (`crawl.shared_clocks.Neighbour`), and only one of the two runs at a time.
    """

    # There is nothing to learn.
    custom_settings = {"PRIORITY": "rules"}  # noqa: RUF012 - as Scrapy declares it
    follows = False

    folder: ClassVar[str] = ""
    """Name of its folder within the state folder."""
    errors: ClassVar[tuple[type[Exception], ...]] = (FrontierError,)
    """What its own files raise; the message is one sentence that ends the crawl."""

    def __init__(self, crawler: Crawler, **kwargs: Any) -> None:
        super().__init__(crawler, **kwargs)
        self._neighbour: Neighbour | None = None

    @classmethod
    def own_folder(cls, settings: BaseSettings) -> Path:
        """Where its frontier lies.

        Raises:
            ArgumentError: the media crawl's frontier is in Redis, where it cannot be looked into.
        """
        if store_of(settings) == REDIS or is_of_fleet(settings):
            raise ArgumentError(
                f"{cls.name} asks sites beside the crawl, and keeps their delays with the frontier of one machine "
                "only; beside a fleet or with SCHEDULER_STORE = 'redis' it cannot see what the workers ask, so it does"
                " not start"
            )
        return state_folder(settings) / cls.folder

    @classmethod
    def move(cls, parts: CrawlContext) -> None:
        """Give a crawl the frontier of its own, in which sites have no budget: all that is asked for is to be asked.

        Raises:
            ArgumentError: see `own_folder`.
        """
        parts.frontier_folder = cls.own_folder(parts.settings)
        parts.policy = replace(parts.policy, budget=0)

    def _meet_neighbour(self) -> None:
        """Open the media crawl's frontier, which keeps the budgets of its sites.

        Raises:
            FrontierError: a crawl is working on it, or it cannot be used.
        """
        policy = frontier_policy(self.crawler.settings)
        self._neighbour = Neighbour.of(self._parts.folder, policy, self._parts.clock.now())

    def _introduce(self, site: str) -> None:
        if self._neighbour is not None:
            self._neighbour.introduce(site, self.scheduler.frontier, self._parts.clock.now())

    def _is_left_alone(self, site: str) -> bool:
        return self._neighbour is not None and self._neighbour.leaves_alone(site)

    def _tell_neighbour(self, site: str, outcome: Outcome) -> None:
        if self._neighbour is not None:
            self._neighbour.tell(site, outcome, self._parts.clock.now())

    def _leave_neighbour(self) -> None:
        if self._neighbour is not None:
            self._neighbour.close()

    @contextmanager
    def _stopping(self) -> Iterator[None]:
        """End the crawl with one sentence when a file of ours cannot be read or written."""
        try:
            yield
        except self.errors as error:
            self.scheduler.stop("store_error", error)
