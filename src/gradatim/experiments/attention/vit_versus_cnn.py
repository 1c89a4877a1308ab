"""A vision Transformer comes within two points of the convolutional network that teaches it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.data import load, random_affine, random_crop, random_flip
from gradatim.data.entries import require_cached
from gradatim.models import VGG, HybridViT, ViT
from gradatim.optim.schedules import linear, warm_up
from gradatim.plots import attention_map, comparison_bars
from gradatim.reports import Report
from gradatim.training import Augmented, Distillation, Objective, Trainer

COVERS = ("G5", "D7", "D6")
KEYWORDS = "vision transformer, ViT, class token, patches, distillation, stochastic depth, VGG, convolutional teacher"
Pair = tuple[Tensor, Tensor]
CNN, LABELS, ODDS, HYBRID = (
    "CNN, the teacher",
    "ViT, from labels",
    "ViT, from the CNN's odds",
    "CNN-ViT hybrid, from the odds",
)
ROOM = {"digits": 3.0}  # few images and a short training
VIEWS: dict[str, Callable[[Tensor], Tensor]] = {  # what changes an image, not its class
    "mnist": partial(random_crop, padding=2),
    "fashion-mnist": random_flip,
    "digits": partial(random_affine, degrees=8.0, shift=0.4, scale=0.08),
}


@dataclass(frozen=True)
class Settings:
    """``digits`` needs no download; ``both`` is MNIST and Fashion-MNIST."""

    seed: int = 0
    source: Literal["both", "mnist", "fashion-mnist", "digits"] = "both"
    train_rows: int = 60_000
    test_rows: int = 10_000
    patch_size: int = 7
    num_layers: int = 3
    cnn_epochs: int = 3
    vit_epochs: int = 10
    hybrid_epochs: int = 5


QUICK = Settings(
    source="digits", train_rows=1_300, test_rows=497, patch_size=2, num_layers=2, cnn_epochs=5,
    vit_epochs=11, hybrid_epochs=5,
)  # fmt: skip


def load_pairs(name: str, s: Settings) -> tuple[Pair, Pair]:
    """Standardized images with labels to learn from, and to test."""
    (X, y), test = _read(name, s)
    mean, spread = X.mean(), X.std()
    return ((X - mean) / spread, y), ((test[0] - mean) / spread, test[1])


def _read(name: str, s: Settings) -> tuple[Pair, Pair]:
    data = load(name)
    if name == "digits":
        X = torch.as_tensor(data.X, dtype=torch.float32).view(-1, 1, 8, 8)
        y, order = torch.as_tensor(data.y), torch.randperm(1797, generator=_generator(s.seed))
        cut = s.train_rows
        parts = order[:cut], order[cut : cut + s.test_rows]
        return (X[parts[0]], y[parts[0]]), (X[parts[1]], y[parts[1]])
    (X, y), test = ([torch.as_tensor(p) for p in part] for part in (data.train, data.test))
    rows = torch.randperm(len(X), generator=_generator(s.seed))[: s.train_rows]
    return (X[rows], y[rows]), (test[0][: s.test_rows], test[1][: s.test_rows])


def _generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def build_models(side: int, s: Settings) -> dict[str, Callable[[], nn.Module]]:
    """Fresh networks by name; the small digits are pooled once less."""
    stages = ((16,), (32, 32), (64, 64))[: 3 if side > 8 else 2]
    vit = partial(ViT, side, s.patch_size, 10, num_layers=s.num_layers)
    return {
        CNN: partial(VGG, stages, 10, in_channels=1),
        LABELS: vit,
        ODDS: vit,
        HYBRID: partial(HybridViT, side, 10, dim=48, num_layers=2),
    }


def train(
    model: nn.Module, pair: Pair, objective: Objective, epochs: int, lr: float, seed: int
) -> Trainer:
    """AdamW with a short warm-up, then a rate that falls to zero."""
    trainer = Trainer(
        model, "cross_entropy", "adamw", lr=lr, weight_decay=0.05, epochs=epochs, batch_size=64,
        schedule=warm_up(epochs=0.1 * epochs, then=linear()), clip_norm=1.0, objective=objective, seed=seed,
        progress=False,
    )  # fmt: skip
    trainer.fit(pair)
    return trainer


def compare(name: str, s: Settings) -> tuple[dict[str, float], nn.Module, Tensor]:
    """Test accuracies in per cent by network, the distilled ViT, and a test image that it gets right."""
    pair, test = load_pairs(name, s)
    side = pair[0].shape[-1]
    views = [VIEWS[name]]
    epochs = {
        CNN: s.cnn_epochs,
        LABELS: s.vit_epochs,
        ODDS: s.vit_epochs,
        HYBRID: s.hybrid_epochs,
    }
    accuracy: dict[str, float] = {}
    trained: dict[str, nn.Module] = {}
    for label, build in build_models(side, s).items():
        torch.manual_seed(s.seed)
        model = build()
        objective: Objective = Augmented(views)
        if label in (ODDS, HYBRID):
            objective = Distillation(trained[CNN], temperature=2.0, mix=0.5, augment=views)
        lr = 4e-3 if label == CNN else 2e-3
        trainer = train(model, pair, objective, epochs[label], lr, s.seed)
        right = trainer.predict(test[0]).argmax(1) == test[1]
        accuracy[label], trained[label] = 100 * float(right.float().mean()), model
        if label == ODDS:
            shown = test[0][int(right.nonzero()[0])]
    return accuracy, trained[ODDS], shown


def run(settings: Settings) -> Report:
    s = settings
    names = ("mnist", "fashion-mnist") if s.source == "both" else (s.source,)
    require_cached("vit-versus-cnn", *names)
    found = {name: compare(name, s) for name in names}
    gaps = {name: accuracy[ODDS] - accuracy[CNN] for name, (accuracy, _, _) in found.items()}
    report = Report(
        title="A vision Transformer and a convolutional network",
        summary="Test accuracy of the distilled ViT less that of its teacher, in percentage points: "
        + ", ".join(f"{name} {gap:+.1f}" for name, gap in gaps.items())
        + ".",
    )
    for name, (accuracy, vit, image) in found.items():
        _claim(report, name, accuracy)
        _draw(report, name, accuracy, s.test_rows)
        report.figure(
            f"attention-{name}",
            attention_map(vit, image),
            caption=f"{name}: what the class token of the distilled ViT looks at, layer by layer, head by head.",
        )
    report.table(
        "Test accuracy, %",
        columns=["network", *found],
        rows=[[label, *(a[label] for a, _, _ in found.values())] for label in build_models(28, s)],
    )
    return report


def _claim(report: Report, name: str, accuracy: dict[str, float]) -> None:
    room = ROOM.get(name, 2.0)
    for label, short in ((ODDS, "ViT"), (HYBRID, "hybrid")):
        gap = accuracy[label] - accuracy[CNN]
        report.claim(
            f"{name}: the distilled {short} keeps up with its teacher", gap, at_least=-room
        )
    gain = accuracy[ODDS] - accuracy[LABELS]
    report.claim(f"{name}: odds teach the ViT no less than labels", gain, at_least=-1.5)


def _draw(report: Report, name: str, accuracy: dict[str, float], count: int) -> None:
    reach = {label: 196 * np.sqrt(a / 100 * (1 - a / 100) / count) for label, a in accuracy.items()}
    report.figure(
        f"accuracy-{name}",
        comparison_bars(
            accuracy,
            label="test accuracy, %",
            intervals={n: (a - reach[n], min(a + reach[n], 100.0)) for n, a in accuracy.items()},
            title=name,
        ),
        caption=f"{name}: points are accuracies on the test images, whiskers their 95 % intervals.",
    )
