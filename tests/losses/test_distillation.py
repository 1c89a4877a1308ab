"""Tempered distillation: the formula, its gradient, its limits."""

import math

import pytest
import torch
import torch.nn.functional as F

from gradatim.errors import GradatimError
from gradatim.losses import distillation_loss, tempered_cross_entropy

GENERATOR = torch.Generator().manual_seed(0)
G = torch.randn(3, 4, generator=GENERATOR, dtype=torch.float64)
FT = 2 * torch.randn(3, 4, generator=GENERATOR, dtype=torch.float64)
Y = torch.tensor([0, 3, 1])


def slow(g, f, T):
    total = 0.0
    for student, teacher in zip(g.tolist(), f.tolist(), strict=True):
        weights = [math.exp(v / T) for v in teacher]
        norm = math.log(sum(math.exp(v / T) for v in student))
        total -= sum(w * (v / T - norm) for w, v in zip(weights, student, strict=True)) / sum(
            weights
        )
    return T * T * total / len(g)


@pytest.mark.parametrize("T", [0.5, 1.0, 4.0])
def test_formula_in_a_slow_loop(T):
    assert tempered_cross_entropy(G, FT, T).item() == pytest.approx(slow(G, FT, T))


@pytest.mark.parametrize("T", [1.0, 3.0])
def test_gradient_is_a_difference_of_tempered_odds(T):
    g = G.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(tempered_cross_entropy(g, FT, T), g)
    torch.testing.assert_close(gradient, T * ((G / T).softmax(1) - (FT / T).softmax(1)) / len(G))


def test_hot_distillation_is_least_squares_on_centred_logits():
    g = G.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(tempered_cross_entropy(g, FT, 1e4), g)
    centred = (G - G.mean(1, keepdim=True)) - (FT - FT.mean(1, keepdim=True))
    torch.testing.assert_close(gradient, centred / (3 * 4), atol=1e-4, rtol=1e-3)


def test_a_sure_teacher_is_a_label_and_a_perfect_student_has_no_gradient():
    sure = 1e3 * F.one_hot(Y, 4).double()
    torch.testing.assert_close(tempered_cross_entropy(G, sure, 1.0), F.cross_entropy(G, Y))
    g = FT.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(tempered_cross_entropy(g, FT, 2.0), g)
    torch.testing.assert_close(gradient, torch.zeros_like(g))


def test_mix_and_no_gradient_to_the_teacher():
    teacher = FT.clone().requires_grad_()
    student = G.clone().requires_grad_()
    loss = distillation_loss(student, teacher, Y, temperature=3.0, mix=0.25)
    expected = 0.25 * slow(G, FT, 3.0) + 0.75 * F.cross_entropy(G, Y).item()
    assert loss.item() == pytest.approx(expected)
    loss.backward()
    assert teacher.grad is None


def test_errors():
    with pytest.raises(GradatimError, match="temperature must be more than 0, got 0"):
        tempered_cross_entropy(G, FT, 0)
    with pytest.raises(GradatimError, match=r"mix must be in \[0, 1\], got 2"):
        distillation_loss(G, FT, Y, mix=2)
