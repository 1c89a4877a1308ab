import numpy as np
import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.models import MLP
from gradatim.theory import labelings, shatters, vc_dimension
from gradatim.theory.labeling_search import all_labelings

XOR = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]


def line():
    return nn.Linear(2, 1)


def as_set(rows):
    return {tuple(row) for row in np.asarray(rows, dtype=bool)}


def test_all_labelings_are_the_numbers_in_binary():
    assert all_labelings(2).tolist() == [[False, False], [True, False], [False, True], [True, True]]


def test_lines_learn_exactly_what_half_spaces_say():
    points = [[np.cos(k), np.sin(k)] for k in range(5)]
    assert as_set(labelings(line, points)) == as_set(labelings("half-spaces", points))
    assert as_set(labelings(line, XOR)) == as_set(labelings("half-spaces", XOR))


def test_the_dimension_of_lines_is_found():
    assert vc_dimension(line, dim=2) == vc_dimension("half-spaces", dim=2) == 3


def test_a_hidden_layer_shatters_what_a_line_does_not():
    assert shatters(lambda: MLP((2, 4, 1), activation="tanh"), XOR)


def test_one_constant_says_the_same_of_all_points():
    class Constant(nn.Module):
        def __init__(self):
            super().__init__()
            self.bias = nn.Parameter(torch.randn(1))

        def forward(self, x):
            return self.bias + 0 * x[:, :1]

    assert as_set(labelings(Constant, [0.0, 1.0])) == {(False, False), (True, True)}


def test_equal_seeds_find_equal_labelings_and_draw_from_nobody():
    points = np.random.default_rng(1).normal(size=(4, 2))

    def narrow():
        return MLP((2, 2, 1), activation="tanh")

    state = torch.get_rng_state()
    first, again = (labelings(narrow, points, seed=3) for _ in range(2))
    assert np.array_equal(first, again)
    assert torch.equal(torch.get_rng_state(), state)


def test_what_is_refused():
    with pytest.raises(InvalidValue, match=r"^labelings: points of a network must be at most 10.*got 11"):  # fmt: skip
        labelings(line, np.ones((11, 2)))
