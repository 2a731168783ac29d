"""Decides which encoding bytes are in, and repairs text that was decoded with a wrong one.

Input: the bytes of a record's text fields (`detect`) or of a document (`DecodedDocument.of`), stored texts whose bytes
are lost (`repair`), or a single text (`fix_text`); and `Hints`. Output: a `FieldDecision` for each text, with encoding,
language, calibrated confidence and the runner-up. `History` remembers what was found on which host, `Substitutions`
what damage did to texts. `use_models` adds models of other languages, which `train` makes.

Guarantees: no content raises; correct text stays unchanged; unknown characters are marked, not invented. An argument of
a wrong type is a `TypeError` with advice. Nothing of a crawl is needed; only `mediacrawl.base` is imported.

A reading's cost is the length in nats of the message "this encoding, this language, these letters": a prior
(`languages`, moved by `pricing.hints`), the letters by trigrams and word lists (`models`, trained by `training`),
and the classes of adjacent characters (`codepages`). The first pass prices all pairs of encoding and language at once,
the second the few that are left (`scoring`); `hypotheses` gathers them, `detector` and `repairer` decide. Begin reading
in `api`, then `detection.detector`. `README.md` beside this file is for users.
"""

from typing import TYPE_CHECKING

from mediacrawl.base.lazy import late_names

if TYPE_CHECKING:
    from mediacrawl.encoding.api import detect, fix_text
    from mediacrawl.encoding.decision import FieldDecision, Hints
    from mediacrawl.encoding.detection.document import DecodedDocument
    from mediacrawl.encoding.history import History
    from mediacrawl.encoding.models import ModelError, model_version, use_models
    from mediacrawl.encoding.mojibake.repairer import repair
    from mediacrawl.encoding.mojibake.substitutions import Substitutions
    from mediacrawl.encoding.training import train

__all__ = [
    "DecodedDocument",
    "FieldDecision",
    "Hints",
    "History",
    "ModelError",
    "Substitutions",
    "detect",
    "fix_text",
    "model_version",
    "repair",
    "train",
    "use_models",
]

_FACE = {
    "DecodedDocument": "detection.document",
    "FieldDecision": "decision",
    "Hints": "decision",
    "History": "history",
    "ModelError": "models",
    "Substitutions": "mojibake.substitutions",
    "detect": "api",
    "fix_text": "api",
    "model_version": "models",
    "repair": "mojibake.repairer",
    "train": "training",
    "use_models": "models",
}
_TYPED = dict.fromkeys(("Match", "candidates", "detect_many", "detect_text", "repair_many"), "api")
"""Calls like those of chardet and charset-normalizer, and for many records: names that scripts use."""

if not TYPE_CHECKING:
    __getattr__ = late_names(__name__, _FACE | _TYPED)
