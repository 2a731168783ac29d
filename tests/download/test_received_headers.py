"""Received headers give what Scrapy's give for the same fields, however a name is spelled."""

from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import Headers, HtmlResponse

from mediacrawl.download.http_handler import _NORMAL, ReceivedHeaders

names = st.one_of(
    st.sampled_from(sorted(name for name in _NORMAL if isinstance(name, bytes))),
    st.from_regex(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}", fullmatch=True),
)
fields = st.dictionaries(names.map(bytes.lower), st.lists(st.binary(max_size=8), min_size=1, max_size=3), max_size=8)


@given(fields, names)
def test_they_answer_as_scrapys_do(fields, name):
    theirs, ours = Headers(fields), ReceivedHeaders.of(fields)
    assert dict(ours) == dict(theirs)
    assert list(ours.items()) == list(theirs.items())
    for spelled in (name, name.lower(), name.upper(), name.decode("latin-1"), name.decode("latin-1").lower()):
        assert ours.get(spelled) == theirs.get(spelled)
        assert ours.get(spelled, "x") == theirs.get(spelled, "x")
        assert ours.getlist(spelled) == theirs.getlist(spelled)
        assert ours.getlist(spelled, ["x"]) == theirs.getlist(spelled, ["x"])
        assert (spelled in ours) == (spelled in theirs)


def test_every_known_spelling_has_the_form_that_scrapy_gives_it():
    assert {spelled: Headers().normkey(spelled) for spelled in _NORMAL} == _NORMAL


def test_they_can_be_changed_copied_and_given_to_a_response():
    headers = ReceivedHeaders.of({b"content-type": [b"text/html; charset=koi8-r"]})
    headers["ETag"] = '"1"'
    headers.appendlist("Link", "<a>")
    assert headers.copy().get(b"etag") == b'"1"'
    assert headers.getlist("link") == [b"<a>"]
    response = HtmlResponse("http://a.example/", headers=headers)
    assert response.headers == headers
    assert response.encoding == "koi8-r"
    del headers["Link"]
    assert "Link" not in headers
