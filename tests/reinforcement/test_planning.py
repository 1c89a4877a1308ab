"""Bellman's backup against a slow loop, its contraction, and both ways to the best values."""

from itertools import pairwise

import pytest
import torch

from gradatim.errors import GradatimError
from gradatim.reinforcement import (  # fmt: skip
    Cliff,
    Maze,
    Model,
    WindyGrid,
    bellman_backup,
    policy_iteration,
    value_iteration,
)


def random_model(seed, states=6, actions=3, leak=0.1):
    g = torch.Generator().manual_seed(seed)
    p = torch.rand(states, actions, states, dtype=torch.float64, generator=g) ** 4
    p = (1 - leak) * p / p.sum(-1, keepdim=True)
    return Model(p, torch.randn(states, actions, dtype=torch.float64, generator=g))


def slow_backup(p, r, v, gamma):
    q = [[0.0] * len(r[0]) for _ in r]
    for s in range(len(r)):
        for a in range(len(r[0])):
            q[s][a] = r[s][a] + gamma * sum(p[s][a][k] * v[k] for k in range(len(v)))
    return q


def test_the_backup_is_its_equation():
    model, v = random_model(0), torch.randn(6, dtype=torch.float64)
    expected = slow_backup(model.transitions.tolist(), model.rewards.tolist(), v.tolist(), 0.7)
    found = bellman_backup(*model, v, gamma=0.7)
    torch.testing.assert_close(found, torch.tensor(expected, dtype=torch.float64))


@pytest.mark.parametrize("gamma", [0.0, 0.5, 0.9, 1.0])
def test_the_backup_contracts_by_gamma(gamma):
    for seed in range(20):
        model = random_model(seed, leak=0.0)
        u, v = torch.randn(2, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
        after = [bellman_backup(*model, x, gamma=gamma).amax(1) for x in (u, v)]
        assert (after[0] - after[1]).abs().max() <= gamma * (u - v).abs().max() + 1e-12


def test_changes_shrink_by_gamma_at_least():
    changes = value_iteration(random_model(1, leak=0.0), gamma=0.8).changes
    assert all(later <= 0.8 * before + 1e-12 for before, later in pairwise(changes))  # fmt: skip


@pytest.mark.parametrize(("world", "gamma"), [(Maze(), 0.95), (Cliff(), 1.0), (WindyGrid(), 1.0), (WindyGrid(), 0.9)])  # fmt: skip
def test_both_ways_find_the_same(world, gamma):
    one, two = (way(world.model(), gamma=gamma) for way in (value_iteration, policy_iteration))
    torch.testing.assert_close(one.q, two.q, rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(one.values, one.q.amax(1))
    assert len(two.changes) < len(one.changes) or gamma == 1.0


def test_no_policy_of_all_is_better():
    model = random_model(3, states=3, actions=2)
    best = value_iteration(model, gamma=0.9).values
    for code in range(8):
        policy = torch.tensor([code & 1, code >> 1 & 1, code >> 2 & 1])
        p, r = model.transitions[range(3), policy], model.rewards[range(3), policy]
        values = torch.linalg.solve(torch.eye(3, dtype=torch.float64) - 0.9 * p, r)
        assert (values <= best + 1e-8).all()


STAYS = Model(torch.ones(1, 1, 1), torch.ones(1, 1))


@pytest.mark.parametrize("way", [value_iteration, policy_iteration])
@pytest.mark.parametrize(
    ("model", "gamma", "words"),
    [
        (STAYS, 1.0, "gamma must be below 1 where episodes do not end, for the return is not finite"),
        (STAYS, -0.1, "gamma must be in [0, 1], got -0.1"),
        (Model(torch.ones(1, 1), torch.ones(1, 1)), 0.5, "transitions must have shape (S, A, S)"),
        (Model(2 * torch.ones(1, 1, 1), torch.ones(1, 1)), 0.5, "chances that add up to at most 1"),
    ],
)  # fmt: skip
def test_what_has_no_values_is_refused(way, model, gamma, words):
    with pytest.raises(GradatimError) as error:
        way(model, gamma=gamma)
    assert words in str(error.value)


def test_returns_that_grow_for_ever_are_noticed():
    # it may end, but it pays to go on
    model = Model(torch.tensor([[[1.0], [0.0]]]), torch.tensor([[1.0, 0.0]]))
    with pytest.raises(GradatimError, match="max_sweeps must suffice"):
        value_iteration(model, gamma=1.0, max_sweeps=50)
