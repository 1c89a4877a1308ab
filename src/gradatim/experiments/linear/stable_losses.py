"""Exponentials overflow at 89: a log-sum-exp and a cross-entropy that do, and the same that do not."""

import math
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.losses import bce
from gradatim.nn import log_softmax, log_sum_exp
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.reports import Report

COVERS = ("C6", "B1", "D1")
KEYWORDS = "log-sum-exp trick, overflow, underflow, numerical stability of softmax, binary cross-entropy curve, log loss, logits, saturated sigmoid, max trick, NaN loss"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    largest: float = 80.0
    points: int = 401


QUICK = Settings(points=201)


def naive_log_sum_exp(z: Tensor) -> Tensor:
    """As it is printed."""
    return z.exp().sum(-1).log()


def naive_bce(z: Tensor, y: float) -> Tensor:
    r"""As it is printed: :math:`-y\log p-(1-y)\log(1-p)` with :math:`p=1/(1+e^{-z})`."""
    p = 1 / (1 + (-z).exp())
    return -(y * p.log() if y else (1 - p).log())


def exact_bce(z: float, y: float) -> float:
    """log(1 + e^∓z) in double precision, by the branch that keeps its digits."""
    m = -z if y else z
    return m + math.log1p(math.exp(-m)) if m > 0 else math.log1p(math.exp(m))


def check_log_sum_exp(report: Report, settings: Settings) -> None:
    generator = torch.Generator().manual_seed(settings.seed)
    shift = torch.tensor([0.0, 50.0, 88.0, 89.0, 500.0, 1e30])
    base = torch.randn(5, generator=generator)
    rows = []
    for c in shift:
        z = base + c
        rows.append([float(c), float(naive_log_sum_exp(z)), float(log_sum_exp(z))])
    report.claim("the largest exponent of single precision", math.log(torch.finfo(torch.float32).max), near=(88.7228, 1e-3))  # fmt: skip
    report.claim("logits of 500: as printed, log Σ eᶻ is", str(rows[4][1]), equals="inf")
    exact = 500 + math.log(sum(math.exp(v) for v in base.double().tolist()))
    report.claim("with the largest subtracted first it is right", abs(rows[4][2] - exact), "difference from double precision", below=1e-4)  # fmt: skip
    lost = float(naive_log_sum_exp(base - 200))
    report.claim("logits of −200: as printed everything has become 0", str(lost), equals="-inf")
    same = (log_softmax(base + 50) - log_softmax(base)).abs().max()
    report.claim("a constant on all logits changes no probability", same, "largest change of log p", below=1e-5)  # fmt: skip
    report.claim("x − log Σ eˣ at x = (10³⁰, 10³⁰) loses everything, log-softmax does not", log_softmax(torch.tensor([1e30, 1e30]))[0], near=(-math.log(2), 1e-6))  # fmt: skip
    report.table("log Σ eᶻ of five logits in single precision", columns=["added to the logits", "as printed", "largest subtracted"], rows=[[c, str(a), b] for c, a, b in rows])  # fmt: skip


def check_bce(report: Report, settings: Settings) -> None:
    z = torch.linspace(-settings.largest, settings.largest, settings.points)
    worst = 0.0
    for y in (0.0, 1.0):
        ours = torch.stack([bce(v.reshape(1), torch.tensor([y])) for v in z])
        exact = torch.tensor([exact_bce(v, y) for v in z.tolist()], dtype=torch.float64)
        worst = max(worst, float(((ours.double() - exact).abs() / (1 + exact)).max()))
    report.claim("binary cross-entropy from logits is right to single precision", worst, f"largest error over 1 + loss up to ±{settings.largest:g}", below=1e-5)  # fmt: skip
    steep = torch.tensor([20.0], requires_grad=True)
    (slope,) = torch.autograd.grad(naive_bce(steep, 0.0).sum(), steep)
    (right,) = torch.autograd.grad(bce(steep, torch.tensor([0.0])), steep)
    report.claim("a wrong answer at z = 20: as printed the loss is", str(float(naive_bce(steep, 0.0).detach())), equals="inf")  # fmt: skip
    report.claim("and its gradient no number", str(float(slope)), "nan or inf", holds=not math.isfinite(float(slope)))  # fmt: skip
    report.claim("from logits the gradient is σ(z) − y", right[0], near=(1.0, 1e-6))
    report.claim("the least loss of a coin is that of p = ½", float(bce(torch.zeros(1), torch.tensor([0.5]))), near=(math.log(2), 1e-6))  # fmt: skip


def draw(settings: Settings) -> Figure:
    p = np.linspace(0.002, 0.998, 300)
    z = torch.linspace(-60, 60, settings.points)
    shown = torch.linspace(-8, 8, 200)
    wrong = naive_bce(z, 0.0)
    return curve_panels([
        CurvePanel("Binary cross-entropy", "predicted p", "loss", {"y = 1: −log p": (p, -np.log(p)), "y = 0: −log(1 − p)": (p, -np.log(1 - p))}),
        CurvePanel("The same by logits", "logit z", "loss", {"y = 1": (shown.numpy(), F.softplus(-shown).numpy()), "y = 0": (shown.numpy(), F.softplus(shown).numpy())}, {"max(0, z)": (shown.numpy(), shown.clamp(min=0).numpy())}),
        CurvePanel("Single precision, y = 0", "logit z", "loss", {"from logits": (z.numpy(), F.softplus(z).numpy()), "as printed, till it ends": (z[wrong.isfinite()].numpy(), wrong[wrong.isfinite()].numpy())}),
    ])  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Losses that do not overflow",
        summary="Σ eᶻ is infinite in single precision from z = 89 on, and 1 − σ(z) is zero from z = 17 on. Subtracting the largest "
        "logit first, and computing the loss from logits, gives every digit back.",
    )
    check_log_sum_exp(report, settings)
    check_bce(report, settings)
    report.figure("losses", draw(settings), caption="Left: the loss of a predicted probability. Middle: of a logit, straight for sure mistakes. Right: the printed formula first rounds to steps, then ends in infinity.")  # fmt: skip
    return report
