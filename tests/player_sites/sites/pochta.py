"""The data request is a POST; a GET of the same URL is refused."""

import json

from mediacrawl.demo import Resource, Response
from player_sites.answers import json_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes
from player_sites.site import Expected, Item, PlayerSite

_PLAYER = """
<div class="player"><video></video><button class="play">Смотреть</button></div>
<script>
var id = location.pathname.split('/')[2];
fetch('/api/player', {
  method: 'POST',
  headers: {'Content-Type': 'application/json'},
  body: JSON.stringify({contentId: +id, platform: 'web', quality: ['hd', 'sd']})
}).then(function (r) { return r.json(); }).then(function (found) {
  document.querySelector('button.play').onclick = function () {
    var video = document.querySelector('video');
    video.src = found.result.streams[0].url;
    video.play().catch(function () {});
  };
});
</script>
"""


class Pochta(PlayerSite):
    name = "pochta"
    host = "pochta.example"
    about = "The data request is a POST with JSON; a GET of the same URL is answered by status 405."
    language = "ru"
    ids = digits(6)
    keys = hexes(16)
    learnable = False
    refused_as = "post_only"

    def page_target(self, item: Item) -> str:
        return f"/watch/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(self.host, f"/f/{item.key}.mp4"),), item.title, item.seconds, item.day)]

    def answer(self, ask: Ask) -> Resource | Response | None:
        if ask.path == "/api/player":
            return self._posted(ask)
        item = self.item_at(id=ask.between("/watch/") or "")
        return item and self.page(item, _PLAYER)

    def _posted(self, ask: Ask) -> Response | None:
        if ask.method != "POST":
            return Response(405, (("Allow", "POST"), ("Content-Type", "text/plain")), b"POST only\n")
        try:
            item = self.item_at(id=str(json.loads(ask.body)["contentId"]))
        except (ValueError, KeyError, TypeError):
            item = None
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        streams = [{"url": record.media[0], "quality": "hd"}]
        answer = json_answer({"result": {"name": record.title, "seconds": item.seconds, "streams": streams}})
        return Response(200, (("Content-Type", "application/json"),), answer.body)
