"""Finds the real encoding of texts, and repairs texts that were decoded with a wrong one.

`detect` takes the bytes of a record's text fields as they are in the file, and other evidence (`Hints`). `repair` takes
texts whose bytes are lost. Both return the texts with encoding, language, calibrated confidence and the runner-up;
`detect_many` and `repair_many` take many records, and `detect_text`, `candidates` and `fix_text` a single text. No
content raises an exception; a wrong type is a `TypeError`. Correct text is unchanged, and what cannot be known is
marked.

The cost of a reading is the length of the message "this encoding, this language, these letters" in nats: a prior
(`languages`, changed by `hints`), the letters by trigrams and word lists (`models`, made by `train`), their case and
neighbours (`codepages`). `pricing` computes it for all pairs of encoding and language at once, then exactly for the
best ones. `detection` and `mojibake` decide. `records` applies that to stored records, and `history` keeps what was
found on each host. `user_training` makes models of further languages.
"""

from mediacrawl.encoding.api import Match, candidates, detect_many, detect_text, fix_text, repair_many
from mediacrawl.encoding.decision import Detection, FieldDecision, Hints, Repair, Seen
from mediacrawl.encoding.detection.detector import detect
from mediacrawl.encoding.models import ModelError, model_version, use_models
from mediacrawl.encoding.mojibake.repairer import repair
from mediacrawl.encoding.pricing import kernel_tables

__all__ = [
    "Detection",
    "FieldDecision",
    "Hints",
    "Match",
    "ModelError",
    "Repair",
    "Seen",
    "candidates",
    "detect",
    "detect_many",
    "detect_text",
    "fix_text",
    "model_version",
    "repair",
    "repair_many",
    "use_models",
]

kernel_tables.install()
