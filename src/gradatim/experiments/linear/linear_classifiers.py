"""Logistic, softmax and discriminant fits agree with scikit-learn; plain least squares hides a class."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from torch import Tensor

from gradatim.data import load
from gradatim.linear import LinearClassifier, fit_lda, fit_least_squares, fit_logistic, fit_softmax
from gradatim.plots.style import PALETTE, new_figure
from gradatim.plots.words import Formula
from gradatim.reports import Report

COVERS = ("A6", "D1")
KEYWORDS = "logistic regression, softmax activation function, linear discriminant analysis LDA, one-hot encoding, categorical cross-entropy CCE, decision boundary, supervised learning, masking"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    points: int = 450
    weight_decay: float = 1e-3


QUICK = Settings()


def classify_by_least_squares(X: torch.Tensor, y: torch.Tensor) -> LinearClassifier:
    """Regress one-hot targets, predict the largest output."""
    classes, indices = torch.unique(y, return_inverse=True)
    fit = fit_least_squares(X, torch.eye(len(classes), dtype=torch.float64)[indices])
    return LinearClassifier(fit.weight, fit.bias, classes)


def check_masking(report: Report, settings: Settings) -> None:
    generator = torch.Generator().manual_seed(settings.seed)
    y = torch.arange(settings.points) % 3
    noise = 0.7 * torch.randn(settings.points, 2, generator=generator, dtype=torch.float64)
    X = 3.0 * (y[:, None] - 1) * torch.tensor([1.0, 0.7], dtype=torch.float64) + noise
    classifiers = {
        "least squares": classify_by_least_squares(X, y),
        "LDA": fit_lda(X, y),
        "softmax": fit_softmax(X, y, weight_decay=settings.weight_decay),
    }
    middle = {
        label: (fit.predict(X)[y == 1] == 1).double().mean().item()
        for label, fit in classifiers.items()
    }
    report.claim(
        "least squares on one-hot targets masks the middle class",
        middle["least squares"],
        at_most=0.2,
    )
    for label in ("LDA", "softmax"):
        report.claim(f"{label} finds it", middle[label], "{} of it", at_least=0.9)
    report.figure(
        "masking",
        class_regions(X, y, classifiers),
        caption="Three classes in a row. Regression on one-hot targets never gives the middle class the "
        "largest output; the linear models of probabilities do.",
    )


def check_scikit_learn(report: Report, settings: Settings) -> None:
    data = load("digits")
    X, X_test, y, y_test = train_test_split(
        data.X.astype(np.float64), data.y, stratify=data.y, random_state=settings.seed
    )
    gamma = settings.weight_decay
    theirs = LogisticRegression(C=1 / (gamma * len(X)), tol=1e-8, max_iter=5000)
    even, even_test = (y % 2 == 0).astype(int), (y_test % 2 == 0).astype(int)
    rows = []
    for label, ours, reference, labels, held_out in (
        ("softmax regression", fit_softmax(X, y, weight_decay=gamma), theirs, y, y_test),
        (
            "logistic regression, even or odd",
            fit_logistic(X, even, weight_decay=gamma),
            theirs,
            even,
            even_test,
        ),
        ("discriminant analysis", fit_lda(X, y), LinearDiscriminantAnalysis(), y, y_test),
    ):
        reference.fit(X, labels)
        difference = ours.probabilities(X_test).numpy() - reference.predict_proba(X_test)
        gap = float(np.abs(difference).max())
        accuracy = float((ours.predict(X_test).numpy() == held_out).mean())
        rows.append([label, accuracy, float(reference.score(X_test, held_out)), gap])
        report.claim(
            f"{label} agrees with scikit-learn", gap, "probabilities differ by", below=1e-3
        )
    report.table(
        "Digits, held-out quarter",
        columns=["model", "accuracy", "scikit-learn's", "largest difference of probabilities"],
        rows=rows,
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Linear classifiers",
        summary="Models of probabilities classify where regression on labels fails, and ours give "
        "scikit-learn's probabilities.",
    )
    check_masking(report, settings)
    check_scikit_learn(report, settings)
    return report


def class_regions(
    X: Tensor, y: Tensor, classifiers: Mapping[str, LinearClassifier], *, resolution: int = 300
) -> Figure:
    """Draw the regions of the plane that linear classifiers give to each class.

    Args:
        X: Points, shape ``(N, 2)``.
        y: Labels, shape ``(N,)``.
        classifiers: Fits by label.
        resolution: Points of the grid along each axis.

    Example:
        >>> from gradatim.linear import fit_lda
        >>> X, y = torch.tensor([[0.0, 0.0], [1.0, 0.0], [4.0, 1.0], [5.0, 1.0]]), torch.tensor([0, 0, 1, 1])
        >>> len(class_regions(X, y, {"LDA": fit_lda(X, y)}).axes)
        1
    """
    figure, axes = new_figure(columns=len(classifiers), width=3.4 * len(classifiers), height=3.5)
    X = X.double()
    margin = 0.08 * (X.amax(0) - X.amin(0))
    low, high = (X.amin(0) - margin).tolist(), (X.amax(0) + margin).tolist()
    x1, x2 = (torch.linspace(low[i], high[i], resolution, dtype=X.dtype) for i in (0, 1))
    grid = torch.cartesian_prod(x1, x2)
    classes, indices = torch.unique(y, return_inverse=True)
    colours = PALETTE[: len(classes)]
    for panel, (label, classifier) in zip(np.ravel(axes), classifiers.items(), strict=True):
        region = torch.searchsorted(classes, classifier.predict(grid)).reshape(resolution, -1)
        panel.pcolormesh(
            x1.numpy(), x2.numpy(), region.T.numpy(), cmap=ListedColormap(colours), vmin=-0.5, vmax=len(classes) - 0.5,
            alpha=0.25, linewidth=0, rasterized=True,
        )  # fmt: skip
        for place, colour in enumerate(colours):
            panel.plot(*X[indices == place].T.numpy(), "o", markersize=2.5, color=colour)
        accuracy = (classifier.predict(X) == y).double().mean().item()
        panel.set_title(f"{label}: {accuracy:.1%}")
        panel.grid(False)
        panel.set_xlabel(Formula("$x_1$"))
    np.ravel(axes)[0].set_ylabel(Formula("$x_2$"))
    return figure
