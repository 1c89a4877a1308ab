import pytest
import torch
from torch.distributions import MultivariateNormal

from gradatim.bayes import hmc, mala
from gradatim.errors import InvalidValue

SPREAD = torch.tensor([[2.0, 0.6], [0.6, 0.5]], dtype=torch.float64)


def quartic(x):
    return -(x**4).sum(1) / 4 - 0.3 * x[:, 0]


def slope(x):
    return -(x**3) - 0.3 * torch.tensor([1.0, 0.0], dtype=x.dtype)


def test_it_accepts_by_the_ratio_of_hastings():
    """The densities of both proposals, by PyTorch's own multivariate normal."""
    x = torch.randn(20, 2).double()
    size = 0.8
    state, info = mala.step(quartic, mala.init(quartic, x), step_size=size, inverse_mass=SPREAD, generator=torch.Generator().manual_seed(0))  # fmt: skip
    taken = info.is_accepted
    old, new = x[taken], state.position[taken]

    def log_q(where, whence):
        mean = whence + size**2 / 2 * slope(whence) @ SPREAD
        return MultivariateNormal(mean, size**2 * SPREAD).log_prob(where)

    log_ratio = quartic(new) + log_q(old, new) - quartic(old) - log_q(new, old)
    assert taken.sum() > 5
    torch.testing.assert_close(info.acceptance[taken], log_ratio.exp().clamp(max=1))
    assert torch.equal(state.position[~taken], x[~taken])


def test_it_is_hmc_with_one_step():
    x = torch.randn(30, 2)
    first, second = mala.init(quartic, x), hmc.init(quartic, x)
    for seed in range(5):
        settings = {"step_size": 0.6, "inverse_mass": torch.tensor([1.0, 0.5])}
        first, told = mala.step(quartic, first, generator=torch.Generator().manual_seed(seed), **settings)  # fmt: skip
        second, also = hmc.step(quartic, second, num_steps=1, generator=torch.Generator().manual_seed(seed), **settings)  # fmt: skip
        torch.testing.assert_close(first.position, second.position)
        torch.testing.assert_close(told.acceptance, also.acceptance, atol=1e-5, rtol=1e-4)


def test_a_step_of_nothing_is_refused():
    with pytest.raises(InvalidValue, match="mala: step_size must be more than 0, got 0"):
        mala.step(quartic, mala.init(quartic, [[0.0, 0.0]]), step_size=0)
