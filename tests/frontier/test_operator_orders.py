"""Orders reach a crawl, answers come back."""

import json

from mediacrawl.frontier.operator_orders import OrderFolder


def test_an_order_is_there_until_it_is_answered(tmp_path):
    operator, crawl = OrderFolder(tmp_path), OrderFolder(tmp_path)
    assert crawl.orders() == []
    name = operator.post("pause", "a.org")
    (order,) = crawl.orders()
    assert (order.verb, order.what) == ("pause", "a.org")
    assert crawl.orders() == [order]
    crawl.answer(order, "paused")
    assert crawl.orders() == []
    assert operator.wait(name, 1) == "paused"
    assert list(operator.folder.iterdir()) == []


def test_orders_are_carried_out_in_the_order_in_which_they_came(tmp_path):
    box = OrderFolder(tmp_path)
    for number in range(20):
        box.post("drop", f"{number}.org")
    assert [order.what for order in box.orders()] == [f"{number}.org" for number in range(20)]


def test_without_an_answer_the_order_waits_on(tmp_path):
    box = OrderFolder(tmp_path)
    waited = []
    name = box.post("pause", "a.org")
    assert box.wait(name, 2.0, waited.append) is None
    assert sum(waited) >= 2.0 - 0.1
    assert len(box.orders()) == 1


def test_what_is_no_order_is_put_out_of_the_way(tmp_path):
    box = OrderFolder(tmp_path)
    box.post("pause", "a.org")
    for number, text in enumerate(["", "[]", '{"verb": 1}', "\x00\xff", json.dumps({"what": "x"})]):
        (box.folder / f"0{number}.order").write_bytes(text.encode("latin-1"))
    assert [order.what for order in box.orders()] == ["a.org"]
    assert len(list(box.folder.glob("*.broken"))) == 5
