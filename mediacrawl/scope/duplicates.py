"""All rules on pages and links that were seen before under another URL."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mediacrawl.base.notes import Notes
from mediacrawl.base.terms import Drop
from mediacrawl.extract import Fingerprint
from mediacrawl.scope.canonical import Spelling
from mediacrawl.scope.copies import Copies, SoftErrors
from mediacrawl.scope.extensions import MEDIA_EXTENSIONS, extension_of
from mediacrawl.scope.parameters import Facets, Parameters
from mediacrawl.scope.sites import authority_of, site_of


@dataclass(frozen=True, slots=True)
class DuplicatePolicy:
    """Parameters of the rules; 0 switches a rule off where that is said.

    Attributes:
        pages: of a site that a new page is compared with; 0 for none.
        bits: of 64, in which the simhash of a near copy may differ.
        near_text: bytes of text, white space not counted, below which no page is a near copy.
        thin_text: bytes of text below which copies must have the same links.
        dust_pages: different pages that a parameter must not change to be removed; 0 for never.
        combinations: accepted combinations of three or more filters for a path; 0 for all.
        soft_404: whether pages in place of media are compared.
    """

    pages: int = 200
    bits: int = 3
    near_text: int = 500
    thin_text: int = 500
    dust_pages: int = 3
    combinations: int = 300
    soft_404: bool = True


class Duplicates:
    """What the crawl has seen: pages by content, links by what is known of their site."""

    def __init__(self, notes: Notes, policy: DuplicatePolicy | None = None) -> None:
        self.policy = policy = policy or DuplicatePolicy()
        self._copies = Copies(notes, max(policy.pages, 1), policy.bits, policy.near_text)
        self._parameters = Parameters(notes, policy.dust_pages, policy.bits)
        self._facets = Facets(notes, policy.combinations)
        self._soft_errors = SoftErrors(notes, policy.bits)

    def judge(self, site: str, url: str, shown: Fingerprint) -> Drop | None:
        """Learn from a visited page, and return why its links are not followed, or None.

        ``DUPLICATE``: no link is followed. ``NEAR_DUPLICATE``: only those that `leading_on` keeps.
        """
        policy, copies = self.policy, self._copies
        if policy.dust_pages:
            self._parameters.learn(site, url, shown, lambda key: copies.find(site, key))
        if policy.soft_404 and len(url) == len(authority_of(url)) + 1:
            self._soft_errors.front_page(site, shown)
        return copies.judge(site, url, shown) if policy.pages else None

    def judge_stand_in(self, site: str, shown: Fingerprint) -> Drop | None:
        """Return ``SOFT_404`` if a page in place of media is the site's page for missing files."""
        return Drop.SOFT_404 if self.policy.soft_404 and self._soft_errors.is_one(site, shown) else None

    def leading_on(self, site: str, links: list[tuple[int, Spelling]]) -> list[tuple[int, Spelling]]:
        """Keep the links of a near copy that may lead to something new."""
        urls = set(self._copies.leading_on(site, [url.key for _, url in links]))
        return [(place, url) for place, url in links if url.key in urls]

    def sift(
        self, page: str, links: Iterable[tuple[int, Spelling]], unknown: Callable[[list[str]], list[str]]
    ) -> tuple[list[tuple[int, Spelling]], Counter[Drop]]:
        """Keep the links of a page (`Scope.sift`) that lead to something new.

        Returns:
            Index and URL of each link that may be added; and the number of refusals by reason. What `unknown` does not
            return is skipped.
        """
        drops: Counter[Drop] = Counter()
        found = {link[1].key: link for link in links}
        disguised = {url: plain for url in found if "?" in url and (plain := self._plain(url)) != url}
        uncovered = set(disguised.values()).difference(found)
        for url, plain in disguised.items():
            place, written = found.pop(url)
            reduced = written._replace(key=plain, requested=self._plain(written.requested))
            found.setdefault(plain, (place, reduced))
        fresh = unknown(list(found))
        drops[Drop.DUST] = len(disguised) - len(uncovered.intersection(fresh))
        if self.policy.combinations:
            fresh = self._without_facets(page, fresh, drops)
        return [found[url] for url in fresh], +drops

    def waiting(self, site: str, url: Spelling) -> tuple[Drop | None, Spelling]:
        """Check a URL that has waited: why it is dropped, or None; and the URL to request instead."""
        reduced = self._parameters.reduced
        plain = reduced(site, url.key)
        return (None, url) if plain == url.key else (Drop.DUST, Spelling(plain, reduced(site, url.requested)))

    def save(self) -> None:
        """Write all notes that are not written yet.

        A kill may lose what up to seven pages of each site have taught: those pages are compared with no other any
        more, and evidence on parameters and facets has to be found again. No URL is lost by it.

        Raises:
            FrontierError: the store of the notes failed.
        """
        for rule in (self._copies, self._parameters, self._facets):
            rule.save()

    def _plain(self, url: str) -> str:
        return self._parameters.reduced(site_of(url), url)

    def _without_facets(self, page: str, urls: list[str], drops: Counter[Drop]) -> list[str]:
        if "&" in page and self._leads_elsewhere(page, urls):
            self._facets.earned(site_of(page), page)
        by_site: defaultdict[str, list[str]] = defaultdict(list)
        for url in urls:
            if "&" in url:
                by_site[site_of(url)].append(url)
        if not by_site:
            return urls
        refused = set[str]().union(*(self._facets.beyond(site, some) for site, some in by_site.items()))
        drops[Drop.TRAP_FACETS] += len(refused)
        return [url for url in urls if url not in refused]

    @staticmethod
    def _leads_elsewhere(page: str, urls: list[str]) -> bool:
        """Whether a page has new links to media, or to other paths of its own host."""
        authority, path = authority_of(page) + "/", page.partition("?")[0]
        return any(
            (url.startswith(authority) and url.partition("?")[0] != path) or extension_of(url) in MEDIA_EXTENSIONS
            for url in urls
        )
