"""What all recorded pages have alike and others have not: nonces; and what no adapter can send: headers."""

import pytest
from hand_made import entry, media, page, recording

from mediacrawl.site_adapters.learn.learning import learn
from mediacrawl.site_adapters.learn.protection import unsendable


def site(*, html=lambda n: "<p>nothing</p>", url=lambda n: f"https://s.example/api/{n}", **request):
    """Two pages of a site, with one data request each."""
    return recording(
        *(
            page(
                f"https://s.example/film/{n}",
                entry(url(n), {"title": f"Film {n}", "file": f"https://s.example/{n}.mp4"}, **_of_page(request, n)),
                media(f"https://s.example/{n}.mp4"),
                html=html(n),
            )
            for n in (7_310_452, 2_946_018)
        )
    )


def _of_page(request, n):
    return {name: value(n) if callable(value) else value for name, value in request.items()}


def refusal(recorded):
    learned = learn([recorded])
    assert learned.adapter is None
    return learned.refusals[0]


def with_nonce(n):
    return f"https://s.example/ajax?post={n}&nonce=bc67246e08"


def test_a_nonce_is_read_from_an_attribute_of_the_page():
    learned = learn([site(html=lambda n: '<div id="p" data-nonce="bc67246e08"></div>', url=with_nonce)])
    assert learned.adapter["page"]["fetched"]
    assert learned.adapter["slots"]["nonce"] == {"in": "page", "css": "#p", "attribute": "data-nonce"}
    assert learned.adapter["requests"][0]["url"].endswith("&nonce={nonce}")


def test_a_nonce_is_read_from_a_script_of_the_page():
    html = '<script>var player = {"ajaxUrl": "/ajax", "nonce": "bc67246e08"};</script>'
    learned = learn([site(html=lambda n: html, url=with_nonce)])
    assert learned.adapter["slots"]["nonce"] == {"in": "page", "script": "player", "json": "nonce"}


def test_a_nonce_that_the_page_does_not_have_is_refused():
    found = refusal(site(url=with_nonce))
    assert found.name == "unexplained"
    assert "given out by the site for a while" in found.sentence


def aired(day):
    return f'<time class="aired" datetime="{day}T20:15:00Z">in the evening</time>'


def test_a_number_that_is_no_date_of_the_pages_stays_a_constant():
    days = {7_310_452: "2021-09-25", 2_946_018: "2024-09-20"}
    learned = learn([site(html=lambda n: aired(days[n]), url=lambda n: f"https://s.example/json/2024/{n}")])
    assert learned.adapter["requests"][0]["url"] == "https://s.example/json/2024/{id}"
    assert any(step.startswith("Data request 1 has 2024 on all recorded pages.") for step in learned.steps)


def test_a_date_in_the_path_is_made_of_one_in_the_page():
    days = {7_310_452: "2017-05-12", 2_946_018: "2024-09-25"}
    learned = learn(
        [site(html=lambda n: aired(days[n]), url=lambda n: f"https://s.example/{days[n].replace('-', '/')}/{n}")]
    )
    assert {slot["css"] for slot in learned.adapter["slots"].values() if slot["in"] == "page"} == {"time.aired"}
    assert learned.adapter["requests"][0]["url"].count("{") == 4


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("x-signature", "a81b20c9 a81b20c9", "signed"),
        ("x-sign", "a1 a1", "signed"),
        ("x-api-key", "a81b20c9 a81b20c9", "login"),
        ("x-timestamp", "1795682000 1795682004", "unexplained"),
        ("x-app-version", "3.1 3.1", ""),
        ("x-request-id", "a1 b2", ""),
        ("x-b3-traceid", "a1 b2", ""),
        ("referer", "https://s.example/film/1 https://s.example/film/2", ""),
        ("sec-fetch-site", "same-origin cross-site", ""),
    ],
)
def test_headers_that_no_adapter_can_send(name, values, why):
    found = unsendable([entry("https://s.example/api", {}, request_headers={name: text}) for text in values.split()])
    assert found == ((why, name) if why else None)


def test_a_data_request_with_a_signature_in_a_header_is_refused():
    found = refusal(site(request_headers={"x-signature": "a81b20c9"}))
    assert found.name == "signed"
    assert "x-signature" in found.sentence


def logged_in(action, posted):
    form = f'<form method="post" action="{action}"><input name="losen" type="password"></form>'
    login = page(
        "https://s.example/start",
        entry(posted, None, method="POST", post=True, status=302),
        html=form,
    )
    return recording(login, *site().pages)


def test_a_form_with_a_password_tells_a_login_whatever_its_fields_are_called():
    assert refusal(logged_in("/in", "https://s.example/in")).name == "login"


def test_a_post_to_elsewhere_is_no_login():
    assert learn([logged_in("/in", "https://s.example/search")]).adapter is not None


def test_the_bytes_of_an_enclosure_are_no_duration():
    found = recording(
        *(
            page(
                f"https://s.example/e/{n}",
                entry(f"https://s.example/api/{n}", {"title": f"Part {n}", "seconds": n % 1000, "enclosure": sound}),
                media(sound["url"]),
            )
            for n in (7_310_452, 2_946_018)
            for sound in [{"url": f"https://s.example/{n}.mp3", "length": n * 9}]
        )
    )
    assert learn([found]).adapter["records"]["duration"] == {"json": "seconds"}
