import numpy as np
import pytest

from gradatim.data.tables.columns import Column, Levels
from gradatim.fitting.clusters.profile import differences, mean_effect, share_effect

IS_IN = np.arange(40) < 10
TABLE = {
    "size": np.where(IS_IN, 9.0, 1.0) + np.arange(40) % 3,
    "noise": np.arange(40) % 5 * 1.0,
    "town": Levels(np.where(IS_IN, 0, np.where(np.arange(40) % 2, 1, -1)), ["Bern", "Genf"]),
    "yes": (np.arange(40) % 4 < np.where(IS_IN, 3, 1)).astype(float),
    "day": np.where(IS_IN, 19_723.0, 20_088.0) + np.arange(40) % 2,
}
COLUMNS = [
    Column("size", "numeric"),
    Column("noise", "numeric"),
    Column("town", "categorical"),
    Column("yes", "boolean"),
    Column("day", "date"),
]


def test_the_largest_effects_come_first_in_the_units_of_the_data():
    found = differences(TABLE, COLUMNS, IS_IN)
    effects = [abs(d.effect) for d in found]
    assert effects == sorted(effects, reverse=True)
    told = {d.what: (d.inside, d.outside) for d in found}
    assert told["day"] == ("2024-01-01", "2024-12-31")
    assert told["town = Bern"] == ("100 %", "0 %")
    assert told["town is missing"] == ("0 %", "50 %")
    assert told["yes"] == ("80 %", "23 %")
    assert "noise" not in told
    assert str(next(d for d in found if d.what == "yes")) == "yes 80 % (others 23 %)"


def test_effects_are_those_of_cohen():
    a, b = np.array([1.0, 2.0, 6.0]), np.array([0.0, 1.0])
    pooled = np.sqrt((2 * a.var(ddof=1) + 1 * b.var(ddof=1)) / 3)
    assert mean_effect(a, b) == pytest.approx((a.mean() - b.mean()) / pooled)
    assert mean_effect(b, a) == -mean_effect(a, b)
    assert mean_effect(np.ones(3), np.zeros(3)) == 20.0
    assert mean_effect(np.ones(3), np.ones(3)) == 0.0
    assert mean_effect(a / 6 * 1.7e308, b / 6 * 1.7e308) == pytest.approx(mean_effect(a, b))
    assert share_effect(1.0, 0.0) == pytest.approx(np.pi)


def test_one_cluster_differs_from_nothing():
    assert differences(TABLE, COLUMNS, np.ones(40, bool)) == []
