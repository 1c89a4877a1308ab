import pytest
import torch
from torch import nn
from torch.distributions import Categorical, Normal

from gradatim.bayes.networks.likelihood import Likelihood, find_likelihood, read_data, read_targets

OUTPUTS = torch.randn(3, 5, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def test_densities_are_those_of_torch():
    y = torch.randn(5, 2, dtype=torch.float64)
    expected = Normal(OUTPUTS, 0.3**0.5).log_prob(y).sum((1, 2))
    torch.testing.assert_close(Likelihood("gaussian", 0.3).log_density(OUTPUTS, y), expected)
    classes = torch.tensor([0, 1, 1, 0, 1])
    expected = Categorical(logits=OUTPUTS).log_prob(classes).sum(1)
    torch.testing.assert_close(Likelihood("categorical", 1).log_density(OUTPUTS, classes), expected)


def test_whole_numbers_are_classes():
    assert find_likelihood("a", "auto", 1.0, torch.tensor([1, 0])).kind == "categorical"
    assert find_likelihood("a", "auto", 1.0, torch.tensor([1.0])).kind == "gaussian"
    assert find_likelihood("a", "gaussian", 1.0, torch.tensor([1])).kind == "gaussian"
    with pytest.raises(ValueError, match=r"a: likelihood must be one of categorical, .*Try 'cat"):
        find_likelihood("a", "categoric", 1.0, torch.tensor([1]))
    with pytest.raises(ValueError, match="a: noise must be a variance, positive and finite, got 0"):
        find_likelihood("a", "auto", 0, torch.tensor([1.0]))


def test_data_that_are_none():
    model = nn.Linear(2, 1)
    X, y = read_data("a", model, ([[1.0, 2.0]], [3]))
    assert (X.dtype, y.dtype) == (torch.float32, torch.int64)
    with pytest.raises(TypeError, match=r"a: data must be a pair \(X, y\), got a Tensor"):
        read_data("a", model, X)
    with pytest.raises(TypeError, match="a: data must hold numbers"):
        read_data("a", model, (["x"], [1]))
    with pytest.raises(
        ValueError, match=r"equally many rows, from 1, got shapes \(1, 2\) and \(2,\)"
    ):
        read_data("a", model, (X, [1, 2]))
    with pytest.raises(ValueError, match="a: y must be finite"):
        read_data("a", model, (X, [float("nan")]))


@pytest.mark.parametrize(
    ("kind", "y", "words"),
    [
        ("gaussian", torch.zeros(5), "y must have a number per output, got y of shape"),
        ("categorical", torch.zeros(5, 2).long(), "y must have a class per row"),
        (
            "categorical",
            torch.full((5,), 0.5),
            "y must hold whole numbers .* Say likelihood='gauss",
        ),
        ("categorical", torch.arange(5), "y must hold classes from 0 to 1, got 0 to 4"),
    ],
)
def test_targets_that_do_not_fit(kind, y, words):
    with pytest.raises(ValueError, match=words):
        read_targets("a", Likelihood(kind, 1.0), y, OUTPUTS[0])


def test_targets_take_the_shape_of_outputs():
    found = read_targets("a", Likelihood("gaussian", 1.0), torch.arange(5), OUTPUTS[0][:, :1])
    assert found.shape == (5, 1)
    assert read_targets("a", Likelihood("categorical", 1.0), torch.tensor([0.0, 1, 1, 0, 1]), OUTPUTS[0]).dtype == torch.int64  # fmt: skip
