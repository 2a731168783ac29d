"""An adapter is moved to a port in all of its addresses, and in nothing else."""

from player_sites.moving import adapter_at_port


def test_an_adapter_has_the_port_in_its_hosts_and_urls_and_not_in_its_name():
    adapter = {
        "name": "clips.example",
        "comment": "for clips.example",
        "page": {"host": "*.clips.example", "path": "/clip/{id}", "fetched": False},
        "requests": [{"url": "http://api.clips.example/v2/{id}?of=http%3A%2F%2Fclips.example%2F", "read": "json"}],
        "records": {"media": [{"json": "$.file", "url": "http://cdn.clips.example:81/{value}.mp4"}]},
        "learned": {"from": ["clips.example.har"]},
    }
    moved = adapter_at_port(adapter, 4711)
    assert (moved["name"], moved["comment"], moved["learned"]) == tuple(
        adapter[name] for name in ("name", "comment", "learned")
    )
    assert moved["page"] == {**adapter["page"], "host": "*.clips.example:4711"}
    assert moved["requests"][0]["url"] == (
        "http://api.clips.example:4711/v2/{id}?of=http%3A%2F%2Fclips.example:4711%2F"
    )
    # Where there is a port already, it stays.
    assert moved["records"] == adapter["records"]
