"""The answer has, beside the page's medium, those of other pages."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes
from player_sites.site import Expected, Item, PlayerSite

_CDN = "media.kanal.example"
_PLAYER = """
<div class="player"><video></video><button class="play">Пусни</button><ul></ul></div>
<script>
fetch('/ajax/video.php?vid=' + location.pathname.match(/\\d+/)[0]).then(r => r.json()).then(found => {
  for (const other of found.related) {
    document.querySelector('ul').append(Object.assign(document.createElement('li'), {textContent: other.title}));
  }
  document.querySelector('button.play').onclick = () => {
    const video = document.querySelector('video');
    video.src = found.video.src;
    video.play().catch(() => {});
  };
});
</script>
"""


class Kanal(PlayerSite):
    name = "kanal"
    host = "kanal.example"
    others = (_CDN,)
    about = "The answer has a list of related media beside the page's own; they are none of the page's."
    language = "bg"
    ids = digits(6)
    keys = hexes(14)

    def page_target(self, item: Item) -> str:
        return f"/v/{item.id}/"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        file = net.url(_CDN, f"/{item.key}.mp4")
        return [Expected((file,), item.title, item.seconds, item.day, net.url(_CDN, f"/{item.key}.png"))]

    def unwanted(self, item: Item, net: Net) -> list[str]:
        return [record.media[0] for record in self._related(item, net)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/ajax/video.php?vid={item.id}")]

    def answer(self, ask: Ask) -> Resource | None:
        is_data = ask.path == "/ajax/video.php"
        item = self.item_at(id=ask.query.get("vid", "") if is_data else ask.between("/v/", "/") or "")
        if item is None or not is_data:
            return item and self.page(item, _PLAYER)
        (record,) = self.expected(item, ask.net)
        related = [_said(other) for other in self._related(item, ask.net)]
        return json_answer({"video": {"id": int(item.id), **_said(record)}, "related": related}, php=True)

    def _related(self, item: Item, net: Net) -> list[Expected]:
        """Media that have no page here."""
        titles = [other.title for other in self.items if other is not item][:3]
        files = [net.url(_CDN, f"/r/{hexes(12)(f'{item.key} {place}')}.mp4") for place in range(len(titles))]
        return [Expected((file,), title, 100, "2015-01-01") for file, title in zip(files, titles, strict=True)]


def _said(record: Expected) -> dict:
    facts = {"title": record.title, "src": record.media[0], "len": record.duration, "date": record.date}
    return facts | ({"thumb": record.thumbnail} if record.thumbnail else {})
