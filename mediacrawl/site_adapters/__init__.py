"""Site adapters: data that maps the URL of a page to small requests whose answer names the media of the page.

Sites whose pages hide their media behind scripts have an address of their own for the scripts. A site adapter says, in
one JSON file, how that address is made of the URL of a page, and where the answer names media. Nothing in it is code.

* `form` and `loading`: the file, `schema` what may be in it.
* `engine`: applies an adapter. The crawl, ``scrapy adapters try`` and the learner use nothing else.
* `registry`: the adapters of a crawl, by host.
* `queued`: a data request as it waits in the frontier.
* `counts`: how often each adapter found what it should; `explaining` says it in words.
* `har`: reads recordings of browsers. `learn`: makes adapters of them.
"""
