"""No answer names the media: a script computes their URLs."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer, script
from player_sites.ask import Ask, Net
from player_sites.shapes import digits
from player_sites.site import Expected, Item, PlayerSite

_CDN = "k.licznik.example"
_SCRIPT = """
function name(text) {
  var hash = 0x811c9dc5;
  for (var i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return ('0000000' + hash.toString(16)).slice(-8);
}
var id = location.pathname.split('/').pop();
fetch('/api/opis/' + id).then(function (r) { return r.json(); }).then(function (found) {
  document.querySelector('button.play').onclick = function () {
    var video = document.querySelector('video');
    video.src = '%s/' + name('film' + id) + '.mp4';
    video.play().catch(function () {});
  };
});
"""


class Licznik(PlayerSite):
    name = "licznik"
    host = "licznik.example"
    others = (_CDN,)
    about = "A script computes the media URL from the page's identifier; the answer has the title only."
    language = "pl"
    ids = digits(7)
    learnable = False
    refused_as = "not_found"

    def page_target(self, item: Item) -> str:
        return f"/ogladaj/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(_CDN, f"/{_name(f'film{item.id}')}.mp4"),), item.title, item.seconds, item.day)]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/licznik.js":
            return script(_SCRIPT % ask.url("", _CDN))
        key = ask.between("/api/opis/")
        item = self.item_at(id=key or ask.between("/ogladaj/") or "")
        if item is None:
            return None
        if key is None:
            return self.page(
                item, '<video></video><button class="play">Film</button><script src="/licznik.js"></script>'
            )
        return json_answer({"title": item.title, "seconds": item.seconds, "date": item.day})


def _name(text: str) -> str:
    """FNV-1a of 32 bits, as the script computes it."""
    value = 0x811C9DC5
    for byte in text.encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return f"{value:08x}"
