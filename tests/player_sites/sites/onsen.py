"""The data URL has the page's identifier in Base64."""

from base64 import b64decode
from binascii import Error
from urllib.parse import quote

from mediacrawl.demo import Resource
from player_sites.answers import base64_of, json_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import hexes, small
from player_sites.site import Expected, Item, PlayerSite

_PLAYER = """
<div class="player"><audio></audio><button class="play">再生</button></div>
<script>
(async () => {
  const id = location.pathname.replace('/program/', '').replace('.html', '');
  const res = await fetch('/api/get?d=' + encodeURIComponent(btoa(id)) + '&fmt=json');
  const data = await res.json();
  document.querySelector('button.play').onclick = () => {
    const audio = document.querySelector('audio');
    audio.src = data.result.url;
    audio.play().catch(() => {});
  };
})();
</script>
"""


class Onsen(PlayerSite):
    name = "onsen"
    host = "onsen.example"
    others = ("dl.onsen.example",)
    about = "The data URL has the identifier of the page's path in Base64, in its query."
    language = "ja"
    # Its Base64 ends with "=".
    ids = small(8)
    keys = hexes(20)

    def page_target(self, item: Item) -> str:
        return f"/program/{item.id}.html"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        file = net.url(self.others[0], f"/radio/{item.key}.m4a")
        picture = net.url(self.host, f"/img/{item.key[:6]}.png")
        return [Expected((file,), item.title, item.seconds, f"{item.day}T23:00:00+09:00", picture)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/api/get?d={quote(base64_of(item.id))}&fmt=json")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/api/get":
            return self._program(ask)
        item = self.item_at(id=ask.between("/program/", ".html") or "")
        return item and self.page(item, _PLAYER)

    def _program(self, ask: Ask) -> Resource | None:
        try:
            name = b64decode(ask.query.get("d", ""), validate=True).decode("ascii", "replace")
        except Error:
            name = ""
        item = self.item_at(id=name)
        if item is None:
            return json_answer({"result": None, "error": "not_found"})
        (record,) = self.expected(item, ask.net)
        return json_answer(
            {
                "result": {
                    "url": record.media[0],
                    "title": record.title,
                    "length": item.seconds,
                    "onair": record.date,
                    "image": record.thumbnail,
                },
                "error": None,
            },
            ascii_only=True,
        )
