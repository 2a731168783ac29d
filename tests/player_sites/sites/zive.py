"""The media URL comes over a WebSocket, in no answer of HTTP."""

import asyncio
import json
from base64 import b64encode
from hashlib import sha1

from mediacrawl.demo import Resource, ServerExchange
from player_sites.answers import script
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes
from player_sites.site import Expected, Item, PlayerSite

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
"""What a server adds to the key of a client (RFC 6455, 1.3)."""
_SCRIPT = """
const id = location.pathname.split('/').pop();
const socket = new WebSocket('ws://' + location.host + '/socket?room=' + id);
socket.onopen = () => socket.send(JSON.stringify({op: 'join', room: id}));
socket.onmessage = event => {
  const found = JSON.parse(event.data);
  document.querySelector('button.play').onclick = () => {
    const video = document.querySelector('video');
    video.src = found.play.url;
    video.play().catch(() => {});
  };
};
"""


class Zive(PlayerSite):
    name = "zive"
    host = "zive.example"
    about = "The media URL comes over a WebSocket."
    language = "cs"
    ids = digits(5)
    keys = hexes(16)
    learnable = False
    refused_as = "websocket"

    def page_target(self, item: Item) -> str:
        return f"/porad/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(self.host, f"/v/{item.key}.mp4"),), item.title, item.seconds, item.day)]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/zive.js":
            return script(_SCRIPT)
        item = self.item_at(id=ask.between("/porad/") or "")
        body = '<video></video><button class="play">Přehrát</button><script type="module" src="/zive.js"></script>'
        return item and self.page(item, body)

    async def serve(self, exchange: ServerExchange, ask: Ask) -> None:
        item = self.item_at(id=ask.query.get("room", ""))
        key = ask.headers.get("sec-websocket-key")
        if ask.path != "/socket" or item is None or key is None:
            await super().serve(exchange, ask)
            return
        accept = b64encode(sha1(key.encode() + _GUID, usedforsecurity=False).digest()).decode()
        head = ("HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade")
        await exchange.raw("\r\n".join([*head, f"Sec-WebSocket-Accept: {accept}", "", ""]).encode())
        await asyncio.sleep(0.05)
        (record,) = self.expected(item, ask.net)
        await exchange.raw(_frame(json.dumps({"play": {"url": record.media[0], "title": record.title}})))
        await exchange.until_gone()


def _frame(text: str) -> bytes:
    """One text message of less than 64 KiB, whole and not masked (RFC 6455, 5.2)."""
    data = text.encode()
    length = bytes([len(data)]) if len(data) < 126 else b"\x7e" + len(data).to_bytes(2, "big")
    return b"\x81" + length + data
