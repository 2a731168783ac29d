"""The gate joins the rules."""

from collections import Counter
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl import settings
from mediacrawl.base.terms import Drop
from mediacrawl.frontier.seen import RecentUrls
from mediacrawl.scope import Base, NeverCrawl, Scope, ScopeRules, canonical
from mediacrawl.scope.gate import ExtensionFilter, Traps
from mediacrawl.scope.urls import REFUSED_PORTS, is_loopback, port_of


def today():
    return date(2026, 11, 21)


def scope(**given):
    rules = {name: given.pop(name) for name in ("traps", "max_depth", "extensions", "refused_ports") if name in given}
    return Scope(today, ScopeRules(**rules), **given)


def never(*domains):
    return NeverCrawl.of(*domains)


class OnlyMusic:
    def allows(self, url, host):
        return "music" in url


@pytest.mark.parametrize(
    ("rules", "url", "reason"),
    [
        ({}, "https://site.example/a", None),
        ({"extensions": ExtensionFilter(["jpg"])}, "https://site.example/a.jpg", Drop.EXTENSION),
        ({"nevercrawl": never("site.example")}, "http://a.site.example:81/b", Drop.NEVERCRAWL),
        ({"nevercrawl": never("site.example/a")}, "http://www.site.example/a/b", Drop.NEVERCRAWL),
        ({"nevercrawl": never("site.example/a")}, "http://www.site.example/b", None),
        ({"nevercrawl": never("192.0.2.0/24")}, "http://192.0.2.9/", Drop.NEVERCRAWL),
        ({"only_sites": {"site.example"}}, "https://www.site.example/a", None),
        ({"only_sites": {"site.example"}}, "https://other.example/a", Drop.OFFSITE),
        ({"only_sites": set()}, "https://other.example/a", Drop.OFFSITE),
        ({"include": OnlyMusic()}, "https://site.example/film", Drop.NOT_INCLUDED),
        ({"include": OnlyMusic()}, "https://site.example/music", None),
        ({"loopback_only": True}, "https://site.example/", Drop.PLACEHOLDER_CONTACT),
        ({"loopback_only": True}, "http://127.0.0.1:8000/", None),
        ({"loopback_only": True}, "http://[::1]:8000/", None),
        ({"loopback_only": True}, "http://a.localhost:8000/", None),
        ({"traps": Traps(max_length=30)}, "https://site.example/" + "a" * 20, Drop.LENGTH),
        ({}, "https://site.example/calendar/2055/05", Drop.TRAP_CALENDAR),
        ({"refused_ports": REFUSED_PORTS}, "http://site.example:25/", Drop.PORT),
        ({"refused_ports": REFUSED_PORTS}, "https://[2001:db8::1]:6379/a:1?b:2", Drop.PORT),
        ({"refused_ports": REFUSED_PORTS}, "http://site.example:10080/?x", Drop.PORT),
        ({"refused_ports": REFUSED_PORTS}, "http://site.example:8080/a:25", None),
        ({"refused_ports": REFUSED_PORTS}, "http://[2001:db8::25]/", None),
        (
            {"refused_ports": REFUSED_PORTS, "nevercrawl": never("site.example")},
            "http://site.example:25/",
            Drop.NEVERCRAWL,
        ),
        ({"refused_ports": [443]}, "https://site.example/", None),
        ({}, "http://site.example:25/", None),
    ],
)
def test_each_rule_refuses_by_its_name(rules, url, reason):
    assert scope(**rules).check(url) is reason


def test_the_setting_names_the_ports_of_other_protocols():
    assert tuple(settings.SCOPE_REFUSED_PORTS) == REFUSED_PORTS
    assert {25, 6379, 11211} <= set(REFUSED_PORTS)
    assert not {80, 443, 3128, 8000, 8080, 8443, 8888} & set(REFUSED_PORTS)


@given(
    st.integers(1, 65_535).filter(lambda port: port != 80), st.sampled_from(["a.example", "[2001:db8::1]", "1.2.3.4"])
)
def test_the_port_is_that_of_the_authority(port, host):
    assert port_of(canonical(f"http://{host}:{port}/x:1?y=http://b:2/")) == port_of(f"{host}:{port}") == port
    assert port_of(f"http://{host}/:{port}") is port_of(host) is None


def test_of_many_references_on_a_long_base_the_first_ones_join():
    base = "https://site.example/" + "a" * 1_979
    hrefs = [f"?{number}" for number in range(600)] + ["/rooted", "https://other.example/"]
    accepted, drops = scope().sift(base, hrefs)
    assert [place for place, _ in accepted] == [*range(500), 600, 601]
    assert drops == {Drop.LONG_BASE: 100}


def test_depth_counts_clicks_from_a_seed():
    shallow = scope(max_depth=2)
    assert shallow.check("https://site.example/", depth=2) is None
    assert shallow.check("https://site.example/", depth=3) is Drop.DEPTH
    assert shallow.sift("https://site.example/", ["a", "b"], depth=3) == ([], Counter({Drop.DEPTH: 2}))


def test_the_links_of_a_page_are_sifted_in_one_call():
    gate = scope(extensions=ExtensionFilter(["jpg"]), nevercrawl=never("no.example"))
    hrefs = [
        "a",
        "/a.jpg",
        "./a#part",
        "#top",
        "mailto:a@b.example",
        "javascript:void(0)",
        "https://www.no.example/",
        "http://[",
        "//site.example/b",
        "x" * 20_000,
        "c/" + "y" * 3_000,
        "",
    ]
    accepted, drops = gate.sift("https://site.example/page", hrefs)
    assert [(place, url.key, url.requested) for place, url in accepted] == [
        (0, "https://site.example/a", "https://site.example/a"),
        (8, "https://site.example/b", "https://site.example/b"),
    ]
    assert drops == {
        Drop.EXTENSION: 1,
        Drop.SCHEME: 2,
        Drop.NEVERCRAWL: 1,
        Drop.BAD_URL: 1,
        Drop.LENGTH: 2,
    }


@pytest.mark.parametrize(
    "href",
    [
        *("{{ url }}", "/shows/{{show.slug}}/", "{{{url}}}", "%7B%7Burl%7D%7D", "https://site.example/{{x|safe}}.mp3"),
        *("${x}", "/shows/${show.id}", "/shows/$%7Bid%7D", "<%= url %>", "<%- url %>", "/a/%3C%= id %%3E", "<% url %>"),
        *("{% url 'home' %}", "[[item.url]]", "[object Object]", "/shows/[object%20Object]", "%5Bobject%20Object%5D/a"),
        *(
            "[object HTMLAnchorElement]",
            "{{x}}" + "y" * 3_000,
            "undefined",
            "/undefined",
            "./null",
            " NaN ",
            "undefined/",
        ),
        *(
            "{%7Bx}}",
            "%7b{x}",
            "{% 25}",
            "{%25 url",
            "%7B%25=url",
            "%7B% url",
            "%3c%25=x",
            "<%25+x",
            "$%7bx",
            "[Object+x]",
        ),
        *("a%5bobject x", "%{{x}}", "$${x}", "[[[x]]]", "\nUndefined/\n"),
    ],
)
def test_what_a_script_should_have_filled_is_not_requested(href):
    accepted, drops = scope().sift("https://site.example/dir/page.html", [href, "b"])
    assert ([place for place, _ in accepted], drops) == ([1], {Drop.TEMPLATE: 1})


@pytest.mark.parametrize(
    "href",
    [
        *(
            "/music/{Awayland}/01.mp3",
            "{%C3%A4}",
            "/a$ap",
            "/{8F2A-11}/x",
            "/a[1].mp3",
            "/a[]=1",
            "/undefined-behaviour",
        ),
        *(
            "/wiki/null",
            "/nullsoft",
            "undefined.html",
            "/a%20%3C%20b",
            "/tag/%5Bobject%5D",
            "/100%25%20free",
            "/nan-goldin",
        ),
    ],
)
def test_what_only_resembles_a_placeholder_is_requested(href):
    assert len(scope().sift("https://site.example/dir/page.html", [href])[0]) == 1


@pytest.mark.parametrize("home", ["/", "https://site.example", "", "#top", "./"])
def test_what_the_links_of_a_page_are_relative_to_is_a_link_as_any_other(home):
    accepted, drops = scope().sift(
        "https://site.example/", [home, "dir/page.html#a"], own="https://site.example/dir/page.html"
    )
    assert ([(place, url.key) for place, url in accepted], drops) == ([(0, "https://site.example/")], {})


def test_a_reference_to_a_known_url_is_not_resolved_again_until_a_url_is_forgotten():
    gate, known, base = scope(), RecentUrls(), "https://site.example/songs/1.html"
    known.add("https://site.example/songs/2.html")
    assert gate.sift(base, ["./2.html#part"], known=known) == ([], {})
    # Another URL takes its slot. The reference is enough.
    url = "https://site.example/songs/2.html"
    known._table[hash(url) & known._mask] = hash("another URL")
    assert url not in known
    assert gate.sift("https://site.example/songs/3.html", ["./2.html#part"], known=known) == ([], {})
    assert len(gate.sift("https://site.example/films/3.html", ["./2.html#part"], known=known)[0]) == 1
    known.discard("https://site.example/anything")
    assert len(gate.sift(base, ["./2.html#part"], known=known)[0]) == 1


def test_a_space_in_an_absolute_reference_is_not_taken_for_the_end_of_a_folder():
    gate, known = scope(), RecentUrls()
    known.add("http://a.example/dir/%20new.html")
    gate.sift("http://b.example/", ["http://a.example/dir/ new.html"], known=known)
    assert len(gate.sift("http://a.example/dir/", ["new.html"], known=known)[0]) == 1


REFERENCES = st.text("/.?#:&= \thtps%2éa\\@", max_size=12)


@given(REFERENCES | st.builds("http:{}".format, REFERENCES) | st.builds("https://b.example/{}".format, REFERENCES))
def test_references_that_are_remembered_lead_to_the_same_url_from_each_page_of_a_folder(href):
    one = Base("http://site.example/folder/a?q=1", charset="utf-8")
    other = Base("http://site.example/folder/b;x", charset="cp1251")
    if one.written(href):
        assert one.written(href) == other.written(href)
        assert one.resolve(href) == other.resolve(href)


@pytest.mark.parametrize("base", ["", "about:blank", "http://", "http://a b/", "https://a.example:99999/"])
def test_a_base_that_is_no_url_costs_its_links_and_no_more(base):
    assert scope().sift(base, ["a", "https://b.example/"]) == ([], Counter({Drop.BAD_URL: 2}))
    assert scope().sift(base, []) == ([], Counter())


def changed(nevercrawl):
    """Look at the files; tells whether the list changed."""
    before = nevercrawl.version
    for _ in nevercrawl.look():
        pass
    return nevercrawl.version != before


@pytest.mark.parametrize("first", ["# nobody\n", "a.example\n"])
def test_a_changed_list_counts_at_once_for_hosts_already_asked_about(tmp_path, first):
    path = tmp_path / "list.txt"
    path.write_text(first, "utf-8")
    nevercrawl = NeverCrawl.load(path)
    gate = scope(nevercrawl=nevercrawl)
    for added, url in (("bb.example\n", "https://bb.example/"), ("c.example/d/\n", "https://c.example/d/e")):
        assert gate.check(url) is None
        path.write_text(path.read_text("utf-8") + added, "utf-8")
        assert gate.check(url) is None
        assert changed(nevercrawl)
        assert gate.check(url) is Drop.NEVERCRAWL


def test_this_machine_is_known_by_name():
    assert [host for host in ("127.1.2.3", "localhost", "localhost.example", "128.0.0.1") if is_loopback(host)] == [
        "127.1.2.3",
        "localhost",
    ]


HREFS = st.lists(
    st.text("ab./?#&=:%2[]\\ \t", max_size=15)
    | st.builds("{}{}".format, st.sampled_from(["http://a.example/", "ftp:", "//b.example", "#"]), st.text(max_size=9)),
    max_size=12,
)


@given(HREFS)
def test_what_passes_is_canonical_unique_and_accounted_for(hrefs):
    base = Base("https://site.example/dir/page")
    accepted, drops = scope(nevercrawl=never("b.example")).sift(base, hrefs)
    urls = [url.key for _, url in accepted]
    assert all(canonical(url.requested) == url.key for _, url in accepted)
    assert all(canonical(url) == url and url.startswith(("http://", "https://")) for url in urls)
    assert len(set(urls)) == len(urls)
    assert base.url not in urls
    passed_over = len(hrefs) - len(accepted) - drops.total()
    assert 0 <= passed_over <= len(hrefs)
    assert all(base.resolve(hrefs[index]) == url for index, url in accepted)


def test_an_ending_does_not_count_where_the_page_declares_what_a_link_leads_to():
    rules = scope(extensions=ExtensionFilter(["exe", "gz"]), nevercrawl=never("never.example"))
    hrefs = ["a.exe", "b.exe", "c.gz", "http://never.example/d.gz", "e"]
    asked = []
    accepted, drops = rules.sift("http://a.example/", hrefs, declared=lambda place: asked.append(place) or place > 0)
    assert [index for index, _ in accepted] == [1, 2, 4]
    assert (drops, asked) == ({Drop.EXTENSION: 1, Drop.NEVERCRAWL: 1}, [0, 1, 2, 3])


@pytest.mark.parametrize(
    ("path", "refused"),
    [("a.gz", True), ("a.xml.gz", False), ("a.xml.gz?v=2", False), ("A.XML.GZ", False), ("a.gz?x=.xml.gz", True)],
)
def test_a_packed_sitemap_is_known_by_its_name(path, refused):
    assert ExtensionFilter(["gz"]).refuses(f"http://a.example/{path}") is refused


def test_a_data_request_may_have_an_extension_that_no_link_may_have():
    rules = scope(extensions=ExtensionFilter(["json"]), nevercrawl=never("never.example"), max_depth=3)
    assert rules.check("https://site.example/a.json") is Drop.EXTENSION
    assert rules.check("https://site.example/a.json", 3, any_extension=True) is None
    assert rules.check("https://site.example/a.json", 4, any_extension=True) is Drop.DEPTH
    assert rules.check("https://never.example/a.json", any_extension=True) is Drop.NEVERCRAWL


@pytest.mark.parametrize(
    "prefix", ["https://op3.dev/e/", "https://pdst.fm/e/chrt.fm/track/X/", "https://count.site.com/track/"]
)
def test_a_file_of_nevercrawl_is_not_asked_of_its_counting_prefixes_either(prefix):
    hrefs = [f"{prefix}{host}.org/a.mp3" for host in ("never", "site")]
    accepted, drops = scope(nevercrawl=never("never.org")).sift("http://a.org/feed", hrefs, enclosures={0, 1})
    assert [(index, url.requested) for index, url in accepted] == [(1, "https://site.org/a.mp3")]
    assert drops == Counter({Drop.NEVERCRAWL: 1})
