"""What cannot be learned is refused by its name, with a sentence that says what is where."""

import pytest
from hand_made import STARTED, entry, media, names, page, recording

from mediacrawl.politeness.robots import RobotsRules
from mediacrawl.site_adapters.learn.learning import learn

IDS = ("8340112", "5520937")
HEX = ("a81b20c9d8e7", "b77120aa0f1e")


def site(n, *, data="https://s.example/api/{id}", src="https://cdn.example/{key}.mp4", before=(), played=True, **more):
    """A page whose data request is as usual, but for what is given."""
    fill = {"id": IDS[n], "key": HEX[n], "n": n, "later": int(STARTED) + 600 + n}
    file = src.format(**fill)
    asked = entry(data.format(**fill), {"clip": {"id": IDS[n], "src": file}}, **more)
    entries = [*before, asked, *([media(file)] if played else [])]
    return page(f"https://s.example/v/{IDS[n]}", *entries)


def refused(*pages, **more):
    learned = learn([recording(*pages)], **more)
    assert learned.adapter is None
    assert all(each.sentence.endswith((".", "…")) and len(each.sentence) < 800 for each in learned.refusals)
    return names(learned)


def both(**more):
    return refused(site(0, **more), site(1, **more))


def test_the_site_is_learned_without_what_follows():
    assert learn([recording(site(0), site(1))]).adapter is not None


@pytest.mark.parametrize(
    ("src", "name"),
    [
        ("https://cdn.example/{key}.mp4?Expires={later}&x=1", "expires"),
        ("https://cdn.example/{key}.mp4?e={later}", "expires"),
        ("https://cdn.example/exp={later}~acl=x/{key}.mp4", "expires"),
        ("https://cdn.example/{key}.mp4?X-Amz-Expires=300", "expires"),
        ("https://cdn.example/{key}.mp4?sig=REMOVED", "signed"),
        ("https://cdn.example/{key}.mp4?md5=abcdef{n}", "signed"),
        ("https://cdn.example/{key}.mp4?h={key}{key}", "signed"),
        ("https://cdn.example/token/a81b20c9/{key}.mp4", "signed"),
    ],
)
def test_media_that_are_signed_or_expire(src, name):
    assert both(src=src)[0] == name


@pytest.mark.parametrize(
    "src",
    [
        "https://cdn.example/{key}.mp4?v=1500000000",
        "https://cdn.example/1500000000/{key}.mp4",
        "https://cdn.example/{key}.mp4?id={key}",
        "https://cdn.example/{key}.mp4?size=1080&s=big",
    ],
)
def test_a_time_of_the_past_or_a_plain_parameter_is_no_signature(src):
    assert learn([recording(site(0, src=src), site(1, src=src))]).adapter is not None


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ("https://s.example/api/{id}?sig={key}{key}", "signed"),
        ("https://s.example/api/{id}?token=a81b20c9", "signed"),
        ("https://s.example/api/{id}?s={key}{key}", "signed"),
        ("https://s.example/api/{id}?exp={later}", "expires"),
        ("https://s.example/api/{id}?api_key=a81b20c9", "login"),
        ("https://s.example/api/{key}", "unexplained"),
        ("https://s.example/api/{id}?q={key}", "unexplained"),
    ],
)
def test_data_requests_that_cannot_be_made(data, name):
    assert both(data=data)[0] == name


@pytest.mark.parametrize("name", ["authorization", "api-auth", "x-csrf-token"])
def test_a_data_request_with_credentials(name):
    assert both(request_headers={name: "Bearer a81b20c9"})[0] == "login"


def test_a_password_that_was_posted_before():
    login = page(
        "https://s.example/login",
        entry("https://s.example/in", {}, method="POST", post=True, posted={"user[password]"}),
    )
    assert refused(login, site(0), site(1)) == ["login"]


def test_a_data_request_that_was_refused_at_first():
    assert both(before=[entry("https://s.example/api/8340112", {"error": 1}, status=401)]) == ["login"]


def test_a_question_whether_credentials_may_be_sent():
    headers = {"access-control-request-headers": "authorization,content-type"}
    asked = entry("https://s.example/api/8340112", None, method="OPTIONS", status=204, request_headers=headers)
    assert both(before=[asked]) == ["login"]


def test_media_that_only_a_post_names():
    assert both(method="POST", post=True) == ["post_only"]


def test_media_that_came_over_a_websocket():
    pages = [
        page(
            f"https://s.example/v/{IDS[n]}",
            entry("wss://s.example/live", None, status=101),
            media(f"https://c.example/{n}.mp4"),
        )
        for n in range(2)
    ]
    assert refused(*pages) == ["websocket"]


def test_media_that_stand_nowhere():
    pages = [
        page(
            f"https://s.example/v/{IDS[n]}",
            entry(f"https://s.example/api/{IDS[n]}", {"a": 1}),
            media(f"https://c.example/{HEX[n]}.mp4"),
        )
        for n in range(2)
    ]
    assert refused(*pages) == ["not_found"]


def test_pages_without_media():
    assert refused(page("https://s.example/a"), page("https://s.example/b")) == ["not_found"]
    assert names(learn([])) == ["not_found"]
    assert names(learn([recording()])) == ["not_found"]


@pytest.mark.parametrize(
    "html",
    [
        '<video src="https://cdn.example/{key}.mp4"></video>',
        '<meta property="og:video" content="https://cdn.example/{key}.mp4">',
        '<div data-x="{{&quot;a&quot;:&quot;https://cdn.example/{key}.mp4&quot;}}"></div>',
    ],
)
def test_media_that_the_page_names_itself(html):
    pages = [site(0), site(1)]
    for n, each in enumerate(pages):
        each.html = html.format(key=HEX[n])
    assert refused(*pages) == ["page_names_it"]


def test_a_page_that_names_another_medium_is_no_reason():
    pages = [site(0), site(1)]
    for n, each in enumerate(pages):
        each.html = f'<video src="https://cdn.example/trailer{HEX[n]}.mp4"></video>'
    assert learn([recording(*pages)]).adapter is not None


@pytest.mark.parametrize(
    "body",
    [
        '#EXTM3U\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://x",KEYFORMAT="com.apple.streamingkeydelivery"\n1.ts\n',
        '#EXTM3U\n#EXT-X-SESSION-KEY:METHOD=AES-128,KEYFORMAT="com.widevine"\n1.ts\n',
        '<?xml version="1.0"?><MPD><Period><ContentProtection schemeIdUri="x"/></Period></MPD>',
    ],
)
def test_manifests_that_are_encrypted(body):
    pages = []
    for n in range(2):
        url = f"https://cdn.example/{HEX[n]}.m3u8"
        data = entry(f"https://s.example/api/{IDS[n]}", {"id": IDS[n], "src": url})
        pages.append(page(f"https://s.example/v/{IDS[n]}", data, entry(url, body, "application/vnd.apple.mpegurl")))
    assert refused(*pages)[0] == "drm"


def test_a_manifest_with_a_plain_key_is_no_drm():
    pages = []
    for n in range(2):
        url = f"https://cdn.example/{HEX[n]}.m3u8"
        data = entry(f"https://s.example/api/{IDS[n]}", {"id": IDS[n], "src": url, "drm": None, "license": "CC-BY"})
        body = '#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="key.bin"\n1.ts\n'
        pages.append(page(f"https://s.example/v/{IDS[n]}", data, entry(url, body, "application/vnd.apple.mpegurl")))
    assert learn([recording(*pages)]).adapter is not None


@pytest.mark.parametrize(
    "drm", [{"widevine": {"url": "https://l.example"}}, {"type": "playready"}, {"licenseServer": "x"}]
)
def test_answers_that_name_a_licence_server(drm):
    pages = [site(0), site(1)]
    for n, each in enumerate(pages):
        file = f"https://cdn.example/{HEX[n]}.mp4"
        each.entries[1] = entry(f"https://s.example/api/{IDS[n]}", {"src": file, "drm_type": "x", "drm": drm})
    assert refused(*pages) == ["drm"]


def test_a_data_request_that_robots_txt_forbids():
    def allows(text, url):
        return bool(RobotsRules.parse(text.encode(), "mediacrawl").allowed(url))

    robots = {"s.example": "User-agent: *\nDisallow: /api/\n"}
    assert refused(site(0), site(1), robots=robots, allows=allows) == ["robots"]
    recorded = entry("https://s.example/robots.txt", robots["s.example"], "text/plain")
    assert refused(site(0, before=[recorded]), site(1), allows=allows) == ["robots"]
    free = {"s.example": "User-agent: *\nDisallow: /private/\n", "other.example": robots["s.example"]}
    assert learn([recording(site(0), site(1))], robots=free, allows=allows).adapter is not None


@pytest.mark.parametrize("more", [0, 3])
@pytest.mark.parametrize("is_first", [True, False])
def test_of_a_page_that_was_reloaded_the_visit_that_played_is_learned_from(more, is_first):
    def visit(n, *, played):
        clip, other = f"https://cdn.example/{HEX[n]}.mp4", f"https://cdn.example/x{HEX[n]}.mp4"
        data = entry(f"https://s.example/api/{IDS[n]}", {"id": IDS[n], "other": other, "clip": clip})
        others = [entry(f"https://s.example/x/{k}", {"k": k}) for k in range(more)]
        return page(f"https://s.example/v/{IDS[n]}", data, *([media(clip)] if played else others))

    visits = [visit(n, played=played) for n in (0, 1) for played in (is_first, not is_first)]
    learned = learn([recording(*visits)])
    assert learned.adapter is not None, learned.refusals
    assert learned.adapter["records"]["media"] == [{"json": "clip"}]


def test_the_same_page_twice_is_one_page():
    assert refused(site(0), site(0)) == ["one_page"]


def test_pages_of_several_hosts():
    pages = [site(0), site(1)]
    pages[1].url = f"https://t.example/v/{IDS[1]}"
    assert refused(*pages) == ["one_page"]


def test_a_number_that_is_too_short_to_tell_asks_for_a_third_page():
    pages = []
    for n, (number, key) in enumerate(zip("37", HEX, strict=True)):
        file = f"https://cdn.example/{key}.mp4"
        data = entry(f"https://s.example/api/{number}", {"id": int(number), "title": "t", "src": file})
        pages.append(page(f"https://s.example/v/{number}/x{n}", data, media(file)))
    learned = learn([recording(*pages)])
    assert names(learned) == ["unexplained"]
    assert "record a third page" in learned.refusals[0].sentence
