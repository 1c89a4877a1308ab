"""Shaping takes the potential off every value and leaves the best policies."""

import pytest
import torch

from gradatim.errors import GradatimError
from gradatim.reinforcement import Cliff, Maze, WindyGrid, shaped, value_iteration


@pytest.mark.parametrize(("world", "gamma"), [(Maze(), 0.9), (Cliff(), 1.0), (WindyGrid(), 0.95)])
def test_values_fall_by_the_potential(world, gamma):
    acting = ~(world.tables.ends.all(1) & (world.tables.pays == 0).all(1))
    phi = torch.randn(world.observation_space.n, generator=torch.Generator().manual_seed(0))
    plain, told = (value_iteration(w.model(), gamma=gamma).q for w in (world, shaped(world, phi, gamma=gamma)))  # fmt: skip
    torch.testing.assert_close(told[acting], (plain - phi[:, None])[acting], rtol=1e-5, atol=1e-5)
    assert not torch.equal(world.tables.pays, shaped(world, phi, gamma=gamma).tables.pays)


def test_what_does_not_fit_is_refused():
    with pytest.raises(
        GradatimError, match=r"shaped: potential must have shape \(3,\), got \(2,\)"
    ):
        shaped(Maze("S.G"), torch.zeros(2), gamma=0.9)
    with pytest.raises(GradatimError, match="shaped: gamma must be in"):
        shaped(Maze("S.G"), torch.zeros(3), gamma=2.0)
