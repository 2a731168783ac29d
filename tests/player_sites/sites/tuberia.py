"""The identifier in the page's query is in the query of the data URL, and the answer wants an Accept header."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer, text_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import hexes, word
from player_sites.site import Expected, Item, PlayerSite

_CDN = "v.tuberia-cdn.example"
_PLAYER = """
<div class="player"><video></video><button class="play" disabled>Reproducir</button></div>
<script>
var q = new URLSearchParams(location.search);
var ask = new XMLHttpRequest();
ask.open('GET', '/player/info?client=web&video_id=' + encodeURIComponent(q.get('v')) + '&hl=es');
ask.setRequestHeader('Accept', 'application/json');
ask.onload = function () {
  var info = JSON.parse(ask.responseText), button = document.querySelector('button.play');
  button.disabled = false;
  button.onclick = function () {
    var video = document.querySelector('video');
    video.src = info.streamingData.formats[0].url;
    video.play().catch(function () {});
  };
};
ask.send();
</script>
"""


class Tuberia(PlayerSite):
    name = "tuberia"
    host = "www.tuberia.example"
    others = (_CDN,)
    about = "The identifier in the page's query is in the query of the data URL; the answer is JSON only if asked for."
    data_headers = (("Accept", "application/json"),)
    language = "es"
    ids = word(11)
    keys = hexes(32)

    def page_target(self, item: Item) -> str:
        # A parameter that changes nothing stands before or after the one that counts.
        return f"/watch?v={item.id}" if item.place % 3 else f"/watch?feature=share&v={item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        files = tuple(net.url(_CDN, f"/{item.key[:2]}/{item.key}_{quality}.mp4") for quality in ("hd", "sd", "low"))
        return [Expected(files, item.title, item.seconds, item.day, net.url(_CDN, f"/t/{item.key}.png"))]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/player/info?client=web&video_id={item.id}&hl=es")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/watch":
            item = self.item_at(id=ask.query.get("v", ""))
            return item and self.page(item, _PLAYER)
        if ask.path == "/player/info":
            return self._info(ask)
        return None

    def _info(self, ask: Ask) -> Resource | None:
        item = self.item_at(id=ask.query.get("video_id", ""))
        if item is None:
            return json_answer({"status": "error", "reason": "no existe"})
        if "json" not in ask.headers.get("accept", ""):
            return text_answer("<p>Esta dirección es para programas.</p>", "text/html; charset=utf-8")
        (record,) = self.expected(item, ask.net)
        formats = [{"itag": 18 + n, "url": url, "mimeType": "video/mp4"} for n, url in enumerate(record.media)]
        details = {
            "videoId": item.id,
            "title": record.title,
            "lengthSeconds": str(item.seconds),
            "thumbnail": {"thumbnails": [{"url": record.thumbnail, "width": 16, "height": 9}]},
        }
        return json_answer(
            {
                "playabilityStatus": {"status": "OK"},
                "streamingData": {"expiresInSeconds": "21540", "formats": formats},
                "videoDetails": details,
                "microformat": {"publishDate": record.date},
            },
            mime="application/json; charset=UTF-8",
        )
