"""The page's number is padded with zeros and split into folders in the data URL."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, small
from player_sites.site import Expected, Item, PlayerSite

_DATA = "data.arkhiv.example"
_PLAYER = """
<div class="player"><video></video><button class="play">Дивитися</button></div>
<script>
var number = location.pathname.split('/')[2];
var name = ('00000000' + number).slice(-8);
var path = '/meta/' + name.substr(0, 2) + '/' + name.substr(2, 2) + '/' + name + '.json';
fetch('%s' + path).then(function (r) { return r.json(); }).then(function (meta) {
  document.querySelector('button.play').onclick = function () {
    var video = document.querySelector('video');
    video.src = meta.files[0].href;
    video.play().catch(function () {});
  };
});
</script>
"""


class Arkhiv(PlayerSite):
    name = "arkhiv"
    host = "arkhiv.example"
    others = (_DATA,)
    about = "The page's number is padded with zeros and split into folders in the data URL."
    language = "uk"
    ids = digits(5, 8)
    keys = small(9)
    recorded = ((0, 1, 2),)

    def page_target(self, item: Item) -> str:
        return f"/v/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        file = net.url(_DATA, f"/store/{item.day[:4]}/{item.key}.mp4")
        return [Expected((file,), item.title, item.seconds, item.day, net.url(_DATA, f"/store/{item.key}.png"))]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(_DATA, _path(item))]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.host == _DATA:
            item = next((item for item in self.items if _path(item) == ask.path), None)
            return item and self._meta(item, ask.net)
        item = self.item_at(id=ask.between("/v/") or "")
        return item and self.page(item, _PLAYER % ask.url("", _DATA))

    def _meta(self, item: Item, net: Net) -> Resource:
        (record,) = self.expected(item, net)
        files = [{"href": record.media[0], "size": 8192, "codec": "h264"}]
        facts = {"caption": record.title, "length": f"{item.seconds}", "on": record.date, "still": record.thumbnail}
        return json_answer({"n": int(item.id), **facts, "files": files})


def _path(item: Item) -> str:
    name = item.id.rjust(8, "0")
    return f"/meta/{name[:2]}/{name[2:4]}/{name}.json"
