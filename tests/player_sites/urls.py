"""URLs without what differs at each visit, and as they are found in answers."""

from urllib.parse import unquote, urlsplit, urlunsplit

from player_sites.site import PlayerSite


def without_noise(url: str, site: PlayerSite) -> str:
    """A URL without those parameters that the site calls noise; the others stay as they are written."""
    parts = urlsplit(url)
    kept = [pair for pair in parts.query.split("&") if pair and pair.partition("=")[0] not in site.noise]
    return urlunsplit(parts._replace(query="&".join(kept), fragment=""))


def plain(text: str) -> str:
    """A text in which JSON, URLs and XML hide no name any more."""
    return unquote(text.replace("\\/", "/").replace("&amp;", "&"))


def file_of(url: str) -> str:
    """The last segment of a URL's path."""
    return urlsplit(url).path.rpartition("/")[2]
