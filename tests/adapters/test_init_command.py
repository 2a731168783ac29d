"""A newcomer's way: a project, a crawl of a seed, the report."""

import json

from command_line import MEDIACRAWL, QUICK, SCRAPY, run

from mediacrawl.demo import DemoWeb


def test_a_new_project_crawls_its_seeds_and_reports(tmp_path):
    project = tmp_path / "mine"
    with DemoWeb() as web:
        seed = next(iter(web.seeds))
        words = ["init", "mine", "--contact", "https://crawl.radio.museum/bot", "--seed", seed]
        ended = run(tmp_path, *MEDIACRAWL, *words).check()
        assert "scrapy crawl media -a seed=seeds.txt" in ended.out
        assert sorted(path.name for path in project.iterdir()) == [
            "NeverCrawl.txt",
            "scrapy.cfg",
            "seeds.txt",
            "settings.py",
        ]
        given = {**QUICK, "RESOLVER_HOSTS": json.dumps(web.hosts)}
        settings = [word for name, value in given.items() for word in ("-s", f"{name}={value}")]
        run(project, *SCRAPY, "crawl", "media", "-a", "seed=seeds.txt", "-a", "scope=site", *settings).check()
    told = run(project, *MEDIACRAWL, "settings", "--get", "MEDIACRAWL_CONTACT").check().out
    assert told == "https://crawl.radio.museum/bot\n"
    facts = json.loads(run(project, *SCRAPY, "report", "--json").check().out)
    assert facts["records"] > 0
    assert (project / ".mediacrawl" / "media.db").is_file()


def test_a_folder_with_files_is_left_alone(tmp_path):
    (tmp_path / "settings.py").write_text("mine")
    ended = run(tmp_path, *MEDIACRAWL, "init", ".")
    assert "is no empty folder; nothing was written" in ended.sentence
    assert [path.name for path in tmp_path.iterdir()] == ["settings.py"]


def test_a_contact_that_cannot_be_used_is_refused(tmp_path):
    ended = run(tmp_path, *MEDIACRAWL, "init", "mine", "--contact", "me and you")
    assert "--contact me and you holds a blank" in ended.sentence
    assert not (tmp_path / "mine").exists()
