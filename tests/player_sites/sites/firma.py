"""The data URL is signed: a script computes an HMAC of the page's identifier and the time."""

import hmac
from hashlib import sha256

from mediacrawl.demo import Resource
from player_sites.answers import json_answer, script, text_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes
from player_sites.site import Expected, Item, PlayerSite

_SECRET = "hJ3k-portal-web"
_SHA256 = """
// SHA-256 (FIPS 180-4) and HMAC (RFC 2104) of arrays of bytes.
function sha256(bytes) {
  const h = [], k = [], prime = n => { for (let i = 2; i * i <= n; i++) if (n % i === 0) return false; return true; };
  const part = x => ((x - Math.floor(x)) * 4294967296) | 0;
  for (let n = 2; k.length < 64; n++) {
    if (prime(n) && h.length < 8) h.push(part(n ** 0.5));
    if (prime(n)) k.push(part(n ** (1 / 3)));
  }
  const data = [...bytes, 128], bits = bytes.length * 8;
  while (data.length % 64 !== 56) data.push(0);
  data.push(0, 0, 0, 0, bits >>> 24, bits >>> 16 & 255, bits >>> 8 & 255, bits & 255);
  const turn = (x, n) => x >>> n | x << 32 - n;
  for (let start = 0; start < data.length; start += 64) {
    const w = [];
    for (let i = 0; i < 64; i++) {
      const p = start + 4 * i;
      if (i < 16) w[i] = data[p] << 24 | data[p + 1] << 16 | data[p + 2] << 8 | data[p + 3];
      else {
        const a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >>> 3) + w[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ b >>> 10) | 0;
      }
    }
    let [a, b, c, d, e, f, g, i8] = h;
    for (let i = 0; i < 64; i++) {
      const t1 = i8 + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (e & f ^ ~e & g) + k[i] + w[i] | 0;
      const t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & b ^ a & c ^ b & c) | 0;
      i8 = g; g = f; f = e; e = d + t1 | 0; d = c; c = b; b = a; a = t1 + t2 | 0;
    }
    [a, b, c, d, e, f, g, i8].forEach((value, i) => { h[i] = h[i] + value | 0; });
  }
  return h.flatMap(x => [x >>> 24, x >>> 16 & 255, x >>> 8 & 255, x & 255]);
}
const bytes = text => [...new TextEncoder().encode(text)];
function hmac(key, text) {
  const padded = bytes(key).concat(Array(64).fill(0)).slice(0, 64), mix = n => padded.map(x => x ^ n);
  const inner = sha256([...mix(0x36), ...bytes(text)]);
  return sha256([...mix(0x5c), ...inner]).map(x => x.toString(16).padStart(2, '0')).join('');
}
"""
_PLAYER = """
const id = location.pathname.split('/').pop(), time = Math.floor(Date.now() / 1000);
const sig = hmac('%s', id + ':' + time);
fetch(`/api/v2/vod/${id}?t=${time}&sig=${sig}`).then(r => r.json()).then(found => {
  document.querySelector('button.play').onclick = () => {
    const video = document.querySelector('video');
    video.src = found.vod.file;
    video.play().catch(() => {});
  };
});
"""


class Firma(PlayerSite):
    name = "firma"
    host = "firma.example"
    about = "The data URL is signed with an HMAC of the page's identifier and the time, which a script computes."
    language = "pt"
    ids = digits(7)
    keys = hexes(14)
    learnable = False
    refused_as = "signed"
    noise = frozenset({"t", "sig"})

    def page_target(self, item: Item) -> str:
        return f"/vod/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(self.host, f"/arquivos/{item.key}.mp4"),), item.title, item.seconds, item.day)]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/player.js":
            return script(_SHA256 + _PLAYER % _SECRET)
        key = ask.between("/api/v2/vod/")
        item = self.item_at(id=key or ask.between("/vod/") or "")
        if item is None:
            return None
        if key is None:
            body = '<video></video><button class="play">Assistir</button><script src="/player.js"></script>'
            return self.page(item, body)
        message = f"{item.id}:{ask.query.get('t', '')}".encode()
        if not hmac.compare_digest(hmac.new(_SECRET.encode(), message, sha256).hexdigest(), ask.query.get("sig", "")):
            return text_answer('{"error": "bad signature"}', "application/json", status=403)
        (record,) = self.expected(item, ask.net)
        return json_answer({"vod": {"title": record.title, "file": record.media[0], "seconds": item.seconds}})
