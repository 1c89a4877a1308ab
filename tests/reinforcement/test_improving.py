"""Derivatives by hand against autograd, losses against slow loops, steps by hand against autograd's."""

import copy
import math

import pytest
import torch
from torch import nn

from gradatim.losses import policy_loss
from gradatim.models import MLP
from gradatim.randomness import seeded
from gradatim.reinforcement import (  # fmt: skip
    Batch,
    Box,
    Discrete,
    categorical_log_prob,
    gaussian_log_prob,
    policy_slope,
)
from gradatim.reinforcement.action_heads import head_of
from gradatim.reinforcement.improving import actor_critic_loss, actor_critic_slopes, standardized
from gradatim.reinforcement.learner import Learner

B = 11
HEADS = {"categorical": head_of(Discrete(3)), "gaussian": head_of(Box((-1.0, -1.0), (1.0, 1.0)))}


def drawn(name, seed=0, dtype=torch.float64):
    g = torch.Generator().manual_seed(seed)
    head = HEADS[name]
    outputs = torch.randn(B, head.width, generator=g, dtype=dtype)
    actions = torch.randint(3, (B,), generator=g) if name == "categorical" else torch.randn(B, 2, generator=g, dtype=dtype)  # fmt: skip
    old = head.judge(outputs, actions)[0] + 0.4 * torch.randn(B, generator=g, dtype=dtype)
    rest = torch.randn(3, B, generator=g, dtype=dtype)
    batch = Batch(torch.zeros(B, 4), actions, old, rest[0], rest[1])
    return head, outputs.requires_grad_(), rest[2, :, None].requires_grad_(), batch


def test_categorical_by_a_slow_loop():
    _, outputs, _, batch = drawn("categorical")
    log_prob, entropy = categorical_log_prob(outputs.detach(), batch.actions)
    for i, (row, a) in enumerate(zip(outputs.tolist(), batch.actions.tolist(), strict=True)):
        total = sum(math.exp(z) for z in row)
        p = [math.exp(z) / total for z in row]
        assert float(log_prob[i]) == pytest.approx(math.log(p[a]))
        assert float(entropy[i]) == pytest.approx(-sum(x * math.log(x) for x in p))


def test_gaussian_is_that_of_pytorch():
    _, outputs, _, batch = drawn("gaussian")
    outputs = outputs.detach().clamp(-2, 2)
    mean, width = outputs.chunk(2, 1)
    normal = torch.distributions.Normal(mean, width.exp())
    log_prob, entropy = gaussian_log_prob(outputs, batch.actions)
    torch.testing.assert_close(log_prob, normal.log_prob(batch.actions).sum(1))
    torch.testing.assert_close(entropy, normal.entropy().sum(1))


def test_draws_are_as_likely_as_they_say():
    g = torch.Generator().manual_seed(0)
    logits = torch.tensor([[0.0, 1.0, -1.0]]).expand(50_000, 3)
    shares = torch.bincount(HEADS["categorical"].draw(logits, g)) / 50_000
    torch.testing.assert_close(shares, logits[0].softmax(0), atol=0.01, rtol=0)
    outputs = torch.tensor([[1.0, -2.0, 0.5, -1.0]]).expand(50_000, 4)
    numbers = HEADS["gaussian"].draw(outputs, g)
    torch.testing.assert_close(numbers.mean(0), torch.tensor([1.0, -2.0]), atol=0.03, rtol=0)
    torch.testing.assert_close(numbers.std(0).log(), torch.tensor([0.5, -1.0]), atol=0.02, rtol=0)
    assert HEADS["gaussian"].best(outputs)[0].tolist() == [1.0, -2.0]
    assert HEADS["categorical"].best(logits)[0] == 1


@pytest.mark.parametrize("clip", [None, 0.2])
@pytest.mark.parametrize("name", list(HEADS))
def test_slopes_by_hand_are_those_of_autograd(name, clip):
    for seed in range(5):
        head, outputs, values, batch = drawn(name, seed)
        loss = actor_critic_loss(head, batch, clip, outputs, values)
        expected = torch.autograd.grad(loss, (outputs, values))
        found = actor_critic_slopes(head, batch, clip, outputs.detach(), values.detach())
        for a, b in zip(found, expected, strict=True):
            torch.testing.assert_close(a, b)


def test_the_slope_of_the_policy_loss():
    g = torch.Generator().manual_seed(2)
    now, old, a = torch.randn(3, 40, generator=g, dtype=torch.float64)
    now.requires_grad_()
    for clip in (None, 0.1, 0.5):
        loss = policy_loss(now[:, None], old[:, None], a, clip=clip)
        (expected,) = torch.autograd.grad(loss, now)
        torch.testing.assert_close(policy_slope(now.detach(), old, a, clip=clip), expected)


def test_wide_and_narrow_bells_stay_where_they_are():
    head = HEADS["gaussian"]
    outputs = torch.tensor([[0.0, 0.0, -9.0, 5.0]])
    log_prob, pull = head.pull(outputs, torch.ones(1, 2))
    assert pull[0, 2:].tolist() == [0.0, 0.0]
    assert torch.equal(log_prob, head.judge(outputs, torch.ones(1, 2))[0])


@pytest.mark.parametrize("name", list(HEADS))
def test_a_step_by_hand_is_the_step_of_autograd(name):
    head, _, _, batch = drawn(name, dtype=torch.float32)
    batch = batch._replace(seen=torch.randn(B, 4, generator=torch.Generator().manual_seed(9)))
    with seeded(0):
        plain = [MLP((4, 8, head.width), activation="tanh"), MLP((4, 8, 1), activation="tanh")]
    wrapped = [
        nn.Sequential(copy.deepcopy(network)) for network in plain
    ]  # no chain of layers any more
    learners = [Learner(nets, lr=0.01, clip_norm=0.5) for nets in (plain, wrapped)]
    assert [learner.by_hand for learner in learners] == [True, False]
    for _ in range(4):
        for learner in learners:

            def loss(*z):
                return actor_critic_loss(head, batch, 0.2, *z)

            def slopes(*z):
                return actor_critic_slopes(head, batch, 0.2, *z)

            learner.step(batch.seen, loss, slopes, share=0.5)
    for one, other in zip(plain, wrapped, strict=True):
        for a, b in zip(one.parameters(), other.parameters(), strict=True):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-6)


def test_standardized():
    values = standardized(torch.tensor([1.0, 2.0, 6.0]))
    assert float(values.mean()) == pytest.approx(0, abs=1e-6)
    assert float(values.square().mean()) == pytest.approx(1, rel=1e-5)
    assert standardized(torch.ones(1)).tolist() == [0.0]
