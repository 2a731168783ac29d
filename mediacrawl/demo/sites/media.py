"""Hosts with media: a music blog, a podcast, and a film club."""

# ruff: noqa: RUF001 - the names of friends are Russian on purpose
from __future__ import annotations

import json
from html import escape

from mediacrawl.demo.library import TITLES
from mediacrawl.demo.sites import names
from mediacrawl.demo.virtual_host import VirtualHost


def music_hosts(port: int) -> list[VirtualHost]:
    """The blog, and the two music_hosts of the domain that the demo's NeverCrawl file names."""
    return [_blog(port), _never(names.NEVER, port), _never(names.NEVER_MEDIA, port)]


def _blog(port: int) -> VirtualHost:
    blog = VirtualHost(names.TONSPUR, port)
    blog.robots("User-agent: *\nDisallow: /suche\n\nUser-agent: greedybot\nDisallow: /\n")
    blog.forbid("/suche", "robots.txt")
    _posts(blog)
    _other_pages(blog)
    blog.media("/media/nachtzug-1.mp3", "nachtzug.mp3", seconds=184)
    blog.media("/media/regenlied.mp3", "regenlied.mp3", seconds=203)
    blog.media("/media/cafe.mp3", "cafe.mp3", seconds=151)
    blog.media("/media/kitchen.mp3", "kitchen.mp3")
    blog.media("/intern/entwurf.mp3", "nachtzug.mp3", expected=False)
    blog.forbid("/intern/entwurf.mp3", "meta robots nofollow")
    blog.page("/sponsor/angebot.html", "Anzeige", "<p>Kaufen Sie mehr Kabel.</p>", lang="de")
    blog.forbid("/sponsor/", "rel=nofollow")
    return blog


def _posts(blog: VirtualHost) -> None:
    blog.page(
        "/",
        "Tonspur",
        """
<p>Kleine Aufnahmen, nachts mitgeschnitten und morgens beschriftet.</p>
<ul>
<li><a href="/2025/03/nachtzug/">Nachtzug nach Köln</a></li>
<li><a href="/2025/04/regenlied/">Ein Regenlied</a></li>
<li><a href="/2025/05/am-hafen/">Am Hafen</a></li>
<li><a href="/archiv/">Archiv</a> und <a href="/freunde/">befreundete Seiten</a></li>
<li><a href="/impressum/">Impressum</a>, <a href="mailto:redaktion@tonspur.example">Post an uns</a></li>
</ul>
<p><a href="/sponsor/angebot.html" rel="sponsored nofollow">Anzeige: Kabel, so lang Sie wollen</a></p>
""",
        lang="de",
        head='<link rel="canonical" href="/">',
    )
    blog.page(
        "/2025/03/nachtzug/",
        "Nachtzug nach Köln",
        """
<p>Die Gleisgärtner haben zwischen zwei Bahnhöfen aufgenommen. Man hört die Weichen.</p>
<audio controls preload="none" src="/media/nachtzug-1.mp3"></audio>
<p><a href="../../04/regenlied/">Nächster Beitrag</a></p>
""",
        lang="de",
    )
    blog.page(
        "/2025/04/regenlied/",
        "Ein Regenlied",
        """
<p>Vier Minuten Regen, davon drei mit Gesang.</p>
<audio controls preload="none"><source src="/media/regenlied.mp3" type="audio/mpeg"></audio>
<p>Wer keinen Spieler hat: <a href="/media/regenlied.mp3">die Datei selbst</a>.</p>
""",
        lang="de",
    )
    blog.page(
        "/2025/05/am-hafen/",
        "Am Hafen",
        """
<p>Harbour &amp; Sons waren zu Gast. Zwei Stücke zum Mitnehmen:
<a href="/media/cafe.mp3">Café on the Quay</a> und eine alte <a href="/media/kitchen.mp3">Küchenaufnahme</a>.</p>
""",
        lang="de",
    )


def _other_pages(blog: VirtualHost) -> None:
    # The second link names a file of the first post in another spelling; it is the same file.
    blog.page(
        "/archiv/",
        "Archiv",
        f"""
<p><a href="/2025/03/nachtzug/#kommentare">März 2025</a>, <a href="/2025/04/regenlied/">April 2025</a></p>
<p><a href="HTTP://TONSPUR.example:{blog.port}/media/./nachtzug%2D1.mp3#t=30">Nachtzug, ab der Weiche</a></p>
<p><a href="/suche?q=regen">Suche nach Regen</a>, <a href="/intern/">Intern</a></p>
""",
        lang="de",
    )
    blog.page(
        "/intern/",
        "Intern",
        '<p>Noch nicht fertig: <a href="/intern/entwurf.mp3">ein Entwurf</a>.</p>',
        lang="de",
        head='<meta name="robots" content="nofollow">',
    )
    blog.page("/impressum/", "Impressum", "<p>Diese Seite hat keine Verweise.</p>", lang="de")
    friends = "\n".join(f'<li><a href="{blog.url(path, host)}">{text}</a></li>' for host, path, text in _FRIENDS)
    blog.page("/freunde/", "Befreundete Seiten", f"<ul>\n{friends}\n</ul>", lang="de")


_FRIENDS = (
    (names.VIDEO, "/", "Kino Lumière"),
    (names.POLISH, "/", "Archiwum dźwięku"),
    (names.GREEK, "/", "Ράδιο Μεσημβρία"),
    (names.RUSSIAN, "/", "Старое радио"),
    (names.JAPANESE, "/", "音の道"),
    (names.DETOURS, "/", "Umweg"),
    (names.CALENDAR, "/", "Kalender"),
    (names.SLOW, "/", "Hidas radio"),
    (names.ODDITIES, "/", "Fundgrube"),
    (names.CABINET, "/", "Kabinett der Formate"),
    (names.ATTIC, "/", "Lydloftet"),
    (names.TEA, "/", "Чай у окна"),
    (names.SHELF, "/", "Hörregal"),
    (names.REEL, "/", "Filmtekercs"),
    (names.PLAYER, "/", "Ljósvaki"),
    (names.NEVER, "/", "Bitte nicht"),
    (names.NEVER_MEDIA, "/lied.mp3", "Ein Lied von nebenan"),
)


def _never(host: str, port: int) -> VirtualHost:
    """Full of media, open by its robots.txt, and named in NeverCrawl: not even its robots.txt may be requested."""
    never = VirtualHost(host, port)
    never.robots("User-agent: *\nDisallow:\n")
    never.page("/", "Bitte nicht", '<p><a href="/lied.mp3">Ein Lied</a></p><audio src="/lied.mp3"></audio>', lang="de")
    never.media("/lied.mp3", "nachtzug.mp3", expected=False)
    never.forbid("/", "NeverCrawl")
    return never


_SECONDS = {1: 612.0, 2: 540.0, 3: 655.0}


def podcast_hosts(port: int) -> list[VirtualHost]:
    """Three podcast_hosts of two sites: pages and files share one site, and so one delay."""
    files = _files(port)
    return [_pages(port, files), files, _counter(port)]


def _files(port: int) -> VirtualHost:
    files = VirtualHost(names.PODCAST_MEDIA, port)
    files.robots("User-agent: *\nDisallow: /entwurf/\n")
    for number, seconds in _SECONDS.items():
        files.media(f"/folge-{number}.mp3", f"folge-{number}.mp3", seconds=seconds)
    return files


def _counter(port: int) -> VirtualHost:
    """Two redirects in a row, the second to another host: fine for a crawler that follows three."""
    counter = VirtualHost(names.COUNTER, port)
    counter.robots("User-agent: *\nAllow: /\n")
    counter.redirect("/r/folge-3.mp3", "/z/folge-3.mp3?n=1")
    counter.redirect("/z/folge-3.mp3", counter.url("/folge-3.mp3", names.PODCAST_MEDIA), status=307)
    return counter


def _pages(port: int, files: VirtualHost) -> VirtualHost:
    pages = VirtualHost(names.PODCAST, port)
    pages.robots("User-agent: *\nDisallow: /konto/\n")
    pages.forbid("/konto/", "robots.txt")
    feed = '<link rel="alternate" type="application/rss+xml" title="Alle Folgen" href="/feed.xml">'
    pages.page(
        "/",
        "Podcast am Morgen",
        f"""
<p>Jeden Morgen ein Gespräch, kürzer als ein Frühstück.</p>
<p><a href="/folgen/1">Folge 1</a>, <a href="/folgen/2">Folge 2</a>; die neueste steht zuerst im Feed.</p>
<p><a href="/ueber/">Über uns</a>, <a href="/konto/anmelden">Anmelden</a>,
<a href="{pages.url("/", names.DIRECTORY)}">Rohaufnahmen</a></p>
""",
        lang="de",
        head=feed,
    )
    for number in (1, 2):
        _episode(pages, files, number)
    pages.page("/ueber/", "Über uns", '<p>Zwei Stimmen, ein Toaster. <a href="/">Zurück</a></p>', lang="de", head=feed)
    pages.file("/feed.xml", _feed(pages, files).encode(), "application/rss+xml; charset=utf-8")
    return pages


def _episode(pages: VirtualHost, files: VirtualHost, number: int) -> None:
    source = files.url(f"/folge-{number}.mp3")
    pages.page(
        f"/folgen/{number}",
        TITLES[f"folge-{number}.mp3"],
        f"""
<audio controls preload="none" src="{source}"></audio>
<p><a href="{source}">Folge {number} herunterladen</a> oder <a href="/">alle Folgen</a> ansehen.</p>
""",
        lang="de",
    )


def _feed(pages: VirtualHost, files: VirtualHost) -> str:
    """RSS 2.0. The third episode is only here, and its file is behind the counter."""
    sources = {1: files.url("/folge-1.mp3"), 2: files.url("/folge-2.mp3")}
    sources[3] = pages.url("/r/folge-3.mp3", names.COUNTER)
    entries = "\n".join(_entry(files, number, source) for number, source in sorted(sources.items(), reverse=True))
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0">
<channel>
<title>Podcast am Morgen</title>
<link>{pages.url("/")}</link>
<description>Gespräche, kürzer als ein Frühstück</description>
<language>de</language>
{entries}
</channel>
</rss>
"""


def _entry(files: VirtualHost, number: int, source: str) -> str:
    length = len(files.resources[f"/folge-{number}.mp3"].body)
    return f"""<item>
<title>{escape(TITLES[f"folge-{number}.mp3"])}</title>
<guid isPermaLink="false">morgen-{number}</guid>
<enclosure url="{source}" length="{length}" type="audio/mpeg"/>
</item>"""


def video_hosts(port: int) -> list[VirtualHost]:
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
    """A page whose card names a player and no author; oEmbed returns more."""
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
    described = {
        "type": "video",
        "version": "1.0",
        "title": "L'horloge muette",
        "author_name": "Club des horlogers",
        "duration": 61,
        "html": f'<iframe src="{player}"></iframe>',
    }
    cinema.file(asked, json.dumps(described).encode(), "application/json")
    cinema.page("/lecteur/8", "Lecteur", "<p>Pas de fichier ici, seulement des aiguilles.</p>", lang="fr")
