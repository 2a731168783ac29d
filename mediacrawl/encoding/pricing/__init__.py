"""The cost of a reading in nats.

`decoding` turns bytes into text, `scoring` and `hypotheses` price bytes under an encoding and a language, `reading`
prices Unicode text under a language, and `signs` typographic signs.
"""
