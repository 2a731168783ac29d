"""Workers whose Redis is gone for good end when they are asked to, whatever their requests wait for."""

import signal
import time

import pytest
import redis
from crawling import Crawl
from harness import slow
from redis_server import RedisServer
from wire import HttpServer, Resource, respond

SITES = 100
WORKERS = 3
SETTINGS = {
    "SCHEDULER_STORE": "redis",
    # So that each request asks the clock of the one address, which is in Redis.
    "POLITENESS_ADDRESS_MIN_DELAY": 0.001,
    # A Redis that does not answer is noticed sooner.
    "REDIS_PARAMS": '{"socket_timeout": 3}',
}


class ManySites:
    """Sites of one page each, on one address."""

    never_crawl = "# none\n"

    def __enter__(self):
        self._server = HttpServer(self._answer)
        self._server.start()
        names = [f"site-{number}.test" for number in range(SITES)]
        self.seeds = [f"http://{name}:{self._server.port}/" for name in names]
        self.hosts = dict.fromkeys(names, "127.0.0.1")
        return self

    def __exit__(self, *_):
        self._server.stop()

    @property
    def log(self):
        return self._server.log

    async def _answer(self, exchange):
        page = b"" if exchange.request.path == "/robots.txt" else b"<a href='/next'>next</a>"
        await exchange.send(respond(Resource(page), exchange.request))


def stop(server):
    """It takes connections and does not answer."""
    server.signal(signal.SIGSTOP)


def kill(server):
    """While requests wait for an answer of the address clock."""
    server.signal(signal.SIGSTOP)
    time.sleep(0.5)
    server.kill()


def fill(server):
    """It refuses to write, as on a full disk."""
    with redis.Redis.from_url(server.url) as client:
        client.config_set("maxmemory", 1)


@pytest.mark.parametrize("turn", [0, *slow(1)])
@pytest.mark.parametrize("end", [stop, *slow(kill, fill)])
def test_workers_whose_redis_is_gone_end_when_they_are_asked_to(end, turn, tmp_path):
    server = RedisServer(tmp_path / "redis").start()
    with ManySites() as web:
        workers = []
        try:
            for number in range(WORKERS):
                (tmp_path / str(number)).mkdir()
                workers.append(Crawl(web, tmp_path / str(number)))
                settings = {**SETTINGS, "REDIS_URL": server.url}
                workers[-1].start(**settings, seed="" if number else None)
            workers[0].until(lambda log: len(log) > 5)
            workers[-1].until(lambda _: "One of the workers" in workers[-1].text())
            end(server)
            time.sleep(0.5 + turn)
            for worker in workers:
                worker.process.send_signal(signal.SIGTERM)
            # One that hangs is killed, and fails the test.
            for worker in workers:
                worker.wait()
        finally:
            for worker in workers:
                if worker.process.poll() is None:
                    worker.kill()
            server.stop()
    for worker in workers:
        assert "Traceback" not in worker.text(), worker.text()[-3000:]
        assert "Spider closed (shutdown)" in worker.text(), worker.text()[-3000:]
