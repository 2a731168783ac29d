"""The data request needs an Authorization header, which is had by a login."""

import json
from hashlib import sha256

from mediacrawl.demo import Resource, Response
from player_sites.answers import json_answer, page, text_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes
from player_sites.site import Expected, Item, PlayerSite

_USER, _PASSWORD = "lid@leden.example", "geheim-1234"
_FORM = f"""
<form><input type="email" name="user" value="{_USER}"><input type="password" name="password" value="{_PASSWORD}">
<button class="play" type="submit">Inloggen</button></form>
<script>
document.querySelector('form').onsubmit = async event => {{
  event.preventDefault();
  const body = JSON.stringify(Object.fromEntries(new FormData(event.target)));
  const answer = await fetch('/api/session', {{method: 'POST', headers: {{'Content-Type': 'application/json'}}, body}});
  sessionStorage.setItem('token', (await answer.json()).access_token);
}};
</script>
"""
_PLAYER = """
<div class="player"><video></video><button class="play">Bekijken</button></div>
<script>
const headers = {Authorization: 'Bearer ' + sessionStorage.getItem('token')};
fetch('/api/films/' + location.pathname.split('/')[2], {headers}).then(r => r.json()).then(found => {
  document.querySelector('button.play').onclick = () => {
    const video = document.querySelector('video');
    video.src = found.film.mp4;
    video.play().catch(() => {});
  };
});
</script>
"""


class Leden(PlayerSite):
    name = "leden"
    host = "leden.example"
    about = "The data request needs an Authorization header, whose token a login by POST has given."
    language = "nl"
    ids = digits(4, 6)
    keys = hexes(16)
    learnable = False
    refused_as = "login"
    lead = ("/inloggen",)

    def page_target(self, item: Item) -> str:
        return f"/film/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(self.host, f"/bestanden/{item.key}.mp4"),), item.title, item.seconds, item.day)]

    def answer(self, ask: Ask) -> Resource | Response | None:
        if ask.path == "/inloggen":
            return page("Inloggen", _FORM, lang="nl")
        if ask.path == "/api/session":
            return _session(ask)
        key = ask.between("/api/films/")
        item = self.item_at(id=key or ask.between("/film/") or "")
        if item is None or key is None:
            return item and self.page(item, _PLAYER)
        if ask.headers.get("authorization") != f"Bearer {_token()}":
            return text_answer('{"error": "unauthorized"}', "application/json", status=401)
        (record,) = self.expected(item, ask.net)
        return json_answer({"film": {"titel": record.title, "mp4": record.media[0], "duur": item.seconds}})


def _token() -> str:
    return sha256(f"{_USER}:{_PASSWORD}".encode()).hexdigest()


def _session(ask: Ask) -> Response:
    try:
        given = json.loads(ask.body)
    except ValueError:
        given = None
    kind = ("Content-Type", "application/json")
    if given != {"user": _USER, "password": _PASSWORD}:
        return Response(401, (kind,), b'{"error": "wrong password"}')
    cookie = ("Set-Cookie", f"member={_token()[:20]}; Path=/; HttpOnly; SameSite=Lax")
    return Response(200, (kind, cookie), json.dumps({"access_token": _token(), "token_type": "Bearer"}).encode())
