"""Pages and feeds as tests write them, and what was read of them."""

from golden_texts import SPACES

from mediacrawl.extract import parse_page
from mediacrawl.extract.feeds import parse_feed

PAGE_URL = "https://site.example/dir/page.html"
FEED_URL = "https://site.example/feed/podcast.xml"


def page_of(html):
    return parse_page(html.encode("utf-8", "surrogatepass"), PAGE_URL)


def rss(items, head=""):
    return f'<rss version="2.0" {SPACES}><channel><title>Welle</title>{head}{items}</channel></rss>'.encode()


def entries(items, head=""):
    return parse_feed(rss(items, head), FEED_URL).entries


def said(entry, *left_out):
    """key -> texts, in the order of their weight."""
    found = {}
    for each in entry.facts:
        if each.key not in left_out:
            found.setdefault(each.key, []).append(each.text)
    return found
