"""A whitelist that cannot be read whole, and what a crawl that continues says of the borders that it keeps."""

from command_line import crawl

CONTACT = {"MEDIACRAWL_CONTACT": "http://localhost/tests", "GUARD_ALLOW": "127.0.0.0/8"}


def said(done):
    """What is in the log of the borders, with its level."""
    lines = [line for line in done.err.splitlines() if "as this crawl began" in line]
    return [line.partition("] ")[2] for line in lines]


def test_a_whitelist_with_a_bad_line_does_not_start_a_crawl(tmp_path, site):
    site.page("/")
    (tmp_path / "list.txt").write_text("127.0.0.1\nhttp://127.0.0.1/private\nre:(\n", encoding="utf-8")
    done = crawl(tmp_path, seed=site.url("/"), include="list.txt")
    assert done.sentences == [
        "the whitelist list.txt has 2 lines that cannot be used; mend them, or put # before them:",
        "list.txt:2: 'http://127.0.0.1/private' is no domain; a pattern is written re:PATTERN or /PATTERN/.",
        "list.txt:3: '(' is no pattern of RE2: missing ): (.",
    ]
    assert site.paths == []


def test_a_list_of_extensions_with_a_bad_word_does_not_start_a_crawl(tmp_path, site):
    (tmp_path / "never.txt").write_text("jpg\n*.pdf\n", encoding="utf-8")
    done = crawl(tmp_path, {"SCOPE_EXTENSIONS_FILE": "never.txt"}, seed=site.url("/"))
    assert done.sentence == (
        "SCOPE_EXTENSIONS_FILE = 'never.txt' cannot be used: never.txt:2: '*.pdf' is no extension; "
        "write what follows the last dot of a path: pdf"
    )


def test_a_crawl_that_goes_on_says_which_borders_it_keeps(tmp_path, site):
    site.page("/")
    (tmp_path / "list.txt").write_text("127.0.0.1\n", encoding="utf-8")
    first = crawl(tmp_path, CONTACT, seed=site.url("/"), scope="site", include="list.txt").check()
    assert said(first) == []
    scope, include = said(crawl(tmp_path, CONTACT).check())
    assert scope == "INFO: scope=site, as this crawl began; -a scope=web lets URLs of the whole web join"
    assert include == (
        f"INFO: include={tmp_path / 'list.txt'}, as this crawl began; -a include=FILE names another whitelist, and "
        "-a fresh=1 starts over without one"
    )
    # Who says it again needs no reminder; who starts over keeps nothing.
    assert said(crawl(tmp_path, CONTACT, scope="site", include="list.txt").check()) == []
    assert said(crawl(tmp_path, CONTACT, seed=site.url("/"), fresh="1").check()) == []


def test_a_crawl_that_goes_on_with_other_borders_warns_of_each(tmp_path, site):
    site.page("/")
    (tmp_path / "list.txt").write_text("127.0.0.1\n", encoding="utf-8")
    crawl(tmp_path, CONTACT, seed=site.url("/"), scope="site").check()
    rest = "counts for what is found from now on; what waits already is asked as well, unless -a fresh=1 is given"
    assert said(crawl(tmp_path, CONTACT, scope="web", include="list.txt").check()) == [
        f"WARNING: scope=web, in place of scope=site as this crawl began, {rest}",
        f"WARNING: include={tmp_path / 'list.txt'}, in place of no whitelist as this crawl began, {rest}",
    ]


def test_a_whitelist_that_is_kept_and_gone_is_told_as_kept(tmp_path, site):
    site.page("/")
    (tmp_path / "list.txt").write_text("127.0.0.1\n", encoding="utf-8")
    crawl(tmp_path, CONTACT, seed=site.url("/"), include="list.txt").check()
    (tmp_path / "list.txt").unlink()
    first, second = crawl(tmp_path, CONTACT).sentences
    assert first.startswith("the whitelist 'list.txt' can not be read in ")
    assert second == (
        "the crawl here began with this whitelist; -a include=FILE names another one, -a fresh=1 starts over"
    )
    (tmp_path / "other.txt").write_text("127.0.0.1\n", encoding="utf-8")
    crawl(tmp_path, CONTACT, include="other.txt").check()
