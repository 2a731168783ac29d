"""Sins of robots.txt. These hosts misbehave there only; all their other URLs are decent."""

from __future__ import annotations

from robots_web import ANSWERS, RULES, TEXT
from sin import Visit, sin

ALSO_IN_ROBOTS_WEB = {
    "robots-404": ("s404", "Has no robots.txt."),
    "robots-403": ("s403", "Forbids robots.txt itself."),
    "robots-500": ("s500", "Answers 500 to robots.txt."),
    "robots-hang": ("hang", "Never answers robots.txt."),
    "robots-reset": ("reset", "Resets the connection when asked for robots.txt."),
    "robots-html": ("page-instead", "Serves a login page in place of robots.txt, with status 200."),
    "robots-typed-html": ("typed-as-page", "Serves a good robots.txt as text/html."),
    "robots-loop": ("to-itself", "Redirects robots.txt to itself."),
    "robots-binary": ("noise", "Serves noise in place of robots.txt, as text/plain."),
    "robots-latin": ("latin", "Serves robots.txt with a byte order mark, CR line ends, and a path in Latin-1."),
}
"""Sin -> the host of `robots_web` that commits it, and its sentence."""
for name, (host, sentence) in ALSO_IN_ROBOTS_WEB.items():
    sin(name, sentence)(ANSWERS[host])
sin.send("robots-429", "Answers 429 to robots.txt.", 429, b"slowly\n", TEXT, Retry_After="1")


@sin("robots-huge", "Serves 600 KB of robots.txt: /private/ is closed at its start, /late/ behind 500 KiB.")
async def robots_huge(visit: Visit) -> None:
    filling = b"# nothing but filling, line after line, to the limit and beyond\n" * 8500
    late = b"Disallow: /late/\n"
    await visit.send(200, RULES + filling + late + filling[: 600_000 - len(RULES + filling + late)], TEXT)


@sin("robots-redirects", "Redirects robots.txt five times; the rules are at the end.")
async def robots_redirects(visit: Visit) -> None:
    step = int(visit.exchange.request.target.partition("?")[2].rstrip("=") or 0)
    if step == 5:
        await visit.send(200, RULES, TEXT)
        return
    await visit.send(302, Location=f"/robots.txt?{step + 1}")


@sin("robots-wildcards", "Serves a rule of a thousand asterisks, which takes a naive matcher for ever.")
async def robots_wildcards(visit: Visit) -> None:
    await visit.send(200, b"User-agent: *\nDisallow: /" + b"*a" * 1000 + b"$\nDisallow: /private/\n", TEXT)


sin.send(
    "robots-slow", "Asks for a Crawl-delay of 100,000 seconds.", 200, b"User-agent: *\nCrawl-delay: 100000\n", TEXT
)
