"""No data request of an adapter is forbidden, signed or behind a login: neither those before nor those beside the first
choice."""

from hand_made import entry, media, names, page, recording

from mediacrawl.site_adapters.learn.learning import learn

IDS = ("8340112", "5520937")
KEYS = ("a81b20c9d8e7", "b77120aa0f1e")
ROBOTS = {"s.example": "User-agent: *\nDisallow: /folder/\n"}


def allows(text, url):
    return "/folder/" not in url or "/folder/" not in text


def joined(n, **more):
    """A page whose media URL has a folder of one answer and a name of another one."""
    folder = entry(f"https://s.example/folder/{IDS[n]}", {"in": KEYS[n]}, **more)
    clip = entry(f"https://s.example/api/{IDS[n]}", {"id": IDS[n], "file": f"{KEYS[n][::-1]}.mp4"})
    url = f"https://cdn.example/{KEYS[n]}/{KEYS[n][::-1]}.mp4"
    return page(f"https://s.example/v/{IDS[n]}", folder, clip, media(url))


def learned(**more):
    return learn([recording(joined(0, **more), joined(1, **more))], robots=ROBOTS if not more else {}, allows=allows)


def test_the_pieces_of_two_answers_are_learned():
    adapter = learn([recording(joined(0), joined(1))]).adapter
    assert [each["url"] for each in adapter["requests"]] == [
        "https://s.example/folder/{id}",
        "https://s.example/api/{id}",
    ]


def test_an_answer_that_only_gives_a_piece_of_the_media_url_is_asked_for_if_robots_allow_it():
    assert names(learned()) == ["robots"]


def test_an_answer_that_only_gives_a_piece_of_the_media_url_may_not_need_a_login():
    assert names(learned(request_headers={"authorization": "Bearer a81b20c9"})) == ["login"]


def beside(n):
    """A page of which two answers name the medium; only the second one names it in a way that an adapter can follow."""
    own = f"https://cdn.example/{KEYS[n]}.mp4"
    first = entry(f"https://s.example/api/{IDS[n]}", {"id": IDS[n], "file": own})
    second = entry(f"https://s.example/folder/{IDS[n]}", {"id": IDS[n], "clip": {"file": own}})
    return page(f"https://s.example/v/{IDS[n]}", second, first, media(own))


def test_of_two_answers_with_the_same_media_the_one_that_is_allowed_is_taken():
    adapter = learn([recording(beside(0), beside(1))], robots=ROBOTS, allows=allows).adapter
    assert [each["url"] for each in adapter["requests"]] == ["https://s.example/api/{id}"]
