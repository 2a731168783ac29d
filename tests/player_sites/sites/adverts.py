"""Advertisements and statistics name media too: what is played first is none of the page's."""

import json
from urllib.parse import quote

from mediacrawl.demo import Resource, Response
from player_sites.answers import json_answer, script, text_answer
from player_sites.ask import Ask, Net, at_port
from player_sites.shapes import hexes, number, word
from player_sites.site import Expected, Item, PlayerSite

_API, _CDN = "api.adverts.example", "vod.adverts.example"
_ADS, _BIDS, _CREATIVES, _STATS = (f"{name}.example" for name in ("ads.preroll", "bid.rtb", "c.preroll", "m.counting"))
_SCRIPT = """
(async () => {
  const page = encodeURIComponent(location.href), id = location.pathname.split('/')[2];
  const cid = Math.random().toString(36).slice(2);
  const count = (event, media) => navigator.sendBeacon('%(stats)s/collect?v=1&cid=' + cid
    + '&ev=' + event + '&media=' + encodeURIComponent(media) + '&dl=' + page);
  const ads = (await (await fetch('%(ads)s/vast?pub=771&w=640&url=' + page + '&cb=' + Date.now())).text());
  const bid = await (await fetch('%(bids)s/openrtb2?site=adverts&page=' + page)).json();
  const clip = await (await fetch('%(api)s/clips/' + id)).json();
  const preroll = new DOMParser().parseFromString(ads, 'text/xml').querySelector('MediaFile').textContent.trim();
  console.log(bid.seatbid.length);
  document.querySelector('button.play').onclick = () => {
    const video = document.querySelector('video');
    video.src = preroll;
    video.play().catch(() => {});
    count('ad', preroll);
    setTimeout(() => {
      video.src = clip.clip.renditions[0].url;
      video.play().catch(() => {});
      count('play', video.src);
      new Image().src = '%(stats)s/px.gif?file=' + encodeURIComponent(video.src) + '&r=' + Math.random();
    }, 150);
  };
})();
"""
_GIF = b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\4\1\0\0\0\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"


class Adverts(PlayerSite):
    name = "adverts"
    host = "adverts.example"
    others = (_API, _CDN, _ADS, _BIDS, _CREATIVES, _STATS)
    about = (
        "Advertisements (VAST, JSON) and statistics name media that differ by page; an advertisement is played first."
    )
    language = "en"
    ids = word(10)
    keys = hexes(13)
    noise = frozenset({"cid", "cb", "r"})

    def page_target(self, item: Item) -> str:
        return f"/clip/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        files = tuple(net.url(_CDN, f"/{item.key}/v{height}.mp4") for height in (1080, 480))
        return [Expected(files, item.title, item.seconds, item.day, net.url(_CDN, f"/{item.key}/thumb.png"))]

    def unwanted(self, item: Item, net: Net) -> list[str]:
        page = net.url(self.host, self.page_target(item))
        return [*_creatives(page, net), _rival(page, net)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(_API, f"/clips/{item.id}")]

    def answer(self, ask: Ask) -> Resource | Response | None:
        if ask.path == "/js/main.js":
            hosts = {"stats": _STATS, "ads": _ADS, "bids": _BIDS, "api": _API}
            return script(_SCRIPT % {name: ask.url("", host) for name, host in hosts.items()})
        if ask.path == "/vast":
            return _vast(ask.query.get("url", ""), ask.net)
        if ask.path == "/openrtb2":
            return _bid(ask.query.get("page", ""), ask.net)
        if ask.path == "/collect":
            return Response(204, (("Access-Control-Allow-Origin", "*"),))
        if ask.path == "/px.gif":
            return Resource(_GIF, "image/gif")
        key = ask.between("/clips/")
        item = self.item_at(id=key or ask.between("/clip/") or "")
        if item is None:
            return None
        return self._clip(item, ask.net) if key else self.page(item, _BODY)

    def _clip(self, item: Item, net: Net) -> Resource:
        (record,) = self.expected(item, net)
        renditions = [{"url": url, "container": "mp4"} for url in record.media]
        facts = {"name": record.title, "runtime": item.seconds, "posted": record.date, "thumb": record.thumbnail}
        return json_answer({"clip": {**facts, "renditions": renditions, "ads": {"provider": _ADS}}})


_BODY = '<div class="player"><video></video><button class="play">Play</button></div><script src="/js/main.js"></script>'


def _creatives(page: str, net: Net) -> list[str]:
    """What is advertised on a page."""
    name = hexes(8)(f"creative {at_port(page, None)}")
    return [net.url(_CREATIVES, f"/creative/{name}/{size}.mp4") for size in ("hd", "sd")]


def _rival(page: str, net: Net) -> str:
    """What the bidding would have advertised."""
    return net.url(_CREATIVES, f"/bid/{number(f'bid {at_port(page, None)}') % 10**8}.mp4")


def _vast(page: str, net: Net) -> Resource:
    files = "".join(
        f'<MediaFile delivery="progressive" type="video/mp4" width="640" height="360"><![CDATA[{url}]]></MediaFile>'
        for url in _creatives(page, net)
    )
    seen = net.url(_STATS, f"/collect?ev=impression&media={quote(_creatives(page, net)[0], safe='')}")
    return text_answer(
        f"""<?xml version="1.0" encoding="UTF-8"?>
<VAST version="3.0"><Ad id="5514"><InLine><AdSystem>preroll</AdSystem><AdTitle>Autumn sale</AdTitle>
<Impression><![CDATA[{seen}]]></Impression>
<Creatives><Creative><Linear><Duration>00:00:15</Duration><MediaFiles>{files}</MediaFiles></Linear></Creative></Creatives>
</InLine></Ad></VAST>
""",
        "application/xml; charset=utf-8",
    )


def _bid(page: str, net: Net) -> Resource:
    bid = {"price": 1.27, "adid": "9921", "nurl": _rival(page, net), "ext": json.dumps({"video": _rival(page, net)})}
    return json_answer({"id": hexes(8)(page), "seatbid": [{"bid": [{**bid, "title": "Winter offer", "duration": 15}]}]})
