"""Where references lead: the short ways for plain paths give what the whole way gives."""

from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.urls import absolute

BASES = (
    *("http://a.example/x/y?z", "https://b.example:8080", "http://u:p@h/a/", "HTTP://Up.Example/a", "http://[::1]:9/x"),
    *("http://h?q#f", "http://h/a;p/b", "ftp://x/y", "mailto:x", "//x/y", "http://a:0/x", ""),
    *("http://h/a//b/../c/", "http://h/..", "http://h//", "http://h/a/b/c/d;e/f?g=/h/", "http://h/a b/./c"),
)


def the_whole_way(base, href):
    try:
        joined = urljoin(base, href.strip())
        parts = urlsplit(joined)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        return ""
    return joined if href and usable else ""


@pytest.mark.parametrize("base", BASES)
@given(
    href=st.text(st.sampled_from("/abA9._~-?#;: "), max_size=9).map("/{}".format)
    | st.lists(st.sampled_from(["..", "..", "a", "b.mp3", "~c", ".", "", "d?e"]), max_size=6).map("/".join)
)
def test_a_reference_leads_where_the_standard_library_says(base, href):
    assert absolute(base, href) == the_whole_way(base, href)
