"""Few labels: features borrowed from other classes, from other tasks, and from images that nobody labelled."""

from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import Tensor, nn

from gradatim.data.flip_and_crop import quarter_turns
from gradatim.experiments._digits import Pair, scatter, split_digits
from gradatim.nn import MultiTask
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.images import image_grid
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import (  # fmt: skip
    MultiTaskObjective,
    Rotation,
    Trainer,
    layerwise_groups,
    replace_head,
)

COVERS = ("D7",)
KEYWORDS = "transfer learning, fine-tuning, frozen features, multi-task learning, self-supervised learning, pretext task, rotation prediction, few labels, semi-supervised"
LOOPS = torch.tensor([1, 0, 0, 0, 0, 0, 1, 0, 1, 1])  # whether a digit encloses a hole
UNKNOWN = -1
WIDTH = 48  # features
DRAWS = 4  # of the rows that have a label, where they are fewest


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    labels: tuple[int, ...] = (1, 3, 10, 60)
    steps: int = 300
    source_epochs: int = 30
    repeats: int = 5


QUICK = Settings(labels=(3, 60), steps=80, source_epochs=12, repeats=1)


def build(outputs: int, seed: int) -> nn.Sequential:
    """Three convolutions, the trunk, and a linear head."""
    with seeded(seed):
        trunk = nn.Sequential(
            *(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Conv2d(16, WIDTH, 3, padding=1), nn.BatchNorm2d(WIDTH), nn.ReLU()),
            *(nn.Conv2d(WIDTH, WIDTH, 3), nn.BatchNorm2d(WIDTH), nn.ReLU()),
            *(nn.AdaptiveMaxPool2d(1), nn.Flatten()),
        )
        return nn.Sequential(trunk, nn.Linear(WIDTH, outputs))


def train(model: nn.Module, data: Pair, settings: Settings, seed: int, *, is_layerwise: bool = False) -> nn.Module:  # fmt: skip
    """Train for about so many steps, however few the rows."""
    per_epoch = -(-len(data[0]) // 32)
    lr = 3e-3
    optimizer = torch.optim.Adam(layerwise_groups(model, lr, decay=0.3)) if is_layerwise else "adam"
    Trainer(model, optimizer=optimizer, lr=None if is_layerwise else lr, schedule="cosine", epochs=max(settings.steps // per_epoch, 1), batch_size=32, seed=seed, progress=False).fit(data)  # fmt: skip
    return model.eval()


def error(model: nn.Module, data: Pair) -> float:
    with torch.inference_mode():
        return 100 * (model(data[0]).argmax(1) != data[1]).double().mean().item()


def scattered(seed: int) -> tuple[Pair, Pair]:
    """Digits at random places of 12 × 12 pixels, to train and to test."""
    generator = torch.Generator().manual_seed(seed)
    (X, y), (X_test, y_test) = split_digits(seed)
    return (scatter(X, 12, generator), y), (scatter(X_test, 12, generator), y_test)


def few(data: Pair, count: int, seed: int) -> Pair:
    """So many rows of every class."""
    order = torch.randperm(len(data[1]), generator=torch.Generator().manual_seed(seed))
    y = data[1][order]
    rows = torch.cat([order[(y == label).nonzero()[:count, 0]] for label in y.unique()])
    return data[0][rows], data[1][rows]


@torch.inference_mode()
def frozen_error(trunk: nn.Module, data: Pair, test: Pair) -> float:
    """Test error of logistic regression on features that stay as they are."""
    X, X_test = (trunk.eval()(part[0]).numpy() for part in (data, test))
    reader = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=500)).fit(
        X, data[1]
    )
    return float(100 * (reader.predict(X_test) != test[1].numpy()).mean())


def transfer(settings: Settings, seed: int) -> dict[str, list[float]]:
    """Learn 0 to 4 from all labels, then 5 to 9 from few."""
    (X, y), (X_test, y_test) = scattered(seed)
    source, target = (X[y < 5], y[y < 5]), (X[y >= 5], y[y >= 5] - 5)
    test = X_test[y_test >= 5], y_test[y_test >= 5] - 5
    known = build(5, seed)
    Trainer(known, lr=3e-3, schedule="cosine", epochs=settings.source_epochs, batch_size=32, seed=seed, progress=False).fit(source)  # fmt: skip
    found: dict[str, list[float]] = {"from scratch": [], "frozen": [], "fine-tuned": []}
    for count in settings.labels:
        # which rows have a label decides much where they are few
        draws = range(seed, seed + (DRAWS if count == settings.labels[0] else 1))
        errors = np.mean([_three_ways(known, few(target, count, draw), test, settings, draw) for draw in draws], axis=0)  # fmt: skip
        for name, value in zip(found, errors.tolist(), strict=True):
            found[name].append(value)
    return found


def _three_ways(known: nn.Sequential, rows: Pair, test: Pair, settings: Settings, seed: int) -> list[float]:  # fmt: skip
    """Test errors from scratch, with the known features frozen, and with those fine-tuned."""
    scratch = error(train(build(5, seed), rows, settings, seed), test)
    tuned = train(replace_head(deepcopy(known), 5, seed=seed), rows, settings, seed, is_layerwise=True)  # fmt: skip
    return [scratch, frozen_error(known[0], rows, test), error(tuned, test)]


def pretext(settings: Settings, seed: int) -> tuple[dict[str, list[float]], float]:
    """Learn which way up, from images alone; then digits from few labels. Also how often the way up was found."""
    data, test = scattered(seed)
    turned = build(4, seed)
    history = Trainer(turned, objective=Rotation(), lr=3e-3, schedule="cosine", epochs=settings.source_epochs, batch_size=64, seed=seed, progress=False).fit(data)  # fmt: skip
    found: dict[str, list[float]] = {"from scratch": [], "features of drawn weights": [], "features that tell the way up": [], "those, fine-tuned": []}  # fmt: skip
    for count in settings.labels:
        rows = few(data, count, seed)
        found["from scratch"].append(error(train(build(10, seed), rows, settings, seed), test))
        found["features of drawn weights"].append(frozen_error(build(4, seed)[0], rows, test))  # fmt: skip
        found["features that tell the way up"].append(frozen_error(turned[0], rows, test))  # fmt: skip
        tuned = replace_head(deepcopy(turned), 10, seed=seed)
        found["those, fine-tuned"].append(error(train(tuned, rows, settings, seed, is_layerwise=True), test))  # fmt: skip
    return found, float(history["train_accuracy"][-1])


def where_known(output: Tensor, target: Tensor) -> Tensor:
    """Cross-entropy of the rows that have a label."""
    total = F.cross_entropy(output, target, reduction="sum", ignore_index=UNKNOWN)
    return total / (target != UNKNOWN).sum().clamp(min=1)


def several_tasks(settings: Settings, seed: int) -> dict[str, list[float]]:
    """Digits of few rows; whether even, and whether there is a hole, of all rows."""
    data, test = scattered(seed)
    X, y = data
    found: dict[str, list[float]] = {"digits alone": [], "with two easier questions": []}
    for count in settings.labels:
        rows = few(data, count, seed)
        found["digits alone"].append(error(train(build(10, seed), rows, settings, seed), test))
        with seeded(seed):
            heads = {name: nn.Linear(WIDTH, k) for name, k in (("digit", 10), ("even", 2), ("hole", 2))}  # fmt: skip
        trunk = build(10, seed)[0]
        model = MultiTask(trunk, heads)
        # the few rows stand in as often as all others, for every batch to hold some
        again = -(-len(X) // len(rows[0]))
        images = torch.cat([X, rows[0].repeat(again, 1, 1, 1)])
        truth = torch.cat([y, rows[1].repeat(again)])
        digits = torch.cat([torch.full_like(y, UNKNOWN), rows[1].repeat(again)])
        objective = MultiTaskObjective(dict.fromkeys(heads, where_known))
        epochs = max(2 * settings.steps // -(-len(images) // 64), 1)
        Trainer(model, objective=objective, lr=3e-3, schedule="cosine", epochs=epochs, batch_size=64, seed=seed, progress=False).fit((images, digits, truth % 2, LOOPS[truth]))  # fmt: skip
        model.eval()
        reader = nn.Sequential(trunk, model.heads["digit"])
        found["with two easier questions"].append(error(reader, test))
    return found


def mean_of(runs: list[dict[str, list[float]]]) -> dict[str, list[float]]:
    return {name: list(np.mean([run[name] for run in runs], axis=0)) for name in runs[0]}


def claim_few(report: Report, settings: Settings, moved: dict[str, list[float]], turned: dict[str, list[float]], several: dict[str, list[float]], upright: float) -> None:  # fmt: skip
    least, most = settings.labels[0], settings.labels[-1]
    gain = moved["from scratch"][0] - moved["fine-tuned"][0]
    report.claim(f"5 to 9 from {least} labels each: knowing 0 to 4 helps", gain, f"{{}} points fewer errors, mean of {DRAWS * settings.repeats} draws of rows,", above=0)  # fmt: skip
    late = moved["from scratch"][-1] - moved["fine-tuned"][-1]
    report.claim(
        f"from {most} labels each it gains nothing", late, "{} points fewer errors", at_most=1
    )
    cost = moved["frozen"][-1] - moved["fine-tuned"][-1]
    report.claim("what it knows must be free to change", cost, "{} points more errors if frozen", at_least=1)  # fmt: skip
    report.claim("which way up? Images answer that without labels", 100 * upright, "{} % right in training", at_least=85)  # fmt: skip
    drawn, own = turned["features of drawn weights"][0], turned["features that tell the way up"][0]
    report.claim("what was learned for it tells digits apart, better than drawn weights do", drawn - own, "{} points fewer errors", at_least=3)  # fmt: skip
    frozen = turned["features that tell the way up"][-1] - turned["those, fine-tuned"][-1]
    report.claim("but it was learned for another question, and must change too", frozen, "{} points more errors if frozen", at_least=1)  # fmt: skip
    easier = several["digits alone"][0] - several["with two easier questions"][0]
    report.claim("easier questions with more labels help a hard one with few", easier, "{} points fewer errors", at_least=5)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Borrowed features",
        summary="Where labels are few, a start from other classes and easier questions with more labels save a good part of the errors; where they are "
        "many, a start from other classes saves none. Features learned for one question have to change for another.",
    )
    seeds = [1000 * settings.seed + k for k in range(settings.repeats)]
    moved = mean_of([transfer(settings, seed) for seed in seeds])
    looked = [pretext(settings, seed) for seed in seeds]
    turned, upright = mean_of([errors for errors, _ in looked]), float(np.mean([right for _, right in looked]))  # fmt: skip
    several = mean_of([several_tasks(settings, seed) for seed in seeds])
    claim_few(report, settings, moved, turned, several, upright)
    columns = ["features", *(f"{count} labels a class" for count in settings.labels)]
    for title, errors in (("5 to 9, after 0 to 4", moved), ("All digits, after which way up", turned), ("All digits, beside even and hole", several)):  # fmt: skip
        report.table(f"{title}: test error, per cent, means of {settings.repeats} runs", columns=columns, rows=[[name, *rows] for name, rows in errors.items()])  # fmt: skip
    report.figure("errors", draw(settings, {"Transfer: 5 to 9": moved, "Pretext: all digits": turned, "Several tasks": several}), caption="The fewer the labels, the more is gained by borrowing.")  # fmt: skip
    shown = scattered(settings.seed)[0][0][:8]
    turns = quarter_turns(shown, torch.arange(8) % 4)
    report.figure("turns", image_grid(turns, [f"{90 * (k % 4)}°" for k in range(8)]), caption="The pretext: by how many right angles was it turned? Nobody has to label that.")  # fmt: skip
    return report


def draw(settings: Settings, found: dict[str, dict[str, list[float]]]) -> Figure:
    labels = list(settings.labels)
    return curve_panels([CurvePanel(title, "labels a class", "test error, %", {name: (labels, rows) for name, rows in errors.items()}, is_log_x=True) for title, errors in found.items()], width=4.4, height=3.8)  # fmt: skip
