"""An album in several answers, each of which names the URL of the next."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error

from mediacrawl.demo import Resource
from player_sites.answers import json_answer, script
from player_sites.ask import Ask, Net
from player_sites.shapes import hexes, number, word
from player_sites.site import Expected, Item, PlayerSite
from player_sites.titles import titles

_AUDIO = "audio.deska.example"
_LIMIT = 4
_COUNTS = (9, 6, 3, 12, 4)
"""Tracks of the first albums; it begins anew after the last."""
_SCRIPT = """
const list = document.querySelector('ol'), tracks = [];
async function more(url) {
  const answer = await (await fetch(url)).json();
  for (const track of answer.tracks) {
    tracks.push(track);
    list.insertAdjacentHTML('beforeend', '<li></li>');
    list.lastChild.textContent = track.title;
  }
  if (answer.paging.next) await more(answer.paging.next);
}
more('/api/albums/' + location.pathname.split('/').pop() + '/tracks?limit=%d');
document.querySelector('button.play').onclick = () => new Audio(tracks[0].stream).play().catch(() => {});
"""


class Deska(PlayerSite):
    name = "deska"
    host = "deska.example"
    others = (_AUDIO,)
    about = "An album in several answers, each of which names the URL of the next."
    language = "cs"
    ids = hexes(10)
    keys = word(9)

    def page_target(self, item: Item) -> str:
        return f"/album/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        names, records = titles(self.language), []
        for track in range(_COUNTS[item.place % len(_COUNTS)]):
            file = hexes(14)(f"{item.key} {track}")
            seconds = 90 + number(file) % 300
            title = f"{track + 1}. {names[(item.place + 3 * track) % len(names)]}"
            records.append(Expected((net.url(_AUDIO, f"/t/{file}.mp3"),), title, seconds))
        return records

    def data_urls(self, item: Item, net: Net) -> list[str]:
        start = f"/api/albums/{item.id}/tracks?limit={_LIMIT}"
        later = range(_LIMIT, len(self.expected(item, net)), _LIMIT)
        return [net.url(self.host, start), *(net.url(self.host, f"{start}&cursor={_cursor(place)}") for place in later)]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/js/deska.js":
            return script(_SCRIPT % _LIMIT)
        album = ask.between("/api/albums/", "/tracks")
        if album is not None:
            return self._tracks(ask, album)
        item = self.item_at(id=ask.between("/album/") or "")
        body = '<ol></ol><button class="play">Přehrát</button><script type="module" src="/js/deska.js"></script>'
        return item and self.page(item, body)

    def _tracks(self, ask: Ask, album: str) -> Resource | None:
        item, start = self.item_at(id=album), _place(ask.query.get("cursor", ""))
        if item is None:
            return None
        records = self.expected(item, ask.net)
        tracks = [
            {"no": start + n, "title": record.title, "duration_ms": 1000 * record.duration, "stream": record.media[0]}
            for n, record in enumerate(records[start : start + _LIMIT], 1)
        ]
        end = start + _LIMIT
        following = f"{ask.path}?limit={_LIMIT}&cursor={_cursor(end)}" if end < len(records) else None
        url = following and ask.url(following)
        return json_answer({"album": item.title, "tracks": tracks, "paging": {"total": len(records), "next": url}})


def _cursor(place: int) -> str:
    return urlsafe_b64encode(json.dumps({"after": place}).encode()).decode().rstrip("=")


def _place(cursor: str) -> int:
    try:
        return int(json.loads(urlsafe_b64decode(f"{cursor}==="))["after"]) if cursor else 0
    except (Error, ValueError, KeyError):
        return 0
