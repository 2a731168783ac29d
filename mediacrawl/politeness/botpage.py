"""The page about the crawler that its User-Agent links to, made from the settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from importlib import resources
from ipaddress import ip_network
from string import Template

from mediacrawl.base.format import size
from mediacrawl.politeness.delay import DelayPolicy
from mediacrawl.politeness.identity import contact_problem, leads_nowhere, mail_of

MARK = '<meta name="generator" content="scrapy botpage">'
"""Marks our pages, so that no other file is overwritten."""

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


class BotPageError(ValueError):
    """The settings do not suffice for a page. The message is one sentence that names the setting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotPage:
    """The content of the page.

    Attributes:
        agent: the User-Agent header.
        token: the product token in robots.txt.
        contact: URL or mail address in the User-Agent.
        operator: name of the operator.
        email: mail address; empty if `contact` is one.
        purpose: a sentence or two; may be empty.
        addresses: IP addresses and networks that requests come from; empty if unknown.
        delay: parameters of the delay.
        page_bytes: read of a page at most.
        head_bytes: read of a media file first.
        media_bytes: read of a media file at most.
        media_requests: for a media file at most.
        robots_age: seconds that a robots.txt counts.
        reload: seconds until a change of NeverCrawl counts.
        log_days: days that the request log is kept.
        version: of the program.
        today: date of the page.
    """

    agent: str
    token: str
    contact: str
    operator: str
    email: str
    purpose: str
    addresses: Sequence[str]
    delay: DelayPolicy
    page_bytes: int
    head_bytes: int
    media_bytes: int
    media_requests: int
    robots_age: float
    reload: float
    log_days: int
    version: str
    today: date

    def html(self) -> str:
        """Return the page: one HTML file without scripts and external resources.

        Raises:
            BotPageError: a setting is missing.
        """
        self._check()
        template = Template(resources.files("mediacrawl.politeness").joinpath("botpage.html").read_text("utf-8"))
        mail, url = escape(self._mail), escape(self.contact)
        rows = "\n".join(f"<li><code>{escape(address)}</code></li>" for address in self.addresses)
        addresses = f"<p>Requests come from these addresses, and from no other:</p>\n<ul>\n{rows}\n</ul>\n"
        least_factor = min(1.0, *self.delay.hours)
        return template.substitute(
            name=escape(self.agent.partition("/")[0].strip() or self.token),
            token=escape(self.token),
            agent=escape(self.agent),
            operator=escape(self.operator.strip().rstrip(".")),
            mail_link=f'<a href="mailto:{mail}">{mail}</a>',
            contact="" if mail_of(self.contact) else f' This page lives at <a href="{url}">{url}</a>.',
            purpose=f"<p>{escape(self.purpose.strip())}</p>\n" if self.purpose.strip() else "",
            addresses=addresses if self.addresses else "",
            version=escape(self.version),
            date=self.today.isoformat(),
            min_delay=duration(self.delay.minimum),
            first_delay=duration(max(self.delay.first, self.delay.minimum)),
            factor=f"{self.delay.factor * least_factor:g}",
            max_delay=duration(max(self.delay.maximum * least_factor, self.delay.minimum)),
            page_bytes=size(self.page_bytes),
            head_bytes=size(self.head_bytes),
            media_bytes=size(self.media_bytes),
            media_requests=str(self.media_requests),
            robots_age=duration(self.robots_age),
            reload=duration(self.reload),
            log_days=duration(self.log_days * 86_400),
        )

    def _check(self) -> None:
        if problem := contact_problem(self.contact):
            raise BotPageError(f"MEDIACRAWL_CONTACT = {self.contact!r} {problem}")
        if leads_nowhere(self.contact):
            raise BotPageError(f"MEDIACRAWL_CONTACT = {self.contact!r} leads nowhere; set it to the URL of this page")
        if not self.operator.strip():
            raise BotPageError("nobody is named who runs the crawler; set MEDIACRAWL_OPERATOR")
        if not self._mail:
            wrong = f"MEDIACRAWL_EMAIL = {self.email!r} is no address" if self.email else "there is no mail address"
            raise BotPageError(f"{wrong} to which one can complain; set MEDIACRAWL_EMAIL")
        for address in self.addresses:
            try:
                ip_network(address, strict=False)
            except ValueError as error:
                raise BotPageError(f"MEDIACRAWL_ADDRESSES: {address!r} is no IP address or network") from error

    @property
    def _mail(self) -> str:
        return mail_of(self.email or self.contact)


def duration(seconds: float) -> str:
    """Write a time in the largest unit without a fraction.

    >>> duration(15), duration(60), duration(5400), duration(86_400), duration(0.5)
    ('15 seconds', '1 minute', '90 minutes', '24 hours', '0.5 seconds')
    """
    for length, unit in _UNITS:
        number = seconds / length
        if (number == int(number) and number >= 1 and (unit != "day" or number > 1)) or unit == "second":
            return f"{number:g} {unit}{'' if number == 1 else 's'}"
    raise AssertionError("the second is the last unit")
