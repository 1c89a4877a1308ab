import math

import pytest
import torch
from torch import distributions

from gradatim.errors import InvalidValue
from gradatim.generative.row_likelihood import RowLikelihood

ROWS = torch.tensor([[0.3, -1.0, -1.0, 1.0, 1.0], [-2.0, 1.0, -1.0, -1.0, -1.0]])


@pytest.fixture
def likelihood():
    model = RowLikelihood([1, -3, -1])
    torch.nn.init.constant_(model.log_variance, 0.4)
    return model


def test_it_is_the_sum_over_columns(likelihood):
    decoded = torch.randn(7, 2, 5, generator=torch.Generator().manual_seed(0))
    number = distributions.Normal(decoded[..., 0], math.exp(0.2)).log_prob(ROWS[:, 0])
    choice = distributions.Categorical(logits=decoded[..., 1:4]).log_prob(torch.tensor([2, 0]))
    one = distributions.Bernoulli(logits=decoded[..., 4]).log_prob(torch.tensor([1.0, 0.0]))
    assert torch.allclose(likelihood(decoded, ROWS), number + choice + one, atol=1e-5)


def test_draws_have_the_mean_and_are_rows(likelihood):
    decoded = torch.tensor([[0.5, 0.1, -0.4, 0.9, 0.7]]).expand(20_000, 5)
    drawn = likelihood.sample(decoded, generator=torch.Generator().manual_seed(0)).detach()
    assert torch.allclose(drawn.mean(0), likelihood.mean(decoded)[0], atol=0.03)
    assert float(drawn[:, 0].std()) == pytest.approx(math.exp(0.2), abs=0.02)
    assert drawn[:, 1:].abs().eq(1).all()
    assert (drawn[:, 1:4].sum(1) == -1).all()


def test_gradients_reach_the_decoder_and_the_variances(likelihood):
    decoded = torch.randn(2, 5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda d: likelihood.double()(d, ROWS.double()), decoded)
    likelihood(decoded, ROWS.double()).sum().backward()
    assert likelihood.log_variance.grad.abs().sum() > 0


def test_widths_that_are_none():
    with pytest.raises(InvalidValue, match="widths must be 1 for a number, or negative for a category, got \\[2\\]"):  # fmt: skip
        RowLikelihood([2])
