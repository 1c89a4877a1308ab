"""Returns and advantages against slow loops over each episode's own sum; truncation bootstraps, termination does not."""

import pytest
import torch

from gradatim.reinforcement import discounted_returns, generalized_advantages

T, N = 9, 4


def drawn(seed=0):
    g = torch.Generator().manual_seed(seed)
    rewards, values, following = torch.randn(3, T, N, dtype=torch.float64, generator=g)
    terminated = torch.rand(T, N, generator=g) < 0.2
    ended = terminated | (torch.rand(T, N, generator=g) < 0.2)
    return rewards, values, following, terminated, ended


def test_returns_are_sums_within_each_episode():
    rewards, _, following, terminated, ended = drawn()
    after = following * ~terminated
    found = discounted_returns(rewards, ended, 0.9, following=after)
    for n in range(N):
        for t in range(T):
            total, k = 0.0, t
            while True:
                total += 0.9 ** (k - t) * float(rewards[k, n])
                if ended[k, n] or k == T - 1:
                    break
                k += 1
            total += 0.9 ** (k - t + 1) * float(after[k, n])
            assert float(found[t, n]) == pytest.approx(total)


def test_advantages_are_sums_of_surprises():
    rewards, values, following, terminated, ended = drawn(1)
    found = generalized_advantages(rewards, values, following, terminated, ended, gamma=0.9, lam=0.7)  # fmt: skip
    for n in range(N):
        for t in range(T):
            total = 0.0
            for k in range(t, T):
                over = 0.0 if terminated[k, n] else float(following[k, n])
                surprise = float(rewards[k, n]) + 0.9 * over - float(values[k, n])
                total += (0.9 * 0.7) ** (k - t) * surprise
                if ended[k, n]:
                    break
            assert float(found[t, n]) == pytest.approx(total)


def test_lambda_one_is_the_return_less_the_value():
    rewards, values, following, terminated, ended = drawn(2)
    following[:-1] = torch.where(ended[:-1], following[:-1], values[1:])  # consistent in an episode
    found = generalized_advantages(rewards, values, following, terminated, ended, gamma=0.8, lam=1.0)  # fmt: skip
    returns = discounted_returns(rewards, ended, 0.8, following=following * ~terminated)
    torch.testing.assert_close(found, returns - values)


def test_truncation_bootstraps_and_termination_does_not():
    one = torch.ones(1, 1)
    yes, no = torch.ones(1, 1, dtype=torch.bool), torch.zeros(1, 1, dtype=torch.bool)
    cut = generalized_advantages(one, 0 * one, 10 * one, no, yes, gamma=0.5, lam=0.9)
    over = generalized_advantages(one, 0 * one, 10 * one, yes, yes, gamma=0.5, lam=0.9)
    assert (cut.item(), over.item()) == (6.0, 1.0)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="generalized_advantages"):
        generalized_advantages([[1.0]], [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], [[1.0, 2.0]], [[0]], [[0]], gamma=1, lam=1)  # fmt: skip
