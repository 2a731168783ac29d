"""Which media an answer names, and which of them may be those that the page shows: not its advertisements."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from mediacrawl.extract.texts import absolute, names_media
from mediacrawl.site_adapters.learn.steps import Step, Steps, apply
from mediacrawl.site_adapters.learn.trees import Path, Tree
from mediacrawl.site_adapters.learn.urls import parsed, without_fragment
from mediacrawl.site_adapters.learn.visits import Answered, Visit

MOST_NAMED = 5_000
"""Media of one answer that are looked at."""
_LONGEST_REFERENCE = 3_000
_AD_WORDS = frozenset(
    {
        *(
            "ad",
            "ads",
            "adserver",
            "adserve",
            "adservice",
            "adsystem",
            "adtech",
            "adx",
            "adnxs",
            "adcreative",
            "adbreak",
        ),
        *(
            "advert",
            "adverts",
            "advertising",
            "advertisement",
            "advertisements",
            "doubleclick",
            "vast",
            "vmap",
            "vpaid",
        ),
        *("preroll", "prerolls", "midroll", "postroll", "sponsor", "sponsored", "spot", "commercial", "creatives"),
        *("werbung", "publicidad", "reklama"),
    }
)
"""Words in the host or the path of an advertisement."""
_AD_FIELDS = frozenset(
    {
        *("vast", "vasturl", "vasttag", "adtag", "adtagurl", "adid", "adbreaks", "adsystem", "creative", "creatives"),
        *("creativeid", "clickthrough", "clickthroughurl", "clicktracking", "clickurl", "impression", "impressions"),
        *(
            "impressionurl",
            "advertiser",
            "advertiserid",
            "campaign",
            "campaignid",
            "lineitem",
            "lineitemid",
            "skipoffset",
        ),
        *("skipafter", "bid", "bids", "seatbid", "adomain", "adunit", "landingurl", "landingpage"),
    }
)
"""Fields of answers about advertisements; two of them show that an answer is one."""
ASIDE = frozenset(
    {
        *("ads", "ad", "advertising", "advertisement", "ima", "vast", "preroll", "prerolls", "midroll", "postroll"),
        *("related", "recommended", "recommendations", "similar", "suggested", "suggestions", "upnext", "next", "more"),
        *(
            "trending",
            "popular",
            "other",
            "others",
            "also",
            "playlistnext",
            "prev",
            "previous",
            "neighbours",
            "neighbors",
        ),
        *("preview", "previews", "trailer", "trailers", "teaser", "teasers", "sample", "samples", "intro", "bumper"),
        *("promo", "promos", "promotion", "sponsor", "jingle", "sting", "outro", "hover", "storyboard", "sprite"),
        *("image", "images", "picture", "poster", "thumbnail", "thumbnails", "cover", "artwork", "icon", "logo"),
    }
)
"""Properties about other things than the medium of the page."""
_ADS = frozenset(
    {"ads", "ad", "advertising", "advertisement", "ima", "vast", "preroll", "prerolls", "midroll", "postroll"}
)
_words = re.compile(r"[a-z]+").findall
_camel = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])").findall
_looks_base64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}").fullmatch
_is_suffix = re.compile(r"[A-Za-z0-9]{2,5}").fullmatch
_is_reference = re.compile(r"(?:https?:)?/|[\w.-]+/|[\w.-]+\.\w{2,5}(?:\?|$)").match


@dataclass(frozen=True, slots=True)
class Named:
    """A medium in an answer.

    Attributes:
        url: absolute.
        steps: what makes it of the value.
        base: what stands before the value in the URL, if that is not the answer's own; else empty.
    """

    url: str
    steps: Steps
    base: str = ""


def named_media(answered: Answered, visit: Visit) -> dict[Path, Named]:
    """The media that an answer names: by their suffix, or because the browser asked for them."""
    # The same answer may be read in two ways, see `trees.unkeyed`.
    key = answered.entry.index, answered.tree.keyed
    known = visit.named.get(key)
    if known is None:
        known = visit.named[key] = _named(answered, visit)
    return known


def _named(answered: Answered, visit: Visit) -> dict[Path, Named]:
    found: dict[Path, Named] = {}
    relative: dict[Path, str] = {}
    names = {_last_part(url) for url in visit.played.values()}
    for path, text in answered.tree.leaves.items():
        if len(found) == MOST_NAMED:
            break
        if 4 < len(text) <= _LONGEST_REFERENCE:
            for steps in _ways(text):
                value = (apply(text, steps) if steps else text) or ""
                if not names_media(value) and _last_part(value) not in names:
                    continue
                url = _url(answered.entry.url, value)
                if url and (names_media(url) or visit.is_played(url)):
                    found[path] = Named(url, steps)
                    if "//" not in value and not visit.is_played(url):
                        relative[path] = value.strip()
                    break
    return found | _on_base(found, relative, visit)


def _on_base(found: Mapping[Path, Named], relative: Mapping[Path, str], visit: Visit) -> dict[Path, Named]:
    """Media that are relative to another base than the answer: that of one which was played is that of all."""
    played = list(visit.played.values())
    bases = {base for value in relative.values() for base in _bases(value, played)}
    if len(bases) != 1:
        return {}
    base = bases.pop()
    return {path: Named(f"{base}{value}", found[path].steps, base) for path, value in relative.items()}


def _bases(value: str, played: Sequence[str]) -> Iterator[str]:
    tail = value if value.startswith("/") else f"/{value}"
    for url in played:
        if url.endswith(tail) and (base := url[: len(url) - len(value)]).count("/") > 1:
            yield base


def _last_part(url: str) -> str:
    return url.rstrip().rpartition("/")[2].partition("#")[0].partition("?")[0]


def _ways(text: str) -> Iterable[Steps]:
    yield ()
    if text[:12].lower().startswith(("http%3a%2f", "https%3a%2f", "%2f")):
        yield ("url_decode",)
    if _looks_base64(text):
        yield ("base64",)


def _url(base: str, value: str) -> str:
    written = value.strip()
    if not written or any(mark.isspace() for mark in written) or not _is_reference(written):
        return ""
    return without_fragment(absolute(base, written))


def is_ad_url(url: str, page: Visit) -> bool:
    """Whether a URL is that of an advertisement, by its words; words that the page's own URL has do not count."""
    found = parsed(url)
    if found is None:
        return False
    own = set(_words(page.address.lower()))
    path = unquote("/".join(each.raw for each in found.segments[:-1])).lower()
    return bool((set(_words(found.host)) | set(_words(path))) & _AD_WORDS - own)


def is_ad_answer(tree: Tree) -> bool:
    """Whether an answer is about advertisements: VAST, VMAP, or two of their fields at the top."""
    first = next(iter(tree.leaves), ())
    if tree.form == "xml":
        return bool(first) and first[0] in ("VAST", "VMAP")
    # An answer about the page's medium may have an object about its advertisements; that one is deeper.
    fields = {_plain(str(step)) for path in list(tree.leaves)[:2_000] for step in path[:3] if isinstance(step, str)}
    return len(fields & _AD_FIELDS) > 1


def is_aside(path: Path) -> bool:
    """Whether a value stands in an object about something else than the page's medium."""
    return any(_plain(step) in ASIDE or _first_word(step) in ASIDE for step in path if isinstance(step, str))


def is_in_ads(path: Path) -> bool:
    """Whether a value stands in an object about advertisements."""
    return any(_plain(step) in _ADS or _first_word(step) in _ADS for step in path if isinstance(step, str))


def _plain(name: str) -> str:
    return "".join(_words(name.lower()))


def _first_word(name: str) -> str:
    """The first of several words: of ``previewUrl`` and ``preview_mp4`` it is ``preview``."""
    words = [word.lower() for word in _camel(name)]
    return words[0] if len(words) > 1 else ""


def differ(media: Sequence[Collection[str]]) -> bool:
    """Whether pages have media of their own: a jingle is the same on all."""
    sets = [frozenset(each) for each in media]
    return len(set(sets)) > 1 and all(sets)


def only_suffixes(urls: Iterable[str]) -> Step:
    """The step that leaves out all but files with the suffixes of some media."""
    names = {url.partition("?")[0].rpartition("/")[2] for url in urls}
    suffixes = sorted({name.rpartition(".")[2].lower() for name in names if _is_suffix(name.rpartition(".")[2])})
    return (("regex", rf"(?i)^([^?#]*\.(?:{'|'.join(suffixes)})(?:[?#].*)?)$"),)


def shown(visit: Visit) -> dict[object, str]:
    """The media that a page's browser asked for, apart from advertisements: key of the request -> URL."""
    ads = {
        named.url
        for answered in visit.answers
        if is_ad_answer(answered.tree) or is_ad_url(answered.entry.url, visit)
        for named in named_media(answered, visit).values()
    }
    return {key: url for key, url in visit.played.items() if url not in ads and not is_ad_url(url, visit)}
