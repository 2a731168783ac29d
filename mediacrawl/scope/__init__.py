"""Whether a URL may be added to the crawl.

In come references as pages and people write them, and plain text files of the operator. Out come URLs in two forms
(`Spelling`: the canonical one, which is the key, and the one that is requested), each with its site, or the reason for
a refusal, from `base.terms.Drop`.

There is one key for each URL; only http and https are accepted; every refusal has a name; no input raises an exception,
and a verdict takes a few microseconds (`Scope.sift` takes all links of a page). Nothing here uses the network. Files
are read where a function takes a path, and a list that was read successfully stays in force until a better one is read.
What is learned about a site (`Duplicates`: copies, parameters that change nothing) is bounded for each site
and kept in the frontier's notes.
"""

from mediacrawl.scope.duplicates import DuplicatePolicy, Duplicates
from mediacrawl.scope.exclusions import Exclusion, NeverCrawl, NeverCrawlError
from mediacrawl.scope.gate import ExtensionFilter, Scope, ScopeRules, SessionIds, Traps
from mediacrawl.scope.urls import (
    MEDIA_EXTENSIONS,
    Base,
    Spelling,
    authority_of,
    canonical,
    canonical_host,
    extension_of,
    host_of,
    is_address,
    is_loopback,
    scheme_of,
    site_of,
    spelling,
)

__all__ = [
    "MEDIA_EXTENSIONS",
    "Base",
    "DuplicatePolicy",
    "Duplicates",
    "Exclusion",
    "ExtensionFilter",
    "NeverCrawl",
    "NeverCrawlError",
    "Scope",
    "ScopeRules",
    "SessionIds",
    "Spelling",
    "Traps",
    "authority_of",
    "canonical",
    "canonical_host",
    "extension_of",
    "host_of",
    "is_address",
    "is_loopback",
    "scheme_of",
    "site_of",
    "spelling",
]
