"""Commands as a user types them: exit code, what is on which output, and one clear sentence for what is wrong."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import harness
import pytest
import scrapy
from command_line import MEDIACRAWL, QUICK, SCRAPY, crawl, crawl_command, environment, run, run_anew
from harness import ROOT, until

from mediacrawl import __version__
from mediacrawl.programs.demo.answers import Resource, Response


@pytest.fixture
def page(site):
    """A server with one page, whose URL is this."""
    site.page("/")
    return site.url("/")


# -- commands ----------------------------------------------------------------------------------------------------


def test_list_prints_the_spiders_and_nothing_else():
    done = run_anew(ROOT, *SCRAPY, "list")
    assert (done.code, done.out, done.err) == (0, "feeds\nmedia\nrecheck\n", "")
    done = run(ROOT, *MEDIACRAWL, "list")
    assert (done.code, done.out, done.err) == (0, "feeds\nmedia\nrecheck\n", "")


def test_the_command_of_the_package_works_anywhere(tmp_path):
    script = Path(sys.executable).with_name("mediacrawl")
    assert script.exists()
    done = run_anew(tmp_path, str(script), "list")
    assert (done.code, done.out, done.err) == (0, "feeds\nmedia\nrecheck\n", "")


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_names_our_commands_beside_scrapys(tmp_path, arguments):
    done = run(tmp_path, *MEDIACRAWL, *arguments).check()
    names = [line.split()[0] for line in done.out.splitlines() if line.startswith("  ") and line.strip()]
    assert {"crawl", "list", "catalogue", "demo", "shell"} <= set(names)
    assert done.err == ""


@pytest.mark.parametrize("words", [["--version"], ["version"]])
def test_the_version_is_ours_and_scrapys(tmp_path, words):
    done = run(tmp_path, *MEDIACRAWL, *words)
    assert (done.code, done.out, done.err) == (0, f"mediacrawl {__version__} (Scrapy {scrapy.__version__})\n", "")


@pytest.mark.parametrize("serve", [[], ["--serve"]])
def test_a_port_that_the_demo_cannot_have_is_named(tmp_path, serve):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        sentence = run(tmp_path, *MEDIACRAWL, "demo", "--port", str(port), *serve).sentence
    assert f"port {port} cannot be used: Address already in use" in sentence
    assert run(tmp_path, *MEDIACRAWL, "demo", "--port", "99999").sentence.endswith("it is not in 0 to 65535")


def test_the_demo_can_only_be_served_until_ctrl_c(tmp_path):
    with (tmp_path / "out").open("w+") as out, (tmp_path / "err").open("w+") as err:
        process = harness.start("mediacrawl", ["demo", "--serve"], tmp_path, environment(), out, err)
        until(lambda: "in a browser" in (tmp_path / "out").read_text())
        port = int(re.search(r"http://tonspur\.example:(\d+)/", (tmp_path / "out").read_text())[1])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/gogn/00000107.json", headers={"Host": "ljosvaki.example"})
        assert json.load(connection.getresponse())["programme"]["kind"] == "video"
        connection.close()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert err.read() == ""
    assert not (tmp_path / "demo-crawl").exists()


@pytest.mark.parametrize("is_active", [False, True])
def test_what_the_demo_says_last_can_be_typed(tmp_path, is_active):
    programs = Path(sys.executable).parent
    path = f"{programs}{os.pathsep}/usr/bin:/bin" if is_active else "/usr/bin:/bin"
    done = run(tmp_path, *MEDIACRAWL, "demo", "-s", "CLOSESPIDER_PAGECOUNT=1", PATH=path)
    (typed,) = re.findall(r"^  to crawl +(.*) crawl media -a seed=seeds.txt", done.out, re.MULTILINE)
    assert (typed == "mediacrawl") is is_active
    for line in [f"{typed} version", *re.findall(r"or first (.*), then", done.out)]:
        subprocess.run(line, check=True, shell=True, cwd=tmp_path, env=environment(PATH=path), capture_output=True)
    assert ("activate" in done.out) is not is_active


# -- seeds -------------------------------------------------------------------------------------------------------


def test_bad_lines_of_a_seed_file_are_reported_with_their_numbers_and_the_others_crawled(tmp_path, site):
    site.page("/")
    site.page("/b")
    lines = ["# ours", site.url("/"), "not a url", "", "ftp://a.example/x", f"{site.url('/b')}  # again", "\x00\x01"]
    (tmp_path / "seeds.txt").write_text("\n".join(lines), encoding="utf-8")
    done = crawl(tmp_path, seed="seeds.txt").check()
    assert sorted(site.paths) == ["/", "/b"]
    warnings = [line for line in done.err.splitlines() if "Left out" in line]
    assert [line.partition("Left out: ")[2].split(": ")[0] for line in warnings] == [
        "seeds.txt:3", "seeds.txt:5", "seeds.txt:7",
    ]  # fmt: skip
    assert done.out == ""


@pytest.mark.parametrize("mark", [",", "\n", " , ", ",\n"])
def test_seeds_may_be_urls_by_comma_or_line(tmp_path, site, mark):
    site.page("/a")
    site.page("/b")
    crawl(tmp_path, seed=mark.join([site.url("/a"), site.url("/b")])).check()
    assert sorted(site.paths) == ["/a", "/b"]


def test_a_seed_list_may_stand_on_a_server(tmp_path, site):
    site.at("/seeds.txt", Resource(f"{site.url('/a')}\nnot a url\n{site.url('/b')}\n".encode(), "text/plain"))
    site.page("/a")
    site.page("/b")
    done = crawl(tmp_path, seed=site.url("/seeds.txt")).check()
    assert sorted(site.paths) == ["/a", "/b", "/seeds.txt"]
    assert f"Left out: {site.url('/seeds.txt')}:2: " in done.err


def test_a_seed_list_may_be_redirected_and_every_site_on_its_way_is_left_alone_for_its_delay(tmp_path, site):
    site.redirect("/seeds.txt", "/moved.txt")
    site.redirect("/moved.txt", site.url("/list.txt", host="elsewhere.example"))
    site.at("/list.txt", Resource(f"{site.url('/a', host='elsewhere.example')}\n".encode(), "text/plain"))
    site.page("/a")
    settings = {"POLITENESS_MIN_DELAY": 1.0, "POLITENESS_FIRST_DELAY": 1.0}
    settings["RESOLVER_HOSTS"] = json.dumps({"elsewhere.example": "127.0.0.1"})
    settings |= {"MEDIACRAWL_CONTACT": "http://localhost/tests", "GUARD_ALLOW": "127.0.0.0/8"}
    done = crawl(tmp_path, settings, seed=site.url("/seeds.txt")).check()
    assert site.paths == ["/seeds.txt", "/moved.txt", "/list.txt", "/a"], done.err
    assert len(site.gaps("127.0.0.1")) == 1
    # The list, robots.txt, and the page.
    assert len(site.gaps("elsewhere.example")) == 2
    assert min(site.gaps("127.0.0.1") + site.gaps("elsewhere.example")) >= 1.0 - 0.01


def test_a_seed_list_that_is_refused_for_a_while_is_not_asked_before_by_the_next_start(tmp_path, site):
    async def refuse(exchange):
        await exchange.send(Response(429, (("Retry-After", "3"),), b"later"))

    site.at("/seeds.txt", refuse, Resource(f"{site.url('/a')}\n".encode(), "text/plain"))
    site.page("/a")
    settings = {"MEDIACRAWL_CONTACT": "http://localhost/tests", "GUARD_ALLOW": "127.0.0.0/8"}
    assert "status 429" in crawl(tmp_path, settings, seed=site.url("/seeds.txt")).logged
    crawl(tmp_path, settings, seed=site.url("/seeds.txt")).check()
    assert site.gaps()[0] >= 3.0 - 0.01


def test_a_seed_list_on_loopback_does_not_open_the_web_to_an_unknown_crawler(tmp_path, site):
    site.at("/seeds.txt", Resource(b"https://tonspur.example/\n", "text/plain"))
    assert "MEDIACRAWL_CONTACT" in crawl(tmp_path, seed=site.url("/seeds.txt")).logged
    assert site.paths == ["/seeds.txt"]


# -- the state folder --------------------------------------------------------------------------------------------


def test_a_second_crawl_in_one_folder_is_refused_and_the_first_goes_on(tmp_path, site):
    """The first has a page that comes only when the others have been refused, however long they take."""
    site.page("/", "/held", "/after")
    refused = site.hold("/held")
    site.page("/after")
    with (tmp_path / "log").open("wb") as log:
        command = crawl_command({"seed": site.url("/")}, {**QUICK, "DOWNLOAD_TIMEOUT": 600})
        first = harness.start("mediacrawl", command[3:], tmp_path, environment(), log, log)
        try:
            site.until(lambda entries: any(entry.path == "/held" for entry in entries))
            for arguments in ({"seed": site.url("/0")}, {}, {"seed": site.url("/0"), "fresh": "1"}):
                sentence = crawl(tmp_path, **arguments).sentence
                assert "another crawl is working on" in sentence
                assert "JOBDIR" in sentence
            refused.set()
            assert first.wait(60) == 0
        finally:
            refused.set()
            first.kill()
        assert "Traceback" not in (tmp_path / "log").read_text()
    assert sorted(site.paths) == ["/", "/after", "/held"]


@pytest.mark.parametrize("noise", [b"\x00" * 5000, os.urandom(20_000), b"not a database at all\n" * 100])
def test_a_frontier_that_is_no_frontier_is_named_and_left_as_it_is(tmp_path, page, site, noise):
    state = tmp_path / ".mediacrawl"
    state.mkdir()
    (state / "frontier.db").write_bytes(noise)
    assert "frontier.db" in crawl(tmp_path, seed=page).sentence
    assert site.paths == []
    assert (state / "frontier.db").read_bytes() == noise


def test_fresh_starts_anew_where_a_frontier_cannot_be_read(tmp_path, page, site):
    (tmp_path / ".mediacrawl").mkdir()
    (tmp_path / ".mediacrawl" / "frontier.db").write_bytes(b"noise" * 1000)
    crawl(tmp_path, seed=page, fresh="1").check()
    assert site.paths == ["/"]


def test_without_a_seed_an_earlier_crawl_goes_on_if_somebody_can_be_asked_about_it(tmp_path, page, site):
    crawl(tmp_path, seed=page).check()
    assert "MEDIACRAWL_CONTACT" in crawl(tmp_path).sentence
    done = crawl(tmp_path, {"MEDIACRAWL_CONTACT": "http://localhost/tests"}).check()
    assert site.paths == ["/"]
    assert "Nothing was read: 1 URL has ended: done 1." in done.err


@pytest.mark.parametrize("refused", ["log", "media.db"])
def test_a_crawl_that_cannot_store_begins_with_one_sentence_and_no_request(tmp_path, page, site, refused):
    (tmp_path / ".mediacrawl").mkdir()
    (tmp_path / ".mediacrawl" / refused).write_bytes(b"no database" * 10)
    done = crawl(tmp_path, seed=page)
    assert done.code == 1
    assert re.findall(r"CRITICAL: .*", done.err) == re.findall(rf"CRITICAL: The .*{refused}\b.*", done.err)
    assert len(re.findall("CRITICAL", done.err)) == 1
    assert not re.search("Traceback|never awaited|Deprecat", done.err)
    assert site.log == []
