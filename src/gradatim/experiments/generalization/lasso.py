"""The penalty on absolute values makes weights exactly zero, if the step that shrinks them can stop at zero."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Lasso
from torch import Tensor, nn

from gradatim.linear import fit_ridge
from gradatim.losses import mse, penalized
from gradatim.optim import ProximalGradient
from gradatim.optim.named import OptimizerFactory
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("D2",)
KEYWORDS = "L1 regularization, lasso, sparsity, exact zeros, soft thresholding, proximal gradient descent ISTA, feature selection, subgradient, Laplace prior"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    columns_of_noise: int = 20
    epochs: int = 4000
    strengths: tuple[float, ...] = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)


QUICK = Settings(epochs=1000, strengths=(0.03, 0.1, 0.3))


def draw(settings: Settings) -> tuple[Tensor, Tensor]:
    """The diabetes data, standardized, with columns of noise beside its ten."""
    data = load_diabetes()
    rng = np.random.default_rng(settings.seed)
    X = np.c_[data.data, rng.normal(size=(len(data.data), settings.columns_of_noise))]
    X = (X - X.mean(0)) / X.std(0)
    return torch.from_numpy(X), torch.from_numpy((data.target - data.target.mean()) / data.target.std())  # fmt: skip


def train(X: Tensor, y: Tensor, optimizer: str | OptimizerFactory, loss: Callable[[nn.Linear], object], settings: Settings) -> Tensor:  # fmt: skip
    """Weights of a linear layer after full-batch descent from zero with a step below 2/L."""
    layer = nn.Linear(X.shape[1], 1, bias=False).double()
    nn.init.zeros_(layer.weight)
    lr = 0.5 / float(torch.linalg.eigvalsh(X.T @ X / len(X))[-1])
    Trainer(layer, loss(layer), optimizer, lr=lr, epochs=settings.epochs, batch_size=len(X), seed=settings.seed, progress=False).fit((X, y[:, None]))  # type: ignore[arg-type]  # fmt: skip
    return layer.weight.detach()[0]


def run(settings: Settings) -> Report:
    report = Report(
        title="Lasso",
        summary="A step of soft thresholding behind every step of descent ends in the lasso, zeros included. The same penalty as a "
        "term of the loss leaves weights that tremble around zero, and ridge shrinks all of them and drops none.",
    )
    X, y = draw(settings)
    gaps, zeros, paths = [], [], []
    for strength in settings.strengths:
        found = train(X, y, partial(ProximalGradient, l1=2 * strength), lambda _: mse, settings)
        exact = Lasso(alpha=strength, fit_intercept=False, tol=1e-10, max_iter=100_000).fit(X, y).coef_  # fmt: skip
        gaps.append(float((found - torch.from_numpy(exact)).abs().max()))
        zeros.append((int((found == 0).sum()), int((exact == 0).sum())))
        paths.append(found)
    report.claim("proximal descent ends in scikit-learn's lasso", max(gaps), "largest difference of a weight", below=1e-4)  # fmt: skip
    report.claim("with the same weights at exactly zero", str([own for own, _ in zeros]), equals=str([exact for _, exact in zeros]))  # fmt: skip
    middle = settings.strengths[len(settings.strengths) // 2]
    subgradient = train(X, y, "sgd", lambda layer: penalized(mse, layer, l1=2 * middle), settings)
    report.claim("the penalty as a term of the loss: weights at exactly zero", int((subgradient == 0).sum()), equals=0)  # fmt: skip
    ridge = fit_ridge(X, y, weight_decay=2 * middle, fit_intercept=False).weight
    report.claim("ridge drops no column", int((ridge == 0).sum()), "weights at zero", equals=0)
    noise = paths[len(paths) // 2][10:]
    report.claim(f"λ = {middle:g}: columns of noise that are dropped", float((noise == 0).double().mean()), "share", at_least=0.7)  # fmt: skip
    report.table(
        "Weights at zero, of 10 columns of the data and those of noise",
        columns=["λ", "of the data", "of the noise", "largest difference from scikit-learn"],
        rows=[[s, int((w[:10] == 0).sum()), int((w[10:] == 0).sum()), gap] for s, w, gap in zip(settings.strengths, paths, gaps, strict=True)],
    )  # fmt: skip
    grid = np.geomspace(1e-3, 1.0, 40)
    lasso = np.stack([Lasso(alpha=a, fit_intercept=False).fit(X, y).coef_ for a in grid])
    shrunk = torch.stack([fit_ridge(X, y, weight_decay=2 * a, fit_intercept=False).weight for a in grid]).numpy()  # fmt: skip
    names = load_diabetes().feature_names
    chosen = np.argsort(-np.abs(lasso[0, :10]))[:6]
    panels = [CurvePanel(title, "λ", "weight", {names[j]: (grid, w[:, j]) for j in chosen}, is_log_x=True) for title, w in (("Lasso: one after the other is dropped", lasso), ("Ridge: all shrink", shrunk))]  # fmt: skip
    report.figure("paths", curve_panels(panels, width=5.2, height=4.0), caption="Six weights of the diabetes data against the strength of the penalty.")  # fmt: skip
    return report
