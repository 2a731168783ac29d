"""Sites that a careless rule against traps and duplicates would take for one, and where nothing may be lost.

with TrapWeb(HONEST, honest_files) as web: ...
"""

from __future__ import annotations

from itertools import product

from sins_traps import Trap, TrapVisit, links, number_in, prose

__all__ = ["HONEST", "honest_files"]

HONEST: dict[str, Trap] = {}
MENU = "".join(f"<li>Entry {number} of the menu</li>" for number in range(400))
DAYS = [f"/day?d={d}&m={m}&y={y}" for y, m, d in product(range(2020, 2023), range(1, 6), range(1, 6))]


def honest(answer: Trap) -> Trap:
    """Register a host under the name of its function."""
    HONEST[answer.__name__.replace("_", "-")] = answer
    return answer


def audio(path: str) -> str:
    """A player."""
    return f'<audio controls src="{path}"></audio>'


@honest
def podcast(visit: TrapVisit) -> str | None:
    """Thirty pages that differ in one line, each with a file that a script sends; from page to page only by a link."""
    number = max(number_in(visit.path), 0)
    return f"{MENU}<h1>Episode {number}</h1>" + links(f"/get.php?id={number}", f"/episode/{(number + 1) % 30}")


@honest
def short_notes(visit: TrapVisit) -> str | None:
    """Thirty pages with hardly any text."""
    number = max(number_in(visit.path), 0)
    return f"<p>No. {number}</p>" + links(*(f"/note/{(number + step) % 30}" for step in (1, 2)), f"/note{number}.mp3")


@honest
def archive(visit: TrapVisit) -> str | None:
    """Twelve lists of five short titles below a long menu; the pages behind them differ in what their frame shows."""
    number = number_in(visit.path)
    if visit.path.startswith("/player/"):
        return audio(f"/{number}.mp3")
    if visit.path.startswith("/item/"):
        return f'{prose("all the same")}<iframe src="/player/{number}"></iframe>'
    titles = "".join(f'<li><a href="/item/{n}">Title {n}</a></li>' for n in range(number * 5, number * 5 + 5))
    pages = links(*(f"/list/{other}" for other in range(12)))
    return f"{MENU}<h1>The archive</h1>{titles if number >= 0 else ''}{pages}"


@honest
def gallery(visit: TrapVisit) -> str | None:
    """Ten pages of pictures without a word, each picture with a link to a page that has a picture and a film."""
    number = number_in(visit.path)
    if visit.path.startswith("/film/"):
        return f'<img src="/big{number}.jpg">' + audio(f"/{number}.mp3")
    number = max(number, 0)
    films = [f'<a href="/film/{n}"><img src="/s.gif"></a>' for n in range(number * 3, number * 3 + 3)]
    return "".join(films) + f'<a href="/gallery/{(number + 1) % 10}">&gt;</a>'


@honest
def languages(visit: TrapVisit) -> str | None:
    """Twelve pages in four languages; the first six were never translated, and some have only one page of a list."""
    number, language, part = number_in(visit.path), visit.query.get("lang"), visit.query.get("page", "1")
    if number < 0:
        return prose("index") + links(*(f"/text/{other}" for other in range(12)))
    others = [f"/text/{number}?lang={other}" for other in ("de", "en", "fr", "ja")]
    if number < 6:
        return prose(f"not translated {number}") + links(*others, f"/text/{number}?page=1")
    if language is None:
        return (
            prose(f"{number} part {part}")
            + links(*others, *(f"/text/{number}?page={n}" for n in (1, 2)))
            + audio(f"/{number}-{part}.mp3")
        )
    return prose(f"{number} in {language}") + links(f"/{number}-{language}.mp3")


@honest
def radio(visit: TrapVisit) -> str | None:
    """A page for each of 75 days, which is requested by year, month and day; each has a recording."""
    if visit.path == "/":
        return prose("index") + links(DAYS[0])
    if visit.target not in DAYS:
        return None
    place = DAYS.index(visit.target)
    return prose(visit.target) + links(*DAYS[place + 1 : place + 3], DAYS[place - 1], f"/{place}.mp3")


@honest
def printed(visit: TrapVisit) -> str | None:
    """Twenty texts, each with a version for printers, which comes first."""
    number = number_in(visit.path)
    if number < 0:
        return prose("index") + links("/print/0", "/text/0")
    text = prose(f"printed {number}")
    if visit.path.startswith("/print/"):
        return text
    return f"<ul><li>Home</li><li>Radio</li></ul>{text}" + links(
        *(f"/{kind}/{(number + 1) % 20}" for kind in ("print", "text")), f"/{number}.mp3"
    )


@honest
def never_404(visit: TrapVisit) -> str | None:
    """Twenty pages, and as many links to pages and files that are gone, for which it says so with status 200."""
    number = number_in(visit.path)
    if visit.path != "/" and not visit.path.startswith("/page/"):
        return f"<h1>Sorry</h1>{MENU}" + links("/")
    if number >= 20:
        return f"<h1>Sorry</h1>{MENU}" + links("/")
    number = max(number, 0)
    hrefs = (f"/page/{number + 1}", f"/page/{number + 100}", f"/gone{number}.mp3", f"/{number}.mp3")
    return MENU + prose(f"here {number}") + links(*hrefs)


@honest
def file_pages(visit: TrapVisit) -> str | None:
    """Twenty names of files that lead to a page about the file, as MediaWiki does; all say the same but the name."""
    if visit.path == "/":
        return prose("index") + links(*(f"/File:Song_{number}.mp3" for number in range(20)))
    name = visit.path.rpartition("/")[2]
    number = number_in(name.replace(".mp3", ""))
    return f"<h1>{name}</h1>{MENU}" + links(f"/files/{number}.ogg")


def honest_files(name: str) -> list[str]:
    """Paths of the media of a host."""
    if name == "podcast":
        return [f"/get.php?id={number}" for number in range(30)]
    if name == "short-notes":
        return [f"/note{number}.mp3" for number in range(30)]
    if name == "languages":
        parts = ("1", "2", "de", "en", "fr", "ja")
        return [f"/{number}-{part}.mp3" for number in range(6, 12) for part in parts]
    if name == "file-pages":
        return [f"/files/{number}.ogg" for number in range(20)]
    several = {"archive": 60, "gallery": 30, "radio": len(DAYS)}
    return [f"/{number}.mp3" for number in range(several.get(name, 20))]
