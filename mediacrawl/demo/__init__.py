"""A small web on loopback with real media files, for the first run and for the tests.

Comes in: a free port. Goes out: an HTTP server in a thread of its own, the seeds, the names of its hosts, what a
well-behaved crawl must find and must leave alone, and a log of every request as the *server* saw it. It promises
to be a web: it knows nothing of the crawler. Its HTTP core (`HttpServer`, `ServerExchange`, `respond`) can serve any
other web, also one that misbehaves.
"""

from mediacrawl.demo.http import App, HttpServer, ServerExchange
from mediacrawl.demo.library import grow_mp3, media_bytes
from mediacrawl.demo.message import Request, Resource, Response, ServedRequest, respond
from mediacrawl.demo.web import DemoWeb

__all__ = [
    "App",
    "DemoWeb",
    "HttpServer",
    "Request",
    "Resource",
    "Response",
    "ServedRequest",
    "ServerExchange",
    "grow_mp3",
    "media_bytes",
    "respond",
]
