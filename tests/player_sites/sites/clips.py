"""The identifier in the page's path is in the path of the data URL."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer, script
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes
from player_sites.site import Expected, Item, PlayerSite

_API, _CDN = "api.clips.example", "cdn.clips.example"
_SCRIPT = """
(function () {
  var id = location.pathname.split('/')[2];
  fetch('%s' + id + '.json').then(function (r) { return r.json(); }).then(function (clip) {
    document.querySelector('.poster').src = clip.thumbnail;
    document.querySelector('button.play').addEventListener('click', function () {
      var video = document.querySelector('video');
      video.src = clip.sources[0].file;
      video.play().catch(function () {});
    });
    document.body.dataset.ready = '1';
  });
})();
"""


class Clips(PlayerSite):
    name = "clips"
    host = "clips.example"
    others = (_API, _CDN)
    about = "The identifier in the page's path is in the path of the data URL."
    language = "fr"
    ids = digits(7)
    keys = hexes(16)

    def page_target(self, item: Item) -> str:
        return f"/clip/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        files = tuple(net.url(_CDN, f"/{item.key}/{height}.mp4") for height in (720, 360))
        picture = net.url(_CDN, f"/{item.key}/affiche.png")
        return [Expected(files, item.title, item.seconds, f"{item.day}T18:30:00Z", picture)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(_API, f"/v2/clips/{item.id}.json")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/assets/player.js":
            return script(_SCRIPT % ask.url("/v2/clips/", _API))
        if ask.host == _API:
            return self._clip(ask)
        item = self.item_at(id=ask.between("/clip/") or "")
        body = (
            '<div class="player"><img class="poster" alt=""><video></video><button class="play">Lire</button></div>'
            '<script src="/assets/player.js?v=8"></script>'
        )
        return item and self.page(item, body)

    def _clip(self, ask: Ask) -> Resource | None:
        item = self.item_at(id=ask.between("/v2/clips/", ".json") or "")
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        sources = [
            {"file": url, "height": height, "type": "video/mp4"}
            for url, height in zip(record.media, (720, 360), strict=True)
        ]
        return json_answer(
            {
                "id": int(item.id),
                "title": record.title,
                "duration": record.duration,
                "published": record.date,
                "thumbnail": record.thumbnail,
                "tags": ["court", "cinéma"],
                "sources": sources,
            }
        )
