"""A linear autoencoder finds the subspace of principal components, and every other place to rest is a saddle."""

from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from scipy.linalg import subspace_angles
from sklearn.decomposition import PCA
from torch import Tensor

from gradatim.experiments._digits import split_digits
from gradatim.generative import Autoencoder, LinearAutoencoder
from gradatim.models import MLP
from gradatim.plots import CurvePanel, curve_panels, image_rows
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("K1",)
KEYWORDS = "principal component analysis PCA, linear autoencoder, saddle points, singular value decomposition"
SIZES = (2, 4, 8)  # of the code
KEPT = 4  # components of the claims
BENT = "hidden layers"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    starts: int = 5
    steps: int = 2000
    epochs: int = 400


QUICK = Settings(starts=2, steps=700, epochs=100)


def minimize(
    rows: Tensor, latent_dim: int, seed: int, steps: int, *, has_bias: bool = True
) -> LinearAutoencoder:
    """Descend to the least squared error on all rows, by L-BFGS from a random start."""
    with seeded(seed):
        model = LinearAutoencoder(rows.shape[1], latent_dim, has_bias=has_bias).double()
    optimizer = torch.optim.LBFGS(
        model.parameters(), max_iter=steps, max_eval=2 * steps, history_size=50, tolerance_grad=1e-9, tolerance_change=0, line_search_fn="strong_wolfe",
    )  # fmt: skip
    Trainer(model, "mse", optimizer, epochs=1, batch_size=len(rows), progress=False).fit((rows, rows))  # fmt: skip
    return model


def loss(model: torch.nn.Module, rows: Tensor) -> float:
    """Half of the squared error of a row, on average."""
    with torch.no_grad():
        return float((model(rows) - rows).square().sum(1).mean()) / 2


def angle(basis: Tensor, directions: np.ndarray) -> float:
    """The largest principal angle between a basis and the span of the rows of ``directions``."""
    return float(subspace_angles(basis.numpy(), directions.T).max())


def turned_loss(
    rows: Tensor, directions: Tensor, turn: Tensor, leaving: int, entering: int
) -> Tensor:
    """Loss of the projection on all ``directions`` but one, where ``leaving`` is turned towards it by an angle.

    The decoder has the columns of the subspace, and the encoder is its transpose.
    """
    kept = [k for k in range(len(directions)) if k not in (leaving, entering)]
    turning = turn.cos() * directions[leaving] + turn.sin() * directions[entering]
    basis = torch.stack([*directions[kept], turning])  # (m, d)
    return (rows - rows @ basis.T @ basis).square().sum(1).mean() / 2


def train_nonlinear(train: Tensor, latent_dim: int, settings: Settings) -> Autoencoder:
    """A dense autoencoder of the same code, with a hidden layer on each side."""
    with seeded(settings.seed):
        model = Autoencoder(
            MLP((64, 128, latent_dim), activation="silu"),
            MLP((latent_dim, 128, 64), activation="silu"),
        )
    trainer = Trainer(model, "mse", lr=3e-3, epochs=settings.epochs, batch_size=100, schedule="cosine", seed=settings.seed, progress=False)  # fmt: skip
    trainer.fit((train, train))
    return model.eval()


def claim_subspace(report: Report, rows: Tensor, settings: Settings) -> None:
    """The minimum from several starts: subspace, loss, projection, axes, and what happens without centring."""
    pca = PCA(KEPT).fit(rows.numpy())
    every = PCA().fit(rows.numpy()).explained_variance_ * (len(rows) - 1) / len(rows)
    models = [
        minimize(rows, KEPT, settings.seed + k, settings.steps) for k in range(settings.starts)
    ]
    report.claim(
        "it spans the first four principal components, from every start",
        max(angle(model.basis(), pca.components_) for model in models),
        "largest principal angle {}", below=1e-3,
    )  # fmt: skip
    losses = [loss(model, rows) for model in models]
    floor = float(every[KEPT:].sum()) / 2
    report.claim(
        "its loss is half of the variance that they leave out",
        max(abs(value / floor - 1) for value in losses),
        "relative difference {}", below=1e-5,
    )  # fmt: skip
    centred = rows - rows.mean(0)
    projected = centred @ torch.as_tensor(pca.components_.T @ pca.components_)
    done = models[0](rows).detach() - rows.mean(0)
    report.claim(
        "what it does to an image is to project it",
        float((done - projected).norm() / projected.norm()),
        "relative difference {}", below=1e-3,
    )  # fmt: skip
    columns = torch.nn.functional.normalize(models[0].decoder.weight.detach(), dim=0)
    report.claim(
        "its axes are not theirs: columns of its decoder are not orthogonal",
        float((columns.T @ columns - torch.eye(KEPT)).abs().max()),
        "largest cosine {}", above=0.05,
    )  # fmt: skip
    biasless = minimize(rows, KEPT, settings.seed, 2 * settings.steps, has_bias=False)
    moments = np.linalg.svd(rows.numpy(), full_matrices=False)[2][:KEPT]
    angles = angle(biasless.basis(), moments), angle(biasless.basis(), pca.components_)
    report.claim(
        "without bias, on images that are not centred, it spans eigenvectors of XᵀX/n, not principal components",
        f"{angles[0]:.1e} and {angles[1]:.2f}", "angle to the first below 1e-3, to the second above 0.1",
        holds=angles[0] < 1e-3 and angles[1] > 0.1,
    )  # fmt: skip


def claim_saddles(report: Report, rows: Tensor) -> None:
    """Other eigenvectors: no slope, and down on one side."""
    pca = PCA(KEPT + 1).fit(rows.numpy())
    variances = pca.explained_variance_ * (len(rows) - 1) / len(rows)
    directions = torch.as_tensor(pca.components_)
    centred = rows - rows.mean(0)
    turn = torch.zeros((), dtype=rows.dtype, requires_grad=True)
    value = turned_loss(centred, directions, turn, leaving=KEPT, entering=KEPT - 1)
    (slope,) = torch.autograd.grad(value, turn, create_graph=True)
    (curvature,) = torch.autograd.grad(slope, turn)
    others = [*range(KEPT - 1), KEPT]
    decoder = directions[others].T.clone().requires_grad_()
    encoder = directions[others].clone().requires_grad_()
    rest = (centred - centred @ encoder.T @ decoder.T).square().sum(1).mean() / 2
    slopes = torch.autograd.grad(rest, (encoder, decoder))
    report.claim(
        "with the fifth component in the place of the fourth there is no slope",
        float(max(slope.abs().max() for slope in slopes)), "largest entry of the gradient {}", below=1e-9,
    )  # fmt: skip
    gap = variances[KEPT - 1] - variances[KEPT]
    report.claim(
        "but it is a saddle: turning towards the fourth goes down by the difference of their variances",
        float(curvature.detach()) / -gap, "curvature over λ₅ − λ₄", near=(1.0, 1e-6),
    )  # fmt: skip


def run(settings: Settings) -> Report:
    (train, _), (test, _) = split_digits(settings.seed, is_flat=True)
    rows = train.double()
    report = Report(
        title="PCA is a linear autoencoder",
        summary="Linear maps to a short code and back learn the subspace of PCA by descent; nonlinear ones say more with as many numbers.",
    )
    claim_subspace(report, rows, settings)
    claim_saddles(report, rows)
    pca = [PCA(m).fit(train.numpy()) for m in SIZES]
    linear = [minimize(rows, m, settings.seed, settings.steps // 3) for m in SIZES]
    bent = [train_nonlinear(train, m, settings) for m in SIZES]

    def by_pca(k: int) -> Tensor:
        return torch.as_tensor(pca[k].inverse_transform(pca[k].transform(test.numpy())))

    errors = {
        "PCA": [float((by_pca(k) - test).square().sum(1).mean()) / 2 for k in range(len(SIZES))],
        "linear autoencoder": [loss(model, test.double()) for model in linear],
        BENT: [loss(model, test) for model in bent],
    }
    shares = [own / pca for own, pca in zip(errors[BENT], errors["PCA"], strict=True)]
    report.claim(
        "with hidden layers, numbers say more of new images than as many components",
        ", ".join(f"{share:.2f}" for share in shares), "loss below 0.95 of PCA's", holds=max(shares) < 0.95,
    )  # fmt: skip
    report.figure(
        "loss",
        _curves(errors),
        caption="Half of the squared error on images that were not learned from.",
    )
    with torch.no_grad():
        rebuilt = {
            "image": test[:12],
            "PCA": by_pca(2),
            "linear": linear[2](test.double()),
            "with hidden layers": bent[2](test),
        }
    shown = {name: np.asarray(images[:12]).reshape(-1, 1, 8, 8) for name, images in rebuilt.items()}
    report.figure(
        "reconstructions", image_rows(shown), caption="New digits from four numbers each."
    )
    report.table(
        "Loss on new images", columns=["numbers", *errors],
        rows=[[m, *(values[k] for values in errors.values())] for k, m in enumerate(SIZES)],
    )  # fmt: skip
    report.text(
        "Notes 002 take the eigenvectors of XᵀX/n: these are principal components only if the mean of the data is 0. "
        "With a bias on both sides no centring is needed."
    )
    return report


def _curves(errors: dict[str, list[float]]) -> Figure:
    curves = {name: (SIZES, values) for name, values in errors.items() if name != "PCA"}
    panel = CurvePanel("Loss on new digits", "numbers in the code", "½ squared error", curves, guides={"PCA": (SIZES, errors["PCA"])})  # fmt: skip
    return curve_panels([panel], width=6.0)
