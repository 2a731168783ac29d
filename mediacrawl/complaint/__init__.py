"""Answering complaints: what the crawl requested from one site, and whether it was polite.

It takes the name of a site and the folders of the request logs, and makes a `Case`: every request to the site, the
history of its robots.txt, a judgement made from the log alone, and from these a text for the terminal, a file to
attach, and a draft of a reply. The judgement trusts the log and not the crawl, and says what cannot be proved. Nothing
is written to the logs, so it works while a crawl runs. Nothing that a server sent controls the terminal.
"""

from mediacrawl.complaint.case import Case, ComplaintError, Logs, Subject, open_case, since_when, subject_of
from mediacrawl.complaint.export import as_json, rows, write
from mediacrawl.complaint.judging import Breach, BreachKind, ConductPolicy, Judgement, judge
from mediacrawl.complaint.letter import Blocked, Sender, reply
from mediacrawl.complaint.text import case_text

__all__ = [
    "Blocked",
    "Breach",
    "BreachKind",
    "Case",
    "ComplaintError",
    "ConductPolicy",
    "Judgement",
    "Logs",
    "Sender",
    "Subject",
    "as_json",
    "case_text",
    "judge",
    "open_case",
    "reply",
    "rows",
    "since_when",
    "subject_of",
    "write",
]
