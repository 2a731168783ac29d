"""Reads Scrapy settings into the policies of the domain packages, one function a policy.

A setting that is set nowhere has the default declared in `mediacrawl.settings`. What no setting names is a constant:
the default of the policy's field.
"""

from __future__ import annotations

from pathlib import Path

from scrapy.settings import BaseSettings

import mediacrawl.settings as declared
from mediacrawl.crawl.own_settings import OwnSettings, locate
from mediacrawl.crawl.setting_checks import user_function
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.order import BestFirst, Levels, RankOrder
from mediacrawl.politeness.address_clocks import AddressPolicy
from mediacrawl.politeness.addresses import LOOPBACK, Guard, NamePolicy, fixed_hosts, server_of
from mediacrawl.politeness.delay import ANY_HOUR, BackoffPolicy, DelayPolicy, factors_by_hour
from mediacrawl.politeness.robots_book import RobotsTimes
from mediacrawl.priority.links import RULES, Scores
from mediacrawl.priority.nuggets import UserFunction
from mediacrawl.probe import ProbePolicy
from mediacrawl.scope import DuplicatePolicy, NeverCrawl, ScopeRules
from mediacrawl.scope.gate import ContactScope, Traps
from mediacrawl.scope.urls import canonical_host

PLACEHOLDER = "example.invalid"
"""Part of ``MEDIACRAWL_CONTACT`` until the user sets it."""


# -- who crawls --------------------------------------------------------------------------------------------------


def contact_of(settings: BaseSettings) -> str:
    """The URL or mail address at which a site's operator reaches the crawler's."""
    return OwnSettings(settings).getstr("MEDIACRAWL_CONTACT")


def is_anonymous(settings: BaseSettings) -> bool:
    """Whether the contact is still the placeholder. Then only loopback is crawled."""
    return PLACEHOLDER in contact_of(settings)


def user_agent_of(settings: BaseSettings) -> str:
    """The User-Agent header of our requests."""
    return str(settings.get("USER_AGENT")).replace("{contact}", contact_of(settings))


# -- politeness ----------------------------------------------------------------------------------------------------


def delay_policy(settings: BaseSettings) -> DelayPolicy:
    """How long a site is left alone after a request.

    Raises:
        ValueError: a setting ``POLITENESS_...`` or ``BACKOFF_...`` cannot be used.
    """
    own = OwnSettings(settings)
    hours = own.getdict("POLITENESS_HOURS")
    return DelayPolicy(
        factor=own.getfloat("POLITENESS_FACTOR"),
        minimum=own.getfloat("POLITENESS_MIN_DELAY"),
        maximum=own.getfloat("POLITENESS_MAX_DELAY"),
        first=own.getfloat("POLITENESS_FIRST_DELAY"),
        tail_factor=own.getfloat("POLITENESS_TAIL_FACTOR"),
        hours=factors_by_hour(hours) if hours else ANY_HOUR,
        backoff=BackoffPolicy(
            maximum=own.getfloat("BACKOFF_MAX"),
            rest_after=own.getint("BACKOFF_REST_AFTER"),
            rest=own.getfloat("BACKOFF_REST"),
            retire_after=own.getfloat("BACKOFF_RETIRE_AFTER"),
        ),
        # Scrapy has put a spider's own download_delay there.
        floor=max(own.getfloat("DOWNLOAD_DELAY"), 0.0),
    )


def address_policy(settings: BaseSettings) -> AddressPolicy:
    """How long an IP address is left alone after a request.

    Raises:
        ValueError: a setting ``POLITENESS_ADDRESS_...`` cannot be used.
    """
    own = OwnSettings(settings)
    return AddressPolicy(
        factor=own.getfloat("POLITENESS_ADDRESS_FACTOR"),
        minimum=own.getfloat("POLITENESS_ADDRESS_MIN_DELAY"),
        budget=own.getint("FRONTIER_SITE_BUDGET"),
    )


def robots_times(settings: BaseSettings) -> RobotsTimes:
    """How long a robots.txt counts."""
    own = OwnSettings(settings)
    return RobotsTimes(max_age=own.getfloat("ROBOTS_MAX_AGE"), retry=own.getfloat("ROBOTS_RETRY"))


def name_policy(settings: BaseSettings) -> NamePolicy:
    """How host names are looked up.

    Raises:
        ValueError: a setting ``RESOLVER_...`` cannot be used.
    """
    own = OwnSettings(settings)
    hosts = fixed_hosts(own.getdict("RESOLVER_HOSTS"))
    return NamePolicy(
        servers=tuple(map(server_of, own.getlist("RESOLVER_SERVERS"))),
        families=tuple(own.getlist("RESOLVER_FAMILIES")),
        timeout=own.getfloat("RESOLVER_TIMEOUT"),
        hosts={canonical_host(name) or name.lower(): addresses for name, addresses in hosts.items()},
    )


# -- the frontier --------------------------------------------------------------------------------------------------


def frontier_policy(settings: BaseSettings) -> FrontierPolicy:
    """Delays, order and limits of the frontier.

    Raises:
        ValueError: a setting ``FRONTIER_...`` cannot be used, or see `delay_policy`.
    """
    own = OwnSettings(settings)
    return FrontierPolicy(
        delay=delay_policy(settings),
        order=site_order(settings),
        explore=1.0 if priority_name(settings) == "random" else own.getfloat("FRONTIER_EXPLORE"),
        attempts=own.getint("FRONTIER_ATTEMPTS"),
        budget=own.getint("FRONTIER_SITE_BUDGET"),
        most=own.getint("FRONTIER_SITE_MOST"),
        cache=own.getint("FRONTIER_CACHE"),
        bloom=own.getint("FRONTIER_BLOOM"),
    )


def priority_name(settings: BaseSettings) -> str:
    """The value of the setting ``PRIORITY``."""
    return OwnSettings(settings).getstr("PRIORITY")


def site_order(settings: BaseSettings) -> RankOrder:
    """In which order ready sites are requested."""
    return Levels() if priority_name(settings) == "levels" else BestFirst()


def class_scores(settings: BaseSettings) -> Scores:
    """The score with which a link class starts.

    Raises:
        ValueError: the setting ``PRIORITY_SCORES`` cannot be used.
    """
    return Scores(OwnSettings(settings).getdict("PRIORITY_SCORES") or RULES)


def nugget_function(settings: BaseSettings) -> UserFunction:
    """The function that says whether a record or an answer is a find.

    Raises:
        ValueError: the setting ``NUGGET_FUNCTION`` cannot be used.
    """
    path = OwnSettings(settings).get("NUGGET_FUNCTION") or declared.NUGGET_FUNCTION
    return user_function("NUGGET_FUNCTION", 2, path)


def worth_opening(settings: BaseSettings) -> UserFunction | None:
    """The function that says from an answer's headers whether its body is wanted; None if all are.

    Raises:
        ValueError: the setting ``NUGGET_WORTH_OPENING`` cannot be used.
    """
    path = OwnSettings(settings).get("NUGGET_WORTH_OPENING")
    return user_function("NUGGET_WORTH_OPENING", 3, path) if path else None


# -- scope ---------------------------------------------------------------------------------------------------------


def scope_rules(settings: BaseSettings) -> ScopeRules:
    """The rules for which URLs are crawled."""
    own = OwnSettings(settings)
    return ScopeRules(
        traps=Traps(max_length=own.getint("SCOPE_MAX_LENGTH")),
        session_names=tuple(own.getlist("SCOPE_SESSION_NAMES")),
        max_depth=own.getint("SCOPE_MAX_DEPTH"),
        extensions=locate(own.getstr("SCOPE_EXTENSIONS_FILE")),
        nevercrawl=nevercrawl_files(settings),
        refused_ports=tuple(map(int, own.getlist("SCOPE_REFUSED_PORTS"))),
    )


def nevercrawl_files(settings: BaseSettings) -> tuple[Path, ...]:
    """The files of the NeverCrawl list."""
    return tuple(map(locate, OwnSettings(settings).getlist("NEVERCRAWL_FILES")))


def load_nevercrawl(settings: BaseSettings) -> NeverCrawl:
    """Read the NeverCrawl list.

    Raises:
        NeverCrawlError: it cannot be read.
    """
    return NeverCrawl.load(nevercrawl_files(settings))


def duplicate_policy(settings: BaseSettings) -> DuplicatePolicy:
    """How copies and pages in place of media are recognised."""
    return DuplicatePolicy(soft_404=OwnSettings(settings).getbool("SCOPE_SOFT_404"))


def reach_of(settings: BaseSettings) -> ContactScope:
    """Which hosts a crawl with this contact may begin at.

    Raises:
        ValueError: a setting ``RESOLVER_...`` cannot be used.
    """
    return ContactScope.of(contact_of(settings), name_policy(settings).hosts, anonymous=is_anonymous(settings))


def guard_of(settings: BaseSettings) -> Guard:
    """The guard of addresses: ``GUARD_ALLOW``, and loopback if nothing else is crawled.

    Raises:
        ValueError: the setting ``GUARD_ALLOW`` or ``RESOLVER_HOSTS`` cannot be used.
    """
    loopback = LOOPBACK if _only_loopback(settings) else ()
    return Guard([*OwnSettings(settings).getlist("GUARD_ALLOW"), *loopback], name_policy(settings).hosts)


def _only_loopback(settings: BaseSettings) -> bool:
    """Whether `ContactMiddleware` is switched on and keeps an anonymous crawl on this machine."""
    middlewares = settings.getdict("DOWNLOADER_MIDDLEWARES")
    names = [str(getattr(key, "__name__", key)) for key, order in middlewares.items() if order is not None]
    return is_anonymous(settings) and any(name.endswith("ContactMiddleware") for name in names)


# -- probe ---------------------------------------------------------------------------------------------------------


def probe_policy(settings: BaseSettings) -> ProbePolicy:
    """Limits on the requests and bytes one media file may cost."""
    own = OwnSettings(settings)
    return ProbePolicy(
        head_bytes=own.getint("PROBE_HEAD_BYTES"),
        max_requests=own.getint("PROBE_MAX_REQUESTS"),
        max_bytes=own.getint("PROBE_MAX_BYTES"),
        max_tag_bytes=own.getint("PROBE_MAX_TAG_BYTES"),
    )
