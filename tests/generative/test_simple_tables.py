import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats

from gradatim.errors import InvalidValue
from gradatim.generative.column_shapes import column_similarity
from gradatim.generative.simple_tables import GaussianCopula, IndependentColumns, JitteredRows


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    z = rng.multivariate_normal(np.zeros(4), np.full((4, 4), 0.6) + 0.4 * np.eye(4), 4000)
    absent = stats.norm.cdf(z[:, 3]) > 0.8
    return pd.DataFrame(
        {
            "x": np.exp(z[:, 0]),
            "zeros": np.where(z[:, 1] < 0.5, 0.0, z[:, 1]),
            "c": np.where(z[:, 2] > 1, "rare", "frequent"),
            "gaps": np.where(absent, np.nan, rng.normal(size=4000)),
        }
    )


@pytest.mark.parametrize("kind", [IndependentColumns, GaussianCopula, JitteredRows])
def test_columns_keep_their_distributions(kind, table):
    made = kind.learn(table).sample(4000, generator=generator())
    assert list(made) == list(table)
    assert (column_similarity(table, made) > 0.95).all()
    assert made["gaps"].isna().mean() == pytest.approx(table["gaps"].isna().mean(), abs=0.02)
    assert set(made["c"]) == {"rare", "frequent"}


@pytest.mark.parametrize("kind", [IndependentColumns, GaussianCopula, JitteredRows])
def test_equal_generators_give_equal_rows(kind, table):
    model = kind.learn(table[:50])
    first, second = (model.sample(20, generator=generator(3)) for _ in range(2))
    pd.testing.assert_frame_equal(first, second)
    assert not first.equals(model.sample(20, generator=generator(4)))


def test_the_copula_finds_the_correlation_behind_jumps(table):
    found = GaussianCopula.learn(table).correlation
    expected = np.full((3, 3), 0.6) + 0.4 * np.eye(3)
    assert np.abs(found[:3, :3] - expected).max() < 0.08
    assert found[0, 4] == pytest.approx(0.6, abs=0.08)  # x, and whether gaps is missing


def test_the_copula_keeps_what_independent_columns_lose(table):
    for kind, low, high in ((GaussianCopula, 0.4, 0.8), (IndependentColumns, -0.06, 0.06)):
        made = kind.learn(table).sample(4000, generator=generator())
        rank = stats.spearmanr(made["x"], made["zeros"]).statistic
        assert low < rank < high


def test_jittered_rows_are_near_a_row_of_the_data():
    x = np.random.default_rng(0).normal(size=300)
    table = pd.DataFrame({"x": x})
    made = JitteredRows.learn(table, width=0.05).sample(200, generator=generator())["x"].to_numpy()
    assert np.abs(made[:, None] - x).min(1).max() < 0.3
    assert np.isin(made, x).mean() < 0.1
    same = JitteredRows.learn(table, width=0.0).sample(200, generator=generator())
    assert np.isin(same["x"], x).all()


def test_collinear_columns_make_a_proper_copula():
    x = np.random.default_rng(0).normal(size=50)
    table = pd.DataFrame({f"x{k}": x + 1e-3 * k for k in range(60)})
    made = GaussianCopula.learn(table).sample(500, generator=generator())
    assert made.corr().to_numpy().min() > 0.98


def test_rows_must_be_asked_for(table):
    with pytest.raises(InvalidValue, match="sample: num_rows must be a whole number from 1, got 0"):
        GaussianCopula.learn(table).sample(0, generator=generator())
    with pytest.raises(InvalidValue, match="width must be at least 0, got -1"):
        JitteredRows.learn(table, width=-1)
