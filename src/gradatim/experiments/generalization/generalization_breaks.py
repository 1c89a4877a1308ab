"""Six ways to fail on new data, and six diagnostics: which failure shows in which number."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.preprocessing import StandardScaler

from gradatim.estimators import NeuralClassifier
from gradatim.evaluation import learning_curve
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.style import INK, SEQUENTIAL, new_figure
from gradatim.reports import Report

COVERS = ("D9", "D3")
KEYWORDS = "overfitting, underfitting, distribution shift, covariate shift, adversarial validation, label errors, data leakage, preprocessing outside the folds, learning curve, generalization gap, i.i.d. assumption broken, diagnostics"
Array = NDArray[np.float64]
DIAGNOSTICS = ("training error", "error in folds", "error when used", "folds − training", "used − folds", "gain from more rows", "new rows told from old")  # fmt: skip


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 400
    new_rows: int = 5000
    dim: int = 6
    folds: int = 5
    hidden_dim: int = 300
    epochs: int = 150
    repeats: int = 5


QUICK = Settings(new_rows=2000, epochs=120, repeats=2)


class Case(NamedTuple):
    """Rows to learn from, rows of later use, and the model.

    Args:
        train: Inputs and labels.
        used: Inputs and true labels, as they come later.
        build: Makes the model.
        sieve: Makes what chooses columns before the folds are cut, which it must not.
    """

    train: tuple[Array, Array]
    used: tuple[Array, Array]
    build: Callable[[], BaseEstimator]
    sieve: Callable[[], BaseEstimator] | None = None


def draw(rows: int, dim: int, seed: int, *, shift: float = 0.0, wrong: float = 0.0) -> tuple[Array, Array]:  # fmt: skip
    """A rule that bends: the class is the side of a curved border, one label in ten is off; inputs may be moved."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, dim))
    X[:, 0] += shift
    clean = X[:, 1] + 2.0 * np.sin(2 * X[:, 0]) - 0.5 * X[:, 2] > 0
    return X, (clean ^ (rng.uniform(size=rows) < 0.1 + wrong)).astype(float)


def cases(s: Settings, seed: int) -> dict[str, Case]:
    """One that is sound and six that are not."""

    def network(
        width: int, decay: float, times: int = 1, *, scales: bool = True
    ) -> Callable[[], BaseEstimator]:
        return lambda: NeuralClassifier(
            (width,), epochs=times * s.epochs, lr=0.01, batch_size=100, weight_decay=decay, standardize=scales, seed=seed
        )  # fmt: skip

    sound, used = network(24, 0.005), draw(s.new_rows, s.dim, seed + 1)
    train = draw(s.rows, s.dim, seed)
    noise = np.random.default_rng(seed + 2)
    wide = noise.normal(size=(60, 2000)), (np.arange(60) % 2).astype(float)
    later = noise.normal(size=(s.new_rows, 2000)), (np.arange(s.new_rows) % 2).astype(float)
    return {
        "sound": Case(train, used, sound),
        "too complex": Case(train, used, network(s.hidden_dim, 0.0, 2)),
        "too few rows": Case(draw(40, s.dim, seed), used, sound),
        "too simple": Case(train, used, LogisticRegression),
        "shifted inputs": Case(train, draw(s.new_rows, s.dim, seed + 1, shift=2.5), sound),
        "wrong labels": Case(draw(s.rows, s.dim, seed, wrong=0.2), used, sound),
        "columns chosen outside the folds": Case(wide, later, LogisticRegression, lambda: SelectKBest(f_classif, k=10)),
        "scaler fitted outside the folds": Case(train, used, network(24, 0.005, scales=False), StandardScaler),
    }  # fmt: skip


def diagnose(case: Case, settings: Settings, seed: int) -> dict[str, float]:
    """All diagnostics in per cent; of the used rows only the error and their inputs are seen."""
    (X, y), (X_used, y_used) = case.train, case.used
    if case.sieve is not None:
        sieve = case.sieve().fit(X, y)
        X, X_used = sieve.transform(X), sieve.transform(X_used)
    folds = StratifiedKFold(settings.folds, shuffle=True, random_state=seed)
    model = case.build().fit(X, y)
    own, new = (100 * float(np.mean(model.predict(a) != b)) for a, b in ((X, y), (X_used, y_used)))
    half = len(y) * (settings.folds - 1) // settings.folds
    curve = 100 * learning_curve(case.build(), X, y, sizes=[half // 3, half], folds=folds, score="error").test.mean(1)  # fmt: skip
    told = np.r_[np.zeros(len(X)), np.ones(len(X))]
    both = np.r_[X, X_used[: len(X)]]
    area = float(np.mean(cross_val_score(LogisticRegression(), both, told, cv=StratifiedKFold(5, shuffle=True, random_state=seed), scoring="roc_auc")))  # fmt: skip
    values = (own, curve[1], new, curve[1] - own, new - curve[1], curve[0] - curve[1], 100 * area)
    return dict(zip(DIAGNOSTICS, map(float, values), strict=True))


def found_wrong(case: Case, clean: Array, settings: Settings, seed: int) -> float:
    """Of the labels that folds contradict most, the share that is wrong, in per cent."""
    X, y = case.train
    folds = StratifiedKFold(settings.folds, shuffle=True, random_state=seed)
    odds = cross_val_predict(case.build(), X, y, cv=folds, method="predict_proba")
    doubt = 1 - odds[np.arange(len(y)), y.astype(int)]
    suspects = np.argsort(-doubt)[: len(y) // 10]
    return 100 * float(np.mean(y[suspects] != clean[suspects]))


def check(report: Report, means: dict[str, dict[str, float]]) -> None:
    sound = means["sound"]
    report.claim("too complex: training error says nothing", means["too complex"]["training error"], "{} %", below=4.0)  # fmt: skip
    report.claim("new rows do", means["too complex"]["error when used"] - sound["error when used"], "points more than with a sound model", above=1.0)  # fmt: skip
    report.claim("and so does the gap between folds and training", means["too complex"]["folds − training"] - sound["folds − training"], "points more than of a sound model", above=3.0)  # fmt: skip
    report.claim("too few rows: more of them would help", means["too few rows"]["error when used"] - sound["error when used"], "points lost to ten times as many rows", above=5.0)  # fmt: skip
    report.claim("too simple: it errs on its own rows, and folds agree", means["too simple"]["folds − training"], "points of gap", below=4.0)  # fmt: skip
    report.claim("and a better model shows what is missing", means["too simple"]["error in folds"] - sound["error in folds"], "points", above=3.0)  # fmt: skip
    shift = means["shifted inputs"]
    report.claim("shifted inputs: folds are content", shift["error in folds"] - sound["error in folds"], "points more than of a sound model", near=(0.0, 0.1))  # fmt: skip
    report.claim("use is not", shift["used − folds"], "points", above=5.0)
    report.claim("new inputs can be told from old ones, before any label is known", shift["new rows told from old"], "AUC in %", above=80.0)  # fmt: skip
    wrong = means["wrong labels"]
    report.claim("wrong labels: on true ones the model errs less often than folds say", wrong["used − folds"], "points", below=-5.0)  # fmt: skip
    leak = means["columns chosen outside the folds"]
    report.claim("labels by a coin, columns chosen outside the folds: folds see a good model", leak["error in folds"], "error {} %", below=25.0)  # fmt: skip
    report.claim("which is worth nothing", leak["error when used"], "error {} %", near=(50.0, 5.0))
    report.claim("and inputs show no shift", leak["new rows told from old"], "AUC in %", near=(50.0, 15.0))  # fmt: skip
    report.claim("a scaler fitted outside the folds, though wrong, harms little", abs(means["scaler fitted outside the folds"]["error in folds"] - sound["error in folds"]), "points", below=1.5)  # fmt: skip


def heat_table(means: dict[str, dict[str, float]]) -> Figure:
    """Every number in its cell, darker where it is larger in its column."""
    figure, axes = new_figure(width=10.5, height=0.9 + 0.42 * len(means))
    values = np.array([list(row.values()) for row in means.values()])
    low, high = values.min(0), values.max(0)
    axes.imshow((values - low) / np.maximum(high - low, 1e-9), cmap=SEQUENTIAL, vmin=-0.15, vmax=1.6, aspect="auto")  # fmt: skip
    for (i, j), value in np.ndenumerate(values):
        axes.text(j, i, f"{value:.0f}", ha="center", va="center", color=INK, fontsize=9)
    axes.set_xticks(range(len(DIAGNOSTICS)), [name.replace(" ", "\n", 1) for name in DIAGNOSTICS])
    axes.set_yticks(range(len(means)), list(means))
    axes.tick_params(length=0)
    axes.grid(False)
    return figure


def run(settings: Settings) -> Report:
    report = Report(
        title="Where generalization breaks",
        summary="Training error sees none of it. Folds see models that are too complex, too simple or have too few rows; they "
        "do not see inputs that change, nor their own leaks. Each failure has its own trace.",
    )
    seeds: Sequence[int] = range(100 * settings.seed, 100 * settings.seed + settings.repeats)
    runs = [{name: diagnose(case, settings, seed) for name, case in cases(settings, seed).items()} for seed in seeds]  # fmt: skip
    means = {name: {d: float(np.mean([one[name][d] for one in runs])) for d in DIAGNOSTICS} for name in runs[0]}  # fmt: skip
    check(report, means)
    suspects = [found_wrong(cases(settings, seed)["wrong labels"], draw(settings.rows, settings.dim, seed)[1], settings, seed) for seed in seeds]  # fmt: skip
    report.claim("wrong labels: of the tenth that folds contradict most surely, so many are wrong", float(np.mean(suspects)), "{} %, and a quarter of all", above=30.0)  # fmt: skip
    report.table("In per cent, or points of it", columns=["case", *DIAGNOSTICS], rows=[[name, *row.values()] for name, row in means.items()])  # fmt: skip
    report.figure("diagnostics", heat_table(means), caption="Per cent and points. A failure is seen where its row is dark and the first row is not.")  # fmt: skip
    sizes = [40, 80, 160, settings.rows]
    curves = {}
    for label, s in (("sound", cases(settings, seeds[0])["sound"]), ("too complex", cases(settings, seeds[0])["too complex"])):  # fmt: skip
        errors = [100 * float(np.mean(s.build().fit(s.train[0][:n], s.train[1][:n]).predict(s.used[0]) != s.used[1])) for n in sizes]  # fmt: skip
        curves[label] = (sizes, errors)
    report.figure("rows", curve_panels([CurvePanel("More rows", "training rows", "error when used, %", curves, is_log_x=True)], width=5.6), caption="More rows help both models; the one that is too complex needs more of them.")  # fmt: skip
    return report
