"""A real DNS server on loopback, UDP and TCP on one port, that says what it is told, also what no server should.

    with DnsServer() as server:
        server.zone["good.example"] = [a("127.0.0.2", ttl=5)]
        server.zone["gone.example"] = nxdomain(minimum=120)
        server.port, server.asked        # what it was requested: (name, type)

What is in the zone is a list of records (for the types asked, and aliases), or a function of the `Question` that
answers bytes to send, several packets in a list, or None to be silent. Each question has a thread of its own.
"""

import contextlib
import itertools
import socket
import struct
import threading
import time
from dataclasses import dataclass

from twisted.names import dns

A, AAAA, CNAME = dns.A, dns.AAAA, dns.CNAME


@dataclass
class Question:
    """One question, and how it came."""

    id: int
    name: str
    type: int
    tcp: bool
    query: dns.Query

    def message(self, code=0, *, truncated=False):
        """An answer to it that says nothing yet."""
        message = dns.Message(self.id, answer=1, recDes=1, recAv=1, rCode=code, trunc=truncated, maxSize=0)
        message.queries = [self.query]
        return message

    def answer(self, records, code=0):
        """The bytes of an answer: records of its type, and aliases."""
        message = self.message(code)
        message.answers = [record for record in records if record.type in (self.type, CNAME)]
        return message.toStr()


def a(address, ttl=300, name=None):
    return dns.RRHeader(name or b"", dns.A, dns.IN, ttl, dns.Record_A(address, ttl))


def aaaa(address, ttl=300, name=None):
    return dns.RRHeader(name or b"", dns.AAAA, dns.IN, ttl, dns.Record_AAAA(address, ttl))


def cname(target, ttl=300, name=None):
    return dns.RRHeader(name or b"", dns.CNAME, dns.IN, ttl, dns.Record_CNAME(target, ttl))


def named(records, name):
    """Records without a name of their own belong to what is asked."""
    return [
        record if record.name.name else dns.RRHeader(name, record.type, dns.IN, record.ttl, record.payload)
        for record in records
    ]


def nothing(code=0, minimum=None, ttl=None):
    """No such name, or none of the asked type; with the SOA of its zone if `minimum` is given."""

    def answer(question):
        message = question.message(code)
        if minimum is not None:
            soa = dns.Record_SOA(b"ns.example", b"root.example", 1, 2, 3, 4, minimum, minimum if ttl is None else ttl)
            message.authority = [dns.RRHeader(b"example", dns.SOA, dns.IN, soa.ttl, soa)]
        return message.toStr()

    return answer


def nxdomain(minimum=None, ttl=None):
    return nothing(dns.ENAME, minimum, ttl)


def servfail(question):
    return question.message(dns.ESERVER).toStr()


def silent(question):
    return None


def in_turn(*answers):
    """Each time another answer, the last for ever. Both families of one look-up get the same."""
    turns = {kind: itertools.chain(answers[:-1], itertools.repeat(answers[-1])) for kind in (A, AAAA)}
    return lambda question: reply(next(turns[question.type]), question)


def late(seconds, answer):
    def wait(question):
        time.sleep(seconds)
        return reply(answer, question)

    return wait


def by_tcp(answer):
    """By UDP it is truncated."""

    def truncated(question):
        return reply(answer, question) if question.tcp else question.message(truncated=True).toStr()

    return truncated


def reply(answer, question):
    return answer(question) if callable(answer) else question.answer(named(answer, question.name))


class DnsServer:
    """Answers from its zone; names that it does not know do not exist."""

    def __init__(self, address="127.0.0.1"):
        self.zone = {}
        self.asked = []
        self._address = address
        self._stopped = threading.Event()

    def __enter__(self):
        for _ in range(50):
            self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self._udp.bind((self._address, 0))
            self.port = self._udp.getsockname()[1]
            try:
                self._tcp = socket.create_server((self._address, self.port))
                break
            except OSError:
                self._udp.close()
        for each in (self._udp, self._tcp):
            each.settimeout(0.1)
        self._threads = [threading.Thread(target=serve, daemon=True) for serve in (self._serve_udp, self._serve_tcp)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stopped.set()
        for thread in self._threads:
            thread.join(5)
        self._udp.close()
        self._tcp.close()

    @property
    def where(self):
        return f"{self._address}:{self.port}"

    def names(self):
        return [name for name, _ in self.asked]

    def _answer(self, data, *, tcp):
        message = dns.Message()
        message.fromStr(data)
        query = message.queries[0]
        name = query.name.name.decode("latin-1").lower()
        self.asked.append((name, query.type))
        question = Question(message.id, name, query.type, tcp, query)
        return reply(self.zone.get(name, nxdomain()), question)

    def _serve_udp(self):
        while not self._stopped.is_set():
            try:
                data, client = self._udp.recvfrom(4096)
            except TimeoutError:
                continue
            threading.Thread(target=self._answer_udp, args=(data, client), daemon=True).start()

    def _answer_udp(self, data, client):
        answers = self._answer(data, tcp=False)
        with contextlib.suppress(OSError):
            for answer in answers if isinstance(answers, list) else [answers]:
                if answer is not None:
                    self._udp.sendto(answer, client)

    def _serve_tcp(self):
        while not self._stopped.is_set():
            try:
                connection, _ = self._tcp.accept()
            except TimeoutError:
                continue
            threading.Thread(target=self._answer_tcp, args=(connection,), daemon=True).start()

    def _answer_tcp(self, connection):
        connection.settimeout(5)
        with connection, contextlib.suppress(OSError):
            while head := connection.recv(2):
                (length,) = struct.unpack("!H", head)
                answer = self._answer(connection.recv(length), tcp=True)
                if answer is not None:
                    connection.sendall(struct.pack("!H", len(answer)) + answer)
