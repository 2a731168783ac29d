"""Each way in which a page's script makes its data URL is learned from two pages, and right on others."""

import base64
import json
from hashlib import sha256
from urllib.parse import quote

import pytest
from hand_made import applied, entry, media, names, page, recording

from mediacrawl.site_adapters.learn.learning import learn

CASES = {}
HELD_OUT = range(3, 13)


def case(function):
    """A site: number of a page -> URL of the page, its HTML, its data requests with their answers, its media."""
    CASES[function.__name__] = function
    return function


def hexes(seed, length=12):
    return sha256(str(seed).encode()).hexdigest()[:length]


def digits(seed, length=7):
    return str(10 ** (length - 1) + int(hexes(seed, 15), 16) % (9 * 10 ** (length - 1)))


def file_of(n):
    return f"https://cdn.example/{hexes(f'file {n}')}.mp4"


def simple(n, address, data, html=""):
    return address, html, [(data, {"video": {"src": file_of(n), "title": f"Title {hexes(n)}"}})], [file_of(n)]


def on_a_page(n, html):
    """Return a site whose page alone has the name in its data's URL."""
    return simple(n, f"https://s.example/{hexes(f'slug {n}')}", f"https://s.example/api/{hexes(n)}", html)


BY_URL = {
    "path_to_path": ("https://s.example/watch/{digits}", "https://s.example/api/{digits}.json"),
    "query_to_path": ("https://s.example/watch?list=x{other}&v={key}", "https://s.example/api/{key}/info"),
    "path_to_query": ("https://s.example/v/{key}/", "https://api.s.example/info?lang=en&id={key}"),
    "word_before_the_number": ("https://s.example/video{digits}", "https://s.example/config/{digits}/config.json"),
    "joined_with_constant_text": (
        "https://s.example/v/{digits}",
        "https://s.example/api/clip_{digits}_hd.json?k=clip:{digits}",
    ),
}
"""Site -> URL of a page and of its data, both with words that differ from page to page."""
IN_PAGE = {
    "attribute_of_the_page": '<div class="player big" data-media-id="{key}"></div><a data-other="{other}">x</a>',
    "meta_element": '<meta name="clip-key" content="{key}"><meta name="viewport" content="{number}">',
    "hidden_input": '<form><input type="hidden" name="clip" value="{key}"></form>',
    "link_to_another_page": '<iframe src="https://player.example/embed/{key}?autoplay=0"></iframe>',
    "script_of_json": '<script type="application/json" id="data">{{"a": [{{"id": "{key}"}}]}}</script>',
}
"""Site whose page has the name in its data's URL -> its HTML."""


def filled(template, n):
    return template.format(key=hexes(n), other=hexes(-n), digits=digits(n), number=f"a{n}")


for name, (address, data) in BY_URL.items():
    CASES[name] = lambda n, address=address, data=data: simple(n, filled(address, n), filled(data, n))
for name, html in IN_PAGE.items():
    CASES[name] = lambda n, html=html: on_a_page(n, filled(html, n))


def answered(n, answer, url):
    return f"https://s.example/v/{digits(n)}", "", [(f"https://s.example/a/{digits(n)}", answer)], [url]


def slug_of(n):
    return "-".join(hexes(f"{n} {word}", 5) for word in range(2 + n % 4))


@case
def number_behind_the_title(n):
    return simple(n, f"https://s.example/{slug_of(n)}-{digits(n)}.html", f"https://s.example/api/{digits(n)}")


@case
def number_before_the_title(n):
    return simple(n, f"https://s.example/clip/{digits(n)}-{slug_of(n)}", f"https://s.example/api/{digits(n)}")


@case
def padded(n):
    number = digits(n, 4 + (n + 1) % 3)
    return simple(n, f"https://s.example/v/{number}", f"https://s.example/api/{number.zfill(10)}.json")


@case
def base64_of_the_id(n):
    name = base64.b64encode(hexes(n, 10).encode()).decode()
    return simple(n, f"https://s.example/v/{hexes(n, 10)}", f"https://s.example/api?d={quote(name, safe='')}")


@case
def base64_for_urls_of_the_id(n):
    name = base64.urlsafe_b64encode(f"{hexes(n, 10)}?~".encode()).decode().rstrip("=")
    return simple(n, f"https://s.example/v/{hexes(n, 10)}%3F~", f"https://s.example/api/{name}")


@case
def the_page_as_a_parameter(n):
    address = f"https://s.example/watch/{hexes(n)}"
    return simple(n, address, f"https://s.example/oembed?format=json&url={quote(address, safe='')}")


@case
def json_in_a_parameter(n):
    variables = quote(json.dumps({"clip": {"id": digits(n)}, "first": 1, "mode": "a-b"}), safe="")
    return simple(n, f"https://s.example/v/{digits(n)}", f"https://s.example/graphql?op=Clip&variables={variables}")


@case
def json_in_base64_in_an_attribute(n):
    config = base64.b64encode(json.dumps({"theme": "x", "media": {"key": hexes(n)}}).encode()).decode()
    html = f'<div id="player" data-config="{config}"></div>'
    return on_a_page(n, html)


@case
def state_of_scripts(n):
    state = json.dumps({"user": None, "page": {"clip": {"uid": hexes(n), "n": n}}})
    html = f"<script>window.__STATE__ = {state};</script>"
    return on_a_page(n, html)


@case
def the_whole_data_url_in_the_page(n):
    html = f'<div id="p" data-src="/data/{hexes(n)}.json?x={hexes(-n)}"></div>'
    return simple(
        n, f"https://s.example/{hexes(f'slug {n}')}", f"https://s.example/data/{hexes(n)}.json?x={hexes(-n)}", html
    )


@case
def a_chain_of_two(n):
    config = f"https://s.example/config/{digits(n)}"
    sources = f"https://s.example/sources?key={hexes(n)}"
    answers = [
        (config, {"clip": {"key": hexes(n), "n": n}}),
        (sources, {"list": [{"file": file_of(n), "type": "mp4"}]}),
    ]
    return f"https://s.example/v/{digits(n)}", "", answers, [file_of(n)]


@case
def a_chain_that_names_the_next_url(n):
    config, sources = f"https://s.example/config/{digits(n)}", f"https://x.example/{hexes(n)}/s.json?a=1"
    answers = [(config, {"next": {"href": sources}}), (sources, {"file": file_of(n)})]
    return f"https://s.example/v/{digits(n)}", "", answers, [file_of(n)]


@case
def a_chain_of_three(n):
    one, two, three = (f"https://s.example/{name}/{hexes(f'{name} {n}')}" for name in ("a", "b", "c"))
    answers = [
        (one, {"b": {"id": hexes(f"b {n}")}}),
        (two, f"<r><c>{hexes(f'c {n}')}</c></r>"),
        (three, {"file": file_of(n)}),
    ]
    return f"https://s.example/v/{hexes(f'a {n}')}", "", answers, [file_of(n)]


@case
def xml_with_attributes(n):
    answer = (
        f'<?xml version="1.0"?><clip xmlns="urn:x" id="{digits(n)}"><title>T {hexes(n)}</title><streams>'
        f'<stream rate="800" href="{file_of(n)}"/><stream rate="200" href="{file_of(-n - 1)}"/></streams></clip>'
    )
    data = f"https://s.example/clip.aspx?id={digits(n)}"
    return f"https://s.example/v/{digits(n)}", "", [(data, answer)], [file_of(n)]


@case
def media_url_in_base64(n):
    answer = {"s": base64.b64encode(file_of(n).encode()).decode()}
    return answered(n, answer, file_of(n))


@case
def media_url_without_its_host(n):
    url = f"https://s.example/files/{hexes(n)}.mp3"
    answer = {"s": f"/files/{hexes(n)}.mp3", "other": "/x.mp3"}
    return answered(n, answer, url)


@case
def media_url_without_an_ending(n):
    url = f"https://s.example/stream/{hexes(n)}"
    return answered(n, {"s": url}, url)


@case
def media_url_in_html_in_json(n):
    answer = {"html": f'<audio controls><source src="{file_of(n)}" type="x"></audio>', "n": n}
    return answered(n, answer, file_of(n))


@case
def media_url_joined_of_a_name(n):
    answer = {"title": f"T {hexes(n)}", "file": hexes(f"f {n}"), "size": digits(-n)}
    url = f"https://cdn.example/v/{hexes(f'f {n}')}/master.m3u8"
    return answered(n, answer, url)


@case
def media_url_joined_of_a_name_and_the_id(n):
    answer = {"title": f"T {hexes(n)}", "file": f"{hexes(f'f {n}')}.mp3"}
    url = f"https://cdn.example/{digits(n)}/{hexes(f'f {n}')}.mp3"
    return answered(n, answer, url)


@case
def media_url_joined_of_two_values(n):
    answer = {"title": f"T {hexes(n)}", "node": f"n{hexes(f'x {n}', 8)}", "file": hexes(f"f {n}")}
    url = f"https://n{hexes(f'x {n}', 8)}.cdn.example/{hexes(f'f {n}')}.mp3"
    return answered(n, answer, url)


def pages_of(function, numbers):
    made = []
    for n in numbers:
        address, html, answers, urls = function(n)
        data = [entry(url, body, "text/xml" if str(body)[:1] == "<" else "application/json") for url, body in answers]
        made.append(page(address, *data, *(media(url) for url in urls), html=html))
    return made


@pytest.mark.parametrize("name", CASES)
def test_a_way_that_two_pages_show_is_right_on_ten_others(name):
    learned = learn([recording(*pages_of(CASES[name], (0, 1)))])
    assert learned.adapter is not None, learned.refusals
    for n in HELD_OUT:
        address, html, answers, urls = CASES[name](n)
        found, asked = applied(learned.adapter, address, dict(answers), html)
        assert asked == [url for url, _ in answers]
        assert set(urls) <= set(found)


@pytest.mark.parametrize("name", ["path_to_path", "a_chain_of_three"])
def test_a_held_out_page_of_the_recording_is_found_too(name):
    learned = learn([recording(*pages_of(CASES[name], (0, 1, 2)))], hold_out=1)
    assert [each.right for each in learned.held_out] == [True], learned.held_out
    assert learned.adapter["learned"]["pages"] == 2


@pytest.mark.parametrize("name", ["path_to_path", "state_of_scripts"])
def test_one_page_gives_no_adapter(name):
    learned = learn([recording(*pages_of(CASES[name], (0,)))])
    assert learned.adapter is None
    assert names(learned) == ["one_page"]
