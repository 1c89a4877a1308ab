import numpy as np
import pandas as pd
import pytest
from scipy import stats

from gradatim.errors import InvalidValue
from gradatim.generative.margin import KNOTS, Margin, learn_margins


def columns():
    rng = np.random.default_rng(0)
    return {
        "heavy tails": pd.Series(rng.standard_cauchy(700)),
        "many zeros": pd.Series(np.where(rng.random(700) < 0.7, 0.0, rng.exponential(size=700))),
        "whole": pd.Series(rng.poisson(2.0, 700)),
        "two": pd.Series(rng.choice(["no", "yes"], 700, p=[0.9, 0.1])),
        "long": pd.Series(rng.normal(size=3 * KNOTS)),
    }


@pytest.mark.parametrize("name", columns())
def test_every_column_becomes_normal(name):
    column = columns()[name]
    margin = Margin.learn(column)
    side = margin.read(column)
    z = margin.to_normal(side.values, np.random.default_rng(1).random(len(column)))
    assert stats.kstest(z, "norm").statistic < 1.5 / np.sqrt(len(column))


@pytest.mark.parametrize("name", columns())
def test_the_inverse_gives_every_value_back(name):
    column = columns()[name]
    margin = Margin.learn(column)
    side = margin.read(column)
    uniform = np.random.default_rng(1).random(len(column))
    back = margin.from_normal(margin.to_normal(side.values, uniform))
    if name in ("heavy tails", "long", "many zeros"):
        gap = np.abs(stats.rankdata(back) - stats.rankdata(side.values)).max()
        assert gap <= 2 * max(len(column) / KNOTS, 1) + (side.values == 0).sum() / 2
        assert np.corrcoef(stats.rankdata(back), stats.rankdata(side.values))[0, 1] > 0.999
    else:
        assert (back == side.values).all()
    if name == "many zeros":
        assert ((back == 0) == (side.values == 0)).mean() > 0.995


def test_categories_stand_in_the_order_of_their_frequency():
    column = pd.Series(["b", "a", "b", None, "c", "c", "b"])
    margin = Margin.learn(column)
    assert margin.levels == ("b", "c", "a")
    assert margin.missing == pytest.approx(1 / 7)
    side = margin.read(pd.Series(["c", None, "never seen"]))
    assert side.is_there.tolist() == [True, False, False]
    assert margin.write(side.values, side.is_there).tolist() == ["c", None, None]


def test_truth_values_stay_truth_values():
    margin = Margin.learn(pd.Series([True, True, False]))
    assert margin.levels == (True, False)


def test_values_between_the_knots_only_where_values_hardly_repeat():
    few, many = pd.Series([0.0, 1.0] * 50), pd.Series(np.linspace(0, 1, 100) ** 2)
    z = np.random.default_rng(0).normal(size=200)
    assert set(Margin.learn(few).from_normal(z)) == {0.0, 1.0}
    assert len(set(Margin.learn(many).from_normal(z))) > 190
    assert Margin.learn(many).from_normal(z).max() <= 1.0


def test_a_value_between_two_knots_lies_between_their_places():
    margin = Margin(np.array([0.0, 1.0, 3.0]), 0.0, True)
    low, high = margin.jump(np.array([2.0, -5.0, 9.0]))
    assert low == pytest.approx(high)
    assert low == pytest.approx([0.5 + 1 / 6, 0.0, 1.0])


def test_a_column_without_cells_is_refused():
    with pytest.raises(InvalidValue, match="column must have cells that are not missing, got none"):
        learn_margins(pd.DataFrame({"x": [None, None]}))
