"""mediacrawl finds audio and video files on the web, politely, and reads their metadata from a few kilobytes.

This is the life of a URL, with the module of each step. ``docs/architecture.md`` has the same as a diagram,
``docs/glossary.md`` the terms.

From a link to a request
========================

A seed, or a link on a page, gives a URL. The request carries it as it was written; it is compared by its canonical
form (`scope.urls`). `scope.Scope` accepts it, or drops it for a named reason (`base.terms.Drop`): scheme, length,
file extension, traps, NeverCrawl lists (`scope.exclusions`), the sites that the crawl keeps to.

The **frontier** stores an accepted URL that is new, in the queue of its **link class** on its **site**
(`priority.links`, `frontier`). Only link classes have scores. `priority.adaptive` computes them from what the
crawl has learned, and `frontier.order` makes ranks of them. After each request a site waits in the **penalty box**
(`frontier.sqlite.front`), a priority queue by release time. Of the sites that are released the best rank is next, and
within a rank the one that has been due longest.

`scheduler.PenaltyBoxScheduler` takes the first URL of the site's best class under a **lease** (`crawl.leases`) and
makes a Scrapy request of it. The engine sends it at once; no request waits in the downloader.

The request passes `middlewares.NeverCrawlMiddleware` and `middlewares.RobotsMiddleware`. The first request of an
authority (scheme, host, port) is its robots.txt, and the site's delay applies to it. `middlewares.AddressMiddleware`
looks up the address and returns the lease if another site uses that address now (`politeness.address_clocks`).
`download.http_handler.PoliteHTTPHandler` connects to the address that `politeness.addresses.Guard` has allowed, and to
no other. Nearly each request needs a new connection, so it has a client of its own (`download.http_client`), which
resumes the site's TLS session.

From a response to a record
===========================

`middlewares.CutMiddleware` ends a download when enough bytes were received. `middlewares.AdaptiveDelayMiddleware`
notes status and headers. `reading.response` decides what the response is, and one reader of `reading` reads it:

* A **page** gives links with their evidence, and facts about media (`reading.page_reader`, `extract`). A copy of a
  known page gives nothing (`scope.duplicates`). A page without a correct declaration of its encoding is decided as a
  whole (`encoding.DecodedDocument`).
* A **feed, sitemap or playlist** gives links and facts (`reading.list_reader`).
* The answer to a **data request** gives media with facts (`reading.adapter_reader`). Some sites show their media by
  scripts only. A **site adapter**, a file of the user's, maps the URL of such a page to small requests that its scripts
  would make (`site_adapters`). `middlewares.SiteAdapterMiddleware` ends the page's lease without a request, and the
  data request waits in the frontier in its place. After a miss the page is requested (`crawl.data_requests`).
* A **media file** is probed (`probe`): 16 KB of its head by HTTP Range, then only the ranges that its container
  points to. Each range is a visit of its own, after the site's delay. The result is an item (`record.item`): technical
  facts, tracks, chapters, pictures, and the bytes of each tag.

Tags are often in another encoding than they declare. `pipelines.MojibakePipeline` decides with trigram models which
one it is (`encoding`), and keeps the **evidence**: bytes, encodings, confidence. `pipelines.CataloguePipeline` stores
the item (`store.catalogue`). What a second page, feed or list says of a file that has a record is added to it
(`record.Description`).

The end of a visit
==================

Every response, error and refusal ends in `crawl.leases.Leases.end`. In one transaction the URL gets its outcome, the
site its release time (`politeness.delay`), and new links are added. A record is stored before its lease ends, so a
kill can repeat a visit but loses no record. A site that fails repeatedly waits longer, then rests, and at last is
retired (`politeness.delay`). A redirect ends the visit too; its target is a new URL with a hop count
(`middlewares.RedirectCapMiddleware`).

The nugget function judges each record (`priority.nuggets`). Its reward is shared among the links that led to it
(`priority.visits`), and link classes and a small model learn from it (`priority.adaptive`, `priority.learner`). With
``-a revisit=yes`` pages that led to nuggets are requested again, by the rate of their news (`priority.revisits`).

Each request leaves a line in the request log (`log.request_log`). ``scrapy complaint`` computes from that log
whether a site was treated politely (`programs.complaint`).

`extensions.StatusFile` writes the state of the crawl each second, and samples of it. ``scrapy report`` makes a page of
that state, the request log, the catalogue and the frontier (`watch`, `programs.report`), also while the crawl runs and
after a kill. ``scrapy top`` shows the state in a terminal.

Other ways to run it
====================

* `spiders.feeds.FeedsSpider` polls feeds, each as often as it changes (`crawl.polled_sources`).
  `programs.recheck.spider.RecheckSpider` probes records of low confidence once more.
* ``SCHEDULER_STORE = redis``: several workers share one frontier (`frontier.redis`); ``mediacrawl fleet`` runs them
  on one machine (`programs.fleet`).
* ``scrapy frontier`` shows and changes a frontier (`programs.frontier_tools`), also while the crawl runs.
  ``scrapy segment`` makes seeds of the stored links (`programs.segment`).
* ``mediacrawl.describe`` gives the record of one file, without a crawl (`reading.describing.describe`).
* ``scrapy demojibake`` repairs the texts of stored items again (`programs.rerun`), and the tags of music files
  (`programs.music`).

Packages that decide (`base`, `log`, `encoding`, `extract`, `site_adapters`, `probe`, `record`, `store`, `politeness`,
`frontier`, `priority`, `scope`) import neither Scrapy nor Twisted. The others connect them to Scrapy.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import IO, Any

__version__ = "0.2.0"


class DescribeError(Exception):
    """There is no record. The message is a sentence: the source, and what is wrong with it."""


def describe(
    source: str | os.PathLike[str] | bytes | IO[bytes],
    *,
    contact: str = "",
    allow: Iterable[str] = (),
    timeout: float = 30.0,
) -> dict[str, Any]:
    """The record of one media file, as a crawl would store it, with repaired texts and the evidence.

    Of a file or URL at most 256 KB are read, in at most six pieces. A URL is requested at once and by HTTP Range, like
    one that a user opens in a browser: robots.txt is not read, and no delay is kept. To probe many files of one site,
    use a crawl or ``scrapy probe``. Redirects are followed three times. Each connection goes to an address that was
    checked before; private networks and this machine are refused. Proxies are not used. A file behind prefixes that
    count downloads is requested directly, and the URL as given where that fails. It may be called in any thread,
    and while an event loop or a reactor runs, which it blocks.

    Args:
        source: a path, an http or https URL, the bytes of a file or of its beginning, or a file opened in binary mode.
            An open file is read from its start, and its position is restored.
        contact: URL of a page or a mail address of yours, for the User-Agent.
        allow: networks, addresses and names outside the public web that may be requested, as ``GUARD_ALLOW``; a string
            is one of them.
        timeout: seconds that all requests for a URL may take together.

    Returns:
        The fields of `record.MediaItem`; what is not known is None.

    Raises:
        DescribeError: the source cannot be read, or is neither audio nor video.
        TypeError: the source is of another type.
    """
    # The models take a while to import, and nothing else needs them here.
    record: dict[str, Any] = import_module("mediacrawl.reading.describing").describe(
        source, contact=contact, allow=allow, timeout=timeout
    )
    return record


def __getattr__(name: str) -> object:
    """Import the Scrapy add-on `addon.MediaCrawl` when it is requested: Scrapy takes a while to import."""
    if name == "MediaCrawl":
        return import_module("mediacrawl.addon").MediaCrawl
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_TYPED = {
    "handler": "download.http_handler",
    "late_commands": "commands.late",
    "records": "record",
    "resolver": "download.resolver",
    "segment": "programs.segment",
    "spark": "programs.rerun.spark",
}
"""Modules that users name in settings and scripts, and where they are."""


class _TypedNames(MetaPathFinder, Loader):
    """Finds a module by the name that users type; it is the same object as the module itself.

    It is asked last, for what is no module by its own name.
    """

    def find_spec(self, name: str, *__: object) -> ModuleSpec | None:
        """Return the specification of a module whose name is one that users type."""
        package, _, module = name.rpartition(".")
        if package != __name__ or module not in _TYPED:
            return None
        return ModuleSpec(name, self, origin=f"{__name__}.{_TYPED[module]}")

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module itself."""
        module = import_module(str(spec.origin))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own specification again, which the import system has replaced."""
        typed = module.__spec__
        assert typed is not None
        module.__spec__ = typed.loader_state


sys.meta_path.append(_TypedNames())
