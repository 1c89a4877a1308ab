import numpy as np
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.losses import pinball_loss, quantile_loss


def test_the_formula():
    rng = np.random.default_rng(0)
    y, f, levels = rng.normal(size=(4, 2)), rng.normal(size=(4, 2, 3)), (0.1, 0.5, 0.8)
    total = 0.0
    for i in np.ndindex(4, 2):
        for q, level in enumerate(levels):
            error = y[i] - f[i][q]
            total += level * error if error > 0 else (level - 1) * error
    loss = quantile_loss(levels)(torch.tensor(f), torch.tensor(y))
    assert loss.item() == pytest.approx(total / 24)


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
def test_the_best_constant_is_the_quantile(level):
    y = torch.tensor(np.random.default_rng(1).exponential(size=999))
    candidates = y.sort().values
    losses = [quantile_loss((level,))(c.expand(999, 1), y).item() for c in candidates]
    best = candidates[int(np.argmin(losses))].item()
    assert best == pytest.approx(np.quantile(y.numpy(), level), abs=0.02)


def test_the_median_is_half_the_absolute_error_and_truth_is_free():
    y = torch.randn(9)
    assert quantile_loss((0.5,))(torch.zeros(9, 1), y).item() == pytest.approx(
        y.abs().mean().item() / 2
    )
    assert quantile_loss((0.1, 0.9))(y[:, None].expand(9, 2), y).item() == 0


@pytest.mark.parametrize("quantiles", [(), (0.0, 0.5), (0.5, 1.0)])
def test_levels_outside_are_refused(quantiles):
    with pytest.raises(InvalidValue, match="quantiles must be between 0 and 1"):
        quantile_loss(quantiles)


def test_one_quantile_is_the_loss_of_many_and_its_minimum_is_a_quantile():
    generator = torch.Generator().manual_seed(0)
    f, y = torch.randn(9, generator=generator), torch.randn(9, generator=generator)
    own = pinball_loss(f[:, None], y, quantile=0.8)
    torch.testing.assert_close(own, quantile_loss((0.8,))(f[:, None], y))
    with pytest.raises(InvalidValue, match=r"quantile must be between 0 and 1, got 1\.0"):
        pinball_loss(f, y, quantile=1.0)
