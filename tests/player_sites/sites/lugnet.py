"""The media URL is joined of pieces: a base and a file of the answer, and a folder made of the page's identifier."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, small
from player_sites.site import Expected, Item, PlayerSite

_CDN = "ljud.lugnet.example"
_PLAYER = """
<div class="player"><button class="play">Lyssna</button></div>
<script>
const id = location.pathname.split('/').pop();
fetch('/api/ljud/' + id).then(r => r.json()).then(found => {
  document.querySelector('button.play').onclick = () => {
    const folder = id.slice(0, 3);
    new Audio(found.base + '/' + folder + '/' + found.file).play().catch(() => {});
  };
});
</script>
"""


class Lugnet(PlayerSite):
    name = "lugnet"
    host = "lugnet.example"
    others = (_CDN,)
    about = "The media URL is joined of base and file in the answer, and of a folder made of the page's identifier."
    language = "sv"
    ids = digits(6)
    keys = small(14)

    def page_target(self, item: Item) -> str:
        return f"/lyssna/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        file = net.url(_CDN, f"/arkiv/{item.id[:3]}/{item.key}.mp3")
        return [Expected((file,), item.title, item.seconds, item.day, net.url(self.host, f"/bild/{item.id}.png"))]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/api/ljud/{item.id}")]

    def answer(self, ask: Ask) -> Resource | None:
        key = ask.between("/api/ljud/")
        item = self.item_at(id=key or ask.between("/lyssna/") or "")
        if item is None:
            return None
        if key is None:
            return self.page(item, _PLAYER)
        (record,) = self.expected(item, ask.net)
        facts = {"rubrik": record.title, "sekunder": item.seconds, "datum": record.date, "bild": f"/bild/{key}.png"}
        return json_answer({**facts, "base": ask.url("/arkiv", _CDN), "file": f"{item.key}.mp3"})
