"""The answer is XML, in a vocabulary of the site's own."""

from xml.sax.saxutils import escape, quoteattr

from mediacrawl.demo import Resource
from player_sites.answers import text_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import hexes, word
from player_sites.site import Expected, Item, PlayerSite

_DATA, _CDN = "psapi.fjord.example", "nett.fjord.example"
_PLAYER = """
<div class="player"><video></video><button class="play">Spill av</button></div>
<script>
var x = new XMLHttpRequest();
x.open('GET', '%s/xml/clip.aspx?id=' + location.pathname.split('/')[2] + '&device=pc');
x.onload = function () {
  var found = x.responseXML.getElementsByTagName('stream')[0].getAttribute('href');
  document.querySelector('button.play').onclick = function () {
    var video = document.querySelector('video');
    video.src = found;
    video.play().catch(function () {});
  };
};
x.send();
</script>
"""


class Fjord(PlayerSite):
    name = "fjord"
    host = "fjord.example"
    others = (_DATA, _CDN)
    about = "The answer is XML, in a vocabulary of the site's own, with a namespace and attributes."
    language = "no"
    ids = word(8)
    keys = hexes(9)

    def page_target(self, item: Item) -> str:
        return f"/se/{item.id}/{item.day[:4]}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        files = tuple(net.url(_CDN, f"/w/{item.key}_{rate}.mp4") for rate in (2400, 800))
        return [Expected(files, item.title, item.seconds, item.day, net.url(_CDN, f"/b/{item.key}.png"))]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(_DATA, f"/xml/clip.aspx?id={item.id}&device=pc")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/xml/clip.aspx":
            return self._clip(ask)
        item = next((item for item in self.items if self.page_target(item) == ask.path), None)
        return item and self.page(item, _PLAYER % ask.url("", _DATA))

    def _clip(self, ask: Ask) -> Resource | None:
        item = self.item_at(id=ask.query.get("id", ""))
        if item is None:
            return text_answer("<error code='404'/>", "text/xml", status=404)
        (record,) = self.expected(item, ask.net)
        streams = "".join(
            f'    <stream rate="{rate}" href={quoteattr(url)}/>\n'
            for rate, url in zip((2400, 800), record.media, strict=True)
        )
        return text_answer(
            f"""<?xml version="1.0" encoding="utf-8"?>
<!-- {item.place} -->
<clip xmlns="urn:fjord:clip:2" id="{item.id}">
  <heading lang="nb">{escape(record.title)}</heading>
  <summary><![CDATA[<p>Et opptak & litt til</p>]]></summary>
  <length ms="{1000 * item.seconds}"/>
  <shown>{record.date}</shown>
  <images><image kind="wide">{record.thumbnail}</image></images>
  <streams>
{streams}  </streams>
</clip>
""",
            "text/xml; charset=utf-8",
        )
