import numpy as np
import pandas as pd
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.generative.row_codec import MOST_LEVELS, RowCodec


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    count = 400
    return pd.DataFrame(
        {
            "whole": rng.poisson(3, count),
            "spike": np.where(rng.random(count) < 0.6, 0.0, rng.exponential(size=count).round(2)),
            "gaps": pd.Series(rng.integers(0, 9, count)).mask(rng.random(count) < 0.3),
            "two": rng.choice(["no", "yes"], count),
            "three": pd.Series(rng.choice(list("abc"), count)),
            "three, gaps": pd.Series(rng.choice(list("abc"), count)).mask(rng.random(count) < 0.3),
            "one, gaps": pd.Series(["k"] * count).mask(rng.random(count) < 0.3),
            "many": pd.Series([f"t{k % 37}" for k in range(count)]).mask(rng.random(count) < 0.1),
            "flag": rng.random(count) < 0.5,
        }
    )


def test_rows_come_back(table):
    codec = RowCodec.learn(table)
    vectors = codec.encode(table, generator=torch.Generator().manual_seed(0))
    assert vectors.shape == (400, codec.dim)
    back = codec.decode(vectors)
    assert list(back) == list(table)
    for name in table:
        same = (back[name] == table[name]) | (back[name].isna() & table[name].isna())
        assert same.all(), name


def test_every_kind_of_column_has_its_entries(table):
    codec = RowCodec.learn(table)
    widths = {name: [] for name in table}
    for block in codec.blocks:
        widths[block.column].append((block.is_category, block.width))
    assert widths == {
        "whole": [(False, 1)],
        "spike": [(False, 1)],
        "gaps": [(False, 1), (True, 1)],
        "two": [(True, 1)],
        "three": [(True, 3)],
        "three, gaps": [(True, 4)],
        "one, gaps": [(True, 1)],
        "many": [(False, 1), (True, 1)],
        "flag": [(True, 1)],
    }
    assert table["many"].nunique() > MOST_LEVELS
    starts = [block.start for block in codec.blocks]
    assert starts == np.cumsum([0, *(block.width for block in codec.blocks)])[:-1].tolist()


def test_numbers_are_normal_also_where_cells_are_missing(table):
    codec = RowCodec.learn(table)
    vectors = codec.encode(table, generator=torch.Generator().manual_seed(0))
    for block in codec.blocks:
        if not block.is_category:
            own = vectors[:, block.start]
            assert own.isfinite().all()
            assert abs(float(own.mean())) < 0.1
            assert abs(float(own.std()) - 1) < 0.1


def test_the_middle_of_a_jump_without_a_generator(table):
    codec = RowCodec.learn(table)
    assert codec.encode(table).equal(codec.encode(table))


def test_any_vector_is_a_row_of_known_cells(table):
    codec = RowCodec.learn(table)
    made = codec.decode(3 * torch.randn(500, codec.dim, generator=torch.Generator().manual_seed(0)))
    for name in table:
        assert set(made[name].dropna()) <= set(table[name].dropna())


def test_a_category_that_is_not_known_counts_as_missing(table):
    codec = RowCodec.learn(table)
    odd = table.assign(**{"three, gaps": "never seen"})
    assert codec.decode(codec.encode(odd))["three, gaps"].isna().all()


def test_vectors_of_another_width_are_refused(table):
    codec = RowCodec.learn(table)
    with pytest.raises(InvalidValue, match=r"vectors must have shape \(N, 16\), got \(2, 3\)"):
        codec.decode(torch.zeros(2, 3))
