"""Media that an answer names relative to another URL than its own."""

from hand_made import entry, media, page, recording

from mediacrawl.site_adapters.learn.learning import learn

PAGES = (7_310_452, 2_946_018)


def site(base, name="v/{n}_{rate}.mp4"):
    """Two pages whose answers name two files each, of which the first is played."""
    made = []
    for n in PAGES:
        files = [{"src": name.format(n=n, rate=rate), "height": rate} for rate in (720, 360)]
        answer = {"title": f"Film {n}", "files": files}
        url = f"{base(n)}{files[0]['src']}"
        made.append(page(f"https://s.example/film/{n}", entry(f"https://s.example/api/{n}", answer), media(url)))
    return learn([recording(*made)]).adapter


def test_what_is_played_tells_the_base_of_all_files():
    assert site(lambda n: "https://cdn.example/vod/")["records"]["media"] == [
        {"json": "files[*].src", "url": "https://cdn.example/vod/{!value}"}
    ]


def test_a_path_may_be_of_another_host():
    assert site(lambda n: "https://cdn.example", "/v/{n}_{rate}.mp4")["records"]["media"] == [
        {"json": "files[*].src", "url": "https://cdn.example{!value}"}
    ]


def test_what_is_relative_to_the_answer_needs_no_base():
    assert site(lambda n: "https://s.example/api/")["records"]["media"] == [{"json": "files[*].src"}]


def test_a_base_that_differs_from_page_to_page_is_no_constant():
    bases = {PAGES[0]: "https://cdn.example/a7f3k2/", PAGES[1]: "https://cdn.example/q9x1m5/"}
    assert site(bases.get) is None
