"""A music blog, which links to most of the demo web, and a host that wants to be left alone."""

from __future__ import annotations

from mediacrawl.demo.sites import names
from mediacrawl.demo.virtual_host import VirtualHost


def hosts(port: int) -> list[VirtualHost]:
    """The blog, and the two hosts of the domain that the demo's NeverCrawl file names."""
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
    (names.NEVER, "/", "Bitte nicht"),
    (names.NEVER_MEDIA, "/lied.mp3", "Ein Lied von nebenan"),
)


def _never(host: str, port: int) -> VirtualHost:
    """Full of media, open by its robots.txt, and named in NeverCrawl: not even its robots.txt may be asked for."""
    never = VirtualHost(host, port)
    never.robots("User-agent: *\nDisallow:\n")
    never.page("/", "Bitte nicht", '<p><a href="/lied.mp3">Ein Lied</a></p><audio src="/lied.mp3"></audio>', lang="de")
    never.media("/lied.mp3", "nachtzug.mp3", expected=False)
    never.forbid("/", "NeverCrawl")
    return never
