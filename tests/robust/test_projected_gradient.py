"""PGD against a slow loop; its budget, its strength and its exits."""

import math
from fractions import Fraction

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.robust import fgsm, pgd

from .conftest import make_network, make_samples

NORMS = ("inf", 2)


def losses(model, x, y):
    modes = [module.training for module in model.modules()]
    with torch.no_grad():
        result = F.cross_entropy(model.eval()(x), y, reduction="none")
    for module, mode in zip(model.modules(), modes, strict=True):
        module.training = mode
    return result


def slow_pgd(model, x, y, eps, norm, sizes):
    """One sample at a time, by cross-entropy, written from the definition; the best iterate."""
    model.eval()
    answers = []
    for x0, label in zip(x.split(1), y.split(1), strict=True):
        z, best, best_loss = x0, None, -math.inf
        for size in (*sizes, None):
            z = z.detach().requires_grad_()
            loss = F.cross_entropy(model(z), label)
            if loss.item() > best_loss:
                best, best_loss = z.detach(), loss.item()
            if size is None:
                break
            (g,) = torch.autograd.grad(loss, z)
            v = g.sign() if norm == "inf" else g / g.norm()
            delta = z.detach() + size * v - x0
            if norm == "inf":
                delta = delta.clamp(-eps, eps)
            elif delta.norm() > eps:
                delta = eps * delta / delta.norm()
            z = (x0 + delta).clamp(0, 1)
        answers.append(best)
    return torch.cat(answers)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("step_size", [None, 0.05])
def test_equals_the_slow_loop(norm, step_size, network, samples):
    x, y = samples
    sizes = [0.2, 0.15, 0.1, 0.05] if step_size is None else [step_size] * 4
    found = pgd(network, x, y, eps=0.2, norm=norm, steps=4, bounds=(0, 1), step_size=step_size)
    torch.testing.assert_close(found, slow_pgd(network, x, y, 0.2, norm, sizes), rtol=0, atol=1e-8)


@pytest.mark.parametrize("early_exit", [False, True])
@pytest.mark.parametrize("norm", NORMS)
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 1000),
    eps=st.one_of(st.just(0.0), st.floats(1e-9, 3.0)),
    bounds=st.sampled_from([None, (0.0, 1.0), (-0.5, 1.1)]),
    restarts=st.integers(1, 2),
    targeted=st.booleans(),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)
def test_the_budget_is_never_exceeded(
    early_exit, norm, seed, eps, bounds, restarts, targeted, dtype
):
    x, y = make_samples(seed, rows=3, dtype=dtype)
    found = pgd(
        make_network(seed, dtype=dtype),
        x,
        y,
        eps=eps,
        norm=norm,
        steps=3,
        bounds=bounds,
        targeted=targeted,
        restarts=restarts,
        early_exit=early_exit,
        generator=torch.Generator().manual_seed(seed),
    )
    assert found.shape == x.shape
    assert found.dtype == dtype
    for before, after in zip(x.tolist(), found.tolist(), strict=True):
        gaps = [abs(Fraction(a) - Fraction(b)) for a, b in zip(before, after, strict=True)]
        if norm == 2:
            assert sum(gap**2 for gap in gaps) <= Fraction(eps) ** 2
        else:
            assert max(gaps) <= Fraction(eps)
    if bounds is not None:
        low, high = torch.tensor(bounds, dtype=dtype)
        assert found.min() >= low
        assert found.max() <= high
    if eps == 0:
        assert torch.equal(found, x)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 1000), eps=st.floats(0.001, 2.0), steps=st.integers(1, 5))
def test_never_weaker_than_fgsm_nor_than_nothing(seed, eps, steps):
    network, (x, y) = make_network(seed), make_samples(seed)
    found = losses(network, pgd(network, x, y, eps=eps, steps=steps), y)
    assert (found >= losses(network, fgsm(network, x, y, eps=eps), y) - 1e-12).all()
    assert (found >= losses(network, x, y) - 1e-12).all()


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), eps=st.floats(0.01, 1.0))
def test_whom_fgsm_fools_pgd_with_early_exit_fools_too(seed, eps):
    network, (x, y) = make_network(seed).eval(), make_samples(seed)
    with torch.no_grad():
        by_sign = network(fgsm(network, x, y, eps=eps)).argmax(1) != y
        by_search = network(pgd(network, x, y, eps=eps, steps=3, early_exit=True)).argmax(1) != y
    assert (by_search | ~by_sign).all()


def test_more_restarts_are_never_weaker(network, samples):
    x, y = samples
    few = losses(network, pgd(network, x, y, eps=0.5, steps=2), y)
    many = losses(network, pgd(network, x, y, eps=0.5, steps=2, restarts=5), y)
    assert (many >= few - 1e-12).all()
    assert (many > few + 1e-6).any()


def test_equal_generators_give_equal_results(network, samples):
    x, y = samples
    first, second = (
        pgd(network, x, y, eps=0.5, restarts=3, steps=2, generator=torch.Generator().manual_seed(7))
        for _ in range(2)
    )
    assert torch.equal(first, second)


@pytest.mark.parametrize("early_exit", [False, True])
def test_a_targeted_attack_reaches_its_class(early_exit):
    network, (x, _) = make_network(1).eval(), make_samples(1)
    wanted = (network(x).argmax(1) + 1) % 3
    found = pgd(network, x, wanted, eps=3.0, targeted=True, steps=20, early_exit=early_exit)
    assert (network(found).argmax(1) == wanted).all()
    assert (losses(network, found, wanted) < losses(network, x, wanted)).all()


@pytest.mark.parametrize("norm", NORMS)
def test_early_exit_keeps_the_first_success_and_leaves_errors_alone(norm):
    network, (x, _) = make_network(2).eval(), make_samples(2, rows=30)
    predicted = network(x).argmax(1)
    y = torch.where(torch.arange(30) % 2 == 0, predicted, (predicted + 1) % 3)
    eps = 0.15 if norm == "inf" else 0.3
    found = pgd(network, x, y, eps=eps, norm=norm, steps=6, step_size=eps / 6, early_exit=True)
    assert torch.equal(found[1::2], x[1::2])  # wrong as they are
    fooled = network(found[::2]).argmax(1) != predicted[::2]
    assert 0 < fooled.sum() < 15
    # the first success of the plain loop, iterate by iterate
    for row in range(0, 30, 2):
        for steps in range(7):
            z = x[row : row + 1]
            for _ in range(steps):
                z = z.detach().requires_grad_()
                (g,) = torch.autograd.grad(F.cross_entropy(network(z), y[row : row + 1]), z)
                z = z.detach() + eps / 6 * (g.sign() if norm == "inf" else g / g.norm())
            if network(z).argmax(1) != y[row] or steps == 6:
                torch.testing.assert_close(found[row : row + 1], z.detach(), atol=1e-7, rtol=0)
                break


def test_a_saturated_network_is_still_attacked():
    """Scores times 1000 leave decisions as they are, but take the gradient from cross-entropy."""
    network, (x, y) = make_network(3, dtype=torch.float32).eval(), make_samples(3, rows=50)
    x = x.float()
    y = network(x).argmax(1)
    sharp = nn.Sequential(network, Scale(1000.0))
    for model in (network, sharp):
        found = pgd(model, x, y, eps=0.5, steps=10, early_exit=True)
        assert (network(found).argmax(1) != y).float().mean() > 0.5


class Scale(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return self.factor * x


def test_rows_do_not_depend_on_their_batch(network, monkeypatch):
    x, y = make_samples(rows=50)
    whole = pgd(network, x, y, eps=0.3, steps=3)
    alone = torch.cat(
        [pgd(network, x[i : i + 1], y[i : i + 1], eps=0.3, steps=3) for i in range(50)]
    )
    torch.testing.assert_close(whole, alone)
    monkeypatch.setattr("gradatim.robust.victim.PIECE_BYTES", 1)
    torch.testing.assert_close(pgd(network, x, y, eps=0.3, steps=3), whole)


def test_refuses(network, samples):
    x, y = samples
    for arguments, message in (
        ({"eps": math.nan}, "pgd: eps must be finite and at least 0, got nan"),
        ({"eps": 0.1, "norm": 1}, "pgd: norm must be 2 or 'inf', got 1"),
        ({"eps": 0.1, "steps": 0}, "pgd: steps must be a whole number from 1, got 0"),
        ({"eps": 0.1, "restarts": 1.5}, "pgd: restarts must be a whole number from 1, got 1.5"),
        ({"eps": 0.1, "step_size": 0.0}, "pgd: step_size must be more than 0, got 0.0"),
        ({"eps": 0.1, "bounds": (0.2, 0.4)}, "pgd: bounds must hold all of x"),
    ):
        with pytest.raises(InvalidValue, match=message):
            pgd(network, x, y, **arguments)
    with pytest.raises(InvalidValue, match="pgd: y must be below the number of classes, 3, got 7"):
        pgd(network, x, y * 0 + 7, eps=0.1)
