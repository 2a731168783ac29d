"""Whose answer a fault is put down to."""

import logging

import pytest
from scrapy import Request
from scrapy.http import Response

from mediacrawl.base.terms import Kind, Lease
from mediacrawl.base.visit import VISIT, FetchFacts, Visit
from mediacrawl.extensions.breaker import _origin

PAGE = "http://www.a.example/page"


def lease(url):
    return Lease(1, url, "a.example", "", Kind.PAGE, 0, 0, "", None, 0, b"", 0.0, 0.0)


@pytest.fixture
def request_of_a_lease():
    visit = Visit(lease(PAGE), FetchFacts(PAGE, Kind.PAGE, address="192.0.2.1"))
    return Request(PAGE, meta={VISIT: visit})


def record(*args):
    return logging.LogRecord("a", logging.ERROR, "", 0, "failed", args, None)


def raised(function, *args):
    with pytest.raises(LookupError) as caught:
        function(*args)
    return caught.value


def fail():
    raise LookupError


def test_the_answer_of_which_an_item_was_made_and_not_what_the_item_names(request_of_a_lease):
    item = {"content_url": "http://b.example/song.mp3"}
    response = Response(PAGE, request=request_of_a_lease)
    told = record({"item": item, "response": response})
    assert _origin(told, raised(fail)) == (PAGE, "a.example", "192.0.2.1")
    assert _origin(record({"item": item}), raised(fail)) == ("http://b.example/song.mp3", "b.example", "")


def test_the_request_in_the_calls_that_failed_though_the_log_names_none(request_of_a_lease):
    def handler(headers, request):
        fail()

    error = raised(handler, {}, request_of_a_lease)
    assert _origin(record({"receiver": handler}), error) == (PAGE, "a.example", "192.0.2.1")


def test_in_a_project_with_scrapys_scheduler_the_site_and_the_address_of_the_answer():
    response = Response(PAGE, request=Request(PAGE), ip_address="192.0.2.9")
    assert _origin(record({"response": response}), raised(fail)) == (PAGE, "a.example", "192.0.2.9")


def test_no_answer_at_all():
    assert _origin(record(), raised(fail)) == ("", "", "")
