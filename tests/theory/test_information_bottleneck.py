"""Limits of the bottleneck, its monotone descent, and a slow loop."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.theory import information_bottleneck, mutual_information


def random_joint(seed, rows=6, columns=3):
    generator = torch.Generator().manual_seed(seed)
    p = torch.rand(rows, columns, generator=generator, dtype=torch.float64) ** 3
    return p / p.sum()


def slow_information(p):
    p = p.tolist()
    rows, columns = [sum(row) for row in p], [sum(column) for column in zip(*p, strict=True)]
    return sum(
        value * math.log(value / rows[i] / columns[j])
        for i, row in enumerate(p)
        for j, value in enumerate(row)
        if value
    )


@given(st.integers(0, 10_000))
def test_mutual_information_is_the_sum(seed):
    p = random_joint(seed)
    assert mutual_information(p).item() == pytest.approx(slow_information(p), abs=1e-12)


@given(st.integers(0, 10_000), st.floats(0.1, 30.0))
def test_every_step_lowers_the_objective_and_the_ends_hold_together(seed, beta):
    p = random_joint(seed)
    found = information_bottleneck(p, beta, seed=seed)
    assert (found.objective.diff() <= 1e-9).all()
    assert found.objective[-1].item() == pytest.approx(found.kept - beta * found.told, abs=1e-9)
    torch.testing.assert_close(found.encoder.sum(1), torch.ones(6).double())
    # information about y cannot grow on the way: data processing
    assert found.told <= min(found.kept, mutual_information(p).item()) + 1e-9
    # the tables are those of the encoder, by hand
    joint = torch.einsum("xy,xt->ty", p, found.encoder)
    torch.testing.assert_close(found.marginal, joint.sum(1))
    torch.testing.assert_close(found.decoder * found.marginal[:, None], joint)


@given(st.integers(0, 10_000))
def test_a_fixed_point_fulfils_the_self_consistent_equation(seed):
    p = random_joint(seed, rows=4)
    beta = 5.0
    found = information_bottleneck(p, beta, seed=seed, tol=0.0, max_steps=4000)
    p_y_x = p / p.sum(1, keepdim=True)
    for x in range(4):
        weights = []
        for t in range(4):
            divergence = sum(a * math.log(a / b) for a, b in zip(p_y_x[x].tolist(), found.decoder[t].tolist(), strict=True) if a)  # fmt: skip
            weights.append(found.marginal[t].item() * math.exp(-beta * divergence))
        wanted = torch.tensor(weights).double() / sum(weights)
        torch.testing.assert_close(found.encoder[x], wanted, rtol=0, atol=2e-3)


def test_limits_of_beta():
    p = random_joint(3)
    whole = mutual_information(p).item()
    assert information_bottleneck(p, 0.0).kept == pytest.approx(0, abs=1e-12)
    assert information_bottleneck(p, 1.0).kept == pytest.approx(0, abs=1e-4)
    hard = information_bottleneck(p, math.inf, seed=1)
    assert ((hard.encoder == 0) | (hard.encoder == 1)).all()
    assert 0 < hard.told <= whole + 1e-12
    # three kinds of x that tell y apart: all that there is to tell stays, and the rest goes
    kinds = torch.eye(3).repeat_interleave(4, 0).double() / 12
    best = max(information_bottleneck(kinds, math.inf, seed=s).told for s in range(5))
    assert best == pytest.approx(math.log(3), rel=1e-9)
    soft = max(information_bottleneck(p, 1e4, seed=seed).told for seed in range(5))
    assert 0.99 * whole <= soft <= whole + 1e-12


@pytest.mark.parametrize(
    ("p", "beta", "words"),
    [
        (torch.ones(2, 2), 1.0, "sum 1, got shape .2, 2., sum 4"),
        (torch.tensor([[0.5, 0.5], [0.0, 0.0]]), 1.0, "a row of zeros"),
        (torch.eye(2) / 2, -1.0, "beta must be at least 0, got -1"),
    ],
)
def test_refuses(p, beta, words):
    with pytest.raises(InvalidValue, match=words):
        information_bottleneck(p, beta)
