"""Messages to the operator reach a command and a webhook."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from scripted_server import ScriptedServer

from mediacrawl.base import notices
from mediacrawl.base.notices import NoticeError, send, target_problem

NOTICE = {"event": "end", "reason": "breaker", "text": "It has ended: „breaker“.", "counts": {"records": 3}}
SAVING = (
    "import os, sys; open(sys.argv[1], 'w', encoding='utf-8').write(sys.stdin.read() + chr(10) + sys.argv[2] + chr(10)"
    " + os.environ['MEDIACRAWL_REASON'])"
)


def test_a_command_gets_text_json_and_environment(tmp_path):
    said = tmp_path / "said of it"
    send(f'{sys.executable} -c "{SAVING}" "{said}"', NOTICE)
    sent, text, reason = said.read_text(encoding="utf-8").splitlines()
    assert json.loads(sent) == NOTICE
    assert (text, reason) == (NOTICE["text"], "breaker")


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (f"{sys.executable} -c 'import sys; sys.exit(\"no mail today\")'", "exit code 1: no mail today"),
        ("no-such-command-anywhere now", "no-such-command-anywhere"),
    ],
)
def test_a_command_that_fails_is_an_error_with_its_reason(command, why):
    with pytest.raises(NoticeError, match=why):
        send(command, NOTICE)


class Hook(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.headers["Content-Type"], body))
        self.send_response(204 if self.path == "/hook" else 403)
        self.end_headers()

    def log_message(self, *args):
        """Keep the test's output free of requests."""


def test_a_webhook_gets_the_json_and_a_refusal_is_an_error():
    server = HTTPServer(("127.0.0.1", 0), Hook)
    server.got = []
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        send(f"http://127.0.0.1:{server.server_port}/hook", NOTICE)
        with pytest.raises(NoticeError, match="403"):
            send(f"http://127.0.0.1:{server.server_port}/other", NOTICE)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    kind, body = server.got[0]
    assert (kind, json.loads(body)) == ("application/json", NOTICE)


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ([b"\x16\x03\x01 \x1b]0;owned\x07 no HTTP\r\n\r\n"], "is no HTTP"),
        ([b"HTTP/1.1 2000 OK\r\n\r\n"], "is no HTTP"),
        ([b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000 + b"\r\n"], "is no HTTP"),
        ([b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000 + b"\r\n\r\n"], "is no HTTP"),
        ([b""], "closed connection without response"),
        (["reset"], "reset"),
        ([b"HTTP/1.1 500 \x1b[2J\xff\r\n\r\n"], "status 500$"),
    ],
)
def test_what_is_no_answer_is_an_error_with_a_sentence(script, why):
    with ScriptedServer(*script, body_bytes=1) as server, pytest.raises(NoticeError, match=why) as caught:
        send(f"http://127.0.0.1:{server.port}/hook", NOTICE)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("where", ["/other", "http://127.0.0.1:{}/other", "file:///etc/passwd"])
def test_a_redirect_is_not_followed_and_not_taken_for_delivery(status, where):
    moved = b"HTTP/1.1 %d Moved\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n"
    with ScriptedServer(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") as other:
        answer = moved % (status, where.format(other.port).encode())
        with ScriptedServer(answer, body_bytes=1) as server:
            with pytest.raises(NoticeError, match=f"status {status}; a redirect is not followed"):
                send(f"http://127.0.0.1:{server.port}/hook", NOTICE)
            assert len(server.requests) == 1
        assert other.requests == []


def test_a_server_that_drips_its_answer_is_left(monkeypatch):
    monkeypatch.setattr(notices, "PATIENCE", 0.5)
    drip = [part for _ in range(600) for part in (b"X: y\r\n", 0.1)]
    with (
        ScriptedServer(b"HTTP/1.1 200 OK\r\n", *drip, body_bytes=1) as server,
        pytest.raises(NoticeError, match=r"no answer within 0\.5 s"),
    ):
        send(f"http://127.0.0.1:{server.port}/hook", NOTICE)


def test_targets_are_checked():
    assert target_problem("https://chat.example/hook") is None
    assert target_problem("mail -s 'the crawl' operator@example.org") is None
    assert "cannot be read" in target_problem("mail 'no end")
    assert target_problem("  ") == "is empty"
