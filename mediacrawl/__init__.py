"""mediacrawl finds audio and video files on the web, politely, and reads what they say about themselves.

The life of a URL
=================

A **seed** or a link on a page gives a URL. `scope.Scope` writes it in one canonical form and decides whether it
may join: scheme, length, extension, traps, NeverCrawl, the crawl's own borders. A URL that may not is counted under
the name of its reason (`records.Drop`).

The **frontier** stores it, if it was never seen, with its **site** (the registrable domain), in the FIFO of its
**link class** there ("links of this shape on this host", `priority.link_class`). Only classes have scores
(`priority.score`), and of scores ranks are made (`frontier.order`). A site is ready, leased, or waiting in the
**penalty box** (`frontier.penalty_box.PenaltyBox`), a heap ordered by release time; beyond some thousands sites wait
on disk, in the same order (`frontier.stores.front`). When its release time has come the box lets it go. Of the ready
sites the best rank goes first, and in it who has been due longest. `scheduler.PenaltyBoxScheduler` takes the head of
its best class under a **lease** and makes a Scrapy request of it, which the engine sends at once: nothing waits in
the downloader. A site that has had its budget of requests and shown no media is **retired**. When a NeverCrawl list
changes, what waits for its new entries is dropped (`scope.exclusions`).

On its way out the request passes `middlewares.NeverCrawlMiddleware` and `middlewares.RobotsMiddleware`. The first
request of an authority (scheme, host, port) is its robots.txt, and it pays the delay like any visit: the page waits in
the frontier meanwhile. `middlewares.AddressMiddleware` looks up where the request would go (`resolver.HostsResolver`);
if that address is asked by another site, or was a moment ago, the lease goes back until its turn has come
(`politeness.address_clocks`). `handler.PoliteHTTPHandler` connects to the address that `politeness.guard.Guard` has
judged, and to no other, and sends a request once only. `middlewares.AdaptiveDelayMiddleware` measures how long the site
takes to answer, and `middlewares.CutMiddleware` ends a download when enough of it has come.

Whatever comes back **finishes** the lease: in one write the URL gets its end and the site its new release time
(`politeness.delay`). What spoke against the site (429, 5xx, a timeout, a failure of TLS or DNS) doubles its delay; in
numbers it makes the site **rest** until a probe decides, and at last **retires** it (`politeness.backoff`). A
**redirect** is finished there too (`middlewares.RedirectCapMiddleware`); its target joins like
any found URL, carrying its hop count, and the fourth hop is dropped.

`spiders.media.MediaSpider` reads the rest. A page that was seen under another name ends there (`scope.duplicates`:
copies, mirrors, parameters that change nothing). A page gives links with their evidence and media facts (`extract`).
A media file is **probed** (`probe.Probe`): 16 KB of its head by Range, then only the ranges its container asks for,
each a visit of its own that waits for the site's delay. The probe gives raw tag bytes and technical facts, an
**item**.

Its tags may claim one encoding and hold another. `pipelines.MojibakePipeline` decides what the bytes really say
(`encoding`), with what the page told and what was found on this host before, and writes the texts beside their
**evidence**: bytes, encodings, confidence. `pipelines.CataloguePipeline` stores the item (`store.catalogue`) before the
lease ends, so that a kill can at worst repeat a visit. Every request leaves one line in the request log
(`observe.request_log`); from that alone ``scrapy complaint`` judges afterwards whether a site got what it was owed
(`complaint`). Errors of the web are counted, faults of ours are written down, and too many stop the crawl
(`extensions.Breaker`).

A stored record can be decided again, as the models improve: ``scrapy demojibake`` (`rerun`) and `spark.demojibake` do
it without the network. A record that stays in **doubt** is probed once more by `spiders.recheck.RecheckSpider`; what
the damage had done to its texts is learned from the pair (`encoding.substitutions`).

What waits is shown and steered by ``scrapy frontier`` (`frontier.stores.reading`, `frontier.mailbox`), also while the
crawl runs; ``scrapy segment`` (`segment`) makes the next queue of stored links, without the network.

Where to look: a URL was not fetched? `scope` and `politeness`. It was fetched too late? `frontier`. A record is wrong?
`probe`. Its text is? `encoding`. Rooms import neither Scrapy nor Twisted; what joins them to Scrapy (``spiders``,
``middlewares``, ``pipelines``, ``extensions``, ``commands``, ``scheduler``, ``handler``, ``resolver``) decides nothing.
"""

__version__ = "0.1.0"
