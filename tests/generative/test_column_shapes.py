import numpy as np
import pandas as pd
import pytest
from sdmetrics.single_column import KSComplement, TVComplement

from gradatim.errors import InvalidType, InvalidValue
from gradatim.generative.column_shapes import column_similarity, mean_column_similarity, weigh


@pytest.fixture
def tables():
    rng = np.random.default_rng(0)

    def make(rows, shift):
        x = rng.normal(shift, 1.0, rows)
        return pd.DataFrame(
            {
                "x": np.where(rng.random(rows) < 0.1, np.nan, x),
                "many zeros": np.where(rng.random(rows) < 0.5, 0.0, rng.poisson(3, rows)),
                "c": pd.Series(rng.choice(["a", "b", "c"], rows)).mask(rng.random(rows) < 0.2),
                "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 99, rows), "D"),
                "yes": rng.random(rows) < 0.3,
            }
        )

    return make(70, 0.0), make(90, 0.5)


def test_they_are_the_figures_of_sdmetrics(tables):
    found = column_similarity(*tables)
    for name in tables[0]:
        metric = TVComplement if name in ("c", "yes") else KSComplement
        expected = metric.compute(tables[0][name], tables[1][name])
        assert found[name] == pytest.approx(expected, abs=1e-7), name


def test_a_category_that_one_table_lacks():
    real, made = pd.DataFrame({"c": ["a", "b"]}), pd.DataFrame({"c": ["a", "z"]})
    assert column_similarity(real, made)["c"] == 0.5


def test_equal_tables_are_alike_and_tables_apart_are_not(tables):
    assert (column_similarity(tables[0], tables[0]) == 1).all()
    far = pd.DataFrame({"x": [1.0, 2.0]}), pd.DataFrame({"x": [3.0, 4.0]})
    assert column_similarity(*far)["x"] == 0.0


def test_a_column_without_cells_has_no_figure():
    real, made = pd.DataFrame({"x": [1.0, 2.0]}), pd.DataFrame({"x": [np.nan, np.nan]})
    assert np.isnan(column_similarity(real, made)["x"])


def test_the_interval_holds_the_truth_at_its_level():
    rng, inside = np.random.default_rng(1), 0
    for k in range(60):
        real = pd.DataFrame({"c": rng.random(300) < 0.5})
        made = pd.DataFrame({"c": rng.random(300) < 0.8})
        found = mean_column_similarity(real, made, seed=k)
        inside += found.low <= 0.7 <= found.high
    assert 50 <= inside <= 60


def test_weights_are_shares():
    codes = np.array([0, 2, 2, 1])
    weights = np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 0.0, 0.0]])
    assert weigh(codes, 3, weights).tolist() == [[1.0, 4.0, 5.0], [1.0, 0.0, 0.0]]


@pytest.mark.parametrize(
    ("made", "error", "sentence"),
    [
        ({"b": [1, 2]}, InvalidValue, "generated must have the columns of real in the same order, got 'b' for 'a'"),
        ({"a": [1, 2], "b": [1, 2]}, InvalidValue, "in the same order, got 2 for 1"),
        ({"a": ["u", "v"]}, InvalidValue, "generated must hold numbers where real does, got others in 'a'"),
        ({"a": [1]}, InvalidValue, "generated must have at least two rows, got 1"),
        (None, InvalidType, "generated must be a data frame, got a NoneType"),
    ],
)  # fmt: skip
def test_tables_that_cannot_be_compared(made, error, sentence):
    table = None if made is None else pd.DataFrame(made)
    with pytest.raises(error, match=sentence):
        column_similarity(pd.DataFrame({"a": [1, 2]}), table)
