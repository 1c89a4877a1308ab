import numpy as np
import pandas as pd
import pytest

from gradatim.fitting.generative.rows import judging
from gradatim.fitting.generative.rows.judging import Bench, repeated_rows
from gradatim.generative import RowCodec, telling_apart


def rows(count, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 2))
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": np.where(x[:, 0] > 0, "u", "v")})


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.setattr(telling_apart, "TREES", 20)
    train = rows(200, 0)
    return Bench(train, rows(100, 1), RowCodec.learn(train), "c", 0)


def test_copies_and_new_rows(bench):
    copied, fresh = bench.judge(bench.train), bench.judge(rows(200, 2))
    assert copied.copying.low > 0.5
    assert copied.repeats == (200, 200)
    assert fresh.copying.low < 0.5 < fresh.copying.high
    assert fresh.repeats == (0, 0)
    assert fresh.test.auc.low < 0.5 < fresh.test.auc.high
    assert abs(fresh.teaching.loss.value) < 0.1
    assert len(fresh.losses) == judging.FOLDS


def test_real_rows_copy_by_definition(bench):
    real = bench.judge(bench.train, is_real=True)
    assert real.copying is None
    assert real.repeats is None


def test_pairs_of_some_of_many_columns(bench, monkeypatch):
    monkeypatch.setattr(judging, "MOST_PAIRED", 2)
    assert bench.some_columns() == ["a", "c"]
    assert bench._replace(target="b").some_columns() == ["a", "b", "c"]


def test_repeats_count_missing_cells_as_equal():
    train = pd.DataFrame({"x": [1.0, np.nan], "c": ["u", None]})
    made = pd.DataFrame({"x": [np.nan, 1.0], "c": [None, "v"]})
    assert repeated_rows(made, train, train[:0]) == (1, 1)
    assert repeated_rows(made, train, train[1:]) == (1, 0)  # it stands among the held-out rows too
