"""The media URL in the answer expires: it is signed, and another one at each answer."""

import hmac
import time
from hashlib import sha256

from mediacrawl.demo import Resource, Response
from player_sites.answers import json_answer, text_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes
from player_sites.site import Expected, Item, PlayerSite

_CDN = "d1a2b3.skarbiec.example"
_SECRET = b"private key of the site"
_LASTS = 600
"""Seconds for which a media URL is good."""
_PLAYER = """
<div class="player"><video></video><button class="play">Odtwórz</button></div>
<script>
fetch('/api/film/' + location.pathname.split('/')[2]).then(r => r.json()).then(found => {
  document.querySelector('button.play').onclick = () => {
    const video = document.querySelector('video');
    video.src = found.url;
    video.play().catch(() => {});
  };
});
</script>
"""


class Skarbiec(PlayerSite):
    name = "skarbiec"
    host = "skarbiec.example"
    others = (_CDN,)
    about = "The media URL in the answer is signed, expires after ten minutes, and differs at each answer."
    language = "pl"
    ids = digits(5)
    keys = hexes(20)
    learnable = False
    refused_as = "expires"
    noise = frozenset({"Expires", "Signature"})

    def page_target(self, item: Item) -> str:
        return f"/film/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(_CDN, f"/{item.key}.mp4"),), item.title, item.seconds, item.day)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/api/film/{item.id}")]

    def answer(self, ask: Ask) -> Resource | Response | None:
        if ask.host == _CDN:
            return None if _is_good(ask) else text_answer("expired\n", "text/plain", status=403)
        key = ask.between("/api/film/")
        item = self.item_at(id=key or ask.between("/film/") or "")
        if item is None or key is None:
            return item and self.page(item, _PLAYER)
        (record,) = self.expected(item, ask.net)
        expires = int(time.time()) + _LASTS
        # Another one at each answer, as where the signature has a random part.
        signature = _signature(f"/{item.key}.mp4", f"{expires}", f"{time.time_ns() & 0xFFFFFFFF:08x}")
        url = f"{record.media[0]}?Expires={expires}&Signature={signature}&Key-Pair-Id=APKA7Q3MZ2"
        return json_answer({"url": url, "title": record.title, "seconds": item.seconds, "expires_at": expires})


def _signature(path: str, expires: str, salt: str) -> str:
    return salt + hmac.new(_SECRET, f"{path} {expires} {salt}".encode(), sha256).hexdigest()


def _is_good(ask: Ask) -> bool:
    expires, given = ask.query.get("Expires", ""), ask.query.get("Signature", "")
    if not expires.isdecimal() or int(expires) < time.time():
        return False
    return hmac.compare_digest(_signature(ask.path, expires, given[:8]).encode(), given.encode())
