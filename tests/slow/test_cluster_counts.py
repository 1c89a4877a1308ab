"""No clusters where there are none, three where there are three: 20 of 20 tables of every kind and width."""

import sys
from pathlib import Path

import numpy as np
import pytest

from gradatim.clustering import choose_num_clusters

sys.path.insert(0, str(Path(__file__).parents[1] / "clustering"))
from tables import TABLES


@pytest.mark.parametrize("dim", [2, 5, 10])
@pytest.mark.parametrize("name", TABLES)
def test_the_number_is_right_in_20_of_20_tables(name, dim):
    truth, draw = TABLES[name]
    found = [
        choose_num_clusters(draw(np.random.default_rng(seed), 200, dim), seed=seed).num_clusters
        for seed in range(20)
    ]
    assert found == [truth] * 20
