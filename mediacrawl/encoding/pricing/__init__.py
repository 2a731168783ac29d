"""The cost of a reading in nats.

`decoding` turns bytes into text, `scoring` and `hypotheses` price bytes under an encoding and a language, `reading`
prices Unicode text under a language, and `signs` typographic signs. Where the C extension was built it does the same
arithmetic with the tables of `kernel_tables`.
"""

from mediacrawl.encoding import native
from mediacrawl.encoding.pricing import kernel_tables

native.use_tables(kernel_tables.spec, kernel_tables.load)
