"""A mini-batch gradient is right on average, and its variance falls like one over the batch size."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from gradatim import data
from gradatim.experiments.learning._minibatch_figures import noise_figure, training_curves
from gradatim.instruments import batch_gradients, sample_gradients
from gradatim.linear import descent_path
from gradatim.losses import cross_entropy
from gradatim.models import MLP
from gradatim.nn import initialize
from gradatim.plots.error_surface import SurfacePanel, error_surfaces
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("C2",)
KEYWORDS = "stochastic gradient descent SGD, mini-batch gradient descent MBGD, gradient variance, unbiased, epoch, batch size"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    hidden_dim: int = 32
    draws: int = 1000
    sizes: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
    epochs: int = 20
    batch_sizes: tuple[int, ...] = (1, 32, 1797)


QUICK = Settings(draws=400, sizes=(1, 4, 16, 64, 256, 1024), epochs=8, batch_sizes=(8, 64, 1797))


def build(settings: Settings) -> MLP:
    model = MLP((64, settings.hidden_dim, 10))
    initialize(model, "he", generator=torch.Generator().manual_seed(settings.seed))
    return model


def check_variance(report: Report, settings: Settings, X: Tensor, y: Tensor) -> None:
    gradients = sample_gradients(build(settings), cross_entropy, X, y)
    full = gradients.mean(0)
    spread = (gradients - full).square().sum(1).mean().item()
    generator = torch.Generator().manual_seed(settings.seed)
    rows, measured = len(X), {}
    for replacement in (True, False):
        noises = [
            batch_gradients(
                gradients, m, draws=settings.draws, replacement=replacement, generator=generator
            )
            - full
            for m in settings.sizes
        ]
        measured[replacement] = [noise.square().sum(1).mean().item() for noise in noises]
        if replacement:
            errors = [noise.mean(0).square().sum().item() * settings.draws for noise in noises]
            bias = float(np.mean(np.array(errors) / np.array(measured[True])))
    report.claim(
        "the mean of many mini-batch gradients is the full gradient",
        bias,
        "squared error of the mean is variance / draws: ratio near 1,",
        below=2,
    )
    sizes = np.array(settings.sizes)
    slope = np.polyfit(np.log(sizes), np.log(measured[True]), 1)[0]
    report.claim(
        "variance is proportional to 1/m (drawn with replacement)",
        expected="power −1 ± 0.03",
        measured=round(float(slope), 4),
        holds=abs(slope + 1) < 0.03,
    )
    predicted = {True: spread / sizes, False: spread / sizes * (rows - sizes) / (rows - 1)}
    for replacement, words in ((True, "with"), (False, "without")):
        worst = float(np.abs(np.array(measured[replacement]) / predicted[replacement] - 1).max())
        formula = "σ²/m" if replacement else "σ²/m · (N − m)/(N − 1)"
        report.claim(f"{words} replacement the variance is {formula}", worst, below=0.15)
    whole = batch_gradients(gradients, rows, draws=2, generator=generator) - full
    report.claim(
        "a batch of all samples has no noise", whole.square().sum(1).max().item(), below=1e-10
    )
    clouds = draw_clouds(gradients, generator)
    report.figure(
        "noise",
        noise_figure(
            settings.sizes,
            {"with replacement": measured[True], "without": measured[False]},
            {"σ²/m": predicted[True], "σ²/m · (N − m)/(N − 1)": predicted[False]},
            clouds=clouds,
        ),
        caption="Gradients of an untrained network on the digits. Left: each dot is the gradient of one batch, seen in "
        "the plane where the noise is largest. Right: quadruple the batch and the noise halves in length.",
    )


def draw_clouds(gradients: Tensor, generator: torch.Generator) -> dict[str, np.ndarray]:
    """Errors of batches of three sizes in the plane where the noise is largest."""
    full = gradients.mean(0)
    # three hundred samples are enough to find the plane
    plane = torch.linalg.svd(gradients[:300] - full, full_matrices=False).Vh[:2]
    drawn = {m: batch_gradients(gradients, m, draws=300, generator=generator) for m in (4, 32, 256)}
    return {f"m = {m}": ((g - full) @ plane.T).numpy() for m, g in drawn.items()}


def check_training(report: Report, settings: Settings, X: Tensor, y: Tensor) -> None:
    curves, rows = {}, []
    for size in settings.batch_sizes:
        # a rate that every size survives: what differs is the number of steps
        trainer = Trainer(
            build(settings),
            optimizer="sgd",
            lr=0.05,
            epochs=settings.epochs,
            batch_size=size,
            seed=settings.seed,
            progress=False,
        )
        history = trainer.fit((X, y))
        label = f"m = {size}" + (" (all)" if size >= len(X) else "")
        curves[label] = history["train_loss"]
        steps = settings.epochs * -(-len(X) // size)
        rows.append([label, steps, history["train_loss"][-1], sum(history["seconds"])])
    report.table(
        f"Gradient descent with rate 0.05, {settings.epochs} passes over the data",
        columns=["batch", "steps", "training loss in the last pass", "seconds"],
        rows=rows,
    )
    losses = [curve[-1] for curve in curves.values()]
    report.claim(
        "for the same number of passes, smaller batches come down farther",
        expected="loss grows with the batch size",
        measured=", ".join(f"{loss:.3f}" for loss in losses),
        holds=losses == sorted(losses),
    )
    report.figure(
        "training",
        training_curves(curves, xlabel="pass over the data", ylabel="training loss"),
        caption="All samples at once make one exact step a pass; small batches make many noisy ones, and each sample "
        "is used as often.",
    )


def check_line(report: Report, settings: Settings) -> None:
    """A straight line fitted by all rows at once, and by one row at a time."""
    generator = torch.Generator().manual_seed(settings.seed)
    x = torch.randn(60, generator=generator, dtype=torch.float64)
    y = 1.5 * x + 0.5 + 0.6 * torch.randn(60, generator=generator, dtype=torch.float64)

    def error(w: Tensor) -> Tensor:
        return (w[..., :1] * x + w[..., 1:] - y).square().mean(-1)

    start = torch.tensor([-0.8, 2.2], dtype=torch.float64)
    whole = descent_path(error, start, lr=0.1, steps=60)
    w, single = start, [start]
    for row in torch.randint(len(x), (60,), generator=generator).tolist():
        off = 2 * (w[0] * x[row] + w[1] - y[row])
        w = w - 0.1 * torch.stack([off * x[row], off])
        single.append(w)
    path = torch.stack(single)
    rises = {name: (error(points).diff() > 1e-12).double().mean().item() for name, points in (("all", whole), ("one", path))}  # fmt: skip
    report.claim("a line fitted by all rows: no step raises the error", rises["all"], "share of steps", equals=0)  # fmt: skip
    report.claim("by one row at a time many do, for a sixtieth of the work", rises["one"], "share of steps", at_least=0.2)  # fmt: skip
    best = torch.linalg.lstsq(torch.stack([x, torch.ones_like(x)], 1), y[:, None]).solution.T
    panel = SurfacePanel("Squared error of y = ax + b", error, ((-1.5, 3.5), (-1.0, 2.8)), {"all rows": whole, "one row": path}, best)  # fmt: skip
    figure = error_surfaces([panel])
    figure.axes[0].set(xlabel="slope a", ylabel="intercept b")
    report.figure("line", figure, caption="Sixty steps each. All rows show the way straight to the star; single rows disagree, and go on disagreeing around it.")  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Noise of mini-batches",
        summary="The gradient of a mini-batch is unbiased with variance σ²/m: exactness costs m samples a step, "
        "and many inexact steps get farther than a few exact ones.",
    )
    digits = data.load("digits")
    X, y = torch.as_tensor(digits.X), torch.as_tensor(digits.y)
    check_variance(report, settings, X, y)
    check_training(report, settings, X, y)
    check_line(report, settings)
    return report
