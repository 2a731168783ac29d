"""From a response to links and records.

`response.recognize` decides once what a response is. Then one reader reads it: `page_reader`, `list_reader`,
`file_reader`, or `adapter_reader` for the answer to a data request. What they find is written into the visit. Begin in
`reader`. `describing` reads one file without a crawl.
"""
