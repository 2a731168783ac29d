"""A chain of two: the page's identifier gives a configuration, whose key gives the sources."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer, script
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, word
from player_sites.site import Expected, Item, PlayerSite

_PLAYER, _CDN = "player.tvoyo.example", "st.tvoyo.example"
_SCRIPT = """
function get(url, then) {
  var x = new XMLHttpRequest();
  x.open('GET', url, true);
  x.onreadystatechange = function () { if (x.readyState === 4 && x.status === 200) then(JSON.parse(x.responseText)); };
  x.send();
}
var number = /video(\\d+)/.exec(location.pathname)[1];
get('%(base)s/config/' + number + '/config.json', function (config) {
  get('%(base)s/sources?key=' + encodeURIComponent(config.video.media_key) + '&v=3', function (sources) {
    document.querySelector('button.play').onclick = function () {
      var video = document.querySelector('video');
      video.src = sources.data[0].mp4;
      video.play().catch(function () {});
    };
  });
});
"""


class Tvoyo(PlayerSite):
    name = "tvoyo"
    host = "tvoyo.example"
    others = (_PLAYER, _CDN)
    about = "A chain of two: the page's identifier gives a configuration, whose key gives the sources."
    language = "ru"
    ids = digits(5, 8)
    keys = word(16)

    def page_target(self, item: Item) -> str:
        return f"/video{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        name = f"{item.day[2:4]}{int(item.id) * 7 % 9973:05}"
        files = tuple(net.url(_CDN, f"/files/{name}.{height}.mp4") for height in (480, 240))
        return [Expected(files, item.title, item.seconds, f"{item.day} 12:00:00", net.url(_CDN, f"/p/{name}.png"))]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(_PLAYER, f"/sources?key={item.key}&v=3")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/player.js":
            return script(_SCRIPT % {"base": ask.url("", _PLAYER)})
        if ask.path == "/sources":
            return self._sources(ask)
        name = ask.between("/config/", "/config.json") if ask.path.endswith("config.json") else None
        item = self.item_at(id=name or ask.between("/video") or "")
        if item is None:
            return None
        if name:
            video = {"id": int(item.id), "media_key": item.key, "title": item.title, "ads": {"enabled": False}}
            return json_answer({"version": 3, "video": video, "ui": {"lang": "ru", "logo": "/logo.svg"}})
        body = '<div class="player"><video></video><button class="play">Смотреть</button></div>'
        return self.page(item, f'{body}<script src="/player.js"></script>')

    def _sources(self, ask: Ask) -> Resource | None:
        item = self.item_at(key=ask.query.get("key", ""))
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        data = [{"mp4": url, "label": label} for url, label in zip(record.media, ("480p", "240p"), strict=True)]
        facts = {"name": record.title, "sec": item.seconds, "added": record.date, "preview": record.thumbnail}
        return json_answer({"data": data, "info": facts}, php=True)
