"""Whether a URL may be added to the crawl.

In come references as pages and people write them, and plain text files of the operator. Out come URLs in two forms
(`Spelling`: the canonical one, which is the key, and the one that is requested), each with its site, or the reason for
a refusal, from `base.terms.Drop`.

There is one key for each URL; only http and https are accepted; every refusal has a name; no input raises an exception,
and a verdict takes a few microseconds. Nothing here uses the network. Files are read where a function takes a path, and
a list that was read successfully stays in force until a better one is read. What is learned about a site (`Duplicates`:
copies, parameters that change nothing) is bounded for each site and kept in the frontier's notes.

Begin with `gate.Scope.sift`, which takes all links of a page. `urls` has the parts of a URL, `duplicates` what was seen
under another URL, `exclusions` the NeverCrawl list, `include` the whitelist, `wrapped` the prefixes that count
downloads. `candidates` makes of a URL what the frontier takes.
"""

from mediacrawl.scope.duplicates import DuplicatePolicy, Duplicates
from mediacrawl.scope.exclusions import NeverCrawl, NeverCrawlError
from mediacrawl.scope.gate import Scope, ScopeRules
from mediacrawl.scope.urls import Base, Spelling, canonical, host_of, site_of, spelling

__all__ = [
    "Base",
    "DuplicatePolicy",
    "Duplicates",
    "NeverCrawl",
    "NeverCrawlError",
    "Scope",
    "ScopeRules",
    "Spelling",
    "canonical",
    "host_of",
    "site_of",
    "spelling",
]
