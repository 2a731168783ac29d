"""The answer is a queue: the page's medium comes first, then those that would be played after it."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer, script
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes, number
from player_sites.site import Expected, Item, PlayerSite

_API, _CDN = "m.xiangsheng.example", "f.xiangsheng.example"
_SCRIPT = """
var ask = new XMLHttpRequest();
ask.open('GET', '%s/queue/next?sound=' + location.pathname.split('/').pop().replace('.shtml', '') + '&n=4');
ask.onload = function () {
  var queue = JSON.parse(ask.responseText).data.list;
  document.querySelector('button.play').onclick = function () {
    new Audio(queue[0].play_url).play().catch(function () {});
  };
};
ask.send();
"""


class Xiangsheng(PlayerSite):
    name = "xiangsheng"
    host = "xiangsheng.example"
    others = (_API, _CDN)
    about = "The answer is a queue: the page's medium is its first, and the others, as many as there may be, are not."
    language = "zh"
    ids = digits(9)
    keys = hexes(22)

    def page_target(self, item: Item) -> str:
        return f"/sound/{item.id}.shtml"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        file = net.url(_CDN, f"/group1/{item.key[:2]}/{item.key}.m4a")
        return [Expected((file,), item.title, item.seconds, item.day, net.url(_CDN, f"/cover/{item.key}.png"))]

    def unwanted(self, item: Item, net: Net) -> list[str]:
        return [record.media[0] for record in self._following(item, net)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(_API, f"/queue/next?sound={item.id}&n=4")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/static/queue.js":
            return script(_SCRIPT % ask.url("", _API))
        if ask.path == "/queue/next":
            item = self.item_at(id=ask.query.get("sound", ""))
            return item and self._queue(item, ask.net)
        item = self.item_at(id=ask.between("/sound/", ".shtml") or "")
        body = '<button class="play">播放</button><script src="/static/queue.js"></script>'
        return item and self.page(item, body)

    def _following(self, item: Item, net: Net) -> list[Expected]:
        """Media that have no page here: one to three."""
        names = [hexes(20)(f"{item.key} {place}") for place in range(1 + item.place % 3)]
        return [
            Expected(
                (net.url(_CDN, f"/group1/{name[:2]}/{name}.m4a"),), f"{item.title} {place}", 60 + number(name) % 99
            )
            for place, name in enumerate(names, 2)
        ]

    def _queue(self, item: Item, net: Net) -> Resource:
        records = [*self.expected(item, net), *self._following(item, net)]
        entries = [
            {
                "title": record.title,
                "duration": record.duration,
                "play_url": record.media[0],
                "cover": record.thumbnail,
                "created": record.date or item.day,
            }
            for record in records
        ]
        return json_answer({"ret": 0, "msg": "成功", "data": {"list": entries, "more": True}}, ascii_only=True)
