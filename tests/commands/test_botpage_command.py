"""``scrapy botpage``."""

import pytest
from command_line import MEDIACRAWL, run
from harness import switches

SETTINGS = {
    "MEDIACRAWL_CONTACT": "https://crawler.uni-graz.at/bot",
    "MEDIACRAWL_OPERATOR": "Künstler & Söhne",
    "MEDIACRAWL_EMAIL": "bot@uni-graz.at",
}


def botpage(folder, *arguments, command=MEDIACRAWL, without=(), **more):
    settings = {name: value for name, value in {**SETTINGS, **more}.items() if name not in without}
    return run(folder, *command, "botpage", *arguments, *switches(settings))


def test_the_page_is_written_from_the_settings(tmp_path):
    done = botpage(
        tmp_path, "-o", "bot.html", MEDIACRAWL_ADDRESSES="192.0.2.1,192.0.2.2", NEVERCRAWL_RELOAD=120
    ).check()
    page = (tmp_path / "bot.html").read_text(encoding="utf-8")
    assert "Künstler &amp; Söhne" in page
    assert "(+https://crawler.uni-graz.at/bot)" in page
    assert "<code>192.0.2.2</code>" in page
    assert "within 2 minutes" in page
    assert done.out == "written to bot.html; put it where MEDIACRAWL_CONTACT points\n"
    assert [path.name for path in tmp_path.iterdir()] == ["bot.html"]


@pytest.mark.parametrize("arguments", [(), ("-o", "-")])
def test_without_a_file_it_goes_to_the_output(tmp_path, arguments):
    done = botpage(tmp_path, *arguments).check()
    assert done.out.startswith("<!DOCTYPE html>\n")
    assert done.out.endswith("</html>\n")
    assert done.err == ""
    assert list(tmp_path.iterdir()) == []


def test_only_a_page_is_overwritten(tmp_path):
    path = tmp_path / "index.html"
    path.write_text("<h1>my homepage", encoding="utf-8")
    assert "index.html exists" in botpage(tmp_path, "-o", "index.html").sentence
    assert path.read_text(encoding="utf-8") == "<h1>my homepage"
    path.unlink()
    botpage(tmp_path, "-o", "index.html").check()
    botpage(tmp_path, "-o", "index.html", MEDIACRAWL_OPERATOR="Another").check()
    assert "Another" in path.read_text(encoding="utf-8")
