"""Parameters that the page plainly makes up are left out."""

import pytest
from hand_made import STARTED, applied, entry, media, page, recording

from mediacrawl.site_adapters.learn.learning import learn

IDS = ("8340112", "5520937", "7719024", "6104388")


def site(n, extra, answer=None, **more):
    """A page whose data URL has more parameters than its id."""
    url = f"https://s.example/api/{IDS[n]}{extra}"
    data = entry(url, answer or {"clip": {"id": IDS[n], "src": f"https://cdn.example/{IDS[n]}a.mp4"}}, **more)
    return page(f"https://s.example/v/{IDS[n]}", data, media(f"https://cdn.example/{IDS[n]}a.mp4"))


def learned_of(*pages):
    return learn([recording(*pages)])


def url_of(learned):
    return learned.adapter["requests"][-1]["url"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (f"?_={int(STARTED * 1000) + 900}", f"?_={int(STARTED * 1000) + 3900}"),
        (f"?ts={int(STARTED)}", f"?ts={int(STARTED) + 3}"),
        ("?cb=0.8512098", "?cb=0.1120987"),
        ("?rnd=a81b20c9", "?rnd=b77120aa"),
        ("?Session_ID=a81b20c9", "?Session_ID=b77120aa"),
    ],
)
def test_what_the_page_makes_up_is_dropped_and_said_to_be_unproven(first, second):
    found = learned_of(site(0, first), site(1, second))
    name = first.rpartition("?")[2].rpartition("&")[2].partition("=")[0]
    assert found.adapter["learned"]["unproven"] == [name]
    assert name not in url_of(found)
    assert any(f"leaves out the parameter {name} (not proven)" in step for step in found.steps)


def test_a_constant_parameter_stays():
    found = learned_of(site(0, "?lang=de&v=20261126"), site(1, "?lang=de&v=20261126"))
    assert url_of(found) == "https://s.example/api/{id}?lang=de&v=20261126"


def test_jsonp_may_have_any_name_of_its_function():
    def jsonp(n, name):
        answer = f'{name}({{"clip": {{"id": {IDS[n]}, "src": "https://cdn.example/{IDS[n]}a.mp4"}}}});'
        return site(n, f"?callback={name}", answer, mime="text/javascript")

    found = learned_of(jsonp(0, "cb_81230"), jsonp(1, "cb_77120"))
    assert found.adapter["requests"][0]["read"] == "jsonp"
    assert url_of(found) == "https://s.example/api/{id}?callback=cb_81230"
    url = f"https://s.example/api/{IDS[2]}?callback=cb_81230"
    assert applied(found.adapter, f"https://s.example/v/{IDS[2]}", {url: 'x({"clip": {"src": "/a.mp4"}})'})[0] == [
        "https://s.example/a.mp4"
    ]
