"""What the tests of `RobotsBook` share: its names, times and store, and how it is taught and asked."""

from mediacrawl.politeness.robots_book import RobotsAnswer, RobotsTimes

A = "http://a.example"
OWN = f"{A}/robots.txt"
ELSEWHERE = "https://b.example/robots.txt"
HOUR = 3_600.0
DAY = 24 * HOUR
TIMES = RobotsTimes(max_age=DAY, min_age=HOUR, retry=300.0, give_up=30 * DAY)
RULES = b"User-agent: mediacrawl\nDisallow: /private/\nCrawl-delay: 40\n"


class Store:
    shared = False

    def __init__(self):
        self.kept = {}

    def note(self, room, authority):
        return self.kept.get(authority)

    def set_note(self, room, authority, record):
        self.kept[authority] = record


def learn(book, status, body=b"", now=0.0, authority=A, url=OWN, **more):
    return book.learn(authority, RobotsAnswer(status, body, url, **more), now)


def say(book, path="/x", now=0.0, authority=A):
    return book.ask(authority, authority + path, now).say
