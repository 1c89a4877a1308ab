"""Tables, norms and words of a trace."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from gradatim.backprop import backpropagate
from gradatim.backprop.trace import norm, shape_text


def trace():
    model = nn.Sequential(nn.Linear(2, 1, bias=False), nn.Tanh())
    model[0].weight.data = torch.tensor([[0.0, 0.0]])
    return backpropagate(model, lambda output, y: output.sum(), torch.tensor([[3.0, 4.0]]), None)


def test_table_has_norms_shapes_and_counts():
    table = trace().table()
    assert table["stage"].tolist() == ["input", "0", "1"]
    assert table["layer"].tolist() == ["", "Linear", "Tanh"]
    assert table["output"].tolist() == ["(1, 2)", "(1, 1)", "(1, 1)"]
    assert table["parameters"].tolist() == [0, 2, 0]
    assert table["‖x‖"].tolist() == [5.0, 0.0, 0.0]
    assert table["‖p‖"].tolist() == [0.0, 1.0, 1.0]
    assert table["‖gradient‖"][1] == pytest.approx(5.0)
    assert table["‖gradient‖"].isna().tolist() == [True, False, True]


def test_table_is_blank_where_no_gradient_flows():
    tokens = torch.tensor([[1, 2]])
    table = backpropagate(nn.Embedding(3, 2), lambda output, y: output.sum(), tokens, None).table()
    assert table["‖p‖"].isna().tolist() == [True, False]


def test_norm_is_over_all_numbers():
    parts = {"a": torch.tensor([[1.0, 2.0]]), "b": (torch.tensor([2.0]), torch.tensor([3 + 4j]))}
    assert norm(parts) == pytest.approx(math.sqrt(1 + 4 + 4 + 25))
    assert norm(torch.tensor([3, 4])) == 5.0
    assert norm(None) is None


def test_norm_does_not_overflow_in_half_precision():
    assert norm(torch.full((100,), 6e4, dtype=torch.float16)) == pytest.approx(6e5, rel=1e-3)


def test_shapes_of_structures():
    assert shape_text((torch.zeros(2, 1), [torch.zeros(3)])) == "(2, 1) (3,)"


def test_words():
    found = trace()
    assert repr(found) == "Trace(2 stages, 1 gradients, loss 0)"
    assert repr(found.stages[0]) == "Stage('0', Linear, output (1, 1), 2 parameters)"


def test_figure_shows_every_stage():
    model = nn.Sequential(nn.Embedding(5, 3), nn.Flatten(), nn.Linear(6, 2))
    found = backpropagate(model, F.cross_entropy, torch.randint(5, (4, 2)), torch.randint(2, (4,)))
    texts = [text.get_text() for text in found.figure().axes[0].texts]
    assert {
        "input",
        "0 Embedding",
        "1 Flatten",
        "2 Linear",
        "loss E",
        "(4, 2, 3)",
        "14 parameters",
    } <= set(texts)
