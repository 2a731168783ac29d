"""The recording of two pages of the demo web's player, made as docs/site-adapters.md describes."""

from datetime import date
from pathlib import Path

from mediacrawl.demo.sites import build_hosts, names

PORT = 8016
"""The port in the URLs of the recording."""
PATHS = ("/robots.txt", "/", "/horfa/107", "/horfa/31")
"""What was opened in the browser."""
RECORDING = Path(__file__).parent / "recordings" / "demo.har.gz"


def recorded_host():
    """The host that was recorded, as it answers at the port of the recording; no server is needed."""
    return next(host for host in build_hosts(PORT, date(2026, 11, 26)) if host.host == names.PLAYER)
