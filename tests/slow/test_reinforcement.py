"""The experiments on worlds and agents, short and from several seeds; PPO on the pole from ten."""

import pytest
import torch

from gradatim import experiments
from gradatim.reinforcement import PPO, CartPole, learn

NAMES = ("maze-q-learning", "exploration", "sarsa-versus-q", "sparse-rewards", "reinforce-variance", "cartpole", "paradigms")  # fmt: skip


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("name", NAMES)
def test_every_claim_holds(name, seed):
    report = experiments.run(name, quick=True, overrides={"seed": str(seed)})
    assert report.holds, [claim for claim in report.claims if not claim.holds]


@pytest.mark.parametrize("seed", range(10))
def test_ppo_holds_the_pole_from_every_seed(seed):
    torch.set_num_threads(1)
    learned = learn(PPO(decay_steps=131_072), CartPole(), steps=131_072, episodes=100, seed=seed)
    assert learned.state.steps <= 150_000
    assert float(learned.curve[-1].returns.mean()) >= 475
