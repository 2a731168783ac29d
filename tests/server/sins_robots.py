"""Sins of robots.txt. These hosts misbehave there only; all their other URLs are decent."""

from __future__ import annotations

from sin import Visit, sin

TEXT = "text/plain"
RULES = b"User-agent: *\nDisallow: /private/\n"


sin.send("robots-404", "Has no robots.txt.", 404, b"nothing\n", TEXT)
sin.send("robots-403", "Forbids robots.txt itself.", 403, b"forbidden\n", TEXT)
sin.send("robots-429", "Answers 429 to robots.txt.", 429, b"slowly\n", TEXT, Retry_After="1")
sin.send("robots-500", "Answers 500 to robots.txt.", 500, b"broken\n", TEXT)


@sin("robots-hang", "Never answers robots.txt.")
async def robots_hang(visit: Visit) -> None:
    await visit.exchange.until_gone()


@sin("robots-reset", "Resets the connection when asked for robots.txt.")
async def robots_reset(visit: Visit) -> None:
    visit.exchange.reset()


@sin("robots-huge", "Serves 600 KB of robots.txt: /private/ is closed at its start, /late/ behind 500 KiB.")
async def robots_huge(visit: Visit) -> None:
    filling = b"# nothing but filling, line after line, to the limit and beyond\n" * 8500
    late = b"Disallow: /late/\n"
    await visit.send(200, RULES + filling + late + filling[: 600_000 - len(RULES + filling + late)], TEXT)


sin.send(
    "robots-html",
    "Serves a login page in place of robots.txt, with status 200.",
    200,
    b"<!DOCTYPE html><html><body>Disallow: /\n<p>Please log in.</p></body></html>",
    "text/html",
)
sin.send("robots-typed-html", "Serves a good robots.txt as text/html.", 200, RULES, "text/html")


@sin("robots-redirects", "Redirects robots.txt five times; the rules are at the end.")
async def robots_redirects(visit: Visit) -> None:
    step = int(visit.exchange.request.target.partition("?")[2].rstrip("=") or 0)
    if step == 5:
        await visit.send(200, RULES, TEXT)
        return
    await visit.send(302, Location=f"/robots.txt?{step + 1}")


sin.send("robots-loop", "Redirects robots.txt to itself.", 301, Location="/robots.txt")


@sin("robots-binary", "Serves noise in place of robots.txt, as text/plain.")
async def robots_binary(visit: Visit) -> None:
    await visit.send(200, bytes(number * 7919 % 256 for number in range(20_000)), TEXT)


@sin("robots-wildcards", "Serves a rule of a thousand asterisks, which takes a naive matcher for ever.")
async def robots_wildcards(visit: Visit) -> None:
    await visit.send(200, b"User-agent: *\nDisallow: /" + b"*a" * 1000 + b"$\nDisallow: /private/\n", TEXT)


sin.send(
    "robots-latin",
    "Serves robots.txt with a byte order mark, CR line ends, and a path in Latin-1.",
    200,
    b"\xef\xbb\xbfUser-agent: *\rDisallow: /private/\rDisallow: /m\xfcll/\r",
    TEXT,
)
sin.send(
    "robots-slow", "Asks for a Crawl-delay of 100,000 seconds.", 200, b"User-agent: *\nCrawl-delay: 100000\n", TEXT
)
