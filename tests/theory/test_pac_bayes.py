import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from torch.distributions import Normal, kl_divergence

from gradatim.errors import InvalidValue
from gradatim.theory import (
    bernoulli_kl,
    gaussian_kl,
    kl_inverse,
    maurer_bound,
    mcallester_bound,
    quadratic_bound,
)

risks, sizes = st.floats(0.0, 1.0), st.floats(1e-6, 5.0)


@given(risk=st.floats(0.0, 0.999), bound=sizes)
def test_the_inverse_is_the_root(risk, bound):
    found = kl_inverse(risk, bound)
    if bernoulli_kl(risk, 1 - 1e-15) <= bound:
        assert found == pytest.approx(1.0)
    else:
        expected = brentq(lambda r: bernoulli_kl(risk, r) - bound, risk, 1 - 1e-15, xtol=1e-14)
        assert found == pytest.approx(expected, abs=1e-9)


def test_the_inverse_at_the_ends():
    assert kl_inverse(0.0, 0.3) == pytest.approx(1 - math.exp(-0.3))
    assert kl_inverse(1.0, 0.3) == 1.0
    assert kl_inverse(0.25, 0.0) == 0.25
    assert bernoulli_kl(0.5, 0.0) == math.inf
    assert bernoulli_kl(0.25, 0.5) == pytest.approx(0.25 * math.log(0.5) + 0.75 * math.log(1.5))


@given(risk=risks, kl=st.floats(0.0, 1e4), n=st.integers(8, 10**6))
def test_the_exact_bound_is_the_tightest(risk, kl, n):
    exact = maurer_bound(risk, kl, n)
    assert risk <= exact <= 1
    assert exact <= mcallester_bound(risk, kl, n) + 1e-12
    assert exact <= quadratic_bound(risk, kl, n) + 1e-12


def test_worked_numbers():
    """D = 5,000, n = 55,000, δ = 0.05: 2c = (5000 + ln(40 √55000)) / 55000."""
    two_c = (5000 + math.log(2 * math.sqrt(55000) / 0.05)) / 55000
    assert mcallester_bound(0.03, 5000.0, 55000) == pytest.approx(0.03 + math.sqrt(two_c / 2))
    assert quadratic_bound(0.0, 5000.0, 55000) == pytest.approx(2 * two_c)
    assert bernoulli_kl(0.03, maurer_bound(0.03, 5000.0, 55000)) == pytest.approx(two_c)


@pytest.mark.parametrize("bound", [mcallester_bound, quadratic_bound])
def test_bounds_can_be_minimized(bound):
    risk, kl = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (0.1, 50.0))
    assert torch.autograd.gradcheck(lambda r, d: bound(r, d, 1000), (risk, kl))


def test_the_bound_holds_as_often_as_it_says():
    """One fixed classifier, D = 0: Maurer's bound on its risk fails in at most a share δ of samples."""
    torch.manual_seed(0)
    n, risk, delta = 50, 0.2, 0.3
    measured = torch.rand(2000, n).lt(risk).double().mean(1)
    failed = sum(maurer_bound(r, 0.0, n, delta) < risk for r in measured.tolist()) / 2000
    assert failed <= delta


def test_gaussians_diverge_as_pytorch_says():
    mean, prior_mean = torch.randn(2, 5).double()
    std, prior_std = torch.rand(2, 5).double() + 0.1
    expected = kl_divergence(Normal(mean, std), Normal(prior_mean, prior_std)).sum()
    torch.testing.assert_close(gaussian_kl(mean, std, prior_mean, prior_std), expected)


def test_donsker_and_varadhan():
    """E_q[X] ≤ D(q‖p) + log E_p[e^X] on a finite space, with equality at q ∝ p e^X."""
    p, q, X = torch.rand(3, 6).double()
    p, q = p / p.sum(), q / q.sum()
    slack = (q * (q / p).log()).sum() + (p * X.exp()).sum().log() - (q * X).sum()
    assert slack > 0
    best = p * X.exp() / (p * X.exp()).sum()
    assert (best * (best / p).log()).sum() + (p * X.exp()).sum().log() == pytest.approx((best * X).sum().item())  # fmt: skip


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: kl_inverse(1.5, 0.1), r"kl_inverse: risk must be in \[0, 1\], got 1.5"),
        (lambda: kl_inverse(0.5, -0.1), "kl_inverse: bound must be at least 0, got -0.1"),
        (lambda: maurer_bound(0.1, 1.0, 7), "maurer_bound: n must be at least 8"),
        (lambda: quadratic_bound(0.1, 1.0, 100, 1.0), r"delta must be in \(0, 1\), got 1.0. Try 0.05"),
    ],
)  # fmt: skip
def test_what_is_refused(call, words):
    with pytest.raises(InvalidValue, match=words):
        call()
