"""A film club: players, OpenGraph, JSON-LD and oEmbed."""

from __future__ import annotations

import json

from mediacrawl.demo.sites import names
from mediacrawl.demo.virtual_host import VirtualHost


def hosts(port: int) -> list[VirtualHost]:
    """One host with a film that has its index at the end, one that has it at the start, and a large cover."""
    cinema = VirtualHost(names.VIDEO, port)
    cinema.robots("User-agent: *\nDisallow:\n")
    cinema.page(
        "/",
        "Kino Lumière",
        """
<p>Le ciné-club au bord de l'écluse : <a href="/films/bateau">Le bateau de papier</a>,
<a href="/films/foire">La foire aux cerfs-volants</a>, <a href="/films/horloge">L'horloge muette</a>,
et <a href="/musique">la musique de l'été</a>.</p>
""",
        lang="fr",
    )
    _films(cinema)
    _film_without_file(cinema)
    cinema.page(
        "/musique",
        "La musique de l'été",
        '<p>Un chœur, des lanternes. <a href="/">Retour</a></p>',
        lang="fr",
        head=f'<meta property="og:audio" content="{cinema.url("/media/lanternes.mp3")}">',
    )
    cinema.media("/media/bateau.mp4", "bateau.mp4")
    cinema.media("/media/foire.mp4", "foire.mp4")
    cinema.media("/media/lanternes.mp3", "lanternes.mp3", seconds=176)
    return [cinema]


def _films(cinema: VirtualHost) -> None:
    cinema.page(
        "/films/bateau",
        "Le bateau de papier",
        """
<video controls preload="none" width="64" height="48"><source src="/media/bateau.mp4" type="video/mp4"></video>
<p>Deux secondes, une rivière. <a href="/">Tous les films</a></p>
""",
        lang="fr",
    )
    film = cinema.url("/media/foire.mp4")
    facts = {"@context": "https://schema.org", "@type": "VideoObject", "name": "La foire", "contentUrl": film}
    cinema.page(
        "/films/foire",
        "La foire aux cerfs-volants",
        '<p>Le vent est le seul acteur. <a href="/">Tous les films</a></p>',
        lang="fr",
        head=(
            f'<meta property="og:type" content="video.other">\n<meta property="og:video" content="{film}">\n'
            '<meta property="og:video:type" content="video/mp4">\n'
            f'<script type="application/ld+json">{json.dumps(facts)}</script>'
        ),
    )


def _film_without_file(cinema: VirtualHost) -> None:
    """A page whose card names a player and no author; who asks is told more."""
    player, asked = cinema.url("/lecteur/8"), "/oembed?url=/films/horloge"
    cinema.players.add(player)
    cinema.page(
        "/films/horloge",
        "L'horloge muette",
        '<p>Elle ne sonne que dans son lecteur. <a href="/">Tous les films</a></p>',
        lang="fr",
        head=(
            '<meta property="og:title" content="L\'horloge muette">\n'
            f'<meta property="og:video" content="{player}">\n<meta property="og:video:type" content="text/html">\n'
            f'<link rel="alternate" type="application/json+oembed" href="{asked}">'
        ),
    )
    told = {
        "type": "video",
        "version": "1.0",
        "title": "L'horloge muette",
        "author_name": "Club des horlogers",
        "duration": 61,
        "html": f'<iframe src="{player}"></iframe>',
    }
    cinema.file(asked, json.dumps(told).encode(), "application/json")
    cinema.page("/lecteur/8", "Lecteur", "<p>Pas de fichier ici, seulement des aiguilles.</p>", lang="fr")
