"""Recordings that are made to take long, or to take much memory, are learned from or refused like others."""

import json
import random

import pytest
from hand_made import entry, media, names, page, recording

from mediacrawl.site_adapters.learn.learning import learn
from mediacrawl.site_adapters.learn.tracing import cut
from mediacrawl.site_adapters.learn.trees import read_tree

RNG = random.Random(26)
IDS = ("8340112", "5520937")


def word(length=12):
    return "".join(RNG.choice("abcdef0123456789") for _ in range(length))


def learned(answers, html="<p></p>", path="/api/{id}"):
    made = []
    for n in range(2):
        file = f"https://cdn.example/{word()}.mp4"
        last = entry("https://s.example" + path.format(id=IDS[n], word=word()), {"id": IDS[n], "src": file})
        made.append(page(f"https://s.example/v/{IDS[n]}", *answers(n), last, media(file), html=html))
    return learn([recording(*made)])


def config(value):
    return lambda n: [entry(f"https://s.example/config/{IDS[n]}", value(n))]


def test_a_value_that_stands_everywhere():
    found = learned(config(lambda n: {f"k{k}": IDS[n] for k in range(4_000)}))
    assert found.adapter["requests"] == [{"url": "https://s.example/api/{id}", "read": "json"}]


def test_many_values_none_of_which_is_right():
    found = learned(config(lambda n: {f"k{k}": word() for k in range(4_000)}), path="/api/{word}")
    assert names(found) == ["unexplained"]


def test_values_that_hold_the_right_one_in_no_steady_place():
    def value(n):
        return {
            f"k{k}": "-".join(
                [*(word(4) for _ in range(RNG.randrange(9))), IDS[n], *(word(4) for _ in range(RNG.randrange(9)))]
            )
            for k in range(1_500)
        }

    assert names(learned(config(value), path="/api/{word}/x")) == ["unexplained"]


def test_requests_of_one_form_by_hundreds():
    def many(n):
        return [
            entry(f"https://s.example/{word()}/{k % 3}?a={word()}", {"a": word(), "src": "/x.mp4"}) for k in range(150)
        ]

    assert learned(many).adapter["requests"][0]["url"] == "https://s.example/api/{id}"


def test_parameters_by_hundreds():
    query = "&".join(f"p{k}={{word}}" for k in range(300))
    assert learned(lambda n: [], path=f"/api/{{id}}?{query}").adapter is None


def test_a_page_of_thousands_of_elements():
    html = "".join(f'<p id="n{k}" class="c{k} d{k}" data-x="{word()}">{word()}</p>' for k in range(3_000))
    assert names(learned(lambda n: [], html, "/api/{word}")) == ["unexplained"]


def test_a_page_of_thousands_of_variables():
    html = f"<script>{';'.join(f'var v{k} = {{a: 1, b: {{c: 2}}}}' for k in range(3_000))}</script>"
    assert names(learned(lambda n: [], html, "/api/{word}")) == ["unexplained"]


def test_answers_that_name_thousands_of_media():
    def many(n):
        return {"a": [[f"https://x.example/{word()}.mp4" for _ in range(60)] for _ in range(60)]}

    assert learned(config(many)).adapter["records"]["media"] == [{"json": "src"}]


@pytest.mark.parametrize("depth", [30, 900, 100_000])
def test_nesting_is_followed_to_a_depth(depth):
    tree = read_tree('{"a":' * depth + '"x"' + "}" * depth, "https://s.example/")
    assert tree is None or not tree.leaves


def test_values_of_an_answer_are_counted():
    tree = read_tree(json.dumps(list(range(90_000))), "https://s.example/")
    assert len(tree.leaves) == 50_000


def test_parts_of_values_with_thousands_of_them_are_not_looked_for():
    long, short = ("-".join(["a"] * count) for count in (5_000, 50))
    assert cut((f"{short}-x", f"{short}-y"), ("x", "y")) == ((("split", "-"), ("take", -1)),)
    assert cut((f"{long}-x", f"{long}-y"), ("x", "y")) is None
