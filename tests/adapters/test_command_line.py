"""Commands as a user types them: exit code, what is on which output, and one clear sentence for what is wrong."""

import http.client
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
import scrapy
from command_line import MEDIACRAWL, QUICK, SCRAPY, crawl, crawl_command, environment, run, run_anew
from launcher import ROOT, launcher, output, written
from stock_project import refused

from mediacrawl import __version__
from mediacrawl.demo import Resource, Response


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


def test_list_works_anywhere_if_the_settings_are_named(tmp_path):
    done = run(tmp_path, *SCRAPY, "list", SCRAPY_SETTINGS_MODULE="mediacrawl.settings")
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


@pytest.mark.parametrize("name", ["crawl", "catalogue", "demo"])
def test_every_command_of_ours_explains_itself(tmp_path, name):
    done = run(tmp_path, *MEDIACRAWL, name, "--help").check()
    assert f"\n  mediacrawl {name} " in done.out
    assert "scrapy " not in done.out
    assert done.err == ""


@pytest.mark.parametrize("words", [["--version"], ["version"]])
def test_the_version_is_ours_and_scrapys(tmp_path, words):
    done = run(tmp_path, *MEDIACRAWL, *words)
    assert (done.code, done.out, done.err) == (0, f"mediacrawl {__version__} (Scrapy {scrapy.__version__})\n", "")


def test_help_names_the_program_that_was_started(tmp_path):
    lines = run(tmp_path, *MEDIACRAWL, "--help").check().out.splitlines()
    assert lines[0] == f"mediacrawl {__version__} (Scrapy {scrapy.__version__})"
    assert lines[2] == "Usage: mediacrawl <command> [options] [arguments]"
    done = run(tmp_path, *MEDIACRAWL, "demo", "mine")
    assert "\n  mediacrawl demo " in done.err
    assert done.err.endswith("\nmediacrawl: error: mediacrawl demo takes no arguments, but got 'mine'\n")


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("crwal", "; did you mean crawl?"),
        ("frontir", "; did you mean frontier?"),
        ("Catalog", "; did you mean catalogue?"),
        ("xyzzy", ";"),
        ("\x1b[31mred", ";"),
    ],
)
def test_an_unknown_command_is_named_with_the_nearest(tmp_path, typed, hint):
    done = run(tmp_path, *MEDIACRAWL, typed, "-s", "LOG_LEVEL=INFO")
    sentence = f"mediacrawl: error: there is no command {typed!r}{hint} mediacrawl --help lists all commands\n"
    assert (done.code, done.out, done.err) == (2, "", sentence)


@pytest.mark.parametrize(
    ("command", "verb", "hint"),
    [("frontier", "stat", "did you mean stats?"), ("nevercrawl", "chek", "did you mean check?")],
)
def test_an_unknown_word_of_a_command_is_named_with_the_nearest(tmp_path, command, verb, hint):
    sentence = run(tmp_path, *MEDIACRAWL, command, verb).sentence
    assert sentence.startswith(f"{verb!r} is not known; use one of ")
    assert sentence.endswith(hint)


def test_an_unknown_spider_is_named_and_so_are_those_there_are(tmp_path):
    sentence = run(tmp_path, *MEDIACRAWL, "crawl", "audio").sentence
    assert sentence == "there is no spider 'audio'; there are: feeds, media, recheck"


def test_the_demo_empties_no_folder_that_is_not_its_own(tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work", encoding="utf-8")
    sentence = run(tmp_path, *MEDIACRAWL, "demo", "--folder", "mine").sentence
    assert str(mine) in sentence
    assert "--folder" in sentence
    assert (mine / "thesis.txt").read_text(encoding="utf-8") == "years of work"


def test_the_demo_says_that_its_folder_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    for folder in ("file", "file/below"):
        sentence = run(tmp_path, *MEDIACRAWL, "demo", "--folder", folder).sentence
        assert str(tmp_path / folder) in sentence


@pytest.mark.parametrize("serve", [[], ["--serve"]])
def test_a_port_that_the_demo_cannot_have_is_named(tmp_path, serve):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        sentence = run(tmp_path, *MEDIACRAWL, "demo", "--port", str(port), *serve).sentence
    assert f"port {port} cannot be used: Address already in use" in sentence
    assert run(tmp_path, *MEDIACRAWL, "demo", "--port", "99999").sentence.endswith("it is not in 0 to 65535")


def test_the_demo_can_only_be_served_until_ctrl_c(tmp_path):
    with (tmp_path / "out").open("w+") as out, (tmp_path / "err").open("w+") as err:
        process = launcher().start("mediacrawl", ["demo", "--serve"], tmp_path, environment(), out, err)
        end = time.monotonic() + 60
        while "in a browser" not in (told := (tmp_path / "out").read_text()):
            assert time.monotonic() < end, err.read()
            time.sleep(0.05)
        port = int(re.search(r"http://tonspur\.example:(\d+)/", told)[1])
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


# -- arguments that cannot be used -------------------------------------------------------------------------------


def test_a_seed_file_that_is_not_there_is_looked_for_in_a_folder_that_is_named(tmp_path):
    sentence = crawl(tmp_path, seed="nothing.txt").sentence
    assert "'nothing.txt'" in sentence
    assert str(tmp_path) in sentence
    assert not (tmp_path / ".mediacrawl" / "frontier.db").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"seed": "pkg:no_such_package/seeds.txt"}, "no package 'no_such_package'"),
        ({"seed": "pkg:mediacrawl/exclusions/nothing.txt"}, "'exclusions/nothing.txt'"),
        ({"seed": "pkg:mediacrawl"}, "pkg:package/path"),
        ({"seed": "."}, "Is a directory"),
        ({"seed": "ftp://127.0.0.1/"}, "only http and https"),
        ({"seed": "http://127.0.0.1:6379/"}, "no seed can be used: port 6379 is never asked (SCOPE_REFUSED_PORTS)"),
        ({"seed": "http://127.0.0.1/", "include": "missing.txt"}, "'missing.txt'"),
        ({"seed": "http://127.0.0.1/", "include": "."}, "Is a directory"),
        ({}, "no seed is given"),
        ({"seed": ""}, "no seed is given"),
        ({"seed": "https://tonspur.example/"}, "MEDIACRAWL_CONTACT"),
        ({"seed": "https://tonspur.example/seeds.txt"}, "MEDIACRAWL_CONTACT"),
        ({"seed": "\udcff.txt"}, "No such file"),
    ],
)
def test_an_argument_that_cannot_be_used_is_told_in_one_sentence(tmp_path, arguments, words):
    assert words in crawl(tmp_path, **arguments).sentence


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"NEVERCRAWL_FILES": "no-such-list.txt"}, "NEVERCRAWL_FILES"),
        ({"MEDIACRAWL_DIR": "file/state"}, "file/state"),
    ],
)
def test_a_setting_that_cannot_be_used_is_told_in_one_sentence(tmp_path, settings, words):
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    assert words in crawl(tmp_path, settings, seed="http://127.0.0.1/").sentence


def test_an_argument_without_a_value_is_told_in_one_sentence(tmp_path):
    assert run(tmp_path, *MEDIACRAWL, "crawl", "media", "-a", "seed").sentence.startswith("Invalid -a value")


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


@pytest.mark.slow
def test_a_seed_list_may_travel_in_a_package(tmp_path, site):
    site.page("/a")
    package = tmp_path / "my_seeds"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "seeds.txt").write_text(site.url("/a"), encoding="utf-8")
    command = crawl_command({"seed": "pkg:my_seeds/seeds.txt"}, QUICK)
    run(tmp_path, *command, PYTHONPATH=os.pathsep.join([str(ROOT), str(tmp_path)])).check()
    assert site.paths == ["/a"]


def test_a_seed_that_is_no_utf8_is_read_as_latin_1_and_that_is_said(tmp_path, site):
    site.page("/%C3%BF")
    done = crawl(tmp_path, seed=site.url("/") + "\udcff").check()
    assert site.paths == ["/%C3%BF"]
    assert "read as Latin-1" in done.err


def test_a_seed_list_may_stand_on_a_server(tmp_path, site):
    site.at("/seeds.txt", Resource(f"{site.url('/a')}\nnot a url\n{site.url('/b')}\n".encode(), "text/plain"))
    site.page("/a")
    site.page("/b")
    done = crawl(tmp_path, seed=site.url("/seeds.txt")).check()
    assert sorted(site.paths) == ["/a", "/b", "/seeds.txt"]
    assert f"Left out: {site.url('/seeds.txt')}:2: " in done.err


def test_a_seed_list_on_the_crawled_site_slows_that_site_no_further(tmp_path, site):
    """The list is fetched without a lease; what its slot waits for must not count as the site's response time."""
    site.at("/seeds.txt", Resource(f"{site.url('/a')}\n".encode(), "text/plain"))
    site.page("/a", *(f"/{number}" for number in range(4)))
    for number in range(4):
        site.page(f"/{number}")
    settings = {"POLITENESS_FIRST_DELAY": 1.0, "POLITENESS_FACTOR": 10.0}
    longest = []
    # Where a machine stands still for a second, an answer takes that second too; not each time.
    while len(longest) < 3 and min(longest, default=9.0) >= 9.0:
        folder = tmp_path / str(len(longest))
        folder.mkdir()
        before = len(site.log)
        done = crawl(folder, settings, seed=site.url("/seeds.txt")).check()
        assert len(site.paths) == 6 * (len(longest) + 1)
        longest.append(max(site.gaps()[before:]))
    # The slot's wait of a second would have become delays of ten seconds and more.
    assert min(longest) < 9.0, done.err


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


def test_a_seed_list_that_is_redirected_for_ever_ends_the_crawl_with_one_sentence(tmp_path, site):
    for number in range(9):
        site.redirect(f"/{number}.txt", f"/{number + 1}.txt")
    logged = crawl(tmp_path, seed=site.url("/0.txt")).logged
    assert "status 302 at " in logged
    assert site.paths == [f"/{number}.txt" for number in range(4)]


def test_a_seed_list_that_the_server_has_not_ends_the_crawl_with_one_sentence(tmp_path, site):
    assert "status 404" in crawl(tmp_path, seed=site.url("/seeds.txt")).logged


def test_a_seed_list_that_is_refused_for_a_while_is_not_asked_before_by_the_next_start(tmp_path, site):
    async def refuse(exchange):
        await exchange.send(Response(429, (("Retry-After", "3"),), b"later"))

    site.at("/seeds.txt", refuse, Resource(f"{site.url('/a')}\n".encode(), "text/plain"))
    site.page("/a")
    settings = {"MEDIACRAWL_CONTACT": "http://localhost/tests", "GUARD_ALLOW": "127.0.0.0/8"}
    assert "status 429" in crawl(tmp_path, settings, seed=site.url("/seeds.txt")).logged
    crawl(tmp_path, settings, seed=site.url("/seeds.txt")).check()
    assert site.gaps()[0] >= 3.0 - 0.01


def test_a_seed_list_on_a_server_that_is_not_there_ends_the_crawl_with_one_sentence(tmp_path):
    with refused() as port:
        url = f"http://127.0.0.1:{port}/seeds.txt"
        assert url in crawl(tmp_path, seed=url).logged


def test_a_seed_list_on_loopback_does_not_open_the_web_to_an_unknown_crawler(tmp_path, site):
    site.at("/seeds.txt", Resource(b"https://tonspur.example/\n", "text/plain"))
    assert "MEDIACRAWL_CONTACT" in crawl(tmp_path, seed=site.url("/seeds.txt")).logged
    assert site.paths == ["/seeds.txt"]


def test_loopback_is_crawled_without_a_contact(tmp_path, page, site):
    crawl(tmp_path, seed=page).check()
    assert site.paths == ["/"]


def test_arguments_of_scrapyd_are_no_business_of_the_spider(tmp_path, page, site):
    crawl(tmp_path, seed=page, _job="26819-ed32ed21112d", _version="1").check()
    assert site.paths == ["/"]


# -- the state folder --------------------------------------------------------------------------------------------


def test_a_second_crawl_in_one_folder_is_refused_and_the_first_goes_on(tmp_path, site):
    """The first has a page that comes only when the others have been refused, however long they take."""
    site.page("/", "/held", "/after")
    refused = site.hold("/held")
    site.page("/after")
    with output() as log:
        command = crawl_command({"seed": site.url("/")}, {**QUICK, "DOWNLOAD_TIMEOUT": 600})
        first = launcher().start("mediacrawl", command[3:], tmp_path, environment(), log, log)
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
        assert "Traceback" not in written(log)
    assert sorted(site.paths) == ["/", "/after", "/held"]


@pytest.mark.parametrize("noise", [b"\x00" * 5000, os.urandom(20_000), b"not a database at all\n" * 100])
def test_a_frontier_that_is_no_frontier_is_named_and_left_as_it_is(tmp_path, page, site, noise):
    state = tmp_path / ".mediacrawl"
    state.mkdir()
    (state / "frontier.db").write_bytes(noise)
    assert "frontier.db" in crawl(tmp_path, seed=page).sentence
    assert site.paths == []
    assert (state / "frontier.db").read_bytes() == noise


def test_a_frontier_of_somebody_else_is_left_alone(tmp_path, page):
    (tmp_path / ".mediacrawl").mkdir()
    path = tmp_path / ".mediacrawl" / "frontier.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE diary (day TEXT)")
    db.execute("INSERT INTO diary VALUES ('monday')")
    db.commit()
    db.close()
    assert "not a frontier" in crawl(tmp_path, seed=page).sentence
    db = sqlite3.connect(path)
    assert db.execute("SELECT * FROM diary").fetchall() == [("monday",)]
    db.close()


def test_fresh_starts_anew_where_a_frontier_cannot_be_read(tmp_path, page, site):
    (tmp_path / ".mediacrawl").mkdir()
    (tmp_path / ".mediacrawl" / "frontier.db").write_bytes(b"noise" * 1000)
    crawl(tmp_path, seed=page, fresh="1").check()
    assert site.paths == ["/"]


def test_a_catalogue_that_cannot_be_opened_ends_the_crawl_before_it_asks_anybody(tmp_path, page, site):
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    assert "media.db" in crawl(tmp_path, {"MEDIACRAWL_DB": "file/media.db"}, seed=page).logged
    assert site.paths == []


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
