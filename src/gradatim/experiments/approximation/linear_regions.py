"""ReLU networks cut their input space into polygons; depth can multiply them, random depth does not."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from gradatim.data import spirals, xor
from gradatim.models import MLP
from gradatim.plots.approximation import rate_curves
from gradatim.plots.regions import region_maps
from gradatim.reports import Report
from gradatim.theory import (
    count_regions,
    enclosing_domain,
    folding_network,
    montufar,
    xor_network,
    zaslavsky,
)
from gradatim.training import Trainer

COVERS = ("B4",)
KEYWORDS = "Zaslavsky, Montúfar, hyperplane arrangement, activation patterns, convex polytopes, expressivity, piecewise linear"
SQUARE = ((-1.0, 1.0), (-1.0, 1.0))
UNIT = ((0.0, 1.0), (0.0, 1.0))


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    units: tuple[int, ...] = (1, 2, 3, 5, 8, 12, 16, 24)
    width: int = 6
    depths: tuple[int, ...] = (1, 2, 3, 4)
    nets: int = 20
    epochs: int = 600
    hidden_dim: int = 24


QUICK = Settings(units=(1, 3, 8, 16), depths=(1, 2, 3), nets=5, epochs=150, hidden_dim=16)


def run(settings: Settings) -> Report:
    """Count regions of one layer, of folding networks and of random ones, and look at trained ones."""
    report = Report(
        title="Linear regions",
        summary="m ReLU units in one layer cut the plane into at most 1 + m + m(m−1)/2 pieces and reach that "
        "number; folding layers multiply it; random layers hardly do.",
    )
    report.text(
        "Within a cell where every unit is either on or off the network is one affine map. The cells are "
        "counted exactly: the square is cut along the line where a unit switches, unit by unit and layer by "
        "layer."
    )
    _one_layer(report, settings)
    _depth(report, settings)
    _sampling(report, settings)
    _pictures(report, settings)
    _trained(report, settings)
    return report


def _random_net(sizes: tuple[int, ...], seed: int) -> MLP:
    """He weights, and biases large enough to spread the lines over the square."""
    generator = torch.Generator().manual_seed(seed)
    model = MLP(sizes).double()
    with torch.no_grad():
        for module in model:
            if isinstance(module, nn.Linear):
                module.weight.normal_(std=(2 / module.in_features) ** 0.5, generator=generator)
                module.bias.normal_(std=0.5, generator=generator)
    return model


def _one_layer(report: Report, settings: Settings) -> None:
    rows = []
    for units in settings.units:
        for inputs in (1, 2):
            net = _random_net((inputs, units, 1), settings.seed)
            domain = enclosing_domain(net, input_dim=inputs)
            count = count_regions(net, domain, tol=1e-12).count
            rows.append([units, inputs, count, zaslavsky(units, inputs)])
    hits = sum(count == bound for _, _, count, bound in rows)
    report.claim(
        "one hidden layer in general position reaches Zaslavsky's number",
        expected=f"in all {len(rows)} networks",
        measured=f"in {hits}",
        holds=hits == len(rows),
    )
    report.table("One hidden layer", columns=["units", "inputs", "regions", "Zaslavsky"], rows=rows)


def _count_at_depth(depth: int, settings: Settings) -> list[float]:
    """Depth, folding, Montúfar, mean of random deep and of random shallow networks, Zaslavsky."""
    width = settings.width
    folded = count_regions(folding_network(2, width, depth), UNIT).count
    random = []
    for sizes in ((2, *[width] * depth, 1), (2, width * depth, 1)):
        nets = (_random_net(sizes, settings.seed + i) for i in range(settings.nets))
        random.append(float(np.mean([count_regions(net, SQUARE).count for net in nets])))
    return [depth, folded, montufar(2, width, depth), *random, zaslavsky(width * depth, 2)]


def _depth(report: Report, settings: Settings) -> None:
    width = settings.width
    rows = [_count_at_depth(depth, settings) for depth in settings.depths]
    report.claim(
        "folding networks reach Montúfar's number",
        expected="regions = bound at every depth",
        measured=", ".join(f"{row[1]} of {row[2]}" for row in rows),
        holds=all(row[1] == row[2] for row in rows),
    )
    last = rows[-1]
    report.claim(
        f"{last[0]} folding layers beat any single layer of as many units", last[1], above=last[5]
    )
    name = "random deep networks have about as many regions as random shallow ones"
    report.claim(name, last[3] / last[4], "deep / shallow", above=0.25, below=4)
    _show_depth(report, width, rows)


def _show_depth(report: Report, width: int, rows: list[list[float]]) -> None:
    columns = ["layers", "folding", "Montúfar", "random deep", "random, one layer", "Zaslavsky"]
    report.table(f"Layers of {width} units on two inputs", columns=columns, rows=rows)
    total = [width * row[0] for row in rows]
    report.figure(
        "growth",
        rate_curves(
            {
                f"folding, layers of {width}": (total, [row[1] for row in rows]),
                f"random, layers of {width}": (total, [row[3] for row in rows]),
                "random, one layer": (total, [row[4] for row in rows]),
            },
            bounds={"most possible in one layer": (total, [row[5] for row in rows])},
            xlabel="hidden units in all",
            ylabel="linear regions",
        ),
        caption="What depth can do, and what it does at random weights.",
    )


def _sampling(report: Report, settings: Settings) -> None:
    net = _random_net((3, 8, 1), settings.seed)
    found = count_regions(net, ((-9.0, 9.0),) * 3, num_samples=50_000, seed=settings.seed)
    report.claim(
        "with three inputs, sampled patterns are a lower bound",
        expected=f"not exact and <= {zaslavsky(8, 3)}",
        measured=found.count,
        holds=not found.is_exact and found.count <= zaslavsky(8, 3),
    )


def _pictures(report: Report, settings: Settings) -> None:
    nets = {
        "one layer of 16": _random_net((2, 16, 1), settings.seed),
        "three layers of 16": _random_net((2, 16, 16, 16, 1), settings.seed),
    }
    panels = {name: count_regions(net, SQUARE) for name, net in nets.items()}
    panels["three folding layers of 4"] = count_regions(folding_network(2, 4, 3), UNIT)
    report.figure(
        "partitions",
        region_maps({f"{name}: {r.count}": r for name, r in panels.items()}, level=None),
        caption="Colour is the direction in which the output rises, paler is flatter and grey constant. Lines of the first layer "
        "run straight through; those of later layers bend where they meet them.",
    )


def _trained(report: Report, settings: Settings) -> None:
    corners, classes = xor(num_samples=4, noise=0.0)
    small = _fit(MLP((2, 8, 1)), corners, classes, settings)
    X, y = spirals(num_samples=300, seed=settings.seed)
    large = _fit(MLP((2, settings.hidden_dim, settings.hidden_dim, 1)), X, y, settings)
    by_hand = xor_network()
    for name, net, inputs, target in (
        ("hand-set weights", by_hand, corners, classes),
        ("learned weights", small, corners, classes),
    ):
        accuracy = _accuracy(net, inputs, target)
        report.claim(f"XOR by {name}", accuracy, "accuracy", equals=1.0)
    accuracy = _accuracy(large, X, y)
    report.claim("two hidden layers separate the spirals", accuracy, at_least=0.95)
    _show_trained(report, by_hand, small, large, X, y)


def _show_trained(
    report: Report, by_hand: MLP, small: MLP, large: MLP, X: np.ndarray, y: np.ndarray
) -> None:
    corners, classes = xor(num_samples=4, noise=0.0)
    box = ((-0.6, 1.6), (-0.6, 1.6))
    report.figure(
        "xor",
        region_maps(
            {
                "hand-set: two units": count_regions(by_hand, box),
                "learned: eight units": count_regions(small, box),
            },
            points=corners,
            labels=classes,
        ),
        caption="Exclusive or. Two parallel lines suffice; training finds another way.",
    )
    frame = ((-1.2, 1.2), (-1.2, 1.2))
    regions = count_regions(large, frame)
    report.figure(
        "spirals",
        region_maps({f"{regions.count} regions": regions}, points=X, labels=y),
        caption="A curved decision boundary is a chain of straight pieces, one in each cell it passes.",
    )


def _fit(model: MLP, X: np.ndarray, y: np.ndarray, settings: Settings) -> MLP:
    generator = torch.Generator().manual_seed(settings.seed)
    with torch.no_grad():
        for module in model:
            if isinstance(module, nn.Linear):
                module.weight.normal_(std=(2 / module.in_features) ** 0.5, generator=generator)
    Trainer(
        model,
        "bce",
        lr=0.02,
        epochs=settings.epochs,
        batch_size=64,
        schedule="cosine",
        seed=settings.seed,
        progress=False,
    ).fit((X, y))
    return model


@torch.inference_mode()
def _accuracy(model: MLP, X: np.ndarray, y: np.ndarray) -> float:
    score = model(torch.as_tensor(X, dtype=torch.float32))[:, 0]
    return float(((score > 0).numpy() == y).mean())
