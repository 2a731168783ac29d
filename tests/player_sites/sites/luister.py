"""A list in several answers, which are numbered in the query of the data URL."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, number, small
from player_sites.site import Expected, Item, PlayerSite
from player_sites.titles import titles

_SIZE = 5
_COUNTS = (7, 12, 5, 3, 10)
"""Pieces of the first lists; it begins anew after the last."""
_PLAYER = """
<div class="player"><ul></ul><button class="play">Afspelen</button></div>
<script>
var id = location.pathname.match(/lijst\\/(\\d+)/)[1], first;
function load(page) {
  var x = new XMLHttpRequest();
  x.open('GET', '/api/items?list=' + id + '&page=' + page + '&size=%d');
  x.onload = function () {
    var items = JSON.parse(x.responseText).items;
    first = first || items[0].audio.url;
    items.forEach(function (item) {
      var line = document.createElement('li');
      line.textContent = item.title;
      document.querySelector('ul').appendChild(line);
    });
    if (items.length === %d) load(page + 1);
  };
  x.send();
}
load(1);
document.querySelector('button.play').onclick = function () { new Audio(first).play().catch(function () {}); };
</script>
"""


class Luister(PlayerSite):
    name = "luister"
    host = "luister.example"
    about = "A list in several answers, which are numbered in the query of the data URL."
    language = "nl"
    ids = digits(5)
    keys = small(6)

    def page_target(self, item: Item) -> str:
        return f"/lijst/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        names, records = titles(self.language), []
        for place in range(_COUNTS[item.place % len(_COUNTS)]):
            file = small(10)(f"{item.key} {place}")
            title = names[(item.place * 5 + place) % len(names)]
            day = f"{item.day[:8]}{1 + place:02}"
            records.append(Expected((net.url(self.host, f"/mp3/{file}.mp3"),), title, 60 + number(file) % 900, day))
        return records

    def data_urls(self, item: Item, net: Net) -> list[str]:
        last = len(self.expected(item, net)) // _SIZE + 1
        pages = range(1, last + 1)
        return [net.url(self.host, f"/api/items?list={item.id}&page={page}&size={_SIZE}") for page in pages]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/api/items":
            return self._items(ask)
        item = self.item_at(id=ask.between("/lijst/") or "")
        return item and self.page(item, _PLAYER % (_SIZE, _SIZE))

    def _items(self, ask: Ask) -> Resource | None:
        item, page = self.item_at(id=ask.query.get("list", "")), ask.query.get("page", "1")
        if item is None or not page.isdecimal():
            return None
        start = (int(page) - 1) * _SIZE
        items = [
            {"title": record.title, "added": record.date, "audio": {"url": record.media[0], "seconds": record.duration}}
            for record in self.expected(item, ask.net)[start : start + _SIZE]
        ]
        return json_answer({"list": int(item.id), "page": int(page), "items": items})
