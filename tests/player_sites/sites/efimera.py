"""The answer names an HLS manifest, which the player reads by itself."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer, script, text_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes
from player_sites.site import Expected, Item, PlayerSite

_CDN = "stream.efimera.example"
_HLS = "application/vnd.apple.mpegurl"
_SEGMENTS = 2
_SCRIPT = """
async function lines(url) {
  const text = await (await fetch(url)).text();
  return text.split('\\n').filter(line => line && line[0] !== '#').map(line => new URL(line, url).href);
}
async function play(manifest, audio) {
  const [variant] = await lines(manifest);
  const segments = await lines(variant);
  const source = new MediaSource();
  audio.src = URL.createObjectURL(source);
  await new Promise(opened => source.addEventListener('sourceopen', opened, {once: true}));
  const buffer = source.addSourceBuffer('audio/mpeg');
  for (const segment of segments) {
    const bytes = await (await fetch(segment)).arrayBuffer();
    buffer.appendBuffer(bytes);
    await new Promise(ended => buffer.addEventListener('updateend', ended, {once: true}));
  }
  source.endOfStream();
  await audio.play();
}
const id = location.pathname.split('-').pop();
fetch(`/api/stream/${id}?protocol=hls`).then(answer => answer.json()).then(found => {
  document.querySelector('button.play').onclick = () => {
    play(found.stream.hls.url, document.querySelector('audio')).catch(() => {});
  };
});
"""


class Efimera(PlayerSite):
    name = "efimera"
    host = "efimera.example"
    others = (_CDN,)
    about = "The answer names an HLS manifest; the player reads it, its variants and their segments."
    language = "el"
    ids = digits(8)
    keys = hexes(16)

    def page_target(self, item: Item) -> str:
        return f"/ekpompi-{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        manifest = net.url(_CDN, f"/hls/{item.key}/master.m3u8")
        return [Expected((manifest,), item.title, item.seconds, item.day, net.url(_CDN, f"/hls/{item.key}/1.png"))]

    def unwanted(self, item: Item, net: Net) -> list[str]:
        return [net.url(_CDN, f"/hls/{item.key}/128k/{n}.mp3") for n in range(_SEGMENTS)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/api/stream/{item.id}?protocol=hls")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/player/hls.js":
            return script(_SCRIPT)
        if ask.host == _CDN:
            return self._manifest(ask)
        key = ask.between("/api/stream/")
        item = self.item_at(id=key or ask.between("/ekpompi-") or "")
        if item is None:
            return None
        if key is None:
            body = '<audio controls></audio><button class="play">Αναπαραγωγή</button>'
            return self.page(item, f'{body}<script src="/player/hls.js"></script>')
        (record,) = self.expected(item, ask.net)
        stream = {"hls": {"url": record.media[0], "type": _HLS}, "dash": None, "live": False}
        meta = {"title": record.title, "seconds": item.seconds, "aired": record.date, "image": record.thumbnail}
        return json_answer({"id": item.id, "stream": stream, "meta": meta})

    def _manifest(self, ask: Ask) -> Resource | None:
        if ask.between("/hls/", "/master.m3u8"):
            return text_answer("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=128000\n128k/list.m3u8\n", _HLS)
        if ask.between("/hls/", "/128k/list.m3u8"):
            parts = "".join(f"#EXTINF:1.0,\n{n}.mp3\n" for n in range(_SEGMENTS))
            return text_answer(f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n{parts}#EXT-X-ENDLIST\n", _HLS)
        return None
