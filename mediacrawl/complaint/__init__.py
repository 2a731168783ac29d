"""The complaint desk: what we asked of one site, whether we behaved, and what to answer.

In comes the name of a site and the folders of the request logs. Out comes a `Case`: every request to the site, its
robots.txt through time, a judgement made anew from the log, and from these a text for the terminal, a file to attach,
and the draft of a reply. The room promises that the judgement believes the log and not the crawl; that what can not be
proved is said to be so; that it only reads, beside a running crawl too; and that nothing a server sent commands the
terminal or stands in the reply unseen.
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
