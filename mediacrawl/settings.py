"""Every setting, with its unit and its reason.

The first half is mediacrawl's own; the second half are Scrapy's, where our value differs from Scrapy's. Set any of
them on the command line with ``-s NAME=VALUE``, or in a settings module of your own that begins with
``from mediacrawl.settings import *``. What each may be stands in ``setting_kinds.py``: a value that cannot be used is
told before a crawl begins, and a name that nobody reads is warned of.
"""

import os
from importlib.util import find_spec

from mediacrawl import __version__

# -- Who we are -------------------------------------------------------------------------------------------------

MEDIACRAWL_CONTACT = "https://example.invalid/set-MEDIACRAWL_CONTACT"
"""A page or mail address where the operator of a site finds you. It stands in every request, because a request that
says whom to ask gets a mail instead of a block. As long as it is this placeholder only loopback is crawled."""

MEDIACRAWL_OPERATOR = ""
"""Name of the person or institution that runs the crawler, for ``scrapy botpage``."""

MEDIACRAWL_EMAIL = ""
"""Mail address for complaints, for ``scrapy botpage``. Not needed if MEDIACRAWL_CONTACT is one."""

MEDIACRAWL_PURPOSE = ""
"""A sentence or two on what the records are for, for ``scrapy botpage``; empty says nothing of it."""

MEDIACRAWL_ADDRESSES: list[str] = []
"""IP addresses and networks (``192.0.2.0/28``) that requests come from, for ``scrapy botpage``: who sees our name come
from elsewhere knows that it is not us."""

USER_AGENT = f"mediacrawl/{__version__} (+{{contact}})"
"""Name and link. ``{contact}`` becomes MEDIACRAWL_CONTACT."""

ROBOTS_TOKEN = "mediacrawl"  # noqa: S105 - a name, not a secret
"""The product token that our group in a robots.txt has (RFC 9309, 2.2.1): never the whole User-Agent header."""

# -- Where things lie -------------------------------------------------------------------------------------------

MEDIACRAWL_DIR = ".mediacrawl"
"""Folder of the crawl's state: frontier, request log, catalogue. JOBDIR, if set, comes before it. Spiders that are not
ours keep their frontiers in ``spiders/<name>`` of JOBDIR, and without JOBDIR in memory."""

MEDIACRAWL_DB = "media.db"
"""The catalogue (SQLite), in the state folder unless a path with a folder is given."""

SCHEDULER_STORE = "sqlite"
"""Where the frontier is kept: ``sqlite`` survives any kill, ``memory`` is gone with the process; ``redis`` is for any
number of workers at once, on the server of REDIS_URL. A URL (``redis://``, ``rediss://``, ``unix://``) names one."""

# -- Redis: many machines, and URLs and items by way of it --------------------------------------------------------

REDIS_URL = os.environ.get("REDIS_URL", "")
"""The Redis server: ``redis://USER:PASSWORD@HOST:PORT/DB``, ``rediss://`` for TLS, ``unix:///PATH``. From the
environment, since a command line is no place for a password: ``ps`` shows it to everybody, scrapyd writes it to its
log. With it the crawl takes URLs from REDIS_START_URLS_KEY, wherever its frontier is. Empty: no Redis is used, unless
SCHEDULER_STORE or REDIS_HOST says so; ``mediacrawl fleet`` starts a server of its own."""

REDIS_HOST = ""
"""Host of the Redis server, for those who do not write a URL."""

REDIS_PORT = 0
"""Its port; 0 for 6379."""

REDIS_DB = 0
"""Number of the database, where no URL names one."""

REDIS_PARAMS: dict[str, object] = {}
"""Other parameters of the client, as scrapy-redis takes them: ``password``, ``ssl_ca_certs``, ``redis_cls``. Unless
they say otherwise a connection may take 5 s and an answer 10 s."""

REDIS_FRONTIER_KEY = "%(spider)s:frontier"
"""What the frontier's keys begin with. Workers of one crawl have the same; two crawls on one server have two."""

FRONTIER_LEASE = 120.0
"""Seconds, with Redis, after which a worker that was not heard counts as dead: the URLs that it had leased are given to
others, and their sites wait their whole delay from then. More than DOWNLOAD_TIMEOUT and RESOLVER_TIMEOUT together,
and some seconds: for so long before its leases may be given away a worker begins no visit any more."""

FRONTIER_BEGUN = False
"""Whether the crawl in Redis must have begun already: then a worker that finds an empty frontier there says that it was
lost, and does not wait for the first seed. A fleet sets it for the workers that it starts after the seeds."""

REDIS_PATIENCE = 0.0
"""Seconds that a worker waits at its start for a Redis that does not answer. 0 says so at once, which is best for a
person; for what is started again by a machine, a fleet or systemd, some minutes are better."""

SCHEDULER_WAIT = False
"""Whether a crawl that has nothing left waits for more, from REDIS_START_URLS_KEY or other workers, until it is
stopped. Without it the workers of a crawl end together, when nothing waits and nothing is out at any of them."""

REDIS_START_URLS_KEY = "%(name)s:start_urls"
"""Key from which URLs are taken while the crawl runs: a list, a set or a sorted set (the highest score first)."""

REDIS_START_URLS_BATCH_SIZE = 1_000
"""Entries taken at a time, at least one second after the last: so many join within a tenth of a second."""

REDIS_ITEMS_KEY = "%(spider)s:items"
"""Key of the list that RedisItemsPipeline adds items to."""

REDIS_ITEMS_SERIALIZER = ""
"""Path of a function that makes text or bytes of an item; empty for a line of JSON, as in ``-o items.jl``."""

# -- Politeness: how often a site is asked ----------------------------------------------------------------------

POLITENESS_FACTOR = 30.0
"""Seconds of delay per second of response time. A site that answers in 0.5 s is asked every 15 s."""

POLITENESS_MIN_DELAY = 15.0
"""Seconds; the least between two requests to one site. The crawler this one follows never got a complaint at it."""

POLITENESS_MAX_DELAY = 1800.0
"""Seconds; the most that the formula may ask for. A Crawl-delay is not cut by it."""

POLITENESS_FIRST_DELAY = 60.0
"""Seconds; the least while fewer than five response times of a site are known: the benefit of the doubt."""

POLITENESS_TAIL_FACTOR = 2.0
"""What delays are multiplied by when the last site is left; 1 for nothing. Between it grows evenly."""

POLITENESS_ADDRESS_FACTOR = 5.0
"""Seconds of delay per second of response time for an IP address, whatever sites live there: one of a large host has
thousands. It is asked by one request at a time. 0, with POLITENESS_ADDRESS_MIN_DELAY 0, for no clocks of addresses."""

POLITENESS_ADDRESS_MIN_DELAY = 1.0
"""Seconds; the least between two requests to one address."""

UNTRIED_SHARE = 0.5
"""Share of CONCURRENT_REQUESTS, above 0 and at most 1, that may be out to addresses which have not answered so far, or
not the last time: one page can link to hundreds that never do. Their sites wait their turn. 1 sets no limit."""

CONNECT_TIMEOUT = 10.0
"""Seconds in which a server must accept a connection; DOWNLOAD_TIMEOUT counts as well, for all of an answer. A lost
packet is sent again after 1, 3 and 7 seconds: a server that is there answers one of them."""

POLITENESS_HOURS: dict[str, float] = {}
"""Factors of the delay by hour, UTC: with ``{"8-18": 2.0, "22-5": 0.5}`` it is doubled by day and halved by night. None
makes a delay shorter than POLITENESS_MIN_DELAY, POLITENESS_FIRST_DELAY or a Crawl-delay."""

BACKOFF_REST_AFTER = 5
"""Troubles in a row (429, 5xx, timeouts, refused connections, failures of TLS and DNS) after which a site rests. Each
before it doubles the site's delay, each good answer takes one doubling back. 0: it never rests, nor is it retired for
trouble."""

BACKOFF_MAX = 21_600.0
"""Seconds that doubling makes of a delay at most. What a site asks for by Retry-After is not cut by it."""

BACKOFF_REST = 21_600.0
"""Seconds that a site rests; then one request, the probe, decides. A probe that fails doubles it."""

BACKOFF_RETIRE_AFTER = 7 * 86_400.0
"""Seconds of nothing but trouble after which a probe that fails is the last: the site is retired, and what waits there
waits until ``scrapy frontier resume SITE``. A week outlasts holidays and moves to another host. 0 for never."""

ROBOTS_ENABLED = True
"""Whether robots.txt binds us. Off is for one's own sites only."""

ROBOTS_MAX_AGE = 86_400.0
"""Seconds a robots.txt counts before it is asked anew (RFC 9309, 2.4: at most 24 hours). Its server may shorten this by
Cache-Control or Expires, and never lengthens it."""

ROBOTS_RETRY = 300.0
"""Seconds before a robots.txt that could not be had is asked again, doubled with each failure in a row up to
ROBOTS_MAX_AGE. An older copy counts meanwhile; without one nothing of its authority is fetched, and its URLs wait."""

NEVERCRAWL_FILES = ["exclusions/NeverCrawl.txt"]
"""Lists of domains, paths and networks that are never asked, one a line; the package's list says how they are written.
All of them count. A relative path is looked for here, then in the folder of ``scrapy.cfg``, then in the package.
``scrapy nevercrawl add`` writes to the first that may be written."""

NEVERCRAWL_RELOAD = 900.0
"""Seconds within which a change of those files is in force: what is added gets no request any more, and what waits for
it is dropped. They are looked at twice in this time. What a look finds gone, and a last line without its end, counts
when the next one finds the file unchanged, since it may be half written."""

REDIRECT_CAP = 3
"""Redirects in a row that are followed; each is a visit of its own. Chains longer than three rarely end at media."""

# -- Scope: what may join ---------------------------------------------------------------------------------------

SCOPE_MAX_LENGTH = 2048
"""Characters of a URL. Longer ones are session ids and traps."""

SCOPE_MAX_DEPTH = 20
"""Clicks from a seed."""

SCOPE_EXTENSIONS_FILE = "exclusions/extensions.txt"
"""Extensions that are not fetched, one a line."""

SCOPE_SESSION_NAMES = [
    *("phpsessid", "jsessionid", "sessionid", "session_id", "sessid", "sess", "sid", "asid", "oscsid", "oscid"),
    *("zenid", "xtcsid", "mscsid", "s_id", "aspsessionid", "cfid", "cftoken"),
]
"""Parameters of queries and paths that are taken out of links if their value looks like a session id, in any case.
Links that become known URLs so are counted as ``drop/session``. Empty, ASP.NET's ``(S(...))`` stays too."""

SCOPE_REFUSED_PORTS = [
    *(0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104),
    *(109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526),
    *(530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045),
    *(4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211),
]
"""Ports that are never asked (``drop/port``): those that the Fetch Standard blocks, and those of Redis and memcached. A
page could make the crawler speak to a server that reads a request as commands. Empty, every port is asked."""

# -- Duplicates: what was seen under another name ---------------------------------------------------------------

SCOPE_SOFT_404 = True
"""Whether pages that come in place of media are compared: one that shows what the last one did, or the front page, says
that the file is gone (``drop/soft_404``)."""

# -- Frontier ---------------------------------------------------------------------------------------------------

FRONTIER_EXPLORE = 0.02
"""Share of the picks, 0 to 1, made evenly at random so that nothing starves. More costs finds, none loses sites."""

FRONTIER_ATTEMPTS = 3
"""How often a URL is asked before it is given up."""

FRONTIER_SITE_BUDGET = 1_000
"""Requests that a site gets; then it is retired, and what waits there is asked no more, in this run and the next, until
the budget is raised or ``scrapy frontier resume SITE``. A trap is left after so many. 0 for any number."""

FRONTIER_SITE_MOST = 100_000
"""Requests that a site gets in all, however many finds it has: 17 days at 15 s. A server that makes a new file for each
request would be asked for ever. 0 for any number."""

FRONTIER_MAX_URLS = 20_000_000
"""URLs that may wait, some 5 GB of disk. Beyond it the least promising are pruned, down to nine tenths (counted as
``drop/pruned``); they may join again when they are found again. 0 for any number."""

FRONTIER_MAX_BYTES = 6_000_000_000
"""Bytes that the URLs that wait may take, with what is known of them: some 300 each, 9,000 where a site makes them
long. In Redis they are bytes of its memory, a third of that. Beyond it URLs are pruned as beyond FRONTIER_MAX_URLS.
Keys of seen URLs, 16 to 28 bytes each, and up to 100 MB of log (``frontier.db-wal``) come on top. 0 for any number."""

FRONTIER_CACHE = 64 * 1024 * 1024
"""Bytes of the frontier's file that are held in memory."""

FRONTIER_BLOOM = 0
"""URLs that a Bloom filter in front of the table of seen URLs is made for, 14.4 bits each; 0 for none. On pages, where
nine known URLs are asked about beside each new one, it costs as much as it spares at 20 million URLs in the machine's
page cache, some 45 us for each new one, and pays above (``benchmarks/frontier.py``). Where memory does not hold the
table (16 bytes a URL), it spares a read of the disk for each new URL, some 160 us."""

# -- Order: what goes first -------------------------------------------------------------------------------------

PRIORITY = "adaptive"
"""Which site and class go next. ``adaptive``: what the crawl found so far says what leads to more (docs/adaptive.md).
``rules``: the best of PRIORITY_SCORES first. ``levels``, Mercator's front queues: a level of those scores is drawn by
chance, each twice as likely as the one below. To compare with: ``breadth``, whatever waits longest; ``random``, any
site that may be asked and any class there, by chance; ``site-rate``, the success of links of the page's site so far."""

PRIORITY_MODEL = ""
"""Model of another crawl (its ``model.npz``) that an adaptive one begins with; what has a host in it is left behind. A
crawl that has a model of its own goes on with that."""

PRIORITY_SCORES = {"media": 1.0, "feed": 0.7, "seed": 0.6, "page": 0.3, "depth": -0.02, ".pls": 0.8, ".m3u": 0.8}
"""Scores of link classes for ``rules`` and ``levels``, by the door or the extension of their first URL; ``depth``
counts for each click."""

REVISIT_SHARE = 0.2
"""Share of the requests, above 0 and at most 1, that may ask known pages again with ``-a revisit=yes``, while URLs wait
that were never asked. One in five is a guess; a number in the place of yes is another one."""

REVISIT_WORTH = 0.1
"""New finds that a revisit must be expected to bring, even if nothing else waits. At one in ten a site's budget lasts
for ever (FRONTIER_SITE_EARNS)."""

REVISIT_SOONEST = 3_600.0
"""Seconds between two visits of a page at least, however much it brings: these are libraries, not news tickers. Feeds
are polled more often by ``scrapy crawl feeds``."""

# -- Nuggets: what the crawl is for -----------------------------------------------------------------------------

NUGGET_FUNCTION = "mediacrawl.priority.nuggets.media"
"""Path of the function that says what is a find: ``def find(response, item) -> mediacrawl.records.Nugget | None``. It
is called once for each item that is stored, with its answer, and once with ``item=None`` for an answer that gave none,
so that pages can be finds too; with other people's spiders, for items only. A find has a key, and counts once in a
crawl, whatever its URL. It raises its site's budget (FRONTIER_SITE_EARNS), and by its reward, 0 to 1, the order of what
led to it. Ours takes media records that say something about themselves. It runs in the crawl's one thread; what it
raises is counted (``nugget/failed``), and that answer is no find."""

NUGGET_WORTH_OPENING = ""
"""Path of a function that says from status and headers whether the body of an answer is worth having: ``def
worth(status: int, headers: Mapping[str, str], url: str) -> bool``, names of headers in lower case. What is not ends
before its body (``drop/not_worth_opening``). It is asked of answers with 2xx, and of a media file at its first one; not
of robots.txt. Empty: all are."""

# -- What is fetched --------------------------------------------------------------------------------------------

PAGE_MAX_BYTES = 200_000
"""Bytes of a page that are read; the rest is cut off. Links beyond it are navigation that stands above as well."""

LIST_MAX_BYTES = 3_000_000
"""Bytes of a feed, a sitemap or a playlist that are read, unpacked; of one that comes packed a fifth is fetched. So
long is a podcast of 500 episodes with all its notes, and so are the 5,000 entries of a list that are kept. Sitemaps may
have 50 MB, for 50,000 pages: more than any site is asked for."""

ROBOTS_SITEMAPS = 10
"""Sitemaps of a robots.txt that join the crawl, the first ones, for each authority: whoever writes one down wants it
read, and sitemaps of videos name files that no page shows. They are asked in the order of pages. 0 for none."""

PROBE_HEAD_BYTES = 16_384
"""Bytes of a media file's head that are asked for first. 8 KB cost more second requests, 64 KB triples the median."""

PROBE_MAX_REQUESTS = 6
"""Requests for one media file: 9 of 10 need at most 3, and one with a picture for each of 30 chapters would take 33."""

PROBE_MAX_BYTES = 262_144
"""Bytes for one media file, held in memory while it is read; 9 of 10 need less than a fifth."""

PROBE_MAX_TAG_BYTES = 4_194_304
"""Bytes of text for one media file, after decompression: a compressed frame of 1 MB would make 1 GB."""

FEEDS_MIN_INTERVAL = 900.0
"""Seconds between two polls of a source by ``scrapy crawl feeds``, at least: no podcast comes four times an hour, and
whose news do have a hub for that."""

FEEDS_MAX_INTERVAL = 604_800.0
"""Seconds at most, a week: a feed that was silent for years may speak again. What a source asks for by ``ttl`` or
Cache-Control is waited for up to this."""

# -- Text -------------------------------------------------------------------------------------------------------

MOJIBAKE_FIELDS: list[str] | dict[str, str] = {}
"""Fields of your items that hold text: a list of names, or a mapping of each name to the field with its raw bytes
(bytes or base64; ``""`` without). Empty: what our records have, and common names such as title and artist."""

MOJIBAKE_MIN_CONFIDENCE = 0.0
"""Confidence, 0 to 1, that a text needs to be changed. The models leave alone what they doubt, so 0 is safe; 0.9 is for
those who would rather keep wrong text than get another wrong text. Of long texts that chardet read, right ones have 0.3
to 0.6: chardet's number is a score, and a setting of 0.6 leaves nearly all of them as declared."""

MOJIBAKE_MODELS: list[str] = []
"""Model files of languages of your own, made by ``scrapy trainencoding``; they decide beside the program's. A language
that it has is replaced. Looked for where NEVERCRAWL_FILES are."""

# -- What is written down ---------------------------------------------------------------------------------------

REQUEST_LOG_ENABLED = True
"""One line per request, the answer to any complaint."""

REQUEST_LOG_DAYS = 31
"""Days that the request log is kept."""

REQUEST_LOG_DIR = ""
"""Folder of the request log; empty for ``log`` in the state folder. Several crawls on one machine may share it: then a
complaint is answered from one place."""

STATS_FILE = ""
"""JSON file that gets the crawl's stats, in the state folder unless a path with a folder is given; empty for none.
``mediacrawl fleet`` names one for each worker."""

HARVEST_FILE = "harvest.jl"
"""File of these lines (JSON, some 3 KB each), in the state folder unless a path with a folder is given; empty for none.
A crawl that goes on counts on from its last line; a kill loses what was counted since."""

PROGRESS_SUMMARY = True
"""Whether the log ends with the summary. The demo prints it itself."""

# -- Errors -----------------------------------------------------------------------------------------------------

BREAKER_ERRORS = 50
"""Faults (exceptions that nobody thought of) within BREAKER_WINDOW that end the crawl, with the reason ``breaker``. One
in a million pages is a bug to repair tomorrow; 50 in a minute are a crawl that drops all it was sent for. 0 for never.
Each stands in ``log/critical.log`` of the state folder, with its traceback."""

BREAKER_SITES = 50
"""Sites in a row, without one that answered between, that cannot be connected to or have no address (one that failed
while others answered is not counted again until it answers): then it is our own network that is down, and the crawl
ends with the reason ``network_down``. One in five, or all that have answered if those are fewer, must have answered
before: one page may link to hundreds of silent addresses. If half of all sites were dead, it would happen once in 10^15
rows. 0: never."""

# -- Machine ----------------------------------------------------------------------------------------------------

# -- Names and addresses ----------------------------------------------------------------------------------------

RESOLVER_HOSTS: dict[str, str | list[str]] = {}
"""Names with fixed addresses, one or a list, before DNS is asked: ``{"blog.example": "127.0.0.1"}``. Whoever writes
them here wants them asked, so the guard lets them pass. The demo lives by it."""

RESOLVER_SERVERS: list[str] = []
"""Name servers, by address, with a port if it is not 53: ``["192.0.2.1", "[2001:db8::1]:5353"]``. One that was silent
is asked after the others. Empty: the system's, from ``/etc/resolv.conf`` as it was at the start."""

RESOLVER_FAMILIES = ["ipv4", "ipv6"]
"""Families of addresses, in the order in which they are tried. IPv4 first: there are machines that have IPv6 addresses
and no route. Only the first address of a name is asked; one that did not answer is asked after the others."""

RESOLVER_TIMEOUT = 10.0
"""Seconds that a name may take, with all its servers and aliases; it is asked for in up to three rounds meanwhile."""

GUARD_ALLOW: list[str] = []
"""What is asked although it is no server of the public web: networks, addresses and names (with all below them), as in
``["127.0.0.0/8", "10.1.0.0/16", "intra.example"]``. All else that is private, loopback, link-local, multicast, reserved
or a cloud's metadata service is refused when a connection would be made (``drop/address``, ``guard/<word>``). URLs that
ended so join again at the first start at which more is allowed: 64 KB of them are kept in the frontier. While there is
no MEDIACRAWL_CONTACT only this machine is crawled, and it is allowed."""

# -- Scrapy's settings, where ours differ -----------------------------------------------------------------------

BOT_NAME = "mediacrawl"
SPIDER_MODULES = ["mediacrawl.spiders"]
NEWSPIDER_MODULE = "mediacrawl.spiders"
COMMANDS_MODULE = "mediacrawl.commands"

ADDONS = {"mediacrawl.addon.OtherSpiders": 0}
"""Spiders that are not ours get the middlewares of Scrapy that are off below."""

SCHEDULER = "mediacrawl.scheduler.PenaltyBoxScheduler"
"""Hands out only what may go at once. Scrapy's own lets requests wait in the downloader, 674 bytes each."""

DOWNLOAD_DELAY = 0
"""Seconds; a floor of every site's delay, whatever the formula says. The frontier waits; the downloader does not."""

CONCURRENT_REQUESTS = 128
"""Requests out at a time, each to another site."""

CONCURRENT_REQUESTS_PER_DOMAIN = 1
"""The frontier gives out one a site anyway."""

CONCURRENT_ITEMS = 1
"""Each output of a callback is a task otherwise; a page of ours has at most one."""

DOWNLOADER_MIDDLEWARES = {
    # Ours, from the engine outward.
    "mediacrawl.middlewares.ContactMiddleware": 30,
    "mediacrawl.middlewares.NeverCrawlMiddleware": 40,
    "mediacrawl.middlewares.SeenMiddleware": 50,
    "mediacrawl.middlewares.RobotsMiddleware": 60,
    "mediacrawl.middlewares.UnpackMiddleware": 590,
    "mediacrawl.middlewares.ListsMiddleware": 585,  # gets what Scrapy's HttpCompressionMiddleware, 590, has unpacked
    "mediacrawl.middlewares.RedirectCapMiddleware": 605,
    "mediacrawl.middlewares.AddressMiddleware": 790,  # behind Scrapy's proxies, which look names up themselves
    "mediacrawl.middlewares.CutMiddleware": 800,
    "mediacrawl.middlewares.AdaptiveDelayMiddleware": 950,
    "mediacrawl.middlewares.RequestLogMiddleware": 960,
    # Scrapy's that ours replace, or that a crawl of strangers' sites does not need.
    "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware": None,
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    "scrapy.downloadermiddlewares.defaultheaders.DefaultHeadersMiddleware": None,
    "scrapy.downloadermiddlewares.useragent.UserAgentMiddleware": None,
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "scrapy.downloadermiddlewares.cookies.CookiesMiddleware": None,
}

SPIDER_MIDDLEWARES = {
    # Our spider hands a page's links to the frontier itself; no request passes here.
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
    # Each item as JSON to a Redis list as well (REDIS_URL, REDIS_ITEMS_KEY); while Redis is away items wait.
    # "mediacrawl.pipelines.RedisItemsPipeline": 400,
}

EXTENSIONS = {
    # It would load a pickle from JOBDIR: whoever can write there could run code here.
    "scrapy.extensions.spiderstate.SpiderState": None,
    # "Crawled 188 pages" counts all answers, those of robots.txt and of ranges of files too; Progress tells pages.
    "scrapy.extensions.logstats.LogStats": None,
    "mediacrawl.extensions.Tuning": 0,
    "mediacrawl.extensions.Breaker": 5,
    "mediacrawl.extensions.Progress": 10,
    "mediacrawl.extensions.Steering": 20,
    "mediacrawl.extensions.Feeding": 30,
    "mediacrawl.extensions.HarvestFile": 40,
    "mediacrawl.extensions.Revisiting": 50,
    "mediacrawl.extensions.StatsFile": 900,  # behind all that count
    "mediacrawl.extensions.LastWord": 950,  # behind all that say something
}

TWISTED_DNS_RESOLVER = "mediacrawl.net.resolver.HostsResolver"
ASYNCIO_EVENT_LOOP = "uvloop.Loop" if find_spec("uvloop") else None
"""uvloop, where it is installed (extra ``speed``), spends a third less on the network."""

DOWNLOAD_TIMEOUT = 30
"""Seconds. Scrapy's 180 is for files; nothing of ours is longer than 200 KB."""

DOWNLOAD_MAXSIZE = 16 * 1024 * 1024
"""Bytes after decompression: a page that grows beyond it is a bomb. What is read from the wire is far less."""

DOWNLOAD_WARNSIZE = 0
DOWNLOAD_FAIL_ON_DATALOSS = False
"""Half a page has links, too: it is read as far as it came, and asked again."""

DOWNLOAD_HANDLERS = {
    "http": "mediacrawl.net.http_handler.PoliteHTTPHandler",
    "https": "mediacrawl.net.http_handler.PoliteHTTPHandler",
    "file": None,
    "data": None,
    "ftp": None,
    "s3": None,
}
"""Only http and https: a link must never reach the crawler's own disk."""

TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
"""Both run any code that reaches their port."""

COOKIES_ENABLED = False
WARN_ON_GENERATOR_RETURN_VALUE = False
FEED_EXPORT_ENCODING = "utf-8"
FEED_EXPORTERS = {"csv": "mediacrawl.extensions.csv_exporter.SafeCsvItemExporter"}
"""Titles that a spreadsheet would run as formulas get an apostrophe in ``-o items.csv``."""
LOG_LEVEL = "INFO"
"""What Scrapy says of itself at this level (versions, settings, parts, all stats at the end) is not shown for our
spiders unless the level is given on the command line, or ``-v``, or the log goes to a LOG_FILE, as under scrapyd."""
LOG_FORMATTER = "mediacrawl.extensions.QuietLogFormatter"
