"""mediacrawl finds audio and video files on the web, politely, and reads what they say about themselves.

The life of a URL
=================

A **seed** or a link on a page gives a URL. It is requested as it was written (`scope.url_standard`), and known by its
canonical form, the key for everything that compares URLs (`scope.canonical`). `scope.Scope` decides whether it may
join: scheme, length, extension, traps, NeverCrawl, the crawl's own borders. A URL that may not is counted under
the name of its reason (`records.Drop`).

The **frontier** stores it, if it was never seen, with its **site** (the registrable domain), in the FIFO of its **link
class** there ("links of this shape on this host", `priority.link_class`). Only classes have scores
(`priority.adaptive`: what the crawl has learned), and of scores ranks are made (`frontier.order`). A site is ready,
leased, or waiting in the **penalty box** (`frontier.penalty_box.PenaltyBox`), a heap ordered by release time; beyond
some thousands sites wait on disk, in the same order (`frontier.sqlite.front`). When its release time has come the box
lets it go. Of the ready sites the best rank goes first, and in it who has been due longest.
`scheduler.PenaltyBoxScheduler` takes the head of its best class under a **lease** and makes a Scrapy request of it,
which the engine sends at once: nothing waits in the downloader. A site that has had its budget of requests and shown no
media is **retired**. When a NeverCrawl list changes, what waits for its new entries is dropped (`scope.exclusions`).

On its way out the request passes `middlewares.NeverCrawlMiddleware` and `middlewares.RobotsMiddleware`. The first
request of an authority (scheme, host, port) is its robots.txt, and it pays the delay like any visit: the page waits in
the frontier meanwhile. `middlewares.AddressMiddleware` looks up where the request would go (`resolver.HostsResolver`);
if that address is asked by another site, or was a moment ago, the lease goes back until its turn has come
(`politeness.address_clocks`). `handler.PoliteHTTPHandler` connects to the address that `politeness.guard.Guard` has
judged, and to no other, and sends a request once only. What is refused there ends, and joins again once GUARD_ALLOW
allows more (`frontier.refused`). The scheduler measures how long the site takes to answer,
`middlewares.AdaptiveDelayMiddleware` notes what it says against us, and `middlewares.CutMiddleware` ends a download
when enough of it has come.

Whatever comes back **finishes** the lease: in one write the URL gets its end and the site its new release time
(`politeness.delay`). What spoke against the site (429, 5xx, a timeout, a failure of TLS or DNS) doubles its delay; in
numbers it makes the site **rest** until a probe decides, and at last **retires** it (`politeness.backoff`). A
**redirect** is finished there too (`middlewares.RedirectCapMiddleware`); its target joins like
any found URL, carrying its hop count, and the fourth hop is dropped.

`spiders.media.MediaSpider` reads the rest. What broke off in transit is read as far as it came, and asked again
(`politeness.retry.after_cut`). A page, feed or list that does not say which encoding it is in, or says a wrong one, is
decided whole (`encoding.document`). A page that was seen under another name ends there (`scope.duplicates`:
copies, mirrors, parameters that change nothing). A page gives links with their evidence and media facts (`extract`),
a feed, a sitemap or a playlist likewise (`spiders.list_reader`); what is played and has no file that may be asked
becomes a record at once, and so does a manifest, whose pieces are never asked for. Where a page says too little of such
a player its site is asked for more (oEmbed).
A media file is **probed** (`probe.Probe`): 16 KB of its head by Range, then only the ranges its container asks for,
each a visit of its own that waits for the site's delay; of a server that gives no ranges, one larger head. The file is
walked through in a thread (`spiders.file_reader`). The probe gives raw tag bytes and technical facts, an **item**; so
do the headers of a stream that has no end (`probe.streams`).

Its tags may claim one encoding and hold another. `pipelines.MojibakePipeline` decides, in a thread, what the bytes
really say (`encoding`), with what the page told and what was found on this host before, and writes the texts beside
their **evidence**: bytes, encodings, confidence. `pipelines.CataloguePipeline` stores the item (`store.catalogue`)
before the lease ends, so that a kill can at worst repeat a visit; records of one file at several URLs are one work
(`store.works`). Every request leaves one line in the request log (`observe.request_log`), also one that a kill ended
(`observe.unfinished`); from that alone ``scrapy complaint`` judges afterwards whether a site got what it was owed
(`complaint`). Errors of the web are counted, faults of ours are written down, and too many stop the crawl
(`extensions.Breaker`).

A record is shown to the **nugget** function (`priority.nuggets`, `crediting`), which says whether it is a find and a
new one. A nugget is credited to the whole path of links that led to it (`priority.credit`); from that, and from each
visit that gave none, link classes and a small model learn (`priority.classes`, `priority.learner`), and the classes of
its site and of some others get new scores in the same breath. Every 1,000 URLs leave a line in ``harvest.jl``: what was
found, and how many times chance that is (`observe.harvest`). With ``-a revisit=yes`` pages that led to nuggets come
back, in the same queue, by the rate of their news (`priority.hubs`, `extensions.Revisiting`).

Feeds are asked again and again by `spiders.feeds.FeedsSpider`, as often as each has changed (`priority.polling`).
A stored record can be decided again, as the models improve: ``scrapy demojibake`` (`rerun`) and `spark.demojibake` do
it without the network; of music on a disk the command mends the tags (`music`). A record that stays in **doubt** is
probed once more by `spiders.recheck.RecheckSpider`; what the damage had done to its texts is learned from the pair
(`encoding.substitutions`).

With ``SCHEDULER_STORE = redis`` all this is one of several **workers** (`frontier.redis`): sites, leases and
what was seen stand in one Redis, and one script there changes all that concerns a site. A lease has a deadline by
Redis's clock, which is moved on while its worker lives; what a dead one had is given to the others. The crawl's thread
never waits for Redis: `frontier.redis.worker.RedisWorker` takes leases in advance and sends what is told. What
each learns the others hear (`priority.shared`). Addresses have their clocks there too (`politeness.shared_clocks`).
Other programs bring URLs by ``media:start_urls`` (`extensions.Feeding`); ``mediacrawl fleet`` (`fleet`) runs workers
side by side, and a Redis server for them where none is named (`fleet.server`).

What waits is shown and steered by ``scrapy frontier`` (`frontier.sqlite.reader`, `frontier.mailbox`), also while the
crawl runs; ``scrapy segment`` (`segment`) makes the next queue of stored links, without the network.

Where to look: a URL was not fetched? `scope` and `politeness`. It was fetched too late? `frontier`. A record is wrong?
`probe`. Its text is? `encoding`. Rooms import neither Scrapy nor Twisted; what joins them to Scrapy (``spiders``,
``middlewares``, ``pipelines``, ``extensions``, ``commands``, ``scheduler``, ``handler``, ``resolver``) decides nothing.
"""

from importlib import import_module

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Import the Scrapy add-on `mediacrawl.addon.MediaCrawl` when it is asked for: Scrapy takes a while to import."""
    if name == "MediaCrawl":
        return import_module("mediacrawl.addon").MediaCrawl
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
