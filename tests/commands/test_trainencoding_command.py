"""``scrapy trainencoding`` makes a model file, and tells errors in one line."""

import subprocess
import sys

import harness
import pytest
from harness import ROOT, environment

from mediacrawl.encoding import use_models
from mediacrawl.encoding.languages import LANGUAGES

pytestmark = pytest.mark.usefixtures("bundled_models")
SENTENCES = ROOT / "training" / "sentences"


def command(folder, *arguments):
    """Run it; answers its exit code and both streams."""
    words = ["trainencoding", *map(str, arguments)]
    return harness.run("mediacrawl", words, folder, environment(), seconds=300)


@pytest.mark.slow
def test_the_same_text_gives_the_same_file_with_another_hash_seed(tmp_path):
    for seed in ("1", "2"):
        words = ["br", SENTENCES / "br.txt.gz", "-o", f"{seed}.bin"]
        line = [sys.executable, "-m", "mediacrawl", "trainencoding", *words]
        subprocess.run(line, cwd=tmp_path, env=environment(PYTHONHASHSEED=seed), timeout=300, check=True)
    assert (tmp_path / "1.bin").read_bytes() == (tmp_path / "2.bin").read_bytes()


def test_the_command_makes_a_model_that_is_used(tmp_path):
    done = command(tmp_path, "cv", SENTENCES / "cv.txt.gz", "--tlds", "ru", "--weight", "0.5")
    assert (done.returncode, done.stderr) == (0, "")
    assert "cv, cyrillic, weight 0.5" in done.stdout
    assert use_models([tmp_path / "cv.bin"]).languages == ("cv",)
    assert LANGUAGES["cv"].tlds == ("ru",)
    assert command(tmp_path, "cv", SENTENCES / "cv.txt.gz").returncode == 0  # an older model is replaced


def test_the_command_never_replaces_anything_but_a_model(tmp_path):
    (tmp_path / "text.txt").write_text("precious", encoding="utf-8")
    done = command(tmp_path, "cv", SENTENCES / "cv.txt.gz", "-o", "text.txt")
    assert (done.returncode, done.stdout) == (1, "")
    assert "is no model file" in done.stderr
    assert (tmp_path / "text.txt").read_text(encoding="utf-8") == "precious"


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("cv",), 2, "at least one text file"),
        (("cv", "none.txt"), 1, "none.txt cannot be read: No such file or directory."),
        (("cv", "none.txt", "--leters", "abc"), 2, "unknown option --leters"),
        (("cv", "none.txt", "-o", "no/folder/cv.bin"), 1, "cannot be read"),
    ],
)
def test_the_command_tells_errors_in_one_line(tmp_path, arguments, code, says):
    done = command(tmp_path, *arguments)
    assert done.returncode == code
    assert says in done.stderr
    assert "Traceback" not in done.stderr
