"""The recording of two pages of the demo web's player, made as docs/site-adapters.md describes."""

from pathlib import Path

from demo_fields import FIELDS

from mediacrawl.programs.demo import DemoSites

PORT = 8016
"""The port in the URLs of the recording."""
PATHS = ("/robots.txt", "/", "/horfa/107", "/horfa/31")
"""What was opened in the browser."""
RECORDING = Path(__file__).parent / "recordings" / "demo.har.gz"
PLAYER = "ljosvaki.example"
PAGES = ("/horfa/107", "/horfa/2214", "/horfa/31")
"""The pages for which there is data."""
SITES = DemoSites(PORT)
"""The demo web as it answers at the port of the recording; no server is needed."""


def url(path):
    """URL of the host that was recorded."""
    return SITES.url(PLAYER, path)


def served(where):
    """What the host answers at a URL."""
    return SITES.find(PLAYER, where.removeprefix(url("")))


def media_of(path):
    """URLs of the media that the data of a page names."""
    page = f"http://{PLAYER}:PORT{path}"
    return {SITES.url(*_parted(place)) for place, fields in FIELDS.items() if fields.get("page_url") == page}


def _parted(place):
    host, slash, path = place.partition("/")
    return host, slash + path
