"""URLs without what differs at each visit."""

from urllib.parse import urlsplit, urlunsplit

from player_sites.site import PlayerSite


def without_noise(url: str, site: PlayerSite) -> str:
    """A URL without those parameters that the site calls noise; the others stay as they are written."""
    parts = urlsplit(url)
    kept = [pair for pair in parts.query.split("&") if pair and pair.partition("=")[0] not in site.noise]
    return urlunsplit(parts._replace(query="&".join(kept), fragment=""))
