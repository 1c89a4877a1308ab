import math

import pytest
import torch
from scipy.stats import kstest

from gradatim.bayes import hmc, nuts
from gradatim.errors import InvalidValue

SPREAD = torch.tensor([[2.0, 0.6], [0.6, 0.5]], dtype=torch.float64)


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def bowl(x):
    return -x.square().sum(1) / 2


def test_draws_of_the_density_stay_draws_of_it():
    """From exact draws of Student's t, whose tails make paths of many lengths: the distribution may not change."""
    from scipy.stats import t

    x = torch.from_numpy(t(5).ppf(torch.rand(4000, 1, generator=generator()).double().numpy()))

    def log_density(x):
        return -3 * torch.log1p(x[:, 0].square() / 5)

    state, depths = nuts.init(log_density, x), set()
    for seed in range(4):
        state, info = nuts.step(log_density, state, step_size=0.9, generator=generator(seed))
        depths |= set(info.depth.tolist())
    assert len(depths) >= 4
    assert kstest(state.position[:, 0].numpy(), t(5).cdf).pvalue > 1e-3
    assert abs(float((state.position * x).mean() / x.square().mean())) < 0.2  # and it has moved


def test_a_strange_density_is_met_in_its_moments():
    """Two bumps of different height, by quadrature."""

    def log_density(x):
        return torch.logaddexp(-2 * (x[:, 0] - 1).square(), -(x[:, 0] + 1).square())

    grid = torch.linspace(-8, 8, 4001).double()[:, None]
    p = log_density(grid).softmax(0)
    state, g, seen = nuts.init(log_density, torch.zeros(3000, 1).double()), generator(), []
    for draw in range(30):
        state, _ = nuts.step(log_density, state, step_size=0.6, generator=g)
        if draw >= 10:
            seen.append(state.position[:, 0])
    found = torch.stack(seen)
    for power in (1, 2, 3):
        expected = float((p * grid[:, 0] ** power).sum())
        each = found.pow(power).mean(0)  # of every chain, independent of the others
        assert float(each.mean()) == pytest.approx(expected, abs=4 * float(each.std()) / 3000**0.5)


def test_paths_end_where_they_turn():
    """On an oscillator half a turn is π long; a path is at most four of the longest that does not turn."""
    state = nuts.init(bowl, torch.randn(200, 1, generator=generator()))
    _, info = nuts.step(bowl, state, step_size=0.1, generator=generator())
    lengths = 0.1 * info.steps
    assert float(lengths.max()) < 2 * math.pi
    assert float(lengths.mean()) > 1
    assert (info.steps <= 2**info.depth - 1).all()
    assert float(info.acceptance.min()) > 0.98


def test_chains_that_are_done_cost_nothing():
    rows = []

    def counted(x):
        rows.append(len(x))
        return bowl(x * torch.tensor([1.0, 3.0]))

    state = nuts.init(counted, 3 * torch.randn(50, 2, generator=generator()))
    rows.clear()
    _, info = nuts.step(counted, state, step_size=0.15, generator=generator())
    assert sum(rows) == int(info.steps.sum())
    assert len(rows) == 2 ** int(info.depth.max()) - 1 or len(rows) == int(info.steps.max())
    assert min(rows) < 50


def test_no_path_is_longer_than_the_most():
    state = nuts.init(bowl, torch.zeros(20, 3))
    _, info = nuts.step(bowl, state, step_size=1e-3, max_depth=4, generator=generator())
    assert info.steps.tolist() == [15] * 20
    assert info.depth.tolist() == [4] * 20


def test_a_mass_is_a_change_of_coordinates():
    """With x = Ly and M⁻¹ = LLᵀ the chain in x is the chain in y with unit mass."""

    def quartic(x):
        return -(x**4).sum(1) / 4 - 0.3 * x[:, 0]

    L = torch.linalg.cholesky(SPREAD)
    y = torch.randn(9, 2, generator=generator()).double()
    first, second = nuts.init(lambda y: quartic(y @ L.T), y), nuts.init(quartic, y @ L.T)
    for seed in range(4):
        first, _ = nuts.step(lambda y: quartic(y @ L.T), first, step_size=0.3, generator=generator(seed))  # fmt: skip
        second, _ = nuts.step(quartic, second, step_size=0.3, inverse_mass=SPREAD, generator=generator(seed))  # fmt: skip
        torch.testing.assert_close(second.position, first.position @ L.T)


def test_a_path_that_leaves_the_density_diverges():
    def quartic(x):
        return -(x**4).sum(1) / 4

    state = nuts.init(quartic, torch.tensor([[0.1], [30.0]]))
    new, info = nuts.step(quartic, state, step_size=0.5, generator=generator())
    assert info.is_divergent.tolist() == [False, True]
    assert int(info.steps[1]) == 1
    assert float(new.position[1]) == 30.0


def test_state_is_left_as_it_was_and_the_new_one_is_consistent():
    state = nuts.init(bowl, torch.randn(5, 2, generator=generator()))
    kept = [part.clone() for part in state]
    new, info = nuts.step(bowl, state, step_size=0.5, generator=generator())
    assert all(torch.equal(part, old) for part, old in zip(state, kept, strict=True))
    for part, expected in zip(new, nuts.init(bowl, new.position), strict=True):
        torch.testing.assert_close(part, expected)
    v = torch.randn(5, 2, generator=generator())
    torch.testing.assert_close(info.energy, v.square().sum(1) / 2 - state.log_density)


def test_its_init_is_that_of_hmc():
    assert nuts.init is hmc.init


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"step_size": 0}, "nuts: step_size must be more than 0, got 0"),
        ({"max_depth": 0}, "nuts: max_depth must be a whole number from 1, got 0"),
        ({"inverse_mass": torch.ones(3)}, "nuts: inverse_mass must have shape"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(InvalidValue, match=message):
        nuts.step(bowl, nuts.init(bowl, [[0.0, 1.0]]), **({"step_size": 0.1} | settings))
