"""Nodes to learn from, to choose on and to judge."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradatim.data import node_split
from gradatim.errors import InvalidValue


@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 9), st.integers(0, 9))
def test_parts_are_apart_and_every_class_has_its_share(classes, per_class, seed, unknown):
    y = torch.arange(classes).repeat_interleave(10 + per_class)
    y = torch.cat([torch.full((unknown,), -1), y])
    parts = node_split(y, per_class=per_class, validation=3, test=5, seed=seed)
    every = torch.cat(parts)
    assert len(every.unique()) == len(every)
    assert (y[every] >= 0).all()
    assert torch.bincount(y[parts[0]], minlength=classes).tolist() == [per_class] * classes
    assert [len(part) for part in parts[1:]] == [3, 5]


def test_every_node_is_drawn_equally_often():
    y = torch.zeros(10, dtype=torch.long)
    counts = torch.zeros(10)
    for seed in range(600):
        counts[node_split(y, per_class=2, validation=0, test=0, seed=seed)[0]] += 1
    assert (counts - 120).abs().max() < 4 * (600 * 0.16) ** 0.5


def test_refusals():
    with pytest.raises(InvalidValue, match="smallest class, got 3 of 2"):
        node_split([0, 0, 1, 1, 1], per_class=3, validation=0, test=0)
    with pytest.raises(InvalidValue, match="at most 3 nodes together, got 500 and 1000"):
        node_split([0, 0, 1, 1, 1], per_class=1)
    with pytest.raises(InvalidValue, match="seed must be"):
        node_split([0, 1], seed=-1)
