"""What a user mistypes, in any command: one clear sentence, exit code 2, and nothing is asked or written."""

import shlex

import pytest
from command_line import MEDIACRAWL, run

SHARE = "that is above 0 and at most 1, as in revisit=0.1"
OPERATOR = "-s MEDIACRAWL_OPERATOR=Me -s MEDIACRAWL_EMAIL=bot@uni-graz.at"
BOTPAGE = f"botpage -s MEDIACRAWL_CONTACT=https://c.uni-graz.at/bot {OPERATOR}"
FLEET = "fleet -s REDIS_URL=redis://127.0.0.1:1/0"
LOCAL = "crawl media -a seed=http://127.0.0.1/"

MISTAKES = {
    # Commands, spiders and their arguments
    "crawl audio": "there is no spider 'audio'; there are: feeds, media, recheck",
    "crawl media": "no seed is given",
    "crawl media -a seed": "Invalid -a value",
    "crawl media --seed=list.txt": "unknown option --seed=list.txt; an argument of a spider is written -a name=value",
    "crawl media -a seeds=x.txt": "-a seeds= is no argument of the spider media; did you mean seed?",
    "crawl media -a seed=x -a Fresh=1": "-a Fresh= is no argument of the spider media; did you mean fresh?",
    "crawl media -a seed=http://127.0.0.1/ -a seed=http://127.0.0.2/": "-a seed= is given more than once; several URLs",
    "crawl media -a seed=": "no seed is given",
    "crawl media -a seed=nothing.txt": "the seed list 'nothing.txt' can not be read in ",
    "crawl media -a seed=.": "Is a directory",
    "crawl media -a seed=ftp://127.0.0.1/": "only http and https",
    "crawl media -a seed=http://127.0.0.1:6379/": "port 6379 is never asked (SCOPE_REFUSED_PORTS)",
    "crawl media -a seed=pkg:no_such_package/seeds.txt": "no package 'no_such_package'",
    "crawl media -a seed=pkg:mediacrawl/exclusions/nothing.txt": "'exclusions/nothing.txt'",
    "crawl media -a seed=pkg:mediacrawl": "pkg:package/path",
    "crawl media -a seed=https://tonspur.example/": "MEDIACRAWL_CONTACT",
    f"{LOCAL} -a scope=nonsense": "scope=nonsense is not known; use scope=web (the default) or scope=site",
    f"{LOCAL} -a fresh=maybe": "fresh=maybe is neither yes nor no; use fresh=1 or leave it out",
    f"{LOCAL} -a stop_below=few": "stop_below=few is no whole number; write it as in stop_below=1",
    f"{LOCAL} -a revisit=often": f"revisit=often is neither yes nor no nor a share of the requests; {SHARE}",
    f"{LOCAL} -a include=missing.txt": "'missing.txt'",
    "crawl feeds -a feed=x": "-a feed= is no argument of the spider feeds; did you mean feeds?",
    "crawl recheck": "-a items=media.db",
    "crawl recheck -a items=none.jl": "items=none.jl: there is no such file in ",
    "crawl recheck -a items=. -a item=x": "-a item= is no argument of the spider recheck; did you mean items?",
    "parse http://127.0.0.1:1/ --spider media -a scoop=site": "-a scoop= is no argument of the spider media",
    f"{FLEET} -a seed=http://127.0.0.1/ -a scoop=site": "-a scoop= is no argument of the spider media",
    f"{FLEET} -n65": "-n 65 is no number of workers; it goes from 1 to 64",
    f"{FLEET} -n two": "-n two is no number of workers",
    f"{FLEET} media": "takes no name: 'media'",
    f"{FLEET} -o items.jl": "one media.db",
    "fleet -s SCHEDULER_STORE=sqlite -a seed=x": "a frontier that its workers share",
    # Settings
    f"{LOCAL} -s NEVERCRAWL_FILES=no-such-list.txt": "NEVERCRAWL_FILES",
    f"{LOCAL} -s POLITENESS_MIN_DELAY=soon": "POLITENESS_MIN_DELAY = 'soon' cannot be used",
    f"{LOCAL} -s POLITENESS_MIN_DELAY=3000": "is greater than POLITENESS_MAX_DELAY, 1800 s",
    f"{LOCAL} -s BACKOFF_REST=90000": "BACKOFF_REST, 90000 s, is above the longest rest, 86400 s",
    f"{LOCAL} -s MEDIACRAWL_DIR=taken/state": "taken/state",
    "frontier stats -s FRONTIER_ATTEMPTS=x": "FRONTIER_ATTEMPTS = 'x' cannot be used: it must be a whole number",
    # Words of commands
    "frontier stat": "'stat' is not known; use one of ",
    "frontier show": "",
    "frontier stats x": "",
    "frontier why a b": "",
    "frontier stats --colour": "unknown option --colour",
    "frontier sites --limit 0": "--limit must be 1 or more",
    "nevercrawl chek": "did you mean check?",
    "nevercrawl add": "",
    "nevercrawl add a.example b.example": "",
    "nevercrawl list x": "",
    "catalogue --sizes": "unknown option --sizes",
    "catalogue --limit 0": "--limit",
    "catalogue --since yesterday": "'yesterday' is no time",
    "complaint -- -x.example": "",
    "complaint a.example b.example": "takes one SITE",
    "complaint a.example --limit -1": "must be 0 or more",
    "demojibake": "takes one input, but got 0",
    "demojibake a.jl b.jl": "takes one input, but got 2",
    "demojibake items.jl --feilds x": "unknown option --feilds",
    "demojibake items.jl -o x.jl --min-confidence 90": "between 0 and 1",
    "demojibake items.jl -o x.jl --jobs 0": "1 or more",
    "demojibake items.jl -o x.jl --raw title": "--raw title=title_raw",
    "demojibake items.jl -o x.jl --pairs none.jl": "none.jl cannot be read: No such file or directory",
    "demojibake items.jl -o x.jl -s MOJIBAKE_FIELDS={": "MOJIBAKE_FIELDS",
    "segment -o next.txt": "files of links",
    "segment items.jl": "-o next.txt",
    "segment items.jl -o next.txt --memory much": "--memory much",
    "segment items.jl -o next.txt --per-site 0": "--per-site must be 1 or more",
    "segment - -o next.txt --seen -": "only once",
    "segment items.jl -o next.txt --seen items.jl": "items.jl gives links and was seen",
    "segment items.jl -o next.txt --url-field ,": "--url-field",
    "probe": "",
    "probe nothing.mp3": "",
    "probe --jsn song.mp3": "",
    "probe https://music.example/a.mp3": "set MEDIACRAWL_CONTACT",
    "top elsewhere": "",
    "demo mine": "mediacrawl demo takes no arguments, but got 'mine'",
    "demo --port 99999": "it is not in 0 to 65535",
    "init taken": "",
    "init mine --contact 'me and you'": "--contact me and you holds a blank",
    "completion dosh": "name a shell: bash, zsh, fish",
    "adapters chek": "did you mean check?",
    "botpage -s MEDIACRAWL_CONTACT=https://c.uni-graz.at/bot": "set MEDIACRAWL_OPERATOR",
    f"{BOTPAGE} bot.html": "'bot.html'",
    f"{BOTPAGE} -o no/such/folder/bot.html": "no/such/folder/bot.html",
    f"{BOTPAGE} -s MEDIACRAWL_CONTACT=me": "neither the URL",
    f"{BOTPAGE} -s MEDIACRAWL_CONTACT=https://example.com/": "leads nowhere",
    f"{BOTPAGE} -s USER_AGENT=Mozilla/5.0": "does not name the contact",
    f"{BOTPAGE} -s ROBOTS_ENABLED=False": "ROBOTS_ENABLED = False, and the page would promise otherwise",
    f"{BOTPAGE} -s COOKIES_ENABLED=1": "COOKIES_ENABLED = True",
}
"""What is typed -> words of the sentence."""


REFUSALS = {
    "frontier stats": "there is no frontier in",
    "frontier show a.example": "there is no frontier in",
    "frontier export": "there is no frontier in",
    "frontier pause a.example": "there is no frontier in",
    "frontier check": "there is no frontier in",
    "frontier stats -s SCHEDULER_STORE=redis://:secret@127.0.0.1:1/0": "redis://***@127.0.0.1:1/0 cannot be used",
    "catalogue": "There is no catalogue at",
    "report elsewhere": "there is no crawl in",
    "complaint a.example": "There is no request log in",
    "complaint a..b": "is no domain, host or URL",
    "complaint 'not a domain'": "is no domain, host or URL",
    "complaint ftp://a.example/": "is no domain, host or URL",
    "nevercrawl add 'not a domain'": "has more than one word",
    "nevercrawl add a.example?x": "has a query",
    "nevercrawl add a.example -s NEVERCRAWL_FILES=none.txt": "no list can be written: none.txt: No such file",
    "nevercrawl list -s NEVERCRAWL_FILES=none.txt": "none.txt can not be read",
    "demojibake none.jl -o out.jl": "none.jl cannot be read: No such file",
    "demojibake items.jl": "Say where to write with -o OUT",
    "demojibake items.jl -o items.jl": "are the same",
    "demojibake items.jl -o there.jl": "there already. Replace it with --force",
    "demojibake items.jl -o out.txt": "does not tell what it holds",
    "demojibake items.json -o out.jl": "jq -c '.[]'",
    "demojibake items.jl -o no/folder/out.jl": "cannot be written: No such file",
    "demojibake items.jl -o redis://127.0.0.1:1/0?key=x": "name an output of the same kind, or JSON lines",
    "demojibake redis://127.0.0.1:1/0?key=x -o out.jl": "Redis says",
    "demojibake items.jl --dry-run --fields titel": "has no field titel; did you mean title? It has: content_url",
    "demojibake items.jl --dry-run --encoding koi8-rr": "koi8-rr is no encoding of text; did you mean koi8-r?",
    "segment missing.jl -o next.txt": "missing.jl: there is no such file",
    "segment items.jl -o next.doc": "next.doc does not tell",
    "segment items.jl -o missing/next.txt": "There is no folder",
    "segment items.jl -o items.jl": "an input and the output",
    "segment items.jl -o next.txt --include missing.txt": "missing.txt",
    "segment items.jl -o next.txt -s NEVERCRAWL_FILES=missing.txt": "missing.txt",
    "adapters learn items.jl -o new.json": "items.jl",
}
"""What is typed, and cannot be done -> words of the sentence."""


@pytest.fixture(autouse=True)
def folder(tmp_path):
    """Files that are there, and whose content stays."""
    (tmp_path / "items.jl").write_text('{"content_url": "https://a.example/1.mp3", "title": "x"}\n')
    (tmp_path / "there.jl").write_text("precious")
    (tmp_path / "taken").write_text("no folder")
    before = {path.name: path.read_text() for path in tmp_path.iterdir()}
    yield
    assert before.items() <= {path.name: path.read_text() for path in tmp_path.iterdir() if path.is_file()}.items()


@pytest.mark.parametrize("typed", REFUSALS)
def test_what_cannot_be_done_is_told_in_one_sentence_and_nothing_is_written(tmp_path, typed):
    done = run(tmp_path, *MEDIACRAWL, *shlex.split(typed))
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1), done.err
    assert REFUSALS[typed] in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["items.jl", "taken", "there.jl"]


@pytest.mark.parametrize("typed", MISTAKES)
def test_a_mistake_is_told_in_one_sentence_and_nothing_happens(tmp_path, typed):
    done = run(tmp_path, *MEDIACRAWL, *shlex.split(typed))
    assert MISTAKES[typed] in done.sentence
    # Whether a crawl lies there that can go on is looked for.
    assert {path.name for path in tmp_path.iterdir()} - {".mediacrawl"} == {"items.jl", "taken", "there.jl"}


@pytest.mark.parametrize(
    ("typed", "hint"),
    [("crwal", "; did you mean crawl?"), ("Catalog", "; did you mean catalogue?"), ("\x1b[31mred", ";")],
)
def test_an_unknown_command_is_named_with_the_nearest(tmp_path, typed, hint):
    done = run(tmp_path, *MEDIACRAWL, typed, "-s", "LOG_LEVEL=INFO")
    sentence = f"mediacrawl: error: there is no command {typed!r}{hint} mediacrawl --help lists all commands\n"
    assert (done.code, done.out, done.err) == (2, "", sentence)


def test_all_mistakes_are_told_at_once(tmp_path):
    words = ["seeds=list.txt", "scope=sites", "\x1b[31m=1"]
    wrong = ["POLITENESS_MIN_DELAY=abc", "SCHEDULER_STORE=reddis", "LOG_LEVEL=loud", "BREAKER_SITE=0", "LOG_FILE=log"]
    switches = [part for switch, each in (("-a", words), ("-s", wrong)) for word in each for part in (switch, word)]
    told = run(tmp_path, *MEDIACRAWL, "crawl", "media", *switches).sentences
    assert [sentence.split(" ")[0] for sentence in told] == [
        *("-a", "scope=sites", "-a", "SCHEDULER_STORE", "POLITENESS_MIN_DELAY", "LOG_LEVEL", "BREAKER_SITE"),
    ]
    # Where a log file is named the sentences are in it, too: nobody looks at the terminal of a scrapyd.
    lines = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert [line.partition("CRITICAL: ")[2] for line in lines] == told
    assert "\x1b" not in "".join(told)
