"""From how many things a model learns in time, by a clock of our own."""

import numpy as np
import pytest

from gradatim.fitting import probing
from gradatim.fitting.probing import FIRST, things_in_time


class Things:
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def take(self, rows):
        return Things(self.rows[rows])


@pytest.fixture
def learn(monkeypatch):
    """A model that takes a second for every thing it learns from, and a tenth for one it judges; and what it was given."""
    now, seen = [0.0], []
    monkeypatch.setattr(probing.time, "perf_counter", lambda: now[0])

    class Slow:
        def __init__(self, train, y):
            np.testing.assert_array_equal(train.rows, y)
            seen.append(len(y))
            now[0] += len(y)

        def outputs(self, judge):
            now[0] += len(judge) / 10

    return Slow, seen


@pytest.mark.parametrize(("seconds", "wanted"), [(1e9, None), (525.0, 500), (105.0, 100), (60.0, 0)])  # fmt: skip
def test_as_many_as_the_time_allows(learn, seconds, wanted):
    slow, seen = learn
    train, judge = Things(np.arange(1000)), Things(np.arange(500))
    found = things_in_time(slow, train, np.arange(1000), judge, float, 0, seconds)
    assert found == (pytest.approx(wanted, rel=0.02) if wanted else wanted)
    assert seen[0] == FIRST


def test_a_model_that_fails_is_left_to_the_fold():
    def fail(train, y):
        raise ValueError("no")

    train = Things(np.arange(1000))
    assert things_in_time(fail, train, np.arange(1000), train, float, 0, 1.0) is None
