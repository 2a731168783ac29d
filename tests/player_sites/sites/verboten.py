"""The robots.txt forbids the data URL."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes
from player_sites.site import Expected, Item, PlayerSite

_PLAYER = """
<div class="player"><audio></audio><button class="play">Abspielen</button></div>
<script>
fetch('/intern/api/beitrag/' + location.pathname.split('/')[2]).then(r => r.json()).then(found => {
  document.querySelector('button.play').onclick = () => {
    const audio = document.querySelector('audio');
    audio.src = found.audio;
    audio.play().catch(() => {});
  };
});
</script>
"""


class Verboten(PlayerSite):
    name = "verboten"
    host = "verboten.example"
    about = "The robots.txt, which the recording has too, forbids the data URL."
    language = "de"
    ids = digits(6)
    keys = hexes(14)
    learnable = False
    refused_as = "robots"
    lead = ("/robots.txt",)
    robots = "# Für Programme nur die Seiten.\nUser-agent: *\nDisallow: /intern/\nDisallow: /suche\n"

    def page_target(self, item: Item) -> str:
        return f"/beitrag/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(self.host, f"/ton/{item.key}.mp3"),), item.title, item.seconds, item.day)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/intern/api/beitrag/{item.id}")]

    def answer(self, ask: Ask) -> Resource | None:
        key = ask.between("/intern/api/beitrag/")
        item = self.item_at(id=key or ask.between("/beitrag/") or "")
        if item is None or key is None:
            return item and self.page(item, _PLAYER)
        (record,) = self.expected(item, ask.net)
        return json_answer({"titel": record.title, "audio": record.media[0], "dauer": item.seconds, "am": record.date})
