"""The hosts of the demo web, a few in each module.

Their names end in .example (RFC 2606): they exist nowhere else.
"""

from __future__ import annotations

from datetime import date

from mediacrawl.demo.sites.cabinet import hosts as cabinet_hosts
from mediacrawl.demo.sites.film_reel import hosts as film_hosts
from mediacrawl.demo.sites.listening_shelf import hosts as shelf_hosts
from mediacrawl.demo.sites.media import music_hosts, podcast_hosts, video_hosts
from mediacrawl.demo.sites.old_encodings import language_hosts, tape_hosts
from mediacrawl.demo.sites.rare_formats import hosts as rare_hosts
from mediacrawl.demo.sites.script_player import hosts as player_hosts
from mediacrawl.demo.sites.special_cases import careful_hosts, directory_hosts, oddity_hosts
from mediacrawl.demo.sites.tea_podcast import hosts as tea_hosts
from mediacrawl.demo.virtual_host import VirtualHost


def build_hosts(port: int, today: date) -> list[VirtualHost]:
    """All virtual hosts on this port; the calendar begins with the month of `today`."""
    return [
        *music_hosts(port),
        *podcast_hosts(port),
        *directory_hosts(port),
        *video_hosts(port),
        *language_hosts(port),
        *tape_hosts(port),
        *careful_hosts(port, today),
        *oddity_hosts(port),
        *cabinet_hosts(port),
        *rare_hosts(port),
        *tea_hosts(port),
        *shelf_hosts(port),
        *film_hosts(port),
        *player_hosts(port),
    ]
