import pytest
import torch

from gradatim.bayes import hmc, leapfrog
from gradatim.errors import InvalidValue

SPREAD = torch.tensor([[2.0, 0.6], [0.6, 0.5]], dtype=torch.float64)


def bowl(x):
    return -x.square().sum(1) / 2


def quartic(x):
    return -(x**4).sum(1) / 4 - 0.3 * x[:, 0]


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_a_step_by_hand():
    """Momentum and decision drawn beforehand from an equal generator."""
    g = generator(1)
    v = torch.randn(6, 2, generator=g, dtype=torch.float64)
    u = torch.rand(6, generator=g, dtype=torch.float64)
    x = torch.linspace(-2, 2, 12).double().view(6, 2)
    end = leapfrog(quartic, x, v, step_size=0.7, num_steps=3)
    before, after = v.square().sum(1) / 2 - quartic(x), end.momentum.square().sum(1) / 2 - quartic(end.position)  # fmt: skip
    is_taken = u < (before - after).exp()
    state, info = hmc.step(quartic, hmc.init(quartic, x), step_size=0.7, num_steps=3, generator=generator(1))  # fmt: skip
    assert is_taken.any()
    assert not is_taken.all()
    torch.testing.assert_close(state.position, torch.where(is_taken[:, None], end.position, x))
    torch.testing.assert_close(info.acceptance, (before - after).exp().clamp(max=1))
    torch.testing.assert_close(info.energy, before)
    assert torch.equal(info.is_accepted, is_taken)
    torch.testing.assert_close(state.log_density, quartic(state.position))


def test_a_mass_is_a_change_of_coordinates():
    """With x = Ly and M⁻¹ = LLᵀ the chain in x is the chain in y with unit mass."""
    L = torch.linalg.cholesky(SPREAD)
    y = torch.randn(5, 2, generator=generator()).double()
    first = hmc.init(lambda y: quartic(y @ L.T), y)
    second = hmc.init(quartic, y @ L.T)
    for seed in range(4):
        first, _ = hmc.step(lambda y: quartic(y @ L.T), first, step_size=0.3, num_steps=4, generator=generator(seed))  # fmt: skip
        second, _ = hmc.step(quartic, second, step_size=0.3, num_steps=4, inverse_mass=SPREAD, generator=generator(seed))  # fmt: skip
        torch.testing.assert_close(second.position, first.position @ L.T)


def test_draws_of_the_density_stay_draws_of_it():
    """From exact draws of N(0, 1), a step that is far too long for the energy to be kept."""
    g = generator()
    x = torch.randn(40_000, 1, generator=g)
    state, info = hmc.step(bowl, hmc.init(bowl, x), step_size=1.6, num_steps=2, generator=g)
    assert 0.4 < float(info.acceptance.mean()) < 0.95
    z = state.position[:, 0]
    for power, expected, spread in ((1, 0, 1), (2, 1, 2**0.5), (4, 3, 96**0.5)):
        assert float(z.pow(power).mean()) == pytest.approx(expected, abs=4 * spread / 200)


def test_a_path_that_leaves_the_density_diverges_and_is_refused():
    x = torch.tensor([[0.1], [30.0]])
    state, info = hmc.step(quartic, hmc.init(quartic, x), step_size=0.5, num_steps=5, generator=generator())  # fmt: skip
    assert info.is_divergent.tolist() == [False, True]
    assert float(state.position[1]) == 30.0
    assert float(info.acceptance[1]) == 0.0


def test_state_and_start_are_left_as_they_were():
    x = torch.zeros(3, 2)
    state = hmc.init(bowl, x)
    kept = [part.clone() for part in state]
    hmc.step(bowl, state, step_size=0.5, num_steps=3, generator=generator())
    assert all(torch.equal(part, old) for part, old in zip(state, kept, strict=True))
    assert not x.any()


@pytest.mark.parametrize(
    ("density", "start", "message"),
    [
        (lambda x: x[:, 0].log(), [[1.0], [0.0]], "finite where a chain starts, got -inf in chain 2 of 2. Start inside"),
        (lambda x: x[:, 0].log(), [[-1.0]], "got nan in chain 1 of 1"),
        (bowl, [1.0, 2.0], r"must have a row per chain, shape \(chains, d\), got shape \(2,\)"),
        (lambda x: bowl(x).sum(), [[1.0], [2.0]], r"must map 2 rows to as many numbers, got shape \(\)"),
    ],
)  # fmt: skip
def test_a_bad_start_is_refused(density, start, message):
    with pytest.raises(InvalidValue, match=message):
        hmc.init(density, start)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"step_size": 0.0}, "hmc: step_size must be more than 0, got 0.0. Try step_size=0.1."),
        ({"num_steps": 0}, "hmc: num_steps must be a whole number from 1, got 0."),
        ({"inverse_mass": torch.ones(3)}, "hmc: inverse_mass must have shape"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(InvalidValue, match=message):
        hmc.step(bowl, hmc.init(bowl, [[0.0, 1.0]]), **({"step_size": 0.1, "num_steps": 1} | settings))  # fmt: skip
