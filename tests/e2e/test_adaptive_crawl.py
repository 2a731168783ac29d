"""A real crawl that learns: what leads to media goes first, it says why, and a kill does not make it forget."""

from collections import Counter

from sins_traps import TrapVisit, TrapWeb, links, number_in, prose
from trap_crawl import Finished

from mediacrawl.frontier.sqlite.reader import FrontierReader
from mediacrawl.priority.adaptive import SiteClasses
from mediacrawl.priority.orders import RECORDS

SONGS, NEWS = 10, 30
CHOIRS = [f"choir-{place}" for place in range(6)]


def choir(name):
    """Pages about songs, each with its file, and three times as many others, which lead to others of their kind."""

    def answer(visit: TrapVisit) -> str | None:
        number = max(number_in(visit.path), 0)
        text = prose(f"{name} {visit.path}", 12)
        if visit.path.startswith("/songs/"):
            return text + links(f"/files/{name}-{number}.mp3")
        if visit.path.startswith("/news/"):
            return text + links(f"/news/{(number + 1) % NEWS}", f"/news/{(number + 7) % NEWS}")
        songs = [f"/songs/{n}" for n in range(SONGS)]
        return text + links(*(f"/news/{n}" for n in range(SONGS)), *songs)

    return answer


def files(name):
    return [f"/files/{name}-{number}.mp3" for number in range(SONGS)]


def choirs():
    return TrapWeb({name: choir(name) for name in CHOIRS}, files)


def least(log, kind):
    """How many of a kind were requested at the site where they were the fewest."""
    hosts = Counter(entry.host for entry in log if entry.path.startswith(kind))
    return min(hosts[f"{name}.example"] for name in CHOIRS)


def test_a_killed_crawl_goes_on_with_what_it_learned_and_tells_why(tmp_path):
    with choirs() as web:
        finished = Finished.on(web, tmp_path, *CHOIRS)
        crawl = finished.crawl
        settings = {"mediacrawl.priority.adaptive.AdaptivePolicy.save_every": 0.5, "PRIORITY": "adaptive"}
        settings |= {"POLITENESS_MIN_DELAY": 0.05, "POLITENESS_FIRST_DELAY": 0.05}
        crawl.start(**settings)
        # Of three news of a site two have ended, and are in the frontier.
        crawl.until(lambda log: all(least(log, kind) > 2 for kind in ("/songs/", "/news/")))
        crawl.kill()
        state = tmp_path / "state"
        assert (state / "model.npz").exists()
        with FrontierReader(state / "frontier.db") as reader:
            before = {name: SiteClasses.load(reader.note(RECORDS, f"{name}.example")) for name in CHOIRS}
            ended = {link_class for classes in before.values() for link_class in classes.numbers}
            waits = next(found for found in reader.waiting() if "/news/" in found.url and found.link_class in ended)
        told = crawl.command("frontier", "why", waits.url).stdout
        finished.run(PRIORITY="adaptive", FRONTIER_EXPLORE=0)
        assert finished.code == 0, finished.crawl.text()[-3000:]
        assert set.union(*finished.media.values()) == finished.found
        with FrontierReader(state / "frontier.db") as reader:
            after = {name: SiteClasses.load(reader.note(RECORDS, f"{name}.example")) for name in CHOIRS}
    assert "URLs of its class came to an end, worth 0." in told
    assert "for this link, after" in told
    for name in CHOIRS:
        songs = f"{name}.example:{web.port}/songs/#"
        assert before[name].fetches[before[name].numbers[songs]] > 0
        # A kill may undo the end of a visit or its record, not both for long.
        assert abs(after[name].fetches.sum() - (1 + 2 * SONGS + NEWS)) <= 4
        # The first of them are in one class, and the others, with their tag path, in a second one.
        of_songs = [number for named, number in after[name].numbers.items() if named.partition(" ")[0] == songs]
        assert len(of_songs) == 2
        assert after[name].credit[of_songs].sum() > 0.6 * SONGS
