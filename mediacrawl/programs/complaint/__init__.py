"""Answering complaints: what the crawl requested from one site, and whether it was polite.

It takes the name of a site and the folders of the request logs, and makes a `Case`: every request to the site, the
history of its robots.txt, and a judgement made from the log alone. From these it writes the verdict and the draft of a
reply. The judgement trusts the log and not the crawl, and says what cannot be proved. It only reads, also while
a crawl writes. Nothing that a server sent controls the terminal.
"""

from mediacrawl.programs.complaint.case import Case, ComplaintError, Logs, Subject, open_case, subject_of
from mediacrawl.programs.complaint.judging import Breach, BreachKind, ConductPolicy, Judgement, judge
from mediacrawl.programs.complaint.text import Sender, reply, verdict

__all__ = [
    "Breach",
    "BreachKind",
    "Case",
    "ComplaintError",
    "ConductPolicy",
    "Judgement",
    "Logs",
    "Sender",
    "Subject",
    "judge",
    "open_case",
    "reply",
    "subject_of",
    "verdict",
]
