"""One server on loopback for all player sites.

    with PlayerWeb() as web:
        web.hosts           # host -> address: what RESOLVER_HOSTS needs
        web.pages           # URLs of all pages, with the port
        web.log             # every request: time, method, host, path, headers

By hand, from the project's folder: ``PYTHONPATH=.:tests python -m player_sites.server 8080``.
"""

import sys
import threading
from collections.abc import Iterable

from mediacrawl.demo import HttpServer, Response, ServerExchange
from mediacrawl.demo.message import ServedRequest
from player_sites.ask import Ask, Net, at_port
from player_sites.site import Expected, PlayerSite
from player_sites.sites import SITES

ADDRESS = "127.0.0.1"
LONGEST_BODY = 64 * 1024
"""Bytes of a request's body that are read; the players send a few hundred."""


class PlayerWeb(HttpServer):
    """Serves player sites: all of their hosts on one port of loopback. It has what a crawl of ``tests/e2e`` needs.

    Args:
        sites: that are served; by default all.
        port: to listen on; 0 takes any free one.

    Attributes:
        sites: name -> site.
        hosts: name of each host -> its address.
    """

    never_crawl = "# none\n"

    def __init__(self, sites: Iterable[PlayerSite] = (), port: int = 0) -> None:
        super().__init__(self._answer, ADDRESS, port)
        chosen = list(sites) or list(SITES.values())
        self.sites = {site.name: site for site in chosen}
        self._by_host = {host: site for site in chosen for host in site.hosts}
        self.hosts = dict.fromkeys(self._by_host, ADDRESS)

    @property
    def net(self) -> Net:
        """Where the hosts are."""
        return Net(self.port)

    @property
    def seeds(self) -> list[str]:
        """URLs of the front pages, from which all pages can be reached."""
        return [f"http://{site.host}:{self.port}/" for site in self.sites.values()]

    @property
    def pages(self) -> list[str]:
        """URLs of all pages."""
        return [at_port(page, self.port) for site in self.sites.values() for page in site.pages]

    def truth(self, page_url: str) -> list[Expected]:
        """The records that a page stands for, with URLs at the port of the page's URL.

        Raises:
            KeyError: the URL is no page of a site.
        """
        return self.site_of(page_url).truth(page_url)

    def site_of(self, url: str) -> PlayerSite:
        """The site whose host is in a URL.

        Raises:
            KeyError: no site has this host.
        """
        return self._by_host[at_port(url, None).split("/")[2]]

    def asked(self, site: PlayerSite) -> list[ServedRequest]:
        """The requests so far to the hosts of one site."""
        return [entry for entry in self.log if entry.host in site.hosts]

    async def _answer(self, exchange: ServerExchange) -> None:
        site = self._by_host.get(exchange.request.host)
        if site is None:
            await exchange.send(Response(421))
            return
        await site.serve(exchange, Ask.of(exchange.request, await _body(exchange)))


async def _body(exchange: ServerExchange) -> bytes:
    """The body of a request, which the server does not read by itself."""
    size = exchange.request.headers.get("content-length", "0")
    if not size.isdecimal() or not 0 < int(size) <= LONGEST_BODY:
        return b""
    try:
        return await exchange._reader.readexactly(int(size))
    except EOFError as error:
        raise ConnectionError("the client went away within the body") from error


def main() -> None:
    """Serve until Ctrl-C, and print each site's front page, and how a browser reaches it."""
    with PlayerWeb(port=int(sys.argv[1]) if len(sys.argv) > 1 else 0) as web:
        for site in web.sites.values():
            print(f"http://{site.host}/  {site.about}")
        print(f'chromium --host-resolver-rules="MAP *.example 127.0.0.1:{web.port}"')
        threading.Event().wait()


if __name__ == "__main__":
    main()
