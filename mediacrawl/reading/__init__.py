"""Reads responses: from an answer to links and records.

`response.recognize` decides once what a response is. Then one reader is entered: `page_reader`, `list_reader`,
`file_reader` or `adapter_reader`. A reader writes outcome, links and limits into the visit and returns records; it
changes neither the frontier nor the catalogue. Pages are read in the reactor's thread, all else in another one.

Begin with `reader.Reader.read`. `describing` makes the record of one file without a crawl.
"""
