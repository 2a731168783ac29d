"""The native part prices as Python does, bit for bit: on titles in all encodings, and on input of any kind.

Each test decides everything twice in this process, with the caches emptied in between.
"""

# ruff: noqa: RUF001 - national letters are what is written here

import random
import resource
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from mediacrawl.encoding import Hints, detect, native, repair
from mediacrawl.encoding.models import clear_caches
from mediacrawl.encoding.mojibake import lost_bytes
from mediacrawl.encoding.mojibake.lossy import DOUBLE_BYTE
from mediacrawl.encoding.pricing import kernel_tables
from mediacrawl.encoding.pricing.hypotheses import hypothesis_names, price_bytes
from mediacrawl.encoding.pricing.reading import read, read_in
from mediacrawl.encoding.pricing.scoring import pairs

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from encoding_units import units


@pytest.fixture
def both(monkeypatch):
    """Computes something in both ways, and says whether they agree."""

    def computed(compute, *, is_native):
        with monkeypatch.context() as here:
            if not is_native:
                here.setattr(native, "module", lambda: None)
            clear_caches()
            assert (native.kernel() is not None) == is_native
            return compute()

    def agree(compute):
        here, there = (computed(compute, is_native=is_native) for is_native in (True, False))
        assert here == there
        return here

    yield agree
    monkeypatch.undo()
    clear_caches()


def decided(records):
    """What comes of records of bytes, in every way that they can be requested."""
    return [
        answer
        for fields, tld in records
        for answer in (
            detect(fields),
            detect(fields, Hints(tld=tld)),
            repair([raw.decode("latin-1") for raw in fields]),
        )
    ]


def titles(step):
    rows = [unit for kind in ("field", "record") for unit in units(kind)]
    return [(unit.raws, unit.language) for unit in rows[::step]]


@pytest.mark.parametrize("step", [900, pytest.param(1, marks=pytest.mark.slow)])
def test_titles(both, step):
    both(lambda: decided(titles(step)))


def test_fields_of_several_records_together(both):
    some = titles(1500)
    mixed = [((*first[0], *second[0]), first[1]) for first, second in pairwise(some)]
    both(lambda: decided(mixed))


def test_random_bytes_of_any_length(both):
    rng = random.Random(21)
    records = [[rng.randbytes(rng.randrange(30)) for _ in range(rng.randrange(1, 4))] for _ in range(30)]
    records += [[b"", b"\xff"], [rng.randbytes(300)], [b"\xe9" * 20_000]]
    both(lambda: [detect(fields) for fields in records])
    both(lambda: [repair([raw.decode("latin-1") for raw in fields]) for fields in records[:4]])


def test_random_text(both):
    rng = random.Random(22)
    blocks = [(0x20, 0x250), (0x370, 0x600), (0xE00, 0xE80), (0x3000, 0xD7A4), (0xD800, 0xE000), (0, 0x110000)]
    texts = ["".join(chr(rng.randrange(*rng.choice(blocks))) for _ in range(rng.randrange(25))) for _ in range(150)]
    both(lambda: [(text, read(text)) for text in texts])
    both(lambda: [repair([text]) for text in texts[:20]])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "?",
        "L’été à Noël",
        "Don’t",
        "’",
        "’’s",
        "qu’il",
        "Đặng Thái Sơn",
        "КИНО’s",
        "「夢」abcÄ東京…♪",
        "\U00020000字",
    ],
)
def test_texts_at_the_edges(both, text):
    codes = ["", "fr", "vi", "ru", "en"]
    both(lambda: (read(text), [read_in(text, code) for code in codes]))


def test_signs_that_are_priced_in_any_language(both):
    signs = [
        "ï¿½",
        "\xa0!",
        "\u202f%",
        "«\xa0",
        "n.\xa05",
        "A–B",
        "C—D",
        ":¬)",
        "x¬y",
        "√π",
        "pÃ\xa0s",
        "\x85",
        "\ufffd",
    ]
    signs += ["\ufffe", "\ud800", "\ue000", "─", "\U000e0200", "A", "ж", "字", "é"]
    texts = [first + "Привет é" + second for first in signs for second in signs]
    both(lambda: [read(text) for text in texts])


def test_each_pair_prices_words_alike(both):
    rng = random.Random(23)
    words = [bytes(rng.choices([*b"LlSs", *range(65, 91), *range(128, 256)], k=rng.randrange(1, 9))) for _ in range(60)]
    names = [(pair.encoding, pair.language) for pair in pairs()]
    both(lambda: [price_bytes(b" ".join(words), *name) for name in names])


def test_memory_does_not_grow_with_the_words(both):
    """A row of the first pass is replaced, not added."""
    both(
        lambda: [
            len(detect([bytes((first, second))]).fields)
            for first in range(128, 256, 13)
            for second in range(0, 256, 17)
        ]
    )


SPEC = [
    "pairs", "languages", "encodings", "steps", "half", "gains", "kinds", "names", "english", "longest_word",
    "doubles", "weighing",
]  # fmt: skip


@pytest.mark.parametrize("name", SPEC)
def test_tables_that_do_not_fit_are_refused(name):
    module = native.module()
    spec = kernel_tables.spec()
    for wrong in (None, [], b"", 1 << 50, [None], [{}], [b"x"], -1):
        if not (name in {"kinds", "doubles"} and wrong == []):
            with pytest.raises((ValueError, TypeError, OverflowError)):
                module.Kernel({**spec, name: wrong}, kernel_tables.load)
    with pytest.raises(ValueError, match="do not fit"):
        module.Kernel({key: value for key, value in spec.items() if key != name}, kernel_tables.load)


def wrong_letters(spec, **changes):
    return {**spec, "pairs": [{**spec["pairs"][0], **changes}, *spec["pairs"][1:]]}


@pytest.mark.parametrize(
    "changes",
    [
        {"letters": b"\xff" * 256},
        {"classes": b"\x20" * 256},
        {"extra": b"\xff" * 256},
        {"language": 999},
        {"encoding": -1},
    ],
)
def test_numbers_beyond_their_table_are_refused(changes):
    with pytest.raises(ValueError, match="do not fit"):
        native.module().Kernel(wrong_letters(kernel_tables.spec(), **changes), kernel_tables.load)


@pytest.mark.parametrize("found", [None, (), (b"", b"", b""), (b"x" * 27, b"abc", b"")])
def test_what_the_loader_gives_is_checked(found):
    kernel = native.module().Kernel(kernel_tables.spec(), lambda name: found)
    with pytest.raises(ValueError, match="do not fit"):
        kernel.price(b"\xe9t\xe9", 0)
    with pytest.raises(ValueError, match="do not fit"):
        kernel.double("東京".encode("cp932"), 0)


def test_an_error_of_the_loader_comes_out():
    def load(name):
        raise LookupError(name)

    with pytest.raises(LookupError):
        native.module().Kernel(kernel_tables.spec(), load).choose(b"\xe9t\xe9", ([], None, ((0,),)), None, -1, -1)


NOTHING = ([], None, ())
"""No other field, no hints, no pairs that are priced in any case."""


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("weigh", ([], [], NOTHING, None, False)),
        ("weigh", ([b"x"], [], NOTHING, None, False)),
        ("weigh", ([b"x"], [1], NOTHING, None, False)),
        ("weigh", ([b"x"], [-1], NOTHING, None, False)),
        ("weigh", ([b"x"], [0, 0], NOTHING, None, False)),
        ("weigh", ([b"x"], [0], NOTHING, [], False)),
        ("weigh", ([b"x"], [0], NOTHING, ["x"], False)),
        ("weigh", ([b"x"], [0], NOTHING, 1, False)),
        ("weigh", ([b"x"], [0], ([], b"123", ()), None, False)),
        ("weigh", ([b"x"], [0], ([], None, ((),)), None, False)),
        ("weigh", ([b"x"], [0], ([], None, ((10_000,),)), None, False)),
        ("weigh", ([b"x"], [0], ([], None, tuple((0,) for _ in range(65))), None, False)),
        ("weigh", ([b"x"], [0], (["x"], None, ()), None, False)),
        ("weigh", ([b"x"], [0], [], None, False)),
        ("weigh", (["x"], [0], NOTHING, None, False)),
        ("choose", ("x", NOTHING, None, -1, -1)),
        ("choose", (b"x", ([1], None, ()), None, -1, -1)),
        ("choose", (b"x", ([], b"", ()), None, -1, -1)),
        ("choose", (b"x", ([], None, ((-1,),)), None, -1, -1)),
        ("choose", (b"x", NOTHING, "x", -1, -1)),
        ("price", (b"x", 10_000)),
        ("price", (b"x", -1)),
        ("alphabet", ("x", "x", (), -1, -1)),
        ("alphabet", ("x", "x", (999,), -1, -1)),
        ("alphabet", ("\xe9", "\xe9", (1, 0, 1), -1, -1)),
        ("double", (b"x", -1)),
        ("double", (b"x", 99)),
        ("grow", ([], [], 99, (0, 0, 0), 12)),
        ("grow", ([], [0], 0, (0, 0, 0), 12)),
        ("grow", ([()], [0], 0, (0, 0, 0), 0)),
        ("grow", ([()], [-1], 0, (0, 0, 0), 12)),
        ("grow", ([()], [None], 0, (0, 0, 0), 12)),
        ("grow", ([()], [0], 0, (0, 1 << 40, 0), 12)),
        ("grow", ([None], [0], 0, (0, 0, 0), 12)),
        ("grow", ([("x",)], [0], 0, (0, 0, 0), 12)),
        ("grow", ([(("xy", 1, 0, True),)], [0], 0, (0, 0, 0), 12)),
        ("grow", ([(("x", 0, 0, True),)], [0], 0, (0, 0, 0), 12)),
        ("grow", ([(("x", 2, 0, True),)], [0], 0, (0, 0, 0), 12)),
        ("grow", ([(("x", 1, 3, True),)], [0], 0, (0, 0, 0), 12)),
    ],
)
def test_arguments_out_of_range_are_refused(method, arguments):
    kernel = native.module().Kernel(kernel_tables.spec(), kernel_tables.load)
    with pytest.raises((ValueError, TypeError)):
        getattr(kernel, method)(*arguments)


@pytest.mark.parametrize("marked", [True, False])
def test_words_that_lost_halves_of_double_bytes(both, marked):
    rng = random.Random(7)
    words = []
    for encoding, language in DOUBLE_BYTE:
        for text in ("あいのうた　世界", "사랑 노래", "我的祖国Ａ", "愛的故事ABC", "ｱｲｳ"):
            raw = text.encode(encoding, "ignore")
            kept = [byte if rng.random() < 0.8 else -1 for byte in raw]
            words.append(([byte for byte in kept if marked or byte >= 0] or [0x82], encoding, language))
        words += [([rng.randrange(-1, 256) for _ in range(rng.randrange(1, 9))], encoding, language) for _ in range(6)]
    every = both(lambda: [list(lost_bytes._grown(units, *page, marked)) for units, *page in words])
    assert sum(map(len, every)) > 100


def test_double_bytes_of_any_kind(both):
    rng = random.Random(8)
    pages = [("euc_jp", "ja"), ("cp949", "zh-Hant"), *DOUBLE_BYTE]
    raws = ["世界の歌 Love".encode(encoding, "ignore") for encoding, _ in pages]
    raws += [b"", b"abc", b"\x8f\xb0\xa1", b"\x810\x810 \xb0", *[rng.randbytes(rng.randrange(40)) for _ in range(60)]]
    both(lambda: [price_bytes(raw, *page) for raw in raws for page in pages])


def test_hostile_words():
    kernel = native.module().Kernel(kernel_tables.spec(), kernel_tables.load)
    assert kernel.grow([], [], 0, (1, 1, 1), 12) == [(0, "", 0, 0, 0)]
    assert kernel.grow([()], [0], 0, (1, 1, 1), 12) == []
    every = ((chr(0xD800), 1, 0, False), (chr(0x10FFFF), 1, 2, True), ("\ufeff", 1, 1, True), ("\0", 1, 1, True))
    assert len(kernel.grow([every], [5], 1, (2, 3, 4), 12)) == 5
    for count, beam in ((500, 12), (12, 256)):
        found = kernel.grow([every] * count, [5] * count, 1, (2, 3, 4), beam)
        assert all(len(text) == count for _, text, *_ in found)
    with pytest.raises(ValueError, match="too long"):
        kernel.grow([every] * 60_000, [5] * 60_000, 1, (2, 3, 4), 1024)
    assert kernel.double(b"\x82\xa0" * 5_000_000, 0) > 0


def test_a_loader_that_failed_is_not_called_again():
    asked = []

    def broken(name):
        asked.append(name)
        raise OSError("unreadable")

    with pytest.raises(OSError, match="unreadable"):
        native.module().Kernel(kernel_tables.spec(), broken).price(b"\xe9t\xe9", 0)
    assert asked == [pairs()[0].language]


@pytest.mark.parametrize("name", ["characters", "lone", "tonal", "most_words", "most_scored"])
def test_tables_of_the_hypotheses_that_do_not_fit_are_refused(name):
    module, spec = native.module(), kernel_tables.spec()
    for wrong in (None, b"x", [b"x"], -2, 1 << 50):
        if not (name == "lone" and wrong == -2):
            with pytest.raises((ValueError, TypeError, OverflowError)):
                module.Kernel({**spec, "weighing": {**spec["weighing"], name: wrong}}, kernel_tables.load)


@pytest.mark.parametrize("cost", [None, -5, 1 << 30, "1"])
def test_the_price_of_what_the_kernel_leaves_to_python_is_checked(cost):
    def load(name):
        return cost if isinstance(name, tuple) and isinstance(name[1], bytes) else kernel_tables.load(name)

    with pytest.raises((ValueError, TypeError)):
        # EUC-JP has characters of three bytes.
        native.module().Kernel(kernel_tables.spec(), load).choose(b"\x8f\xb0\xa1", ([], None, ((0,),)), None, -1, -1)


def test_hostile_records():
    kernel = native.module().Kernel(kernel_tables.spec(), kernel_tables.load)
    every = bytes(range(256))
    for piece in (b"", b"\0", b"\xff", every, every * 40, b"\xe9" * 10_000_000, b"\xe9 " * 1_000_000):
        best, _, _, rivals, left, same = kernel.choose(piece, ([piece, b""], None, ((0,),)), None, -1, -1)
        assert 0 <= best < len(hypothesis_names())
        assert (left, same) == (sorted(left), sorted(same))
        assert all(0 <= number < len(hypothesis_names()) and margin >= 0 for number, margin in rivals)
    rows = kernel.weigh([b"\xe9t\xe9 %d" % n for n in range(10_000)], list(range(10_000)), NOTHING, None, True)
    assert all(len(costs) == 10_000 for _, _, costs in rows)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_calls_leave_no_memory_behind():
    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    kernel = native.module().Kernel(kernel_tables.spec(), kernel_tables.load)
    raw, about = (
        b"caf\xe9 \x8f\xb0\xa1 ",
        ([b"The Nie ma two words"], bytes(4 * len(hypothesis_names())), ((0,), (1, 2))),
    )

    def call(times):
        for _ in range(times):
            kernel.choose(raw, about, None, -1, 0)
            kernel.weigh([raw, raw], [0, 1], about, [1, 2], True)
            kernel.grow([(("\u4e16", 1, 0, True), ("x", 1, 1, False))] * 3, [0, 1, 0], 0, (1, 2, 3), 12)
            with pytest.raises(TypeError):
                kernel.grow([((1, 1, 0, True),)], [0], 0, (1, 2, 3), 12)
            with pytest.raises(ValueError, match="no such pair"):
                kernel.choose(raw, ([raw], None, ((1 << 20,),)), None, -1, -1)

    call(200)
    before = resident()
    call(2_000)
    assert resident() - before < 1 << 20
