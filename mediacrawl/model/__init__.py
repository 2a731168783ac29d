"""The model of a media record: its fields, their parts and vocabularies, each declared once.

Who reads files or pages fills it; `store`, the JSON Schema and ``docs/record.md`` are made of the declaration.
"""
