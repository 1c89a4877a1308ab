"""Convolution is a matrix of few numbers, each repeated, and so it can be learned from few examples."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from torch import Tensor

from gradatim.nn import adjoint_convolve, convolve, correlate, toeplitz_matrix
from gradatim.plots.convolution import show_picture
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.style import new_figure
from gradatim.reports import Report

COVERS = ("E1",)
KEYWORDS = (
    "Toeplitz matrix, weight sharing, shift-equivariant operator, banded matrix, linear operator"
)
MODES = ("valid", "same", "full", "circular")
OPERATIONS = {"convolve": convolve, "correlate": correlate}


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    length: int = 40
    taps: int = 5
    noise: float = 0.1
    samples: tuple[int, ...] = (1, 2, 5, 10, 20, 30, 40, 50, 70, 100, 200, 500, 1000)
    repeats: int = 20


QUICK = Settings(repeats=5)


def claim_by_hand(report: Report) -> None:
    kernel = torch.tensor([1.0, 2.0, 4.0])
    found = toeplitz_matrix(kernel, 5, "circular", operation="correlate")
    by_hand = torch.tensor(
        [[1, 2, 4, 0, 0], [0, 1, 2, 4, 0], [0, 0, 1, 2, 4], [4, 0, 0, 1, 2], [2, 4, 0, 0, 1.0]]
    )
    report.claim(
        "the circular matrix of the filter (1, 2, 4) on five places",
        expected="rows 12400, 01240, 00124, 40012, 24001",
        measured=", ".join("".join(f"{v:.0f}" for v in row) for row in found.tolist()),
        holds=torch.equal(found, by_hand),
    )


def claim_products(report: Report, generator: torch.Generator) -> None:
    """Matrix times signal is sliding, for all modes, in one dimension and two."""
    errors, gaps = [], []
    for operation, function in OPERATIONS.items():
        for mode in MODES:
            for size, taps in (((11,), (4,)), ((6, 7), (3, 2))):
                x, w = (torch.randn(shape, generator=generator).double() for shape in (size, taps))
                matrix = toeplitz_matrix(w, size, mode, operation=operation)
                slid = function(x, w, mode=mode)
                errors.append((matrix @ x.flatten() - slid.flatten()).abs().max().item())
                if operation == "convolve":
                    back = adjoint_convolve(slid, w, size, mode=mode).flatten()
                    gaps.append((matrix.T @ slid.flatten() - back).abs().max().item())
    report.claim(
        "matrix times signal is sliding: 2 operations, 4 modes, signals and images",
        max(errors),
        below=1e-12,
    )
    report.claim("the transposed matrix is the transposed convolution", max(gaps), below=1e-12)


def claim_structure(report: Report, settings: Settings, w: Tensor) -> None:
    matrix = toeplitz_matrix(w, settings.length, "circular")
    distinct = len(matrix.unique()) - 1
    report.claim(
        f"of {matrix.numel():,} entries, different numbers other than zero",
        distinct,
        equals=settings.taps,
    )
    waves = torch.fft.fft(torch.eye(settings.length, dtype=torch.complex128)) / settings.length**0.5
    turned = waves @ matrix.to(waves.dtype) @ waves.conj().T
    off = (turned - torch.diag(turned.diagonal())).abs().max().item()
    spectrum = torch.fft.fft(w, settings.length)
    gap = (turned.diagonal() - spectrum).abs().max().item()
    report.claim("waves are the eigenvectors of the circular matrix", off, below=1e-12)
    report.claim("its eigenvalues are the spectrum of the kernel", gap, below=1e-12)


def fit_dense(x: Tensor, y: Tensor) -> Tensor:
    """Least squares over all matrices, of least norm where the data leave a choice."""
    return torch.linalg.lstsq(x, y, driver="gelsd").solution.T


def fit_kernel(x: Tensor, y: Tensor, taps: int) -> Tensor:
    """Least squares over the taps alone: every place of every sample is an equation."""
    shifted = torch.stack([x.roll(i, -1) for i in range(taps)], -1)  # (N, n, m)
    return torch.linalg.lstsq(shifted.flatten(0, 1), y.flatten()[:, None]).solution[:, 0]


def excess_error(guess: Tensor, truth: Tensor) -> float:
    """Expected squared error on a new signal of unit variance, per unit of the answer's variance."""
    return ((guess - truth).square().sum() / truth.square().sum()).item()


def learn(settings: Settings, w: Tensor, generator: torch.Generator) -> dict[str, list[float]]:
    """Median excess errors of both learners by the number of samples."""
    truth = toeplitz_matrix(w, settings.length, "circular")
    scale = settings.noise * truth.square().sum(1).mean().sqrt()
    errors: dict[str, list[float]] = {"dense": [], "convolution": []}
    for count in settings.samples:
        found = []
        for _ in range(settings.repeats):
            x, e = torch.randn(2, count, settings.length, generator=generator, dtype=w.dtype)
            y = x @ truth.T + scale * e
            kernel = toeplitz_matrix(fit_kernel(x, y, settings.taps), settings.length, "circular")
            found.append([excess_error(fit_dense(x, y), truth), excess_error(kernel, truth)])
        # Where samples are as many as columns the mean is infinite; the median is not.
        for label, value in zip(errors, torch.tensor(found).median(0).values.tolist(), strict=True):
            errors[label].append(value)
    return errors


def claim_learning(report: Report, settings: Settings, errors: dict[str, list[float]]) -> None:
    one, last = errors["convolution"][0], errors["dense"][-1]
    report.claim(
        f"the kernel learned from {settings.samples[0]} noisy sample", one, "excess", below=0.02
    )
    half = [n for n in settings.samples if n <= settings.length // 2][-1]
    few = errors["dense"][settings.samples.index(half)]
    report.claim(
        f"a dense matrix learned from {half} samples, half as many as it has columns",
        few,
        "excess error",
        above=0.3,
    )
    ratio = last / errors["convolution"][-1]
    theory = settings.length / settings.taps * settings.length
    report.claim(
        f"dense over convolutional error at {settings.samples[-1]} samples",
        ratio,
        above=theory / 3,
        below=theory * 3,
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Convolution is a Toeplitz matrix",
        summary="A convolutional layer is a dense layer whose matrix repeats a few numbers along its diagonals. "
        "Knowing that, one noisy example teaches what a free matrix needs hundreds for.",
    )
    generator = torch.Generator().manual_seed(settings.seed)
    w = torch.randn(settings.taps, generator=generator, dtype=torch.float64)
    claim_by_hand(report)
    claim_products(report, generator)
    claim_structure(report, settings, w)
    errors = learn(settings, w, generator)
    claim_learning(report, settings, errors)
    kernel = torch.tensor([1.0, -0.6, 0.3])
    report.figure(
        "matrices",
        matrix_panels({mode: toeplitz_matrix(kernel, 8, mode) for mode in MODES}),
        caption="A kernel of three taps on a signal of eight places, in four modes. Each colour is one number.",
    )
    image = torch.tensor([[1.0, -0.6, 0.3], [0.2, -1.0, 0.5], [0.8, -0.3, 0.1]])
    report.figure(
        "blocks",
        matrix_panels({"3 × 3 kernel, 6 × 6 image": toeplitz_matrix(image, 6, "same")}, size=4.2),
        caption="In two dimensions: blocks along diagonals, each block a Toeplitz matrix.",
    )
    curves = {name: (settings.samples, values) for name, values in errors.items()}
    report.figure(
        "learning",
        curve_panels(
            [
                CurvePanel(
                    "What sharing weights saves",
                    "samples",
                    "excess error",
                    curves,
                    is_log_x=True,
                    is_log_y=True,
                )
            ],
            width=6.5,
        ),
        caption=f"Least squares for a circular convolution of {settings.length} places from noisy examples. The free "
        "matrix is worst where it has just as many samples as columns, and then fits the noise.",
    )
    return report


def matrix_panels(matrices: Mapping[str, ArrayLike], *, size: float = 2.3) -> Figure:
    """Draw matrices side by side, one colour a value, zeros white.

    Args:
        matrices: By title, shape ``(rows, columns)``.
        size: Inches across one matrix.

    Example:
        >>> figure = matrix_panels({"identity": [[1, 0], [0, 1]]})
    """
    arrays = {title: np.asarray(values, dtype=float) for title, values in matrices.items()}
    ratio = max(values.shape[0] / values.shape[1] for values in arrays.values())
    figure, axes = new_figure(columns=len(arrays), width=size * len(arrays), height=size * ratio + 0.4)  # fmt: skip
    for panel, (title, values) in zip(np.ravel(axes), arrays.items(), strict=True):
        show_picture(panel, values, float(np.abs(values).max()) or 1.0)
        panel.set_title(title)
    return figure
