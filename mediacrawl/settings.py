"""Every setting, declared once: its name, type, default, unit and reason.

The first part is mediacrawl's own. The second part has Scrapy's settings, where our default differs or the value is
checked. Set any of them with ``-s NAME=VALUE``, or in a settings module of your own that begins with ``from
mediacrawl.settings import *``. A value that cannot be used ends a crawl before it begins; an unknown name gives a
warning. ``python docs/settings_table.py`` makes ``docs/settings.md`` of this file.
"""

import os
from importlib.util import find_spec
from typing import Annotated

from mediacrawl import __version__
from mediacrawl.base import setting_types as kind

# -- Identity of the crawler ------------------------------------------------------------------------------------

MEDIACRAWL_CONTACT: kind.PlainText = "https://example.invalid/set-MEDIACRAWL_CONTACT"
"""Page or mail address where the operator of a site finds you. Without one only loopback addresses are crawled."""

MEDIACRAWL_OPERATOR: kind.PlainText = ""
"""Name of the person or institution that runs the crawler, for ``scrapy botpage``."""

MEDIACRAWL_EMAIL: kind.PlainText = ""
"""Mail address for complaints, for ``scrapy botpage``; not needed if MEDIACRAWL_CONTACT is one."""

MEDIACRAWL_PURPOSE: kind.PlainText = ""
"""What the records are used for, in a sentence or two, for ``scrapy botpage``; empty leaves it out."""

MEDIACRAWL_ADDRESSES: kind.NameList = []
"""IP addresses and networks (``192.0.2.0/28``) that requests come from, for ``scrapy botpage``: others are forged."""

USER_AGENT: kind.PlainText = f"mediacrawl/{__version__} (+{{contact}})"
"""User-Agent header, in which ``{contact}`` stands for MEDIACRAWL_CONTACT."""

ROBOTS_TOKEN: kind.PlainText = "mediacrawl"  # noqa: S105 - a name, not a secret
"""Product token of our group in a robots.txt (RFC 9309, 2.2.1). It is never the whole User-Agent header."""

# -- State and storage, Redis ------------------------------------------------------------------------------------

MEDIACRAWL_DIR: kind.FilePath = ".mediacrawl"
"""Folder of the crawl's state: frontier, request log, catalogue. JOBDIR, if set, takes precedence. Spiders of other
projects keep frontiers in ``spiders/<name>`` of JOBDIR, else in memory."""

MEDIACRAWL_DB: kind.FilePath = "media.db"
"""File of the catalogue (SQLite), in the state folder unless the path names another folder."""

SCHEDULER_STORE: Annotated[str, kind.one_of("sqlite", "memory", "redis", url="the URL of a Redis server")] = "sqlite"
"""Store of the frontier. ``sqlite`` survives a kill; ``memory`` ends with the process; ``redis``, on the server of
REDIS_URL, serves any number of workers. A URL (``redis://``, ``rediss://``, ``unix://``) names a server itself."""

REDIS_URL: kind.Secret = os.environ.get("REDIS_URL", "")
"""URL of the Redis server: ``redis://USER:PASSWORD@HOST:PORT/DB``, ``rediss://`` for TLS, ``unix:///PATH``. The default
comes from the environment, since ``ps`` and scrapyd's log show command lines. With it URLs are also read from
REDIS_START_URLS_KEY. Empty: Redis is used only if SCHEDULER_STORE or REDIS_HOST names it."""

REDIS_HOST: kind.PlainText = ""
"""Host of the Redis server, in place of REDIS_URL."""

REDIS_PORT: Annotated[int, kind.whole("the number of a port", 0, 65_535)] = 0
"""Port of the Redis server; 0 stands for 6379."""

REDIS_DB: kind.NonNegativeInt = 0
"""Number of the Redis database, if no URL names one."""

REDIS_PARAMS: kind.JsonObject = {}
"""Other parameters of the Redis client, as in scrapy-redis. By default it connects within 5 s and answers within 10
s."""

REDIS_FRONTIER_KEY: kind.RedisKey = "%(spider)s:frontier"
"""Prefix of the frontier's keys in Redis. Workers of one crawl share it; two crawls on one server must differ."""

FRONTIER_LEASE: kind.Seconds = 120.0
"""Seconds, with Redis, without a sign of life after which a worker counts as dead and its URLs go to others. It must
exceed DOWNLOAD_TIMEOUT and RESOLVER_TIMEOUT together by some seconds; the default is raised to that."""

FRONTIER_BEGUN: kind.Switch = False
"""Whether the crawl in Redis must have begun, so that an empty frontier means it was lost. A fleet sets it."""

REDIS_PATIENCE: kind.Seconds = 0.0
"""Seconds that a worker waits at its start for a Redis that does not answer; 0 fails at once."""

SCHEDULER_WAIT: kind.Switch = False
"""Whether a crawl with nothing left waits for more, from REDIS_START_URLS_KEY or other workers, until it is stopped."""

REDIS_START_URLS_KEY: kind.RedisKey = "%(name)s:start_urls"
"""Key from which URLs are read while the crawl runs: a list, a set or a sorted set (highest score first)."""

REDIS_START_URLS_BATCH_SIZE: kind.PositiveInt = 1_000
"""Entries of REDIS_START_URLS_KEY that are read at a time, once a second."""

REDIS_ITEMS_KEY: kind.RedisKey = "%(spider)s:items"
"""Key of the list to which RedisItemsPipeline appends items."""

REDIS_ITEMS_SERIALIZER: kind.ObjectPath = ""
"""Path of a function that serializes an item to text or bytes; empty for a line of JSON, as in ``-o items.jl``."""

# -- Politeness: delays of sites and addresses ------------------------------------------------------------------

POLITENESS_FACTOR: kind.Number = 30.0
"""Seconds of delay per second of response time. A site that answers in 0.5 s gets a request every 15 s."""

POLITENESS_MIN_DELAY: kind.Seconds = 15.0
"""Seconds; the least delay between two requests to one site. The predecessor of this crawler got no complaint at it."""

POLITENESS_MAX_DELAY: kind.Seconds = 1800.0
"""Seconds; the greatest delay that response times lead to. A Crawl-delay is not capped by it."""

POLITENESS_FIRST_DELAY: kind.Seconds = 60.0
"""Seconds; the least delay while fewer than five response times of a site are known."""

POLITENESS_TAIL_FACTOR: Annotated[float, kind.number(least=1.0)] = 2.0
"""Factor of delays when the last site is left; 1 for none. It grows evenly from 100 sites on."""

POLITENESS_ADDRESS_FACTOR: kind.Number = 5.0
"""Seconds of delay per second of response time for an IP address, whatever number of sites it hosts. An address gets
one request at a time. 0, with POLITENESS_ADDRESS_MIN_DELAY 0, switches delays of addresses off."""

POLITENESS_ADDRESS_MIN_DELAY: kind.Seconds = 1.0
"""Seconds; the least delay between two requests to one IP address."""

UNTRIED_SHARE: kind.PositiveFraction = 0.5
"""Share of CONCURRENT_REQUESTS that may go to addresses that have not answered yet, or not the last time. One page can
link to hundreds that never answer. 1 sets no limit."""

CONNECT_TIMEOUT: kind.PositiveSeconds = 10.0
"""Seconds in which a server must accept a connection; DOWNLOAD_TIMEOUT covers the whole response. A lost packet is sent
again after 1, 3 and 7 seconds, so a live server has accepted by then."""

POLITENESS_HOURS: kind.Hours = {}
"""Factors of the delay by hour, UTC: ``{"8-18": 2.0, "22-5": 0.5}`` doubles it by day and halves it at night. No factor
undercuts POLITENESS_MIN_DELAY, POLITENESS_FIRST_DELAY or a Crawl-delay."""

BACKOFF_REST_AFTER: kind.NonNegativeInt = 5
"""Failures in a row (429, 5xx, timeouts, refused connections, errors of TLS and DNS) after which a site rests; 0 for
never. Each doubles its delay before; each good answer takes one doubling back."""

BACKOFF_MAX: kind.Seconds = 21_600.0
"""Seconds; the greatest delay that doubling leads to. A Retry-After is not capped by it."""

BACKOFF_REST: kind.Seconds = 21_600.0
"""Seconds, up to 86,400, that a site rests. Then one request decides; each that fails doubles the rest, up to a day."""

BACKOFF_RETIRE_AFTER: kind.Seconds = 7 * 86_400.0
"""Seconds of nothing but failures after which a site is retired; 0 for never. A week outlasts holidays and moves."""

# -- robots.txt, exclusions, redirects --------------------------------------------------------------------------

ROBOTS_ENABLED: kind.Switch = True
"""Whether robots.txt is obeyed. Switch it off for your own sites only."""

ROBOTS_MAX_AGE: kind.Seconds = 86_400.0
"""Seconds that a robots.txt is used, less if its Cache-Control or Expires says so (RFC 9309, 2.4: at most 24 hours)."""

ROBOTS_RETRY: kind.Seconds = 300.0
"""Seconds before a robots.txt that failed is fetched again; doubled with each failure in a row, up to ROBOTS_MAX_AGE.
An older copy counts meanwhile; without one its URLs wait, for 30 days at most."""

ROBOTS_SITEMAPS: kind.NonNegativeInt = 10
"""Sitemaps of a robots.txt that are queued, the first ones, for each authority; 0 for none."""

NEVERCRAWL_FILES: kind.FilePaths = ["exclusions/NeverCrawl.txt"]
"""Files that list domains, paths and networks never to be requested, one a line. Relative paths are looked up in the
working folder, then beside ``scrapy.cfg``, then in the package. ``scrapy nevercrawl add`` writes to the first."""

NEVERCRAWL_RELOAD: kind.Seconds = 900.0
"""Seconds within which a change of those files takes effect, also for queued URLs. They are checked twice in that time.
A removed entry, or a last line without its end, counts once a second check finds the file unchanged."""

REDIRECT_CAP: kind.NonNegativeInt = 3
"""Redirects in a row that are followed; longer chains rarely end at media. Each is a visit of its own."""

# -- Scope: which URLs are accepted -----------------------------------------------------------------------------

SCOPE_MAX_LENGTH: kind.PositiveInt = 2048
"""Characters of a URL at most. Longer ones are session ids and traps."""

SCOPE_MAX_DEPTH: kind.NonNegativeInt = 20
"""Clicks from a seed at most."""

SCOPE_EXTENSIONS_FILE: kind.ExtensionsFile = "exclusions/extensions.txt"
"""File of the file name extensions that are not fetched, one a line."""

SCOPE_SESSION_NAMES: kind.NameList = [
    *("phpsessid", "jsessionid", "sessionid", "session_id", "sessid", "sess", "sid", "asid", "oscsid", "oscid"),
    *("zenid", "xtcsid", "mscsid", "s_id", "aspsessionid", "cfid", "cftoken"),
]
"""Parameters that are removed from links if their value looks like a session id (``drop/session``); empty keeps all."""

SCOPE_REFUSED_PORTS: kind.Ports = [
    *(0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104),
    *(109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526),
    *(530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045),
    *(4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211),
]
"""Ports that never get a request (``drop/port``): those that the Fetch Standard blocks, Redis, memcached. Empty:
none."""

SCOPE_SOFT_404: kind.Switch = True
"""Whether pages in place of media are compared: one that equals the last one, or the front page, is
``drop/soft_404``."""

# -- Frontier ---------------------------------------------------------------------------------------------------

FRONTIER_EXPLORE: kind.Fraction = 0.02
"""Share of the picks that are made evenly at random, so that no site starves. More costs finds; none loses sites."""

FRONTIER_ATTEMPTS: kind.PositiveInt = 3
"""Attempts at a URL before it is given up."""

FRONTIER_SITE_BUDGET: kind.NonNegativeInt = 1_000
"""Requests that a site gets, and 20 more for each find; 0 for any number. Then it is retired until the budget is raised
or ``scrapy frontier resume SITE``. It bounds what a trap costs."""

FRONTIER_SITE_MOST: kind.NonNegativeInt = 100_000
"""Requests that a site gets in all, whatever it brings; 0 for any number. At 15 s the default lasts 17 days."""

FRONTIER_MAX_URLS: kind.NonNegativeInt = 20_000_000
"""URLs that may wait, some 5 GB of disk; 0 for any number. Beyond it the least promising are removed, down to nine
tenths (``drop/pruned``), and accepted again when found again."""

FRONTIER_MAX_BYTES: kind.Bytes = 6_000_000_000
"""Bytes of the URLs that wait and their metadata, some 300 each, 9,000 with very long URLs; 0 for any number. In Redis
it counts memory, a third of that. Beyond it URLs are removed as beyond FRONTIER_MAX_URLS. Keys of seen URLs, 16 to 28
bytes each, and up to 100 MB of log come on top."""

FRONTIER_CACHE: kind.Bytes = 16 * 1024 * 1024
"""Bytes of the frontier's file that are cached in memory. The operating system caches the file too: a crawl of 12,000
pages takes as much CPU with 8, 16 and 64 MB."""

FRONTIER_BLOOM: kind.NonNegativeInt = 0
"""URLs that a Bloom filter for seen URLs is sized for, 14.4 bits each; 0 for none. It pays above 20 million URLs, or
where memory does not hold their table (16 bytes each) and a new URL costs a read of the disk, some 160 us."""

# -- Priority: which URL goes first -----------------------------------------------------------------------------

PRIORITY: Annotated[str, kind.one_of("adaptive", "rules", "levels", "breadth", "random", "site-rate")] = "adaptive"
"""Order of sites and link classes. ``adaptive`` learns which links lead to finds (docs/adaptive.md). ``rules`` takes
the best of PRIORITY_SCORES first. ``levels``, Mercator's front queues, draws one of eight levels of those scores, each
twice as likely as the one below. For comparison: ``breadth``, the longest wait first; ``random``; ``site-rate``, the
success of links of the page's site so far."""

PRIORITY_MODEL: kind.FilePath = ""
"""Model of another crawl (its ``model.npz``) that an adaptive one begins with, without what it knows of hosts."""

PRIORITY_SCORES: kind.RuleScores = {
    "media": 1.0,
    "feed": 0.7,
    "seed": 0.6,
    "page": 0.3,
    "depth": -0.02,
    ".pls": 0.8,
    ".m3u": 0.8,
}
"""Scores of link classes for ``rules`` and ``levels``, by link source or extension; ``depth`` counts for each click."""

REVISIT_SHARE: kind.PositiveFraction = 0.2
"""Share of the requests that may revisit known pages with ``-a revisit=yes`` while unvisited URLs wait: a guess."""

REVISIT_WORTH: kind.Number = 0.1
"""New finds that a revisit must promise, even if nothing else waits. At one in ten a site's budget never ends."""

REVISIT_SOONEST: kind.Seconds = 3_600.0
"""Seconds; the least time between two visits of a page. ``scrapy crawl feeds`` polls feeds more often."""

NUGGET_FUNCTION: Annotated[str, kind.function(2)] = "mediacrawl.priority.nuggets.media"
"""Path of the function that decides what is a find: ``def find(response, item) -> mediacrawl.records.Nugget | None``.
It is called for each stored item with its response, and with ``item=None`` for a response without items; with spiders
of other projects, for items only. A find has a key and counts once in a crawl. It raises its site's budget, and by its
reward, 0 to 1, the priority of what led to it. The default accepts media records with any tags. It runs in the
reactor's thread; an exception is counted (``nugget/failed``) and means no find."""

NUGGET_WORTH_OPENING: Annotated[str, kind.function(3)] = ""
"""Path of a function that decides whether a body is downloaded: ``def worth(status: int, headers: Mapping[str, str],
url: str) -> bool``, names of headers in lower case. Empty downloads all. A rejected response ends before its body
(``drop/not_worth_opening``). It is called for responses with 2xx, and for the first one of a media file."""

# -- Limits on what is fetched ----------------------------------------------------------------------------------

PAGE_MAX_BYTES: kind.Bytes = 1_000_000
"""Bytes of a page that are read, unpacked; the download ends there. Longer pages are counted (``limit/page``)."""

LIST_MAX_BYTES: kind.Bytes = 3_000_000
"""Bytes of a feed, a sitemap or a playlist that are read, unpacked: 500 podcast episodes. Compressed, a fifth is
fetched."""

PROBE_HEAD_BYTES: kind.Bytes = 16_384
"""Bytes of the first range of a media file. 8 KB cost more second requests; 64 KB triples the median."""

PROBE_MAX_REQUESTS: kind.PositiveInt = 6
"""Requests for one media file at most. Nine of ten need up to 3; one with a picture for each of 30 chapters, 33."""

PROBE_MAX_BYTES: kind.Bytes = 262_144
"""Bytes of one media file at most, held in memory while it is read. Nine of ten need less than a fifth."""

PROBE_MAX_TAG_BYTES: kind.Bytes = 4_194_304
"""Bytes of text of one media file at most, after decompression: a compressed frame of 1 MB could hold 1 GB."""

FEEDS_MIN_INTERVAL: kind.Seconds = 900.0
"""Seconds; the least time between two polls of a source by ``scrapy crawl feeds``."""

FEEDS_MAX_INTERVAL: kind.Seconds = 604_800.0
"""Seconds; the greatest time between two polls, also if a source asks for more (``ttl``, Cache-Control)."""

# -- Site adapters ----------------------------------------------------------------------------------------------

ADAPTERS_DIR: kind.AdaptersFolder = ""
"""Folder of site adapters, files ``*.json``; empty for none. They map pages whose media is shown by scripts only to
small data requests. It is looked up as NEVERCRAWL_FILES; a file with a fault ends the crawl before it begins."""

ADAPTER_MISSES: kind.PositiveInt = 10
"""Misses in a row after which a site adapter is switched off until its file is changed. Of a site that works one page
in four may lack its media (removed, private): ten of those in a row come once in a million."""

ADAPTER_PAGES: kind.PositiveInt = 50
"""Pages of one list that are requested at most: each is a request to the site, and the newest entries come first."""

# -- Text encodings ---------------------------------------------------------------------------------------------

MOJIBAKE_FIELDS: kind.FieldNames = {}
"""Text fields of your items: a list of names, or a mapping of each to the field with its raw bytes (bytes or base64;
``""`` for none). Empty: those of our records, and common names such as title and artist; ``scrapy demojibake`` finds
them by content."""

MOJIBAKE_MIN_CONFIDENCE: Annotated[float, kind.number("a confidence", 0.0, 1.0)] = 0.0
"""Confidence, 0 to 1, that a text needs to be changed. The models leave uncertain texts alone, so 0 is safe; at 0.9
fewer texts are repaired, and fewer of them wrongly. Right decisions of chardet on long texts have 0.3 to 0.6."""

MOJIBAKE_MODELS: kind.FilePaths = []
"""Model files of further languages, made by ``scrapy trainencoding``, looked up as NEVERCRAWL_FILES. One for a built-in
language replaces it."""

# -- Logs, reports, errors --------------------------------------------------------------------------------------

REQUEST_LOG_ENABLED: kind.Switch = True
"""Whether each request is logged, one line each: the evidence for answering a complaint."""

REQUEST_LOG_DAYS: Annotated[int, kind.whole("a whole number of days", 1)] = 31
"""Days that the request log is kept."""

REQUEST_LOG_DIR: kind.FilePath = ""
"""Folder of the request log; empty for ``log`` in the state folder. Crawls on one machine may share it."""

STATS_FILE: kind.FilePath = ""
"""JSON file of the crawl's stats, in the state folder unless the path names another one; empty for none."""

METRICS_PORT: Annotated[int, kind.whole("the number of a port", 0, 65_535)] = 0
"""Port that serves the crawl's metrics (``/metrics``, OpenMetrics), its health (``/health``) and its report (``/``,
``/report.json``); 0 for none. Of a fleet the parent serves the sums of its workers."""

METRICS_HOST: kind.PlainText = "127.0.0.1"
"""IP address that METRICS_PORT is opened on. There is no password: on another address than loopback, anyone who reaches
the port can read the report."""

NOTIFY: kind.NoticeTarget = ""
"""Who is told when a crawl ends, or has found nothing for NOTIFY_STALL seconds: the URL of a webhook, which gets JSON
with a field ``text``, or a command, which gets the text as its last argument and the JSON on its standard input. Empty
for none."""

NOTIFY_STALL: kind.Seconds = 3600.0
"""Seconds without a new record after which NOTIFY is told once; 0 for never."""

PROGRESS_SUMMARY: kind.Switch = True
"""Whether the log ends with the summary. The demo prints it itself."""

BREAKER_ERRORS: kind.NonNegativeInt = 50
"""Unexpected exceptions within a minute that end the crawl, with the reason ``breaker``; 0 for never. Those of one
site, and of one address, count five times at most. ``log/critical.log`` has each with its traceback."""

BREAKER_SITES: kind.NonNegativeInt = 50
"""Unreachable sites in a row, none answering between, after which the crawl ends with the reason ``network_down``; 0
for never. Our own network is down then. It must last 30 s, and one in five of them, or all that ever answered if those
are fewer, must have answered before. A site that failed while others answered is not counted again."""

# -- DNS and addresses ------------------------------------------------------------------------------------------

RESOLVER_HOSTS: kind.Hosts = {}
"""Fixed addresses of host names, one or a list, used before DNS, and allowed: ``{"blog.example": "127.0.0.1"}``."""

RESOLVER_SERVERS: kind.NameServerList = []
"""Name servers by address, with a port if it is not 53: ``["192.0.2.1", "[2001:db8::1]:5353"]``; empty for the
system's. One that did not answer is tried after the others."""

RESOLVER_FAMILIES: kind.Families = ["ipv4", "ipv6"]
"""Address families in the order in which they are tried. IPv4 is first because some machines have IPv6 addresses and no
route. Only the first address of a name is tried; one that did not answer moves behind the others."""

RESOLVER_TIMEOUT: kind.Seconds = 10.0
"""Seconds that looking up a name may take, with all its servers and aliases, in up to three rounds."""

GUARD_ALLOW: kind.Networks = []
"""Networks, addresses and names (with subdomains) outside the public web that may be requested: ``["127.0.0.0/8",
"intra.example"]``. Other private, loopback, link-local, multicast, reserved and cloud metadata addresses are refused
when connecting (``drop/address``, ``guard/<word>``). Refused URLs, up to 64 KB of them, are queued again at the first
start that allows more. Without MEDIACRAWL_CONTACT only loopback is allowed."""

# -- Scrapy's settings, where ours differ -----------------------------------------------------------------------

BOT_NAME = "mediacrawl"
SPIDER_MODULES = ["mediacrawl.spiders", "mediacrawl.programs.recheck"]
NEWSPIDER_MODULE = "mediacrawl.spiders"
COMMANDS_MODULE = "mediacrawl.commands.late"

ADDONS = {"mediacrawl.addon.OtherSpiders": 0}
"""Spiders of other projects get Scrapy's middlewares that are off below."""

SCHEDULER = "mediacrawl.scheduler.PenaltyBoxScheduler"
"""Returns only requests that may be sent now. With Scrapy's own they wait in the downloader, 674 bytes each."""

DOWNLOAD_DELAY: kind.Seconds = 0
"""Seconds; a lower bound of every site's delay. The frontier waits; the downloader does not."""

CONCURRENT_REQUESTS: kind.PositiveInt = 128
"""Concurrent requests, each to another site."""

CONCURRENT_REQUESTS_PER_DOMAIN: kind.NonNegativeInt = 1
"""The frontier leases one URL of a site at a time anyway."""

CONCURRENT_ITEMS: kind.PositiveInt = 1
"""Otherwise each output of a callback becomes a task; our callbacks have at most one."""

DOWNLOADER_MIDDLEWARES = {
    # Ours, from the engine to the downloader.
    "mediacrawl.middlewares.ContactMiddleware": 30,
    "mediacrawl.middlewares.NeverCrawlMiddleware": 40,
    "mediacrawl.middlewares.SeenMiddleware": 50,
    "mediacrawl.middlewares.RobotsMiddleware": 60,
    "mediacrawl.middlewares.SiteAdapterMiddleware": 70,  # after all that may refuse the page
    "mediacrawl.middlewares.UnpackMiddleware": 590,
    "mediacrawl.middlewares.ListsMiddleware": 585,  # after unpacking, also by Scrapy's HttpCompressionMiddleware (590)
    "mediacrawl.middlewares.RedirectCapMiddleware": 605,
    "mediacrawl.middlewares.AddressMiddleware": 790,  # after Scrapy's HttpProxyMiddleware: proxies resolve names
    "mediacrawl.middlewares.CutMiddleware": 800,
    "mediacrawl.middlewares.AdaptiveDelayMiddleware": 950,
    "mediacrawl.middlewares.RequestLogMiddleware": 960,
    # Scrapy's that ours replace, or that a broad crawl does not need.
    "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware": None,
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    "scrapy.downloadermiddlewares.useragent.UserAgentMiddleware": None,
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "scrapy.downloadermiddlewares.cookies.CookiesMiddleware": None,
}

SPIDER_MIDDLEWARES = {
    # Our spiders add links to the frontier directly; no request passes here.
    "scrapy.spidermiddlewares.start.StartSpiderMiddleware": None,
    "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": None,
    "scrapy.spidermiddlewares.referer.RefererMiddleware": None,
    "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,
    "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
    "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware": None,
}

ITEM_PIPELINES = {
    # Comment one out to switch it off. Each works in any Scrapy project.
    "mediacrawl.pipelines.MojibakePipeline": 200,
    "mediacrawl.pipelines.CataloguePipeline": 300,
    # Also appends each item as JSON to a Redis list (REDIS_URL, REDIS_ITEMS_KEY); items wait while Redis is down.
    # "mediacrawl.pipelines.RedisItemsPipeline": 400,
}

EXTENSIONS = {
    # It loads a pickle from JOBDIR: write access there would allow code to run here.
    "scrapy.extensions.spiderstate.SpiderState": None,
    # Its "Crawled 188 pages" also counts robots.txt and ranges; Progress counts pages.
    "scrapy.extensions.logstats.LogStats": None,
    "mediacrawl.extensions.Breaker": 5,
    "mediacrawl.extensions.Progress": 10,
    "mediacrawl.extensions.Steering": 20,
    "mediacrawl.extensions.Feeding": 30,
    "mediacrawl.extensions.Revisiting": 50,
    "mediacrawl.extensions.StatusFile": 60,
    "mediacrawl.extensions.MetricsPort": 70,
    "mediacrawl.extensions.Notify": 80,
    "mediacrawl.extensions.StatsFile": 900,  # after all that count
    "mediacrawl.extensions.LastWord": 950,  # after all that log
}

TWISTED_DNS_RESOLVER = "mediacrawl.resolver.HostsResolver"
ASYNCIO_EVENT_LOOP = "uvloop.Loop" if find_spec("uvloop") else None
"""uvloop (extra ``speed``) needs a third less CPU for the network."""

DOWNLOAD_TIMEOUT: kind.Seconds = 30
"""Seconds. Scrapy's 180 suits large files; nearly all responses here are cut at 1 MB."""

DOWNLOAD_MAXSIZE: kind.Bytes = 16 * 1024 * 1024
"""Bytes after decompression; a page that unpacks to more is a bomb. Far less is read from the network."""

DOWNLOAD_WARNSIZE: kind.Bytes = 0
DOWNLOAD_FAIL_ON_DATALOSS: kind.Switch = False
"""A truncated page has links, too: it is read as far as it came, and requested again."""

DEFAULT_REQUEST_HEADERS = {"Accept-Language": "*,en;q=0.5"}
"""Headers of all requests that have no such header of their own. Some servers refuse requests without Accept-Language.
With ``*`` first a server chooses, which gives the titles in the language of the site; some servers want a letter."""

DOWNLOAD_HANDLERS = {
    "http": "mediacrawl.handler.PoliteHTTPHandler",
    "https": "mediacrawl.handler.PoliteHTTPHandler",
    **dict.fromkeys(("file", "data", "ftp", "s3")),
}
"""Only http and https: a link must never read the crawler's own disk."""

TELNETCONSOLE_ENABLED: kind.Switch = False
REMOTE_CONTROL_ENABLED = False
"""Both run any code that is sent to their port."""

COOKIES_ENABLED: kind.Switch = False
WARN_ON_GENERATOR_RETURN_VALUE = False
FEED_EXPORT_ENCODING = "utf-8"
FEED_EXPORTERS = {"csv": "mediacrawl.extensions.csv_exporter.SafeCsvItemExporter"}
"""Titles that a spreadsheet would run as formulas get an apostrophe in ``-o items.csv``."""

LOG_LEVEL: kind.LogLevel = "INFO"
"""For our spiders, messages of Scrapy at this level are hidden unless it is given on the command line, or ``-v``, or
the log goes to a LOG_FILE, as under scrapyd."""
LOG_FORMATTER = "mediacrawl.extensions.QuietLogFormatter"

# -- Scrapy's settings that keep Scrapy's default, and are checked ------------------------------------------------

CLOSESPIDER_TIMEOUT: kind.Seconds
CLOSESPIDER_TIMEOUT_NO_ITEM: kind.Seconds
CLOSESPIDER_PAGECOUNT: kind.NonNegativeInt
CLOSESPIDER_ITEMCOUNT: kind.NonNegativeInt
CLOSESPIDER_ERRORCOUNT: kind.NonNegativeInt
LOG_ENABLED: kind.Switch
LOGSTATS_INTERVAL: kind.Seconds
STATS_DUMP: kind.Switch
