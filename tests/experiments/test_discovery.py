import subprocess
import sys

import pytest

from gradatim import experiments
from gradatim.errors import InvalidValue


def test_experiments_are_found_by_their_files(coin_toss):
    names = experiments.names()
    assert coin_toss in names
    assert names == sorted(names)
    assert not any(name.startswith(("-", "_")) for name in names)


def test_summary_is_the_first_line(coin_toss):
    assert experiments.summary(coin_toss) == "Coins land on both sides."


def test_reading_imports_neither_experiments_nor_torch():
    script = (
        "import sys; from gradatim import experiments as e; [e.summary(n) for n in e.names()];"
        "loaded = [m for m in sys.modules if m.startswith('gradatim.experiments.')];"
        "print(sorted(m for m in loaded if not m.split('.')[-1].startswith('_')), 'torch' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[] False"


@pytest.mark.parametrize("name", ["coin-toss", "coin_toss"])
def test_dashes_and_underscores_are_the_same(coin_toss, name):
    assert experiments.load(name).QUICK.throws == 10


def test_unknown_name_gets_the_nearest(coin_toss):
    with pytest.raises(
        InvalidValue,
        match=r"^experiments: name must be one of coin-toss.*, got 'coin-tos'\. Try 'coin-toss'",
    ):
        experiments.load("coin-tos")
    with pytest.raises(InvalidValue, match=r"got '../secret'"):
        experiments.summary("../secret")


def test_without_experiments_the_message_says_so(monkeypatch):
    monkeypatch.setattr(experiments, "__path__", [])
    with pytest.raises(InvalidValue, match=r"name must be an experiment, got 'a'; there are none"):
        experiments.load("a")
