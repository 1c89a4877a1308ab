r"""How wide must a sum over a set of M numbers be? M for exactness; for a given error, fewer do.

.. math:: f(x_1, \dots, x_M) = \rho\Bigl(\sum_{m=1}^M \phi(x_m)\Bigr), \qquad \phi: \mathbb{R} \to \mathbb{R}^d

Reference:
    Wagstaff et al., On the Limitations of Representing Functions on Sets, 2019.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.errors import choose
from gradatim.models import DeepSets
from gradatim.plots import CurvePanel, curve_panels
from gradatim.plots.style import PALETTE, new_figure
from gradatim.plots.words import Formula
from gradatim.reports import Report
from gradatim.training import train_replicas

COVERS = ("H1",)
KEYWORDS = "latent dimension, set function, power sums, universality"


def medians(x: Tensor) -> Tensor:
    """The middle of every set ``(B, M)``, or the mean of the middle two."""
    return x.quantile(0.5, dim=1, keepdim=True)  # (B, 1)


TARGETS: dict[str, Callable[[Tensor], Tensor]] = {
    "the set": lambda x: x.sort(1).values,
    "its median": medians,
}


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    sizes: tuple[int, ...] = (4, 8)
    widths: tuple[int, ...] = (1, 2, 4, 8, 16)
    targets: tuple[str, ...] = tuple(TARGETS)
    slopes: tuple[int, ...] = (4, 16, 64, 256)
    hidden_dim: int = 64
    sets: int = 4000
    test_sets: int = 2000
    epochs: int = 60
    repeats: int = 3


QUICK = Settings(sizes=(4,), widths=(1, 2, 4, 8), targets=("the set",), sets=1500, test_sets=1000, epochs=30, repeats=2)  # fmt: skip


def draw_sets(count: int, size: int, seed: int) -> Tensor:
    """Numbers from -1 to 1, shape ``(count, size)``, in double precision."""
    generator = torch.Generator().manual_seed(seed)
    return 2 * torch.rand(count, size, dtype=torch.float64, generator=generator) - 1


def power_sums(x: Tensor, dim: int) -> Tensor:
    r"""Sum the features :math:`\phi(x) = (x, x^2, \dots, x^d)` of sets ``(B, M)``.

    >>> power_sums(torch.tensor([[1.0, 2.0]]), 3)
    tensor([[3., 5., 9.]])
    """
    return torch.stack([(x**k).sum(1) for k in range(1, dim + 1)], 1)


def elements_from(sums: Tensor) -> Tensor:
    r"""Find the M numbers whose first M power sums are given, in ascending order.

    Newton's identities give the coefficients of the polynomial whose roots they are:

    .. math:: k\,e_k = \sum_{i=1}^k (-1)^{i-1} e_{k-i}\, p_i, \qquad \prod_m (x - x_m) = \sum_{k=0}^M (-1)^k e_k\, x^{M-k}

    >>> elements_from(torch.tensor([[3.0, 5.0]], dtype=torch.float64))
    tensor([[1., 2.]], dtype=torch.float64)
    """
    size = sums.shape[1]
    e = [torch.ones_like(sums[:, 0])]
    for k in range(1, size + 1):
        e.append(sum((-1) ** (i - 1) * e[k - i] * sums[:, i - 1] for i in range(1, k + 1)) / k)
    companion = torch.diag(sums.new_ones(size - 1), -1).repeat(len(sums), 1, 1)
    companion[:, 0] = torch.stack([(-1) ** (k - 1) * e[k] for k in range(1, size + 1)], 1)
    return torch.linalg.eigvals(companion).real.sort(1).values


def polygon_sets(size: int, angles: Tensor) -> Tensor:
    r"""Project corners of turned polygons: :math:`x_k = \cos\frac{\theta + 2\pi k}{M}`, shape ``(angles, size)``.

    They are the roots of :math:`T_M(x) = \cos\theta`, whose coefficients but the last do not depend on the angle. So by Newton's
    identities neither do their first M − 1 power sums.
    """
    return torch.cos((angles[:, None] + 2 * math.pi * torch.arange(size).to(angles)) / size)


def claim_exact(report: Report, settings: Settings) -> None:
    """M power sums are the set; one fewer, and sets with other answers look the same."""
    size = settings.sizes[-1]
    x = draw_sets(settings.test_sets, size, settings.seed)
    again = elements_from(power_sums(x, size))
    error = float((again - x.sort(1).values).square().mean().sqrt())
    report.claim(f"d = M: {size} power sums give back {size} numbers", error, "root mean square error", below=1e-5)  # fmt: skip
    turned = polygon_sets(size, torch.linspace(0, math.pi, 50, dtype=torch.float64))
    sums = power_sums(turned, size - 1)
    report.claim(f"d = M − 1: the same {size - 1} power sums …", float((sums - sums[0]).abs().max()), "largest difference", below=1e-12)  # fmt: skip
    largest = turned.amax(1)
    spread = float(largest.max() - largest.min())
    report.claim("… of sets with another maximum", spread, "it moves by 1 − cos(π/M):", near=(1 - math.cos(math.pi / size), 1e-12))  # fmt: skip


def claim_approximate(report: Report, settings: Settings) -> None:
    r"""One feature is enough to come near a maximum: :math:`\phi(x) = e^{\beta x},\ \rho(s) = \log(s)/\beta`."""
    rows = []
    for size in settings.sizes:
        x = draw_sets(settings.test_sets, size, settings.seed)
        for beta in settings.slopes:
            error = (x.mul(beta).logsumexp(1) / beta - x.amax(1)).abs()
            rows.append([size, beta, float(error.max()), math.log(size) / beta])
    ratio = max(error / bound for _, _, error, bound in rows)
    report.claim("d = 1: e^βx comes within log(M)/β of the maximum", ratio, "{} of that", at_most=1)
    report.table(
        "A maximum from one sum: steeper features come nearer, and none is there",
        columns=["M", "β", "largest error", "log(M)/β"],
        rows=rows,
    )


class Trained(NamedTuple):
    """Errors on test sets, as shares of the spread of the target, by width; medians over runs."""

    target: str
    size: int
    errors: dict[int, float]

    @property
    def name(self) -> str:
        return f"{self.target}, M = {self.size}"


def train_widths(settings: Settings, target: str, size: int) -> Trained:
    """Let Deep Sets of every width learn a function of sets."""
    f = TARGETS[choose("deep-sets-dimension", "targets", target, tuple(TARGETS))]
    x, test = (
        draw_sets(count, size, settings.seed + place).float()
        for place, count in enumerate((settings.sets, settings.test_sets))
    )
    y, truth = f(x), f(test)
    found = {}
    for width in settings.widths:
        replicas = train_replicas(
            partial(DeepSets, 1, settings.hidden_dim, y.shape[1], latent_dim=width), (x[..., None], y), loss="mse", lr=0.01,
            schedule="cosine", epochs=settings.epochs, batch_size=100, seed=range(settings.seed, settings.seed + settings.repeats),
        )  # fmt: skip
        mistakes = replicas.predict(test[..., None]) - truth  # (repeats, B, outputs)
        errors = (mistakes.square().mean(1) / truth.var(0)).mean(1).sqrt()
        found[width] = float(errors.median())
    return Trained(target, size, found)


def claim_trained(report: Report, trained: list[Trained]) -> None:
    """Gradient descent finds no exact form; how much the width matters to it."""
    at = [(own.errors, own.size) for own in trained]
    report.claim("trained: one feature errs more than M", min(e[1] / e[m] for e, m in at), "{} times as much", at_least=1.5)  # fmt: skip
    report.claim("half of M features come near to M", max(e[m // 2] / e[m] for e, m in at), "{} times the error", at_most=3)  # fmt: skip
    report.claim("twice M features bring little", max(e[m] / e[2 * m] for e, m in at), "{} times less error", at_most=1.7)  # fmt: skip
    report.claim("with M features training does not find the exact form", min(e[m] for e, m in at), "error, of the spread", above=0.01)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Width of a sum over a set",
        summary="To be exact, a sum over M numbers may need M continuous features: M power sums are the set, M − 1 are not. To come "
        "near, fewer do, and one steep feature for a maximum; in training the error falls with the width and levels off from M/2 to M.",
    )
    claim_exact(report, settings)
    claim_approximate(report, settings)
    trained = [train_widths(settings, target, size) for target in settings.targets for size in settings.sizes]  # fmt: skip
    claim_trained(report, trained)
    report.text(
        "With fewer than M continuous features some sets differ and their sums do not, and for the maximum of M numbers no "
        "continuous φ and ρ are exact (Wagstaff et al., 2019). That says nothing on how near they come."
    )
    panels = [
        CurvePanel(title, xlabel, "error, of the spread", {own.name: ([d / (own.size if is_share else 1) for d in own.errors], [*own.errors.values()]) for own in trained}, is_log_x=True, is_log_y=True)
        for title, xlabel, is_share in (("Error against width", "features d", False), ("… and against its share of M", "d / M", True))
    ]  # fmt: skip
    report.figure("widths", curve_panels(panels), caption=f"Deep Sets that give back a set of M numbers in order, or its median: root mean square error on test sets, as a share of the target's standard deviation; median of {settings.repeats} runs.")  # fmt: skip
    size = settings.sizes[-1]
    report.figure("polygons", draw_polygons(size), caption=f"Every row is a set of {size} numbers, the corners of a turning polygon seen from the side. All have the same first {size - 1} power sums, and another maximum.")  # fmt: skip
    report.table(
        "Error of trained Deep Sets, as a share of the target's standard deviation",
        columns=["target", *(f"d = {width}" for width in settings.widths)],
        rows=[[own.name, *own.errors.values()] for own in trained],
    )
    return report


def draw_polygons(size: int) -> Figure:
    """Sets that share their first M − 1 power sums, row by row."""
    angles = torch.linspace(0, math.pi, 13, dtype=torch.float64)
    sets = polygon_sets(size, angles)
    figure, panel = new_figure(width=7.0, height=3.4)
    panel.plot(sets, angles[:, None].expand_as(sets), "o", color=PALETTE[0], markersize=4)
    panel.plot(sets.amax(1), angles, "o", color=PALETTE[1], markersize=6, label="maximum")
    panel.set(title="Different sets, the same sums", xlabel="elements", ylabel=Formula("turn $\\theta$"))  # fmt: skip
    panel.legend(loc="upper center")
    return figure
