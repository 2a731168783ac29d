"""GraphQL by GET: the variables are JSON in the query."""

import json
from urllib.parse import quote

from mediacrawl.demo import Resource
from player_sites.answers import json_answer, script
from player_sites.ask import Ask, Net
from player_sites.shapes import hexes, uuid
from player_sites.site import Expected, Item, PlayerSite

_GRAPH, _CDN = "graph.norae.example", "c.norae.example"
_HASH = hexes(64)("query ClipDetail")
_SCRIPT = """
const id = new URL(location.href).pathname.split('/')[2];
const query = new URLSearchParams({
  operationName: 'ClipDetail',
  variables: JSON.stringify({id: id, first: 1, withAds: false}),
  extensions: JSON.stringify({persistedQuery: {version: 1, sha256Hash: '%s'}}),
});
fetch('%s/graphql?' + query).then(r => r.json()).then(({data}) => {
  document.querySelector('button.play').onclick = () => {
    const video = document.querySelector('video');
    video.src = data.clip.streams.edges[0].node.url;
    video.play().catch(() => {});
  };
});
"""


class Norae(PlayerSite):
    name = "norae"
    host = "norae.example"
    others = (_GRAPH, _CDN)
    about = "GraphQL by GET: the variables are JSON in the query, the query itself is a hash."
    language = "ko"
    ids = uuid
    keys = hexes(11)

    def page_target(self, item: Item) -> str:
        return f"/clips/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        files = tuple(net.url(_CDN, f"/{item.key}-{kind}.mp4") for kind in ("main", "low"))
        return [
            Expected(files, item.title, item.seconds, f"{item.day}T12:00:00.000Z", net.url(_CDN, f"/{item.key}.png"))
        ]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        variables = quote(json.dumps({"id": item.id, "first": 1, "withAds": False}, separators=(",", ":")), safe="")
        more = quote(
            json.dumps({"persistedQuery": {"version": 1, "sha256Hash": _HASH}}, separators=(",", ":")), safe=""
        )
        return [net.url(_GRAPH, f"/graphql?operationName=ClipDetail&variables={variables}&extensions={more}")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/assets/app.js":
            return script(_SCRIPT % (_HASH, ask.url("", _GRAPH)))
        if ask.path == "/graphql":
            return self._graph(ask)
        item = self.item_at(id=ask.between("/clips/") or "")
        body = '<video></video><button class="play">재생</button><script src="/assets/app.js"></script>'
        return item and self.page(item, body)

    def _graph(self, ask: Ask) -> Resource:
        try:
            wanted = json.loads(ask.query.get("variables", ""))["id"]
        except (ValueError, KeyError, TypeError):
            return json_answer({"errors": [{"message": "variables"}]})
        item = self.item_at(id=str(wanted))
        if item is None or _HASH not in ask.query.get("extensions", ""):
            return json_answer({"data": {"clip": None}})
        (record,) = self.expected(item, ask.net)
        edges = [{"node": {"url": url, "quality": place}} for place, url in enumerate(record.media)]
        clip = {
            "__typename": "Clip",
            "name": record.title,
            "durationMs": 1000 * item.seconds,
            "publishedAt": record.date,
            "cover": {"url": record.thumbnail},
            "streams": {"edges": edges},
        }
        return json_answer({"data": {"clip": clip}, "extensions": {"cost": 3}})
