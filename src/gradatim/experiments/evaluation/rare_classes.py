"""A rare class hides from accuracy; weighing it and moving the threshold find it equally well."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gradatim.estimators import NeuralClassifier
from gradatim.evaluation.criteria import find_criterion
from gradatim.evaluation.decisions import choose_weights
from gradatim.evaluation.judged import Judged
from gradatim.losses import focal
from gradatim.plots import comparison_bars
from gradatim.reports import Report
from gradatim.training.row_weights import class_factors

COVERS = ("D11",)
KEYWORDS = (
    "imbalanced data, class weights, focal loss, decision threshold, weighted sampling, costs"
)
BALANCED = find_criterion("rare_classes", "balanced-accuracy", 2)


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    seeds: int = 8
    rows: int = 6000
    share: float = 0.02
    shift: float = 1.0
    epochs: int = 60
    gamma: float = 2.0


QUICK = Settings(seeds=5, rows=3000, epochs=40)


def draw(settings: Settings, rows: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two round clouds, one of them rare: the odds are known, and a line tells them apart as well as anything."""
    y = np.zeros(rows, dtype=int)
    y[: max(round(settings.share * rows), 2)] = 1
    return rng.normal(size=(rows, 4)) + settings.shift * y[:, None], y


def train(settings: Settings, parts: list[tuple[np.ndarray, np.ndarray]]) -> dict[str, list[NeuralClassifier]]:  # fmt: skip
    """One network for each seed and way, those of a way side by side."""
    ways: dict[str, dict[str, Any]] = {
        "plain": {},
        "weighed": {"class_weight": "balanced"},
        "focal": {"loss": partial(focal, gamma=settings.gamma)},
    }
    found = {}
    for name, how in ways.items():
        models = [
            NeuralClassifier(
                (8,),
                epochs=settings.epochs,
                lr=0.01,
                batch_size=128,
                weight_decay=1e-4,
                seed=settings.seed + k,
                **how,
            )
            for k in range(len(parts))
        ]
        NeuralClassifier.fit_replicas(models, parts)
        found[name] = models
    return found


def judge(y: np.ndarray, p: np.ndarray, weights: np.ndarray | None = None) -> dict[str, float]:
    """Figures of probabilities, the class said as the weights want it."""
    judged = Judged(y, p, 2, decision=weights)
    return {
        "accuracy": float(judged.confusion.trace()),
        "balanced accuracy": float(np.nanmean(judged.recalls())),
        "log loss": judged.log_loss(),
        "mean probability of the rare class": float(p[:, 1].mean()),
    }


def undo(p: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Probabilities of a weighed model for the classes as they are: the odds divided by the weights."""
    odds = p / class_factors("rare_classes", "balanced", y)
    return odds / odds.sum(1, keepdims=True)


def measure(settings: Settings) -> dict[str, dict[str, list[float]]]:
    """Figures of every way, by name, one for each seed."""
    rng = np.random.default_rng(settings.seed)
    parts = [draw(settings, settings.rows, rng) for _ in range(settings.seeds)]
    models = train(settings, parts)
    found: dict[str, dict[str, list[float]]] = {}
    for k, (_, y) in enumerate(parts):
        (held, truth), (X, fresh) = draw(settings, settings.rows, rng), draw(settings, 20_000, rng)
        said = {name: own[k].predict_proba(X) for name, own in models.items()}
        moved = {n: choose_weights(BALANCED, truth, own[k].predict_proba(held)) for n, own in models.items()}  # fmt: skip
        rows = {
            "plain": judge(fresh, said["plain"]),
            "plain, threshold moved": judge(fresh, said["plain"], moved["plain"]),
            "weighed": judge(fresh, said["weighed"]),
            "weighed, odds given back": judge(fresh, undo(said["weighed"], y)),
            "focal": judge(fresh, said["focal"]),
            "focal, threshold moved": judge(fresh, said["focal"], moved["focal"]),
        }
        for name, figures in rows.items():
            for figure, value in figures.items():
                found.setdefault(name, {}).setdefault(figure, []).append(value)
    return found


def run(settings: Settings) -> Report:
    found = measure(settings)
    means = {name: {f: float(np.mean(v)) for f, v in own.items()} for name, own in found.items()}
    report = Report(
        title="Rare classes",
        summary=f"Of {100 * settings.share:g} % of the rows nothing need be found for a high accuracy. Weighing the class and moving the "
        "threshold find it equally well; weighing costs the probabilities, until the odds are given back.",
    )
    report.table(
        f"Means over {settings.seeds} seeds, on fresh rows",
        columns=["way", *next(iter(means.values()))],
        rows=[[name, *own.values()] for name, own in means.items()],
    )
    _claim(report, settings, found, means)
    report.figure(
        "balanced-accuracy",
        comparison_bars(
            {name: own["balanced accuracy"] for name, own in means.items()},
            label="balanced accuracy on fresh rows",
            intervals={n: (min(own["balanced accuracy"]), max(own["balanced accuracy"])) for n, own in found.items()},
        ),
        caption="Bars: means over seeds; lines: from the worst to the best seed. A model that never says the rare class has one half.",
    )  # fmt: skip
    return report


def _claim(report: Report, settings: Settings, found: dict[str, dict[str, list[float]]], means: dict[str, dict[str, float]]) -> None:  # fmt: skip
    balanced = {name: np.array(own["balanced accuracy"]) for name, own in found.items()}
    plain, moved, weighed = (balanced[n] for n in ("plain", "plain, threshold moved", "weighed"))
    nothing, accuracy = 1 - settings.share, np.array(found["plain"]["accuracy"])
    report.claim(
        "accuracy hides that the class is missed",
        expected=f"within 1 % of {nothing:.3f}, which never saying it has; balanced accuracy below 0.65",
        measured=f"{accuracy.mean():.3f} and {plain.mean():.3f}",
        holds=bool((np.abs(accuracy - nothing) < 0.01).all() and (plain < 0.65).all()),
    )
    report.claim(
        "moving the threshold finds what weighing finds",
        expected="balanced accuracies within 0.03 of each other on average, both 0.1 above the plain one",
        measured=f"{moved.mean():.3f} and {weighed.mean():.3f}",
        holds=bool(
            abs((moved - weighed).mean()) < 0.03
            and min(moved.min(), weighed.min()) > plain.mean() + 0.1
        ),
    )
    rare = {name: own["mean probability of the rare class"] / settings.share for name, own in means.items()}  # fmt: skip
    report.claim(
        "weighing makes the rare class seem common",
        expected="mean probability at least 5 times its share; plain within a quarter of it",
        measured=f"{rare['weighed']:.1f} times, plain {rare['plain']:.2f} times",
        holds=rare["weighed"] > 5 and abs(rare["plain"] - 1) < 0.25,
    )
    losses = {name: own["log loss"] for name, own in means.items()}
    report.claim(
        "dividing the odds by the weights gives the probabilities back",
        expected="log loss within 15 % of the plain one, weighed more than twice it",
        measured=f"{losses['weighed, odds given back']:.4f} against {losses['plain']:.4f}, weighed {losses['weighed']:.4f}",
        holds=losses["weighed, odds given back"] < 1.15 * losses["plain"] and losses["weighed"] > 2 * losses["plain"],
    )  # fmt: skip
    gap = balanced["focal, threshold moved"] - moved
    report.claim(
        f"focal loss (γ = {settings.gamma:g}) ranks as well and is too timid",
        expected="balanced accuracy within 0.03 once the threshold is moved; the class seems at least twice as common as it is",
        measured=f"{gap.mean():+.3f}; {rare['focal']:.1f} times",
        holds=bool(abs(gap.mean()) < 0.03) and rare["focal"] > 2,
    )
