"""The closed form against worked numbers, a linear program and the classifier itself."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from gradatim.errors import InvalidValue
from gradatim.robust import affine_perturbation

NORMS = (1, 2, "inf")


def classifier(seed, classes=4, d=5, rows=6):
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape):
        return torch.randn(*shape, dtype=torch.float64, generator=generator)

    return draw(classes, d), draw(classes), draw(rows, d)


def test_worked_numbers():
    # f1 = x1, f2 = x2 at (3, 1): the difference of the weights is (-1, 1), the gap 2
    weight, bias, x = torch.eye(2), torch.zeros(2), torch.tensor([[3.0, 1.0]])
    two = affine_perturbation(weight, bias, x)
    assert two.perturbation.tolist() == [pytest.approx([-1, 1])]
    assert two.distance.item() == pytest.approx(math.sqrt(2))
    assert (two.label.item(), two.other.item()) == (0, 1)
    assert affine_perturbation(weight, bias, x, norm=1).distance.item() == pytest.approx(2)
    cube = affine_perturbation(weight, bias, x, norm="inf")
    assert cube.perturbation.tolist() == [pytest.approx([-1, 1])]
    assert cube.distance.item() == pytest.approx(1)


@pytest.mark.parametrize("norm", NORMS)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=50, deadline=None)
def test_the_perturbation_ends_on_the_nearest_boundary(norm, seed):
    weight, bias, x = classifier(seed)
    eta, distance, label, other = affine_perturbation(weight, bias, x, norm=norm)

    def predict(share):
        return ((x + share * eta) @ weight.t() + bias).argmax(1)

    assert torch.equal(predict(0), label)
    assert torch.equal(predict(1 - 1e-9), label)
    assert torch.equal(predict(1 + 1e-9), other)
    size = torch.linalg.vector_norm(eta, ord=float(norm), dim=1)
    torch.testing.assert_close(size, distance)


def test_no_random_perturbation_of_that_size_succeeds():
    weight, bias, x = classifier(1, rows=1)
    generator = torch.Generator().manual_seed(2)
    for norm in NORMS:
        _, distance, label, _ = affine_perturbation(weight, bias, x, norm=norm)
        noise = torch.randn(20_000, 5, dtype=torch.float64, generator=generator)
        noise /= torch.linalg.vector_norm(noise, ord=float(norm), dim=1, keepdim=True)
        scores = (x + 0.999 * distance * noise) @ weight.t() + bias
        assert (scores.argmax(1) == label).all()


@pytest.mark.parametrize("bounds", [None, (-3.0, 3.0)])
@pytest.mark.parametrize("norm", [1, "inf"])
def test_a_linear_program_finds_no_smaller_one(norm, bounds):
    weight, bias, x = classifier(3)
    x = x.clamp(-2.9, 2.9)
    found = affine_perturbation(weight, bias, x, norm=norm, bounds=bounds)
    W, b, d = weight.numpy(), bias.numpy(), 5
    low, high = bounds or (-1e6, 1e6)
    for point, distance in zip(x.numpy(), found.distance, strict=True):
        scores = W @ point + b
        i, best = scores.argmax(), math.inf
        for k in {0, 1, 2, 3} - {i}:
            a, g = W[k] - W[i], scores[i] - scores[k]
            # eta = u - v with u, v >= 0
            box = [(0, top) for top in high - point] + [(0, top) for top in point - low]
            gain = np.hstack([-a, a])
            if norm == 1:
                result = linprog(np.ones(2 * d), gain[None], [-g], bounds=box)
            else:
                limits = np.hstack([np.eye(2 * d), -np.ones((2 * d, 1))])
                rows = np.vstack([np.append(gain, 0), limits])
                cost = np.append(np.zeros(2 * d), 1)
                result = linprog(cost, rows, [-g, *np.zeros(2 * d)], bounds=[*box, (0, None)])
            best = min(best, result.fun if result.success else math.inf)
        assert distance.item() == pytest.approx(best, rel=1e-7)


def test_one_moves_one_coordinate_and_infinity_all():
    weight, bias, x = classifier(4, d=9)
    assert ((affine_perturbation(weight, bias, x, norm=1).perturbation != 0).sum(1) == 1).all()
    cube = affine_perturbation(weight, bias, x, norm="inf")
    torch.testing.assert_close(
        cube.perturbation.abs(), cube.distance.unsqueeze(1).expand_as(cube.perturbation)
    )


def test_distances_are_ordered_as_norms_are():
    weight, bias, x = classifier(5, d=16, rows=50)
    one, two, cube = (affine_perturbation(weight, bias, x, norm=n).distance for n in NORMS)
    assert (cube <= two).all()
    assert (two <= one).all()
    assert (two <= 4 * cube).all()  # the square root of d
    assert (one <= 4 * two).all()


def test_one_logit_is_a_signed_distance():
    weight, bias, x = classifier(6, classes=1)
    eta, distance, label, other = affine_perturbation(weight, bias, x)
    z = (x @ weight.t() + bias).squeeze(1)
    torch.testing.assert_close(distance, z.abs() / weight.norm())
    assert torch.equal(label, (z > 0).long())
    assert torch.equal(other, 1 - label)
    torch.testing.assert_close(eta, -(z / weight.square().sum()).unsqueeze(1) * weight)


@pytest.mark.parametrize("norm", NORMS)
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_bounds_hold_and_cost_distance(norm, seed):
    weight, bias, x = classifier(seed)
    x = x.clamp(-1, 1)
    free = affine_perturbation(weight, bias, x, norm=norm)
    held = affine_perturbation(weight, bias, x, norm=norm, bounds=(-1.0, 1.0))
    assert (held.distance >= free.distance * (1 - 1e-9)).all()
    assert ((x + held.perturbation).abs() <= 1 + 1e-9).all()
    reached = held.distance.isfinite()
    scores = (x + held.perturbation) @ weight.t() + bias
    gap = scores.gather(1, held.label[:, None]) - scores.gather(1, held.other[:, None])
    assert (gap[reached].abs() < 1e-9).all()
    assert not held.perturbation[~reached].any()


def test_classes_that_never_differ_cannot_be_exchanged():
    weight, bias = torch.ones(2, 3), torch.tensor([1.0, 0.0])
    for bounds in (None, (-1.0, 1.0)):
        eta, distance, *_ = affine_perturbation(weight, bias, torch.zeros(1, 3), bounds=bounds)
        assert distance.tolist() == [math.inf]
        assert not eta.any()
    tie = affine_perturbation(weight, torch.zeros(2), torch.zeros(1, 3))
    assert tie.distance.tolist() == [0]


def test_refuses():
    weight, bias, x = classifier(0)
    with pytest.raises(InvalidValue, match=r"^affine_perturbation: weight and x must have shapes"):
        affine_perturbation(weight, bias, x[0])
    with pytest.raises(InvalidValue, match=r"^affine_perturbation: norm must be 1 or 2 or 'inf'"):
        affine_perturbation(weight, bias, x, norm=3)
    with pytest.raises(InvalidValue, match=r"^affine_perturbation: bounds must hold all of x"):
        affine_perturbation(weight, bias, x, bounds=(0.0, 0.1))
    with pytest.raises(InvalidValue, match=r"^affine_perturbation: bounds must be two finite"):
        affine_perturbation(weight, bias, x, bounds=(1.0, 0.0))


@pytest.mark.parametrize("bounds", [None, (-3.0, 3.0)])
@pytest.mark.parametrize("norm", NORMS)
def test_the_nearest_of_all_targets_is_the_nearest_boundary(norm, bounds):
    weight, bias, x = classifier(6, rows=20)
    x = x.clamp(-2.9, 2.9)
    free = affine_perturbation(weight, bias, x, norm=norm, bounds=bounds)
    wanted = [torch.full((20,), k) for k in range(4)]
    found = [affine_perturbation(weight, bias, x, norm=norm, bounds=bounds, target=t) for t in wanted]  # fmt: skip
    table = torch.stack([each.distance for each in found], 1)  # (B, K)
    assert (table.gather(1, free.label[:, None]) == 0).all()  # nothing to do
    table.scatter_(1, free.label[:, None], math.inf)
    torch.testing.assert_close(table.min(1).values, free.distance)
    assert torch.equal(table.argmin(1), free.other)
    for k, each in enumerate(found):
        scores = (x + each.perturbation) @ weight.t() + bias
        reached = each.distance.isfinite()
        gap = scores[:, k] - scores.gather(1, each.label[:, None])[:, 0]
        assert (gap[reached].abs() < 1e-9).all()
        assert (each.other == k).all()


def test_one_logit_has_two_targets():
    weight, bias, x = torch.tensor([[3.0, 4.0]]), torch.tensor([-5.0]), torch.zeros(2, 2)
    found = affine_perturbation(weight, bias, x, target=torch.tensor([1, 0]))
    assert found.distance.tolist() == [1.0, 0.0]
    assert found.perturbation.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 0]]


def test_refuses_targets_that_are_none():
    weight, bias, x = classifier(0)
    with pytest.raises(InvalidValue, match=r"^affine_perturbation: target must be below the number of classes, 4, got 4"):  # fmt: skip
        affine_perturbation(weight, bias, x, target=torch.full((6,), 4))
    with pytest.raises(InvalidValue, match=r"^affine_perturbation: target must have one class per sample of x"):  # fmt: skip
        affine_perturbation(weight, bias, x, target=torch.tensor([1]))
