"""With as many learned weights, units that learn beat units that are drawn, the more the more inputs there are."""

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from gradatim.models import MLP
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.reports import Report
from gradatim.training import train_replicas

COVERS = ("B3", "A6")
KEYWORDS = "fixed basis functions against learned features, random features, feature learning, feature engineering, curse of dimensionality, Barron"
Pair = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 8000
    dims: tuple[int, ...] = (2, 5, 10, 20, 40)
    widths: tuple[int, ...] = (4, 8, 16, 32)
    networks: int = 3
    epochs: int = 60


QUICK = Settings(rows=3000, dims=(2, 20), widths=(8, 16), networks=2, epochs=30)


def draw_rows(dim: int, rows: int, seed: int) -> Pair:
    """Normal inputs of which one direction matters: y = |u·x| for a unit vector u, standardized."""
    generator = torch.Generator().manual_seed(seed)
    u = torch.randn(dim, generator=generator)
    x = torch.randn(rows, dim, generator=generator)
    y = (x @ u / u.norm()).abs()
    return x, (y - (2 / torch.pi) ** 0.5)[:, None] / (1 - 2 / torch.pi) ** 0.5


def fixed_error(train: Pair, test: Pair, count: int, seed: int) -> float:
    """Test error of ReLU units that are drawn, with the least-squares readout: as many learned weights as units."""
    generator = torch.Generator().manual_seed(seed)
    dim = train[0].shape[1]
    w = torch.randn(dim, count - 1, generator=generator) / dim**0.5
    b = torch.randn(count - 1, generator=generator)

    def units(x: Tensor) -> Tensor:
        hidden = torch.relu(x @ w + b)
        return torch.cat([hidden, torch.ones(len(x), 1)], 1).double()

    H, y = units(train[0]), train[1].double()
    gram = H.T @ H / len(H) + 1e-6 * torch.eye(count, dtype=H.dtype)
    readout = torch.linalg.solve(gram, H.T @ y / len(H))
    return float((units(test[0]) @ readout - test[1]).square().mean())


def learned_errors(train: Pair, test: Pair, width: int, settings: Settings) -> list[float]:
    """Test errors of networks with one hidden layer of this width."""
    seeds = range(100 * settings.seed, 100 * settings.seed + settings.networks)
    run = train_replicas(
        partial(MLP, (train[0].shape[1], width, 1)), train, loss="mse", lr=[0.01] * len(seeds), schedule="cosine",
        epochs=settings.epochs, batch_size=100, seed=list(seeds),
    )  # fmt: skip
    return (run.predict(test[0]) - test[1]).square().mean((1, 2)).tolist()


def compare(settings: Settings, dim: int) -> dict[int, tuple[float, float]]:
    """By number of learned weights, mean error of fixed and of learned features; 1 is that of guessing the mean."""
    x, y = draw_rows(dim, 2 * settings.rows, settings.seed)
    train, test = (x[: settings.rows], y[: settings.rows]), (x[settings.rows :], y[settings.rows :])
    found = {}
    for width in settings.widths:
        count = width * (dim + 2) + 1
        fixed = [fixed_error(train, test, count, seed) for seed in range(settings.networks)]
        learned = learned_errors(train, test, width, settings)
        found[count] = sum(fixed) / len(fixed), sum(learned) / len(learned)
    return found


def run(settings: Settings) -> Report:
    report = Report(
        title="Fixed and learned features",
        summary="A target that depends on one direction of the input: drawn units must cover all directions, and need more "
        "and more of them as inputs are added; units that learn turn into the one that matters.",
    )
    found = {dim: compare(settings, dim) for dim in settings.dims}
    few, many = settings.dims[0], settings.dims[-1]
    last = {dim: list(errors.values())[-1] for dim, errors in found.items()}
    report.claim(f"{few} inputs: drawn units are enough", last[few][0], "mean squared error {}, guessing has 1", below=0.02)  # fmt: skip
    report.claim(f"{many} inputs: units that learn do better with as many learned weights", last[many][1] / last[many][0], "of the error of drawn units", below=0.5)  # fmt: skip
    report.claim(f"drawn units suffer from the inputs: {many} instead of {few}", last[many][0] / last[few][0], "times the error", above=10.0)  # fmt: skip
    report.table(
        f"Mean squared error on fresh rows, {settings.networks} draws",
        columns=["inputs", "learned weights", "drawn units", "units that learn"],
        rows=[[dim, count, *errors] for dim, by_count in found.items() for count, errors in by_count.items()],
    )  # fmt: skip
    panels = [
        CurvePanel(f"{dim} inputs", "learned weights", "mean squared error", {name: (list(found[dim]), [e[k] for e in found[dim].values()]) for k, name in enumerate(("drawn units", "units that learn"))}, is_log_x=True, is_log_y=True)
        for dim in (few, many)
    ]  # fmt: skip
    dims = list(settings.dims)
    panels.append(CurvePanel("The largest of each", "inputs", "mean squared error", {name: (dims, [last[d][k] for d in dims]) for k, name in enumerate(("drawn units", "units that learn"))}, is_log_x=True, is_log_y=True))  # fmt: skip
    report.figure("features", curve_panels(panels), caption="The target is |u·x|. Drawn units have the best readout there is; those that learn are trained by Adam. Both have the same number of weights to learn.")  # fmt: skip
    return report
