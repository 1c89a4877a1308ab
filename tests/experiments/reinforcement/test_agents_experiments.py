"""Every claim of the short ones holds, with figures to show it; the long ones are in tests/slow."""

import pytest
import torch

from gradatim import experiments
from gradatim.experiments.reinforcement._walks import greedy_chances, returns_of, walk
from gradatim.experiments.reinforcement.exploration import auer_bound, lai_robbins
from gradatim.reinforcement import Cliff, value_iteration


def test_every_claim_holds():
    report = experiments.run("sparse-rewards", quick=True, overrides={"steps": "4000", "learners": "30"})  # fmt: skip
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert [picture.name for picture in report.pictures] == ["policies", "arrivals"]


def test_walks_and_exact_returns_of_the_cliff():
    world = Cliff()
    plan = value_iteration(world.model(), gamma=1.0)
    assert len(walk(world, plan.policy)) == 14
    sure = returns_of(world, greedy_chances(plan.q[None]), 1.0, 36)
    assert sure.item() == pytest.approx(-13.0)
    stumbling = returns_of(world, greedy_chances(plan.q[None], 0.1), 1.0, 36)
    assert stumbling.item() < -40


def test_bounds_of_regret_by_hand():
    p = torch.tensor([0.5, 0.75])
    assert auer_bound(p.max() - p, 100) == pytest.approx(8 * 4.605170 / 0.25 + 0.25 * 4.289868, rel=1e-5)  # fmt: skip
    divergence = 0.5 * torch.tensor(0.5 / 0.75).log() + 0.5 * torch.tensor(0.5 / 0.25).log()
    assert lai_robbins(p, 100) == pytest.approx(0.25 / float(divergence) * 4.605170, rel=1e-5)
