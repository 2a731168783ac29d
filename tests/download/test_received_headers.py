"""Received headers are those that Scrapy makes of the same fields, and are read however a name is spelled."""

from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import Headers, HtmlResponse

from mediacrawl.crawl.headers import header, headers, received_headers

names = st.one_of(
    st.sampled_from([b"Content-Type", b"ETag", b"X-Robots-Tag", b"icy-br", b"WWW-Authenticate"]),
    st.from_regex(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}", fullmatch=True),
)
fields = st.dictionaries(names.map(bytes.lower), st.lists(st.binary(max_size=8), min_size=1, max_size=3), max_size=8)


@given(fields, names)
def test_they_answer_as_scrapys_do(fields, name):
    theirs, ours = Headers(fields), received_headers(fields)
    assert dict(ours) == dict(theirs)
    assert list(ours.items()) == list(theirs.items())
    response = HtmlResponse("http://a.example/")
    response.headers = ours
    for spelled in (name.decode("latin-1"), name.decode("latin-1").lower(), name.decode("latin-1").upper()):
        assert header(response, spelled) == (theirs.get(spelled) or b"").decode("latin-1")
        assert headers(response, spelled) == [value.decode("latin-1") for value in theirs.getlist(spelled)]


def test_they_can_be_changed_copied_and_given_to_a_response():
    received = received_headers({b"content-type": [b"text/html; charset=koi8-r"]})
    received["ETag"] = '"1"'
    received.appendlist("Link", "<a>")
    assert received.copy().get(b"etag") == b'"1"'
    assert received.getlist("link") == [b"<a>"]
    response = HtmlResponse("http://a.example/", headers=received)
    assert response.headers == received
    assert response.encoding == "koi8-r"
