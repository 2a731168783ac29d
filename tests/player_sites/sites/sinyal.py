"""The answer is JSONP: a script that calls a function whose name differs each time."""

import json
import re

from mediacrawl.demo import Resource
from player_sites.answers import script
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, small
from player_sites.site import Expected, Item, PlayerSite

_FEED, _AUDIO = "feed.sinyal.example", "ses.sinyal.example"
_is_name = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,60}").fullmatch
_SCRIPT = """
(function () {
  var name = 'jsonp_' + Date.now() + '_' + Math.floor(Math.random() * 1e6);
  var tag = document.createElement('script');
  window[name] = function (answer) {
    delete window[name];
    document.querySelector('button.play').onclick = function () {
      var sound = new Audio(answer.parca.ses.url);
      sound.play().catch(function () {});
    };
  };
  tag.src = '%s/parca?callback=' + name + '&id=' + location.search.replace('?p=', '') + '&_=' + Date.now();
  document.head.appendChild(tag);
})();
"""


class Sinyal(PlayerSite):
    name = "sinyal"
    host = "sinyal.example"
    others = (_FEED, _AUDIO)
    about = "The answer is JSONP, with a random name of its function and a time stamp in the URL."
    language = "tr"
    ids = digits(6)
    keys = small(12)
    noise = frozenset({"callback", "_"})

    def page_target(self, item: Item) -> str:
        return f"/dinle.php?p={item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        picture = net.url(_AUDIO, f"/kapak/{item.key}.png")
        return [Expected((net.url(_AUDIO, f"/{item.key}.mp3"),), item.title, item.seconds, item.day, picture)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(_FEED, f"/parca?id={item.id}")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/dinle.js":
            return script(_SCRIPT % ask.url("", _FEED))
        if ask.path == "/parca":
            return self._piece(ask)
        item = self.item_at(id=ask.query.get("p", "")) if ask.path == "/dinle.php" else None
        return item and self.page(item, '<button class="play">Dinle</button><script src="/dinle.js"></script>')

    def _piece(self, ask: Ask) -> Resource | None:
        item, name = self.item_at(id=ask.query.get("id", "")), ask.query.get("callback", "callback")
        if item is None or not _is_name(name):
            return None
        (record,) = self.expected(item, ask.net)
        sound = {"url": record.media[0], "kbps": 128}
        piece = {"no": int(item.id), "ad": record.title, "sure": item.seconds, "tarih": record.date, "ses": sound}
        return script(f"/**/{name}({json.dumps({'durum': 'ok', 'parca': {**piece, 'kapak': record.thumbnail}})});")
