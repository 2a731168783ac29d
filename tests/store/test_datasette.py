"""The catalogue in a real Datasette, and in sqlite-utils."""

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
import yaml

from mediacrawl.record import MediaItem
from mediacrawl.store import Catalogue

DEPLOY = Path(__file__).parents[2] / "deploy"


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory):
    path = tmp_path_factory.mktemp("catalogue") / "media.db"
    fixed = {"key": "title", "text": "Ночной поезд", "text_declared": "Íî÷íîé ïîåçä", "decision": "fixed"}
    with Catalogue(path) as store:
        for number, (title, tags) in enumerate([("Night train to Köln", []), ("Ночной поезд", [fixed]), ("Sea", [])]):
            url = f"https://radio.example/{number}.mp3"
            item = MediaItem(id=f"{number:032x}", content_url=url, title=title, site="radio.example", tags=tags)
            item.encoding_format, item.found_at, item.duration = "audio/mpeg", "2026-05-01T10:00:00Z", 60.0
            store.upsert(item)
    return path


def served(catalogue, *paths):
    """The JSON of each path of a Datasette with the configuration of ``deploy/``."""
    code = (
        "import asyncio, json, sys\n"
        "from datasette.app import Datasette\n"
        "import yaml\n"
        "async def main():\n"
        "    metadata = yaml.safe_load(open(sys.argv[2], encoding='utf-8'))\n"
        "    site = Datasette([sys.argv[1]], metadata=metadata)\n"
        "    await site.invoke_startup()\n"
        "    answers = [await site.client.get(path) for path in sys.argv[3:]]\n"
        "    print(json.dumps([(each.status_code, each.text) for each in answers]))\n"
        "asyncio.run(main())\n"
    )
    # A process of its own: its threads and warnings are not ours.
    command = [sys.executable, "-W", "ignore", "-c", code, catalogue, DEPLOY / "datasette.yml", *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return json.loads(done.stdout)


def test_datasette_searches_and_answers_the_queries(catalogue):
    queries = yaml.safe_load((DEPLOY / "datasette.yml").read_text())["databases"]["media"]["queries"]
    word = quote("поезд")
    found, page, *answers = served(
        catalogue,
        f"/media/media.json?_search={word}&_shape=array",
        "/media/media",
        *(f"/media/{name}.json?_shape=array&words=train" for name in queries),
    )
    assert [row["title"] for row in json.loads(found[1])] == ["Ночной поезд"]
    assert page[0] == 200
    assert 'name="_search"' in page[1]
    assert "encoding_format" in page[1]
    rows = dict(zip(queries, (json.loads(text) for _, text in answers), strict=True))
    assert rows["repaired"][0]["declared"] == "Íî÷íîé ïîåçä"
    assert rows["formats"] == [{"encoding_format": "audio/mpeg", "files": 3, "hours": 0.1}]
    assert [row["title"] for row in rows["search"]] == ["Night train to Köln"]
    assert {status for status, _ in answers} == {200}


def test_sqlite_utils_finds_the_index(catalogue):
    command = [sys.executable, "-m", "sqlite_utils", "search", catalogue, "media", "night", "-c", "title"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(done.stdout) == [{"title": "Night train to Köln"}]
