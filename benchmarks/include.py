"""What a whitelist costs: microseconds per URL with 10, 1,000 and 10,000 patterns.

    python benchmarks/include.py [--urls 3000]

Measured in one run: `mediacrawl.scope.include.Include` on URLs it has not met before (its automaton grows as it meets
them, so this is the honest figure) and on the same URLs again; Python's `re` with all patterns joined by ``|``; and a
loop over compiled patterns. One URL in ten is on the whitelist, which is where the others can stop early. The two
slow ways get a sample of the URLs, so that the run ends. The answers of all ways are compared.
"""

import argparse
import random
import re
import time

from shared import figure, finish, table

from mediacrawl.scope.include import Include

TEXT = "music albums track live audio podcast episode artist archive radio show tags news sport shop item photo"
WORDS = TEXT.split()
SIZES = (10, 1_000, 10_000)
TARGET = 20.0
"""Microseconds per new URL with 10,000 patterns. A page has some ten new URLs, so that is 0.2 ms a page."""


def pattern_and_match(number):
    """A pattern as operators write them, and a URL that it matches."""
    word, other = WORDS[number % len(WORDS)], WORDS[number * 7 % len(WORDS)]
    return [
        (rf"^https?://(www\.)?site{number}\.example/{word}/", f"https://www.site{number}.example/{word}/x"),
        (rf"/{word}{number}/[^/]+\.html$", f"https://a.example/{word}{number}/page.html"),
        (rf"[?&]{word}=(\d+,)*{number}(&|$)", f"https://b.example/?{word}=77,{number}&x=1"),
        (rf"\.host{number}\.(org|net)/.*{other}", f"http://m.host{number}.org/x/{other}.html"),
        (rf"/{word}-{number}-\w+/{other}", f"https://c.example/{word}-{number}-abc/{other}"),
    ][number % 5]


def other_url(rng):
    host, page, track = (rng.randrange(10**6) for _ in range(3))
    return f"https://q{host}.example/{rng.choice(WORDS)}/{rng.choice(WORDS)}{page}/{rng.choice(WORDS)}-{track}.html"


def measure(matches, urls):
    """Microseconds per URL, and the answers."""
    start = time.perf_counter()
    answers = [bool(matches(url)) for url in urls]
    return (time.perf_counter() - start) / len(urls) * 1e6, answers


def compare(size, count):
    rng = random.Random(size)
    pairs = [pattern_and_match(number) for number in range(size)]
    patterns = [pattern for pattern, _ in pairs]
    hits = [rng.choice(pairs)[1] for _ in range(count // 10)]
    urls = hits + [other_url(rng) for _ in range(count - len(hits))]
    rng.shuffle(urls)
    sample = urls[: max(50, min(count, 300_000 // size))]

    start = time.perf_counter()
    include = Include(patterns=patterns)
    build = (time.perf_counter() - start) * 1e3
    first, answers = measure(lambda url: include.allows(url, "a.example"), urls)
    again, _ = measure(lambda url: include.allows(url, "a.example"), urls)
    joined_pattern = re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
    joined, joined_answers = measure(joined_pattern.search, sample)
    compiled = [re.compile(pattern) for pattern in patterns]
    loop, loop_answers = measure(lambda url: any(pattern.search(url) for pattern in compiled), sample)
    if not answers[: len(sample)] == joined_answers == loop_answers or sum(answers) < len(hits):
        raise SystemExit("the ways disagree")
    return {"build": build, "first": first, "again": again, "joined": joined, "loop": loop}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--urls", type=int, default=3_000)
    count = parser.parse_args().urls
    rows = {size: compare(size, count) for size in SIZES}
    cells = [(f"{size:,} patterns", list(row.values())) for size, row in rows.items()]
    table("Microseconds a URL", ("build, ms", "new URL", "again", "re, joined", "re, loop"), cells)
    figures = [figure(f"include_{n}_patterns", row["first"], "us/url", TARGET, "less") for n, row in rows.items()]
    finish("include", figures)


if __name__ == "__main__":
    main()
