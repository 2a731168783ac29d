"""Chooses the pages to learn from: those of one form that show media."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from mediacrawl.base.content_type import names_media
from mediacrawl.base.urls import absolute
from mediacrawl.extract import parse_page
from mediacrawl.site_adapters.har.recording import Entry
from mediacrawl.site_adapters.learn.trees import read_tree
from mediacrawl.site_adapters.learn.urls import parsed, request_key
from mediacrawl.site_adapters.learn.visits import Answered, Visit, is_manifest

_MOST_POSTS = 50
_NO_POSTS = ("GET", "HEAD", "OPTIONS")


@dataclass
class Holders:
    """Where the media of one page stand.

    `media` are URLs of those that were played; if none were, of those that answers name. `answers` are GET requests
    whose answers name one of them, and `posts` other requests whose answers do. `in_page`: the page names all.
    """

    visit: Visit
    media: list[str]
    played: bool
    answers: list[Answered] = field(default_factory=list)
    posts: list[Entry] = field(default_factory=list)
    in_page: bool = False


def holders(visit: Visit, common: Collection[object] = ()) -> Holders:
    """Look for the media of a page, without those that are `common` to all pages."""
    played = {key: url for key, url in visit.played.items() if key not in common}
    named = [(each, [one.url for one in visit.named(each).values()]) for each in visit.answers]
    posts = []
    for entry in [each for each in visit.entries if each.method not in _NO_POSTS and each.body][:_MOST_POSTS]:
        url, tree = parsed(entry.url), read_tree(entry.body or "", entry.url, entry.mime)
        if url is not None and tree is not None and not is_manifest(entry):
            posts.append((entry, [one.url for one in visit.named(Answered(entry, url, tree)).values()]))
    # What the page names for everybody who reads its HTML.
    page = parse_page(visit.page.html.encode("utf-8", "replace"), visit.address)
    links = [absolute(page.base, link.href).partition("#")[0] for link in page.links]
    in_page = [link for link in links if link and (names_media(link) or visit.is_played(link))]
    media = list(played.values())
    if not media:
        media = list(dict.fromkeys(url for _, urls in (*named, *posts) for url in urls)) or in_page
    wanted = {request_key(url) for url in media}
    found = Holders(visit, media, bool(played))
    found.answers = [each for each, urls in named if any(request_key(url) in wanted for url in urls)]
    found.posts = [each for each, urls in posts if any(request_key(url) in wanted for url in urls)]
    found.in_page = bool(media) and wanted <= {request_key(url) for url in in_page}
    return found


class Subject:
    """The pages of the recordings that an adapter may be for: those of one form that show media.

    `visits` are all of that form, with `holders` of their media; `pages` has one visit of each page that shows media.
    """

    def __init__(self, visits: Sequence[Visit]) -> None:
        common = everywhere(visits)
        self._found = {id(visit): holders(visit, common) for visit in visits}
        groups: dict[object, list[Visit]] = {}
        for visit in visits:
            groups.setdefault((visit.url.host, len(visit.url.segments)), []).append(visit)
            groups.setdefault(visit.url.host, []).append(visit)
        self.visits = max(groups.values(), key=self._weight, default=[])
        self.holders = [self.of(visit) for visit in self.visits]
        # A page is recorded twice where it was reloaded before its player was started: the visit that played is taken.
        best: dict[str, Visit] = {}
        for visit in sorted(self.visits, key=lambda each: (not self.of(each).played, -len(each.answers))):
            best.setdefault(visit.address, visit)
        addresses = dict.fromkeys(visit.address for visit in self.visits)
        self.pages = [best[address] for address in addresses if self.of(best[address]).media]

    def of(self, visit: Visit) -> Holders:
        """Return where the media of a page stand."""
        return self._found[id(visit)]

    def _weight(self, group: Sequence[Visit]) -> tuple[int, int, int]:
        """Return how much a group has to learn from: pages with media, with media that were played, few others."""
        own = {visit.address: self.of(visit) for visit in group}
        media = sum(bool(each.media) for each in own.values())
        return media, sum(each.played for each in own.values()), -len(own)


def everywhere(visits: Sequence[Visit]) -> set[object]:
    """Return the keys of media that each page plays, if there are several pages."""
    by_address: dict[str, set[object]] = {}
    for visit in visits:
        by_address.setdefault(visit.address, set()).update(visit.played)
    sets = [each for each in by_address.values() if each]
    return set.intersection(*sets) if len(sets) > 1 else set()
