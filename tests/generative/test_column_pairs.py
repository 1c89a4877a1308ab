import numpy as np
import pandas as pd
import pytest
from sdmetrics.column_pairs import ContingencySimilarity, CorrelationSimilarity

from gradatim.generative.column_pairs import mean_pair_similarity, pair_similarity


@pytest.fixture
def tables():
    rng = np.random.default_rng(0)

    def make(rows, tie):
        x = rng.normal(size=rows)
        return pd.DataFrame(
            {
                "x": np.where(rng.random(rows) < 0.1, np.nan, x),
                "y": np.where(rng.random(rows) < 0.1, np.nan, tie * x + rng.normal(size=rows)),
                "c": pd.Series(rng.choice(["a", "b", "c"], rows)).mask(rng.random(rows) < 0.2),
                "d": np.where(x > 0, "u", "v"),
            }
        )

    return make(80, 1.0), make(60, 0.2)


def test_they_are_the_figures_of_sdmetrics(tables):
    real, made = tables
    found = pair_similarity(real, made)
    expected = {
        ("x", "y"): CorrelationSimilarity.compute(real[["x", "y"]], made[["x", "y"]]),
        ("c", "d"): ContingencySimilarity.compute(real[["c", "d"]], made[["c", "d"]]),
    }
    for number in "xy":
        for category in "cd":
            pair = [number, category]
            expected[number, category] = ContingencySimilarity.compute(
                real[pair].copy(), made[pair].copy(), continuous_column_names=[number]
            )
    for (a, b), value in expected.items():
        assert found.loc[a, b] == found.loc[b, a] == pytest.approx(value, abs=1e-9), (a, b)
    assert mean_pair_similarity(real, made).value == pytest.approx(np.mean(list(expected.values())))


def test_a_constant_column_has_no_correlation():
    real = pd.DataFrame({"x": [1.0, 2.0, 3.0], "k": [5.0, 5.0, 5.0], "y": [1.0, 2.0, 4.0]})
    found = pair_similarity(real, real)
    assert found["k"].isna().all()
    assert found.loc["x", "y"] == 1.0
    assert np.isnan(np.diag(found)).all()


def test_the_correlations_are_those_of_the_rows_that_have_both():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(50, 3)) + rng.normal(size=(50, 1))
    values[rng.random((50, 3)) < 0.2] = np.nan
    real = pd.DataFrame(values, columns=list("abc"))
    made = pd.DataFrame(rng.normal(size=(50, 3)), columns=list("abc"))
    expected = 1 - (real.corr() - made.corr()).abs() / 2
    found = pair_similarity(real, made)
    for a, b in (("a", "b"), ("a", "c"), ("b", "c")):
        assert found.loc[a, b] == pytest.approx(expected.loc[a, b])


def test_the_interval_holds_the_truth_at_its_level():
    rng, inside = np.random.default_rng(1), 0
    for k in range(40):
        x = rng.normal(size=(400, 2))
        real = pd.DataFrame({"x": x[:, 0], "y": 0.6 * x[:, 0] + 0.8 * x[:, 1]})
        made = pd.DataFrame(rng.normal(size=(400, 2)), columns=["x", "y"])
        found = mean_pair_similarity(real, made, seed=k)
        inside += found.low <= 0.7 <= found.high
    assert 33 <= inside <= 40


def test_one_column_has_no_pairs():
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
    assert np.isnan(mean_pair_similarity(table, table).value)
