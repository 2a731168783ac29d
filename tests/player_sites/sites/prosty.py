"""The page names its media itself; a request of a script does too."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import hexes, small
from player_sites.site import Expected, Item, PlayerSite

_PLAYER = """
<audio controls preload="none" src="%s"></audio><button class="play">Écouter</button>
<script>
fetch('/api/son/' + location.pathname.split('/').pop()).then(r => r.json()).then(found => {
  document.querySelector('button.play').textContent += ' (' + found.duration + ' s)';
});
document.querySelector('button.play').onclick = () => document.querySelector('audio').play().catch(() => {});
</script>
"""


class Prosty(PlayerSite):
    name = "prosty"
    host = "prosty.example"
    about = "The page names its media itself, in an audio element; the answer to a script's request names them too."
    language = "fr"
    ids = small(7)
    keys = hexes(16)
    learnable = False
    refused_as = "page_names_it"
    page_media = True

    def page_target(self, item: Item) -> str:
        return f"/son/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(self.host, f"/fichiers/{item.key}.mp3"),), item.title, item.seconds, item.day)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/api/son/{item.id}")]

    def answer(self, ask: Ask) -> Resource | None:
        key = ask.between("/api/son/")
        item = self.item_at(id=key or ask.between("/son/") or "")
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        if key is None:
            return self.page(item, _PLAYER % record.media[0])
        return json_answer({"titre": record.title, "duration": item.seconds, "file": record.media[0]})
