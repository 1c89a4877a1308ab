"""Freed memory stays while it is wanted, and leaves afterwards."""

import subprocess
import sys

import pytest

from gradatim.training import held_memory
from gradatim.training.held_memory import holding_memory

SCRIPT = """
import resource, torch
from gradatim.training.held_memory import holding_memory

def faults(rounds=5):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(rounds):
        blocks = [torch.ones(1 << 20) for _ in range(32)]  # 4 MB each
        del blocks
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

with holding_memory():
    faults(1)
    inside = faults()
outside = faults()
print(inside, outside)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the option is that of Linux")
def test_pages_are_used_again_inside_only():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    inside, outside = map(int, done.stdout.split())
    rounds = 5 * 32 * 1024  # pages written in five rounds of 128 MB
    assert inside < 0.05 * rounds
    assert outside > 0.2 * rounds


def test_nothing_happens_where_the_library_is_another(monkeypatch):
    monkeypatch.setattr(held_memory, "_library", lambda: None)
    with holding_memory():
        pass


def test_the_thresholds_are_set_back_after_an_error(monkeypatch):
    calls = []

    class Library:
        def mallopt(self, option, value):
            calls.append((option, value))

        def malloc_trim(self, pad):
            calls.append("trim")

    monkeypatch.setattr(held_memory, "_library", Library)
    with pytest.raises(KeyError), holding_memory():
        raise KeyError
    assert calls == [(-3, 1 << 25), (-1, 2**31 - 1), (-1, 1 << 26), "trim"]
