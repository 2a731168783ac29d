"""URLs without end."""

import string
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.terms import Drop
from mediacrawl.scope.gate import Traps

TODAY = date(2026, 11, 21)
SITE = "https://site.example"


def reason(path, today=TODAY):
    return Traps().reason(SITE + path, today)


TRAPS = {
    None: [
        "/", "/music/albums/2024/track-07.html", "/2026/11/21/post.html", "/2027/11/announced/", "/calendar/2027-11",
        "/calendar?date=2026-12-01", "/archive/1972/05/", "/events/1977-05-08/setlist.html", "/films?year=1972",
        "/events/4821", "/events/203411", "/4821/11/", "/photo/210012.html", "/files/99991231/",
        "/calendar/2055-01-01.mp3", "/a/b/a/b", "/a/a/a/b/c", "/c/d/e/f/c/d/e/f", "/monthly/2055-01", "/?page=2099",
        "/shop?" + "&".join(f"p{n}=1" for n in range(12)), "/shop?c=1&c=2&c=3",
        "/shop?t%5Baction%5D=a&t%5Bdate%5D=b&t%5Bid%5D=c&t%5Bpage%5D=d", "/" + "/".join(string.ascii_lowercase[:20]),
        "/" + "a" * (2_048 - len(SITE) - 1),
        # Each has a name, or an identifier, of its own.
        "/articles/2110/05/news162.html", "/2020/6/14/21290902/school-year", "/2020/6/14/21290902", "/2031/05/a-name/",
        "/day-of-vote/2015/03/16/4f4468e8-cbdc-11e4-8c54-ffb5ba6f2f69_story.html", "/events/2031/05/12/concert-3",
        "/year/4f4468e8-2131-11e4", "/archive/x2131-05y", "/events/view.php?id=210512", "/event?story=21050612",
        "/news/2055/01/162123.html", "/archive/2144/12/0c9b", "/week/1888/05/12/the-end", "/events/20310501-concert",
        "/wydarzenia/2031-05-01/koncert", "/story-2099", "/films?date=06%2F06%2F1944", "/calendar?date=5%2F1%2F2027",
    ],
    # A calendar ends a year from now.
    Drop.TRAP_CALENDAR: [
        "/calendar/7749/05/", "/calendar/7749-5", "/Kalender/2028/01/02", "/calendar/1823/05", "/events/2031-05-01/",
        "/events?month=205503", "/plan?year=2099&view=list", "/plan?start_date=2099-01-01", "/archives/2031/02",
        "/2031/05/", "/events/20310501/", "/index.php?date=2027-12",
        "/events/2031-05/list/", "/calendar/2031/05/week/3", "/cal/2031-05-12/day/index.html", "/events/2031-05/page/2",
        "/calendar/month/2031-05.html", "/events/20310501T100000/", "/2031/05/12/", "/calendar/2031-05-01/2031-06-01",
        "/events/list?from_day=20310501", "/calendar/2031/05/events?id=4711", "/agenda?d=203105",
        "/event/yoga/2031-05-12/", "/akce/2031-05-12", "/wydarzenia/2031-05-12/", "/tapahtumat/2031-05/",
        "/evenementen/2031-05", "/evenemang/2031-05-12", "/etkinlikler/2031-05", "/kalendarz/2031-05/",
        "/cal?d=2031%2F05%2F03", "/calendar.aspx?view=month&date=05%2F01%2F2031", "/plan?datum=1.5.2031",
        "/plan?date=01-05-2031&view=day",
    ],
    Drop.TRAP_REPEAT: [
        "/a/x/a/x/b/a/c/a", "/a/b/a/b/a/b", "/r/a/b/c/a/b/c/a/b/c/s", "//////x", "/a/a/a/a?x=1", "/a/b/a/b/a/b?x=1",
    ],
    Drop.TRAP_FACETS: [
        "/shop?" + "&".join(f"p{n}=1" for n in range(13)), "/shop?c=1&c=2&c=3&c=4",
        "/shop?f%5B0%5D=a&f%5B1%5D=b&f%5B2%5D=c&f%5B3%5D=d",
    ],
    Drop.TRAP_SEGMENTS: ["/" + "/".join(string.ascii_lowercase[:21])],
    Drop.LENGTH: ["/" + "a" * (2_048 - len(SITE))],
}  # fmt: skip


@pytest.mark.parametrize(("trap", "path"), [(trap, path) for trap, paths in TRAPS.items() for path in paths])
def test_a_url_without_end_is_known_by_its_shape_and_no_other(trap, path):
    assert reason(path) is trap


def test_a_calendar_moves_on_with_the_clock():
    assert reason("/calendar/2028/01/") is Drop.TRAP_CALENDAR
    assert reason("/calendar/2028/01/", date(2027, 2, 1)) is None


@given(st.text("ab/?=&-._0129", max_size=80), st.dates())
def test_any_url_gets_an_answer(path, today):
    assert reason("/" + path, today) in {
        None,
        Drop.TRAP_CALENDAR,
        Drop.TRAP_FACETS,
        Drop.TRAP_REPEAT,
        Drop.TRAP_SEGMENTS,
    }


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=4), st.integers(3, 4))
def test_what_follows_itself_three_times_is_a_trap(run, times):
    assert reason("/start/" + "/".join(run * times)) is Drop.TRAP_REPEAT


@pytest.mark.parametrize(
    ("limit", "path"),
    [
        ({"max_segments": 30}, "/" + "/".join(string.ascii_lowercase)),
        ({"max_repeats": 4}, "/a/x/a/y/a/b/a/c"),
        ({"max_cycles": 3}, "/a/b/a/b/a/b"),
        ({"years_ahead": 10}, "/calendar/2031-05"),
        ({"first_year": 1800}, "/calendar/1823/05"),
        ({"max_parameters": 13}, "/?" + "&".join(f"p{n}=1" for n in range(13))),
        ({"max_same_parameter": 4}, "/?c=1&c=2&c=3&c=4"),
    ],
)
def test_each_limit_can_be_set(limit, path):
    assert reason(path) is not None
    assert Traps(**limit).reason(SITE + path, TODAY) is None
