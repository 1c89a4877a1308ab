"""Five tricks on and off in every combination: what each is worth, and what a model that can be read is worth."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import torch
import torch.nn.functional as F
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, SplineTransformer, StandardScaler
from torch import Tensor

from gradatim.data import add_noise, load
from gradatim.data.entries import require_cached
from gradatim.evaluation.intervals import corrected_interval
from gradatim.models import MLP
from gradatim.plots import comparison_bars
from gradatim.plots.style import PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Augmented, EarlyStopping, Trainer

COVERS = ("D2", "D3", "D4", "D6", "D7", "D10")
KEYWORDS = "ablation, tricks of the trade, weight decay, dropout, early stopping, noise on inputs, random restarts, ensemble, factorial design, generalized additive model GAM, splines, spam, ISL Default, interpretability, Ockham's razor, decoupled weight decay AdamW"
Array = NDArray[np.float64]
TRICKS = ("weight decay", "dropout", "early stopping", "noise", "restarts")


@dataclass(frozen=True)
class Settings:
    """``sources``: data sets by name; ``rows``: most of them that are used."""

    seed: int = 0
    sources: tuple[str, ...] = ("islp-default", "spam")
    rows: int = 4000
    splits: int = 5
    restarts: int = 5
    hidden_dim: int = 64
    epochs: int = 60


QUICK = Settings(
    sources=("breast-cancer",), rows=300, splits=1, restarts=2, hidden_dim=32, epochs=20
)


def load_table(source: str) -> tuple[Array, Array]:
    data = load(source)
    X, y = data.X, np.asarray(data.y)
    if source == "islp-default":
        X = np.c_[X["student"] == "Yes", X[["balance", "income"]]]
    return np.asarray(X, dtype=float), (y == np.unique(y)[-1]).astype(np.int64)


def split_table(source: str, settings: Settings, split: int) -> list[Array]:
    """Inputs and labels to learn from and to test, logarithms of counts, standardized by the training rows."""
    X, y = load_table(source)
    parts = train_test_split(X, y, train_size=min(settings.rows, len(y) * 2 // 3), stratify=y, random_state=100 * settings.seed + split)  # fmt: skip
    X_train, X_test, y_train, y_test = parts
    if source == "spam":
        X_train, X_test = np.log1p(X_train), np.log1p(X_test)
    scale = StandardScaler().fit(X_train)
    return [scale.transform(X_train), scale.transform(X_test), y_train, y_test]


def log_odds(tricks: tuple[bool, ...], rows: tuple[Tensor, Tensor], X_test: Tensor, settings: Settings, seed: int) -> Tensor:  # fmt: skip
    """Log-probabilities of the classes on test rows by one network with some of the first four tricks."""
    decays, drops, stops, is_noisy = tricks
    X, y = rows
    cut = len(y) * 4 // 5
    with seeded(seed):
        model = MLP((X.shape[1], settings.hidden_dim, 2), dropout=0.4 if drops else 0.0)
    trainer = Trainer(
        model, optimizer="adamw", lr=3e-3, weight_decay=0.3 if decays else 0.0, epochs=settings.epochs, batch_size=128,
        objective=Augmented(partial(add_noise, std=0.3)) if is_noisy else None,
        callbacks=[EarlyStopping(patience=5)] if stops else [], seed=seed, progress=False,
    )  # fmt: skip
    if stops:
        trainer.fit((X[:cut], y[:cut]), (X[cut:], y[cut:]))
    else:
        trainer.fit((X, y))
    return trainer.predict(X_test).log_softmax(1)


def losses_of(source: str, settings: Settings) -> dict[tuple[bool, ...], list[tuple[float, float]]]:
    """Log-loss and error in per cent on test rows, for every choice of tricks and every split."""
    found: dict[tuple[bool, ...], list[tuple[float, float]]] = {c: [] for c in product((False, True), repeat=5)}  # fmt: skip
    for split in range(settings.splits):
        X, X_test, y, y_test = (torch.as_tensor(part) for part in split_table(source, settings, split))  # fmt: skip
        rows, inputs = (X.float(), y), X_test.float()
        for tricks in product((False, True), repeat=4):
            members = torch.stack([log_odds(tricks, rows, inputs, settings, 1000 * split + k) for k in range(settings.restarts)])  # fmt: skip
            joint = members.exp().mean(0).log()
            found[*tricks, True].append(_judge(joint, y_test))
            alone = [_judge(member, y_test) for member in members]
            found[*tricks, False].append((float(np.mean([a[0] for a in alone])), float(np.mean([a[1] for a in alone]))))  # fmt: skip
    return found


def _judge(log_p: Tensor, y: Tensor) -> tuple[float, float]:
    return F.nll_loss(log_p, y).item(), 100 * (log_p.argmax(1) != y).double().mean().item()


def rivals(source: str, settings: Settings) -> dict[str, tuple[float, float]]:
    """Log-loss and error of a linear model, and of a sum of smooth functions, one of each column."""
    models: dict[str, Callable[[], ClassifierMixin]] = {
        "logistic regression": lambda: LogisticRegression(max_iter=2000),
        "sum of splines": additive,
    }
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in models}
    for split in range(settings.splits):
        X, X_test, y, y_test = split_table(source, settings, split)
        for name, build in models.items():
            odds = build().fit(X, y).predict_proba(X_test)
            found[name].append(_judge(torch.as_tensor(odds).clamp(min=1e-9).log(), torch.as_tensor(y_test)))  # fmt: skip
    return {name: tuple(np.mean(values, axis=0)) for name, values in found.items()}


def additive() -> ClassifierMixin:
    r"""Logistic regression on :math:`\sum_j f_j(x_j)`, every :math:`f_j` a cubic spline with a penalty on its weights."""
    splines = SplineTransformer(n_knots=4, knots="uniform", extrapolation="linear", include_bias=False)  # fmt: skip
    clip = FunctionTransformer(partial(np.clip, a_min=-4.0, a_max=4.0))
    return make_pipeline(clip, splines, StandardScaler(), LogisticRegression(C=0.05, max_iter=2000))


def effects(found: dict[tuple[bool, ...], list[tuple[float, float]]]) -> dict[str, Array]:
    """What switching each trick on changes the log-loss by, in per cent, a mean over the others; one value a split."""
    answer = {}
    for place, trick in enumerate(TRICKS):
        changes = [
            np.log([a[0] for a in found[choice]]) - np.log([b[0] for b in found[(*choice[:place], False, *choice[place + 1 :])]])
            for choice in found if choice[place]
        ]  # fmt: skip
        answer[trick] = 100 * np.mean(changes, axis=0)
    return answer


def check_source(report: Report, source: str, settings: Settings) -> None:
    found, simple = losses_of(source, settings), rivals(source, settings)
    change = effects(found)
    means = {choice: np.mean(values, axis=0) for choice, values in found.items()}
    names = {choice: ", ".join(t for t, used in zip(TRICKS, choice, strict=True) if used) or "none" for choice in found}  # fmt: skip
    best, bare = min(means, key=lambda choice: means[choice][0]), means[(False,) * 5]
    report.claim(f"{source}: restarts help", float(change["restarts"].mean()), "% of the log-loss", below=0.0)  # fmt: skip
    report.claim(f"{source}: the best of 32 choices", means[best][0] / bare[0], "of the log-loss without tricks", below=1.0)  # fmt: skip
    if source == "spam":
        report.claim("spam: the best network errs as little as boosted trees of textbooks", means[best][1], "test error {} %", below=6.0)  # fmt: skip
        report.claim("spam: the sum of splines errs little more", simple["sum of splines"][1], "{} %, the textbook has 5.3 %", at_least=4.0, at_most=6.5)  # fmt: skip
    else:
        report.claim(f"{source}: logistic regression is as good as the best network", simple["logistic regression"][0] / means[best][0], "of its log-loss", below=1.05)  # fmt: skip
    report.table(
        f"{source}: all 32 choices and two simple models, mean of {settings.splits} splits",
        columns=["tricks", "log-loss", "error %"],
        rows=[*([names[c], *means[c]] for c in sorted(means, key=lambda c: means[c][0])), *([n, *e] for n, e in simple.items())],
    )  # fmt: skip
    ends = {t: corrected_interval(v, 0.5) for t, v in change.items()} if settings.splits > 1 else {}
    report.figure(
        f"effects-{source}",
        comparison_bars({t: float(v.mean()) for t, v in change.items()}, intervals={t: (e.low, e.high) for t, e in ends.items()} or None, label="change of the log-loss, %", title=source),
        caption=f"{source}: what switching a trick on changes, a mean over all choices of the other four. Below zero is better.",
    )  # fmt: skip


def draw_splines(settings: Settings) -> Figure:
    """What the additive model says of some words."""
    data = load("spam")
    X, _, y, _ = split_table("spam", settings, 0)
    model = additive().fit(X, y)
    places = sorted(range(X.shape[1]), key=lambda j: -_swing(model, X, j))[:6]
    figure, axes = new_figure(2, 3, 10.5, 5.2)
    for panel, j in zip(np.ravel(axes), places, strict=True):
        x, f = _shape(model, X, j)
        panel.plot(x, f, color=PALETTE[0])
        panel.set(
            title=data.feature_names[j].removeprefix("word_freq_").removeprefix("char_freq_"),
            xlabel="log count, standardized",
        )
    axes[0, 0].set_ylabel("log-odds of spam")
    axes[1, 0].set_ylabel("log-odds of spam")
    return figure


def _shape(model: ClassifierMixin, X: Array, j: int) -> tuple[Array, Array]:
    """The function of column j, from its least to its most common values."""
    x = np.linspace(X[:, j].min(), np.quantile(X[:, j], 0.99), 60)
    rows = np.zeros((60, X.shape[1]))
    rows[:, j] = x
    return x, model.decision_function(rows)


def _swing(model: ClassifierMixin, X: Array, j: int) -> float:
    return float(np.ptp(_shape(model, X, j)[1]))


def run(settings: Settings) -> Report:
    require_cached("tricks-ablation", *settings.sources)
    report = Report(
        title="Five tricks, on and off",
        summary="Averaging restarts always helps; each of the others takes the place of another. On a table where one column "
        "says nearly everything, and on counts of words, a sum of simple functions comes close to all of them.",
    )
    for source in settings.sources:
        check_source(report, source, settings)
    if "spam" in settings.sources:
        report.figure("splines", draw_splines(settings), caption="Spam: six functions of the additive model. Every mail's log-odds are the sum of such functions, so each answer can be read.")  # fmt: skip
    return report
