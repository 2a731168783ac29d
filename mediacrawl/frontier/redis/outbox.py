"""Messages from a crawl's thread to the thread that talks to Redis, and the answers that come back."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar

from mediacrawl.base.clock import steady
from mediacrawl.base.terms import Candidate
from mediacrawl.frontier.contract import FrontierAwayError, FrontierError
from mediacrawl.frontier.redis.errors import Outage, is_away
from mediacrawl.frontier.redis.session import Call

MOST = 500
"""Messages that are sent in one round trip."""
PATIENCE = 10.0
"""Seconds that the crawl waits for an answer that it needs: an operator's order, the end."""

_T = TypeVar("_T")


class Answer(Future[_T]):
    """A future that keeps its first result: the worker's thread may answer when the crawl has given up waiting."""

    def set_result(self, result: _T) -> None:
        with suppress(InvalidStateError):
            super().set_result(result)

    def set_exception(self, exception: BaseException | None) -> None:
        with suppress(InvalidStateError):
            super().set_exception(exception)


@dataclass(slots=True)
class Message:
    """A message to Redis.

    Attributes:
        urls: to be added.
        call: makes the call to run.
        heard: receives its answer, and whether the call may have run twice; the message that it returns is sent next.
        work: runs in the thread, alone and in its turn, in place of a call.
        sent: whether it was sent before without an answer.
        urgent: whether the crawl waits for it.
    """

    urls: list[Candidate] = field(default_factory=list)
    call: Callable[[], Call] | None = None
    heard: Callable[[Any, bool], Message | None] | None = None
    work: Callable[[], None] | None = None
    sent: bool = False
    urgent: bool = False


class Outbox:
    """A queue of messages, shared by the crawl's thread and the worker's. In memory only.

    A message leaves the queue when it is answered, so an outage delays it and loses nothing.

    Attributes:
        news: guards what both threads change, also in `LeasePool`, and wakes whichever waits.
        messages: in the order in which they are sent.
        posted: messages so far.
        handled: messages that were answered.
        settled: messages that were answered before the counters were read last.
        aim: value of `settled` that the crawl waits for.
        failed: why the worker has ended, if it failed.
        outage: the present one, if Redis is away.
        closing: whether the crawl ends.
    """

    def __init__(self, server: str) -> None:
        self.news = threading.Condition()
        self.messages: deque[Message] = deque()
        self.posted = self.handled = self.settled = self.aim = 0
        self.failed: FrontierError | None = None
        self.outage: Outage | None = None
        self.closing = False
        self._server = server
        self._promises: set[Future[Any]] = set()
        self._ends_since = 0.0
        self._tallies: Counter[str] = Counter()

    def check(self) -> None:
        """Raise what the worker has failed with, if it has.

        Raises:
            FrontierError: it has.
        """
        if self.failed:
            raise type(self.failed)(str(self.failed))

    def send(self, message: Message) -> None:
        """Queue a message.

        Raises:
            FrontierError: the worker has failed.
        """
        self.check()
        with self.news:
            self.posted += 1
            self.messages.append(message)
            self.news.notify_all()

    def promise(self) -> Future[Any]:
        """A future that is resolved in any case, by `reject_all` at the latest."""
        answer: Future[Any] = Answer()
        self._promises.add(answer)
        answer.add_done_callback(self._promises.discard)
        return answer

    def post(self, question: Callable[[], _T]) -> Future[_T]:
        """Queue a question that runs in the worker's thread."""
        answer: Future[_T] = self.promise()

        def work() -> None:
            try:
                found = question()
            except FrontierError as error:
                if is_away(error):
                    raise
                answer.set_exception(error)
            else:
                answer.set_result(found)

        self.send(Message(work=work, urgent=True))
        return answer

    def ask(self, question: Callable[[], _T]) -> _T:
        """As `post`, and wait for the answer.

        Raises:
            FrontierAwayError: it does not come within `PATIENCE`.
        """
        self.check()
        if self.outage:
            raise FrontierAwayError(f"{self._server} is away ({self.outage.words}); try again later")
        try:
            return self.post(question).result(PATIENCE)
        except TimeoutError:
            raise FrontierAwayError(f"{self._server} does not answer; try again later") from None

    def wait_settled(self, seconds: float) -> bool:
        """Wait until all messages so far are answered and the counters are newer; return whether they are."""
        with self.news:
            aim = self.aim = self.posted
            self.news.notify_all()
            self.news.wait_for(lambda: self.settled >= aim or bool(self.failed), seconds)
            return self.settled >= aim

    def count(self, name: str, number: int = 1) -> None:
        """Add to a stat of the crawl."""
        with self.news:
            self._tallies[name] += number

    def tallies(self) -> Counter[str]:
        """The stats since the last call."""
        with self.news:
            found, self._tallies = self._tallies, Counter()
        return found

    # -- the worker's thread ---------------------------------------------------------------------------------

    def batch(self) -> list[Message]:
        """The messages that go out together: up to the next one with `Message.work`, or that one alone."""
        messages = list(islice(self.messages, MOST))
        alone = next((place for place, message in enumerate(messages) if message.work is not None), len(messages))
        return messages[: max(alone, 1)]

    def answered(self, messages: list[Message], more: Iterable[Message] = ()) -> None:
        """Remove a batch; the messages that followed from it go first."""
        following = list(more)
        with self.news:
            for _ in messages:
                self.messages.popleft()
            self.messages.extendleft(reversed(following))
            self.posted += len(following)
            self.handled += len(messages)

    def fail(self, error: FrontierError) -> None:
        """End: nothing is sent any more."""
        with self.news:
            self.failed = error
            self.news.notify_all()
        self.reject_all()

    def give_up(self) -> None:
        """Reject the open futures if Redis is away, or if this is called `PATIENCE` after its first call."""
        self._ends_since = self._ends_since or steady()
        if self.outage or steady() - self._ends_since > PATIENCE:
            self.reject_all()

    def reject_all(self) -> None:
        """Resolve the open futures with the reason why no answer comes."""
        for promise in list(self._promises):
            promise.set_exception(self._why_none())

    def _why_none(self) -> FrontierError:
        if self.failed:
            return type(self.failed)(str(self.failed))
        if self.outage:
            return FrontierAwayError(
                f"{self._server} has been away for {self.outage.seconds:.0f} s ({self.outage.words}), and the crawl"
                " ends: it is not asked any more; what this worker had leased comes back by its deadline, and is asked"
                " by the next one"
            )
        return FrontierAwayError(f"the crawl ends, and {self._server} is not asked any more")
