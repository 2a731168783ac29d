"""Lists of files that servers make themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.extract import parse_page
from mediacrawl.extract.open_directory import file_facts, is_open_directory, without_steering

URL = "http://files.example/musik/alt/"

APACHE = """<html><head><title>Index of /musik/alt</title></head><body><h1>Index of /musik/alt</h1>
<table><tr><th><a href="?C=N;O=D">Name</a></th><th><a href="?C=M;O=A">Last modified</a></th></tr>
<tr><td><img src="/i.gif"></td><td><a href="/musik/">Parent Directory</a></td><td>&nbsp;</td><td> - </td></tr>
<tr><td></td><td><a href="2019/">2019/</a></td><td>2019-05-01 10:00  </td><td align="right">  - </td></tr>
<tr><td></td><td><a href="lied%202.mp3">lied 2.mp3</a></td><td>2021-12-24 18:00  </td><td>3.5M</td></tr></table>"""
APACHE_PRE = """<html><title>Index of /musik/alt</title><pre><a href="?N=D">Name</a> <hr>
<a href="/musik/">Parent Directory</a>   01-May-2019 10:00      -
<a href="lied%202.mp3">lied 2.mp3</a>       24-Dec-2021 18:00   3.5M
</pre>"""
NGINX = """<html><head><title>Index of /musik/alt/</title></head><body><h1>Index of /musik/alt/</h1><hr><pre>
<a href="../">../</a>
<a href="2019/">2019/</a>                       01-May-2019 10:00       -
<a href="lied%202.mp3">lied 2.mp3</a>           24-Dec-2021 18:00              3670016
</pre>"""
LIGHTTPD = """<html><title>Index of /musik/alt/</title><table><thead>
<tr><th><a href="?C=N&O=A">Name</a></th></tr></thead>
<tr><td class="n"><a href="../">..</a>/</td><td class="m"></td><td class="s">- &nbsp;</td></tr>
<tr><td class="n"><a href="lied%202.mp3">lied 2.mp3</a></td><td class="m">2021-Dec-24 18:00:00</td><td>3.5M</td></tr>"""
IIS = """<html><head><title>files.example - /musik/alt/</title></head><body><pre>
<A HREF="/musik/">[To Parent Directory]</A>
<br><br> 12/24/2021  6:00 PM      3670016 <A HREF="/musik/alt/lied%202.mp3">lied 2.mp3</A><br></pre>"""
CADDY = """<html><title>Index of /musik/alt/</title><table><tr><th><a href="./?sort=name&order=desc">Name</a></th></tr>
<tr><td><a href="..">Up</a></td></tr><tr><td></td><td><a href="./lied%202.mp3"><span>lied 2.mp3</span></a></td>
<td data-order="3670016">3.5 MiB</td><td><time datetime="2021-12-24T18:00:00Z">12/24/2021</time></td></tr>"""


@pytest.mark.parametrize(
    ("html", "date"),
    [
        (APACHE, "2021-12-24T18:00"),
        (APACHE_PRE, "2021-12-24T18:00"),
        (NGINX, "2021-12-24T18:00"),
        (LIGHTTPD, "2021-12-24T18:00:00"),
        (IIS, None),
        (CADDY, "2021-12-24T18:00:00"),
    ],
)
def test_files_have_their_size_and_date_and_what_sorts_the_list_is_no_link(html, date):
    page = parse_page(html.encode(), URL)
    assert is_open_directory(page)
    links = without_steering(page)
    assert {link.href.rpartition("/")[2] or link.href for link in links} <= {"lied%202.mp3", "2019/"}
    (song,) = [link for link in links if "lied" in link.href]
    told = {each.key: each.text for each in file_facts(song)}
    assert told.get("upload_date") == date
    assert told["size"] == str(3_670_016)


def test_an_ordinary_page_is_no_list_of_files():
    for title in ("Index of refraction", "My songs", "", "News - today/"):
        assert not is_open_directory(parse_page(f"<title>{title}</title><a href='?C=M'>x</a>".encode(), URL))


def test_a_link_without_anything_beside_it_says_nothing():
    page = parse_page(b"<title>Index of /</title><ul><li><a href='a.mp3'>a.mp3</a></ul>", URL)
    assert [file_facts(link) for link in page.links] == [()]


@given(st.lists(st.sampled_from(["<tr>", "<td>", "<a href='a.mp3'>", "</a>", "<table>", "1.5K", "2021-12-24", "\n"])))
def test_any_page_may_call_itself_one(pieces):
    page = parse_page(("<title>Index of /</title>" + "".join(pieces)).encode(), URL)
    for link in without_steering(page):
        file_facts(link)
