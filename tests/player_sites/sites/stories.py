"""The title and the number of a story stand in one segment of the page's path; the data URL has the number."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer, script
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes
from player_sites.site import Expected, Item, PlayerSite
from player_sites.titles import slug

_CONTENT, _CDN = "content.stories.example", "media.stories.example"
_SCRIPT = """
(function () {
  var number = location.pathname.match(/-(\\d+)$/)[1];
  var x = new XMLHttpRequest();
  x.open('GET', '%s/api/content/' + number + '?fields=media,title');
  x.onload = function () {
    var story = JSON.parse(x.responseText);
    document.querySelector('button.play').onclick = function () {
      var video = document.querySelector('video');
      video.src = story.media.video.file;
      video.play().catch(function () {});
    };
  };
  x.send();
})();
"""


class Stories(PlayerSite):
    name = "stories"
    host = "stories.example"
    others = (_CONTENT, _CDN)
    about = "The title, which may have numbers, and the number of a story are joined in one segment of the path."
    language = "en"
    ids = digits(3, 6)
    keys = hexes(17)

    def page_target(self, item: Item) -> str:
        return f"/story/{slug(item.title)}-{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        file = net.url(_CDN, f"/{item.day.replace('-', '/')}/{item.key}.mp4")
        return [Expected((file,), item.title, item.seconds, f"{item.day}T06:00:00Z", net.url(_CDN, f"/{item.key}.png"))]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(_CONTENT, f"/api/content/{item.id}?fields=media,title")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/bundle.js":
            return script(_SCRIPT % ask.url("", _CONTENT))
        key = ask.between("/api/content/")
        if key:
            item = self.item_at(id=key)
            return item and self._content(item, ask.net)
        item = next((item for item in self.items if self.page_target(item) == ask.path), None)
        body = '<video></video><button class="play">Watch</button><script src="/bundle.js"></script>'
        return item and self.page(item, body)

    def _content(self, item: Item, net: Net) -> Resource:
        (record,) = self.expected(item, net)
        video = {"file": record.media[0], "poster": record.thumbnail, "seconds": item.seconds}
        return json_answer({"nid": int(item.id), "title": record.title, "date": record.date, "media": {"video": video}})
