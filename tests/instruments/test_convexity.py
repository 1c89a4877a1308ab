"""Bounds by hand, Nesterov's method as a slow loop, and chords of functions whose shape is known."""

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.instruments import chord_excess, convex_bound, descend, descend_accelerated

A = torch.diag(torch.tensor([1.0, 0.1, 0.003], dtype=torch.float64))
START = torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64)


def quadratic(w):
    return w @ A @ w / 2


def test_acceleration_by_hand():
    before = now = START.tolist()
    curvatures = [1.0, 0.1, 0.003]
    for t in range(20):
        beta = (t - 1) / (t + 2) if t else 0.0
        ahead = [x + beta * (x - y) for x, y in zip(now, before, strict=True)]
        before, now = now, [x - 0.7 * c * x for x, c in zip(ahead, curvatures, strict=True)]
    path = descend_accelerated(quadratic, START, lr=0.7, steps=20)
    torch.testing.assert_close(path.points[-1].tolist(), now, rtol=1e-12, atol=0)
    assert path.values[-1].item() == pytest.approx(quadratic(path.points[-1]).item(), rel=1e-14)
    assert path.gradient_norms[3].item() == pytest.approx((A @ path.points[3]).norm().item())


@pytest.mark.parametrize("is_accelerated", [False, True])
def test_paths_keep_the_bound_and_the_bound_can_fail(is_accelerated):
    bound = convex_bound(distance=START.norm().item(), smoothness=1.0, steps=300, is_accelerated=is_accelerated)  # fmt: skip
    follow = descend_accelerated if is_accelerated else descend
    assert (follow(quadratic, START, lr=1.0, steps=300).values[1:] <= bound).all()
    # with steps of a tenth the promise of steps of 1/L is broken
    assert (follow(quadratic, START, lr=0.001, steps=300).values[1:] > bound).any()


def test_bounds_by_hand():
    assert convex_bound(distance=3.0, smoothness=2.0, steps=4)[3].item() == pytest.approx(18 / 8)
    accelerated = convex_bound(distance=3.0, smoothness=2.0, steps=4, is_accelerated=True)
    assert accelerated[3].item() == pytest.approx(36 / 25)


def test_chords():
    generator = torch.Generator().manual_seed(0)
    a, b = torch.randn(2, 50, 3, generator=generator, dtype=torch.float64)
    assert (chord_excess(quadratic, a, b) < 0).all()
    assert chord_excess(lambda w: 3 * w.sum() - 1, a, b).abs().max() < 1e-12
    assert (chord_excess(lambda w: -quadratic(w), a, b) > 0).all()
    # of -x² between -1 and 1 the middle is 1 above the chord
    ends = torch.tensor([[1.0]], dtype=torch.float64)
    assert chord_excess(lambda w: -w.square().sum(), -ends, ends).item() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: chord_excess(quadratic, START[None], START[None, :2]), r"one shape, got \(1, 3\) and \(1, 2\)"),
        (lambda: chord_excess(quadratic, START[None], START[None], resolution=0), "resolution must be at least 1, got 0"),
        (lambda: convex_bound(distance=-1.0, smoothness=1.0, steps=1), "distance must be at least 0"),
        (lambda: convex_bound(distance=1.0, smoothness=1.0, steps=0), "steps must be at least 1"),
    ],
)  # fmt: skip
def test_refuses(call, words):
    with pytest.raises(InvalidValue, match=words):
        call()
