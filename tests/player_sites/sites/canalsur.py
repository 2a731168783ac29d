"""The data URL has a region, a language and a version, which are the same on all pages."""

import json

from mediacrawl.demo import Resource
from player_sites.answers import json_answer, script
from player_sites.ask import Ask, Net
from player_sites.shapes import hexes, small
from player_sites.site import Expected, Item, PlayerSite

_API, _CDN = "api.canalsur.example", "o.canalsur.example"
_REGION, _BUILD = "eu-south-1", "web-2.41.0"
_SCRIPT = """
(async function () {
  const id = location.pathname.split('/').pop(), c = window.CONFIG;
  const url = `${c.api}/v3/${c.region}/items/${id}/media?lang=${c.lang}&client=${c.client}&geo=ES`;
  const item = await (await fetch(url)).json();
  document.querySelector('button.play').onclick = () => {
    const video = document.querySelector('video');
    video.src = item.item.renditions.mp4_hi;
    video.play().catch(() => {});
  };
})();
"""


class CanalSur(PlayerSite):
    name = "canalsur"
    host = "canalsur.example"
    others = (_API, _CDN)
    about = "The data URL has a region, a language and a version, which stand in each page and are always the same."
    language = "es"
    ids = small(10)
    keys = hexes(18)

    def page_target(self, item: Item) -> str:
        return f"/es/programas/{item.day[:4]}/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        files = tuple(net.url(_CDN, f"/{_REGION}/{item.key}/{name}.mp4") for name in ("hi", "lo"))
        return [Expected(files, item.title, item.seconds, item.day, net.url(_CDN, f"/{_REGION}/{item.key}/p.png"))]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(_API, f"/v3/{_REGION}/items/{item.id}/media?lang=es&client={_BUILD}&geo=ES")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/app.js":
            return script(_SCRIPT)
        key = ask.between(f"/v3/{_REGION}/items/", "/media")
        if key is not None:
            item = self.item_at(id=key)
            return item and self._media(item, ask.net)
        item = next((item for item in self.items if self.page_target(item) == ask.path), None)
        config = {"api": ask.url("", _API), "region": _REGION, "lang": "es", "client": _BUILD, "debug": False}
        body = '<video></video><button class="play">Ver</button>'
        return item and self.page(
            item, f'{body}<script>window.CONFIG={json.dumps(config)}</script><script src="/app.js"></script>'
        )

    def _media(self, item: Item, net: Net) -> Resource:
        (record,) = self.expected(item, net)
        renditions = {"mp4_hi": record.media[0], "mp4_lo": record.media[1]}
        facts = {"name": record.title, "seconds": item.seconds, "first_aired": record.date, "still": record.thumbnail}
        return json_answer({"item": {"slug": item.id, **facts, "renditions": renditions}, "region": _REGION})
