"""The hosts of the demo web, a few in each file.

Their names all end in .example (RFC 2606): they exist nowhere else.
"""

from __future__ import annotations

from datetime import date

from mediacrawl.demo.sites import cabinet, directory, languages, music, oddities, podcast, tapes, video, wishes
from mediacrawl.demo.virtual_host import VirtualHost


def build_hosts(port: int, today: date) -> list[VirtualHost]:
    """All virtual hosts, as they look from this port and on this day (the calendar begins with its month)."""
    return [
        *music.hosts(port),
        *podcast.hosts(port),
        *directory.hosts(port),
        *video.hosts(port),
        *languages.hosts(port),
        *tapes.hosts(port),
        *wishes.hosts(port, today),
        *oddities.hosts(port),
        *cabinet.hosts(port),
    ]
