"""The data URL has a name of the visit and the time, which the answer does not need."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer, script
from player_sites.ask import Ask, Net
from player_sites.shapes import hexes, small
from player_sites.site import Expected, Item, PlayerSite

_API = "api.szalon.example"
_SCRIPT = """
function visit() {
  var known = sessionStorage.getItem('visit');
  if (!known) {
    known = '';
    while (known.length < 24) known += Math.floor(Math.random() * 16).toString(16);
    sessionStorage.setItem('visit', known);
  }
  return known;
}
var id = /adas\\/([a-z0-9]+)/.exec(location.pathname)[1];
var url = '%s/clip/' + id + '?sid=' + visit() + '&lang=hu&ts=' + Date.now();
fetch(url).then(r => r.json()).then(function (clip) {
  document.querySelector('button.play').onclick = function () {
    var sound = new Audio(clip.media.audio[0].src);
    sound.play().catch(function () {});
  };
});
"""


class Szalon(PlayerSite):
    name = "szalon"
    host = "szalon.example"
    others = (_API,)
    about = "The data URL has a random name of the visit and the time; the answer does not need them."
    language = "hu"
    ids = small(9)
    keys = hexes(15)
    noise = frozenset({"sid", "ts"})
    # Two visits by different people; both see the first page.
    recorded = ((0, 1), (0, 2))

    def page_target(self, item: Item) -> str:
        return f"/adas/{item.id}/"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        files = tuple(net.url(_API, f"/hang/{item.key}.{kind}") for kind in ("mp3", "opus"))
        return [Expected(files, item.title, item.seconds, f"{item.day}T08:00:00Z", net.url(_API, f"/{item.key}.png"))]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(_API, f"/clip/{item.id}?lang=hu")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/szalon.js":
            return script(_SCRIPT % ask.url("", _API))
        key = ask.between("/clip/")
        item = self.item_at(id=key or ask.between("/adas/", "/") or "")
        if item is None:
            return None
        if key is None:
            return self.page(item, '<button class="play">Lejátszás</button><script src="/szalon.js"></script>')
        (record,) = self.expected(item, ask.net)
        audio = [{"src": url, "type": url.rpartition(".")[2]} for url in record.media]
        head = {"title": record.title, "length": record.duration, "time": record.date, "image": record.thumbnail}
        return json_answer({"id": item.id, "head": head, "media": {"audio": audio}})
