"""Preference losses: equations, limits, gradients."""

import math

import pytest
import torch

from gradatim.losses import comparison_loss, dpo_loss, policy_loss


def randn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_comparison_by_hand_and_at_its_limits():
    good, bad = randn(6), randn(6, seed=1)
    expected = (
        sum(math.log(1 + math.exp(b - a)) for a, b in zip(good.tolist(), bad.tolist(), strict=True))
        / 6
    )
    assert comparison_loss(good, bad).item() == pytest.approx(expected)
    assert comparison_loss(good + 1000, bad).item() == 0.0
    assert comparison_loss(good, good + 1000).item() == pytest.approx(1000)


def test_dpo_is_the_comparison_of_implied_rewards():
    now_good, now_bad, then_good, then_bad = randn(4, 5)
    total = 0.0
    for a, b, c, d in zip(
        now_good.tolist(), now_bad.tolist(), then_good.tolist(), then_bad.tolist(), strict=True
    ):
        total += math.log(1 + math.exp(-0.3 * ((a - c) - (b - d))))
    measured = dpo_loss(now_good, now_bad, then_good, then_bad, beta=0.3)
    assert measured.item() == pytest.approx(total / 5)
    with pytest.raises(ValueError, match="beta must be more than 0, got 0"):
        dpo_loss(now_good, now_bad, then_good, then_bad, beta=0)


def test_dpo_finds_the_policy_of_the_optimum_in_closed_form():
    """With two answers of rewards r, the best policy is π ∝ π₀ exp(r/β), of which DPO knows the odds."""
    beta, reference, rewards = (
        0.5,
        torch.tensor([0.8, 0.2]).double().log(),
        torch.tensor([0.0, 1.0]).double(),
    )
    logits = reference.clone().requires_grad_()
    win = torch.sigmoid(rewards[1] - rewards[0])  # how often a judge prefers the second
    optimizer = torch.optim.LBFGS(
        [logits], max_iter=200, tolerance_grad=1e-12, tolerance_change=1e-14
    )

    def closure():
        optimizer.zero_grad()
        p, q = logits.log_softmax(0), reference
        second = dpo_loss(p[1:], p[:1], q[1:], q[:1], beta=beta)
        first = dpo_loss(p[:1], p[1:], q[:1], q[1:], beta=beta)
        loss = win * second + (1 - win) * first
        loss.backward()
        return loss

    optimizer.step(closure)
    best = (reference + rewards / beta).softmax(0)
    torch.testing.assert_close(logits.softmax(0).detach(), best, atol=1e-6, rtol=0)


def test_policy_gradient_at_the_start_is_reinforce():
    log_probs = randn(3, 4).requires_grad_()
    advantages = randn(3, seed=1)
    for clip in (None, 0.2):
        (gradient,) = torch.autograd.grad(
            policy_loss(log_probs, log_probs.detach(), advantages, clip=clip), log_probs
        )
        torch.testing.assert_close(gradient, (-advantages[:, None] / 12).expand(3, 4))


def test_clipping_stops_the_gradient_beyond_the_bound_only_where_it_pays():
    old = torch.zeros(4, 1).double()
    now = (
        torch.tensor([[0.5], [0.5], [-0.5], [-0.5]]).double().requires_grad_()
    )  # ratios 1.65, 0.61
    advantages = torch.tensor([1.0, -1.0, 1.0, -1.0]).double()
    (gradient,) = torch.autograd.grad(policy_loss(now, old, advantages, clip=0.2), now)
    assert (gradient.flatten() == 0).tolist() == [True, False, False, True]
    measured = policy_loss(now, old, advantages, clip=0.2).item()
    assert measured == pytest.approx(-(1.2 - math.exp(0.5) + math.exp(-0.5) - 0.8) / 4)


def test_gradients():
    inputs = [x.requires_grad_() for x in randn(4, 3)]
    assert torch.autograd.gradcheck(dpo_loss, inputs)
    assert torch.autograd.gradcheck(comparison_loss, inputs[:2])
