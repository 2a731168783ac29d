"""A client of the player sites' server, as if their hosts were at the default port."""

import http.client
from collections.abc import Mapping
from urllib.parse import urlsplit

from player_sites.server import ADDRESS, PlayerWeb


class Client:
    """One connection to the server, for all hosts.

    Args:
        web: the server.
    """

    def __init__(self, web: PlayerWeb) -> None:
        self._connection = http.client.HTTPConnection(ADDRESS, web.port)

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> tuple[int, str, bytes]:
        """Request a URL: status, media type and body.

        Args:
            url: absolute, with or without the port.
            headers: by name.
        """
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._connection.request("GET", target, headers={"Host": parts.netloc, **(headers or {})})
        answer = self._connection.getresponse()
        return answer.status, answer.headers.get_content_type(), answer.read()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
