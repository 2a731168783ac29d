"""The identifier is in JSON, in Base64, in an attribute of the page."""

import json

from mediacrawl.demo import Resource
from player_sites.answers import base64_of, json_answer, script
from player_sites.ask import Ask, Net
from player_sites.shapes import hexes, small
from player_sites.site import Expected, Item, PlayerSite
from player_sites.titles import slug

_SCRIPT = """
(function (root) {
  var config = JSON.parse(decodeURIComponent(escape(atob(root.getAttribute('data-config')))));
  var request = new XMLHttpRequest();
  request.open('GET', '/api/v1/media/' + config.media_id + '/?format=json');
  request.responseType = 'json';
  request.onload = function () {
    var media = request.response;
    root.querySelector('button.play').onclick = function () {
      var audio = document.createElement('audio');
      audio.src = media.files[0];
      root.appendChild(audio);
      audio.play().catch(function () {});
    };
  };
  request.send();
})(document.getElementById('radiola'));
"""


class Radiola(PlayerSite):
    name = "radiola"
    host = "radiola.example"
    about = "The identifier is in JSON, in Base64, in an attribute of the page's HTML."
    language = "pt"
    ids = small(5)
    keys = hexes(24)

    def page_target(self, item: Item) -> str:
        return f"/programa/{slug(item.title)}/{item.day}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        files = tuple(net.url(self.host, f"/audio/{item.id}/{slug(item.title)}.{kind}") for kind in ("mp3", "ogg"))
        return [Expected(files, item.title, item.seconds, f"{item.day}T07:00:00-03:00")]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/api/v1/media/{item.key}/?format=json")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/js/radiola.js":
            return script(_SCRIPT)
        key = ask.between("/api/v1/media/", "/")
        if key is not None:
            return self._media(ask, key)
        item = next((item for item in self.items if self.page_target(item) == ask.path), None)
        if item is None:
            return None
        config = {"theme": "claro", "título": item.title, "media_id": item.key, "autoplay": False, "volume": 0.8}
        coded = base64_of(json.dumps(config, ensure_ascii=False))
        body = f'<div id="radiola" data-config="{coded}"><button class="play">Ouvir</button></div>'
        return self.page(item, f'{body}<script src="/js/radiola.js"></script>')

    def _media(self, ask: Ask, key: str) -> Resource | None:
        item = self.item_at(key=key)
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        # Addresses without scheme and host are for the reader to complete.
        files = [url.removeprefix(ask.url("", self.host)) for url in record.media]
        data = {"nome": record.title, "minutos": item.seconds / 60, "no_ar": record.date, "files": files}
        return json_answer(data)
