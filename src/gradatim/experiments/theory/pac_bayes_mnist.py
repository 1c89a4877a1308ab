"""A number that the error on new digits does not exceed, proved from the digits that taught the network."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure

from gradatim.experiments.theory._certified_networks import (
    Pair,
    certify_learned,
    certify_random,
    convolutional_network,
    dense_network,
    load_digits,
)
from gradatim.plots.style import MARKERS, PALETTE, new_figure
from gradatim.reports import Report
from gradatim.theory import (
    Certificate,
    held_out_bound,
    log_log_slope,
    maurer_bound,
    mcallester_bound,
    quadratic_bound,
)
from gradatim.theory.certificate import SHARE

COVERS = ("I3",)
KEYWORDS = (
    "PAC-Bayes bound, generalization bound, non-vacuous, KL divergence, stochastic classifier"
)
DELTA, CLASSIFIERS = 0.05, 1000


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    data: str = "mnist"
    rows: int = 60_000
    stds: tuple[float, ...] = (0.5, 1.0)
    epochs: int = 25
    width: int = 600
    dense_epochs: int = 40
    conv_epochs: int = 30
    tried: int = 100  # random priors whose bounds were looked at, with those of this run
    tried_learned: int = 5
    limits: tuple[float, ...] = (0.15, 0.015, 0.010)
    repeats: int = 200


QUICK = Settings(data="digits", stds=(0.5,), width=100, dense_epochs=40, conv_epochs=30, limits=(0.65, 0.2, 0.2), repeats=50)  # fmt: skip


def claim_lemma(report: Report, rng: np.random.Generator) -> None:
    """Donsker and Varadhan: E_q X ≤ D(q‖p) + ln E_p eˣ, on fifty outcomes."""
    p, x = rng.dirichlet(np.ones(50)), 2 * rng.normal(size=50)
    right = math.log(p @ np.exp(x))
    gibbs = p * np.exp(x - right)
    others = np.concatenate([rng.dirichlet(np.ones(50), 1000), 0.99 * gibbs + 0.01 * rng.dirichlet(np.ones(50), 1000)])  # fmt: skip

    def excess(q: np.ndarray) -> np.ndarray:
        terms = np.where(q > 0, q * np.log(np.maximum(q, 1e-300) / p), 0.0)
        return np.asarray(q @ x - terms.sum(-1) - right)

    report.claim("E_q[X] ≤ D(q‖p) + ln E_p[eˣ] for 2000 random q", float(excess(others).max()), "largest excess", below=0)  # fmt: skip
    report.claim("with equality at q ∝ p·eˣ", abs(float(excess(gibbs))), "difference", below=1e-12)


def simulate(n: int, repeats: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Training risks, divergences and gaps where a thousand classifiers throw coins.

    All have the risk ½; the posterior :math:`q\\propto e^{-10\\sqrt n\\hat r}` prefers those that were lucky on the n rows, as strongly
    at every n.
    """
    seen = rng.binomial(n, 0.5, size=(repeats, CLASSIFIERS)) / n
    logits = -10 * math.sqrt(n) * (seen - seen.min(1, keepdims=True))
    q = np.exp(logits)
    q /= q.sum(1, keepdims=True)
    kl = (q * np.log(np.maximum(q, 1e-300) * CLASSIFIERS)).sum(1)
    risk = (q * seen).sum(1)
    return risk, kl, 0.5 - risk


def claim_rate(report: Report, settings: Settings, rng: np.random.Generator) -> tuple[list[int], dict[str, list[float]]]:  # fmt: skip
    sizes = [100, 400, 1600, 6400, 25_600]
    gaps: dict[str, list[float]] = {"true": [], "Maurer": [], "McAllester": [], "printed, 2/n": []}
    failures = 0
    for n in sizes:
        risk, kl, gap = simulate(n, settings.repeats, rng)
        exact = np.array([maurer_bound(r, d, n, DELTA) for r, d in zip(risk, kl, strict=True)])
        root = np.sqrt((kl + math.log(2 * math.sqrt(n) / DELTA)) / (2 * n))
        failures += int((exact < 0.5).sum())
        for name, values in zip(gaps, (gap, exact - risk, root, 2 * root), strict=True):
            gaps[name].append(float(values.mean()))
    share = failures / (len(sizes) * settings.repeats)
    report.claim("the bound fails in at most 5 % of all draws of the rows", share, "share", at_most=DELTA)  # fmt: skip
    for name in ("true", "McAllester"):
        report.claim(f"the {name} gap against n", log_log_slope(sizes, gaps[name]), "slope", near=(-0.5, 0.05))  # fmt: skip
    ratio = gaps["printed, 2/n"][-1] / (mcallester_bound(0.0, float(kl.mean()), n, DELTA))
    report.claim("the root printed with 2/n for 1/2n is twice as loose", ratio, "ratio", near=(2.0, 0.01))  # fmt: skip
    rows = [[n, *(gaps[name][k] for name in gaps)] for k, n in enumerate(sizes)]
    report.table(f"{CLASSIFIERS} classifiers that throw coins: gap of risk and training risk", columns=["n", *gaps], rows=rows)  # fmt: skip
    return sizes, gaps


def certify(settings: Settings, train: Pair, test: Pair) -> tuple[dict[str, Certificate], dict[float, float]]:  # fmt: skip
    side, seed = train[0].shape[-1], settings.seed
    found = certify_random(train, test, stds=settings.stds, epochs=settings.epochs, tried=settings.tried, seed=seed)  # fmt: skip
    best = min(found, key=lambda std: found[std].bound)
    dense, conv = dense_network(side, settings.width, seed), convolutional_network(side, seed)
    learned = {"tried": settings.tried_learned, "seed": seed}
    return {
        "dense, random prior": found[best],
        "dense, learned prior": certify_learned(dense, train, test, epochs=settings.dense_epochs, **learned),
        "conv., learned prior": certify_learned(conv, train, test, epochs=settings.conv_epochs, **learned),
    }, {std: certificate.bound for std, certificate in found.items()}  # fmt: skip


def claim_certificates(report: Report, settings: Settings, train: Pair, test: Pair) -> dict[str, tuple[float, ...]]:  # fmt: skip
    certificates, by_std = certify(settings, train, test)
    rows: list[list[object]] = []
    drawn: dict[str, tuple[float, ...]] = {}
    for (name, found), limit in zip(certificates.items(), settings.limits, strict=True):
        report.claim(f"{name}: error on new digits, with 95 %", found.bound, "bound", at_most=limit)
        report.claim(f"{name}: test error of the same network stays below", found.test_error, "test error", at_most=found.bound)  # fmt: skip
        count = len(test[1])
        plain = held_out_bound(round(found.test_error * count), count, DELTA)
        drawn[name] = (found.risk, found.test_error, plain, found.bound)
        tried = settings.tried if "random" in name else settings.tried_learned
        paid = found.risk, found.kl, found.n, (1 - SHARE) * DELTA / tried
        looser = quadratic_bound(*paid), mcallester_bound(*paid)
        rows.append([name, found.n, found.risk, found.kl, found.bound, *looser, found.test_error, plain])  # fmt: skip
        report.claim(
            f"{name}: Maurer's bound is the tightest of three", found.bound, at_most=min(looser)
        )
    columns = ["network", "rows n", "risk on them", "D(q‖p)", "bound", "quadratic", "McAllester", "test error", "test-set bound"]  # fmt: skip
    report.table(f"Certificates with 95 %, paid for {settings.tried} random and {settings.tried_learned} learned priors", columns=columns, rows=rows)  # fmt: skip
    report.table("Random priors tried", columns=["standard deviation", "bound"], rows=[[std, bound] for std, bound in by_std.items()])  # fmt: skip
    return drawn


def claim_random_labels(report: Report, settings: Settings, train: Pair, test: Pair) -> None:
    shuffle = torch.randperm(len(train[1]), generator=torch.Generator().manual_seed(settings.seed))
    few = max(2, settings.epochs // 5)
    found = certify_random((train[0], train[1][shuffle]), test, stds=settings.stds[:1], epochs=few, tried=1, seed=settings.seed)  # fmt: skip
    report.claim("labels dealt at random get no certificate", next(iter(found.values())).bound, "bound", at_least=0.85)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="PAC-Bayes certificates",
        summary="A network that draws its weights anew for every question errs on new digits no more than a number that is proved "
        "from its training digits alone. A prior that half of them have taught makes the number nearly as small as the error.",
    )
    train, test = load_digits(settings.data, settings.rows, settings.seed)
    rng = np.random.default_rng(settings.seed)
    claim_lemma(report, rng)
    sizes, gaps = claim_rate(report, settings, rng)
    drawn = claim_certificates(report, settings, train, test)
    claim_random_labels(report, settings, train, test)
    caption = "Left: what luck on n rows is worth, and what the root allows for it (Maurer's bound lies on it at risk ½). Right: certificates of three networks, beside their errors and the bound that a test set gives."  # fmt: skip
    report.figure("certificates", draw_figure(sizes, gaps, drawn), caption=caption)
    return report


def draw_figure(sizes: list[int], gaps: dict[str, list[float]], drawn: dict[str, tuple[float, ...]]) -> Figure:  # fmt: skip
    figure, (left, right) = new_figure(columns=2, width=10.5, height=4.3)
    for k, (name, label) in enumerate({"true": "true", "McAllester": "McAllester, 1/2n", "printed, 2/n": "as printed, 2/n"}.items()):  # fmt: skip
        left.loglog(sizes, gaps[name], marker=MARKERS[k], markersize=4, color=PALETTE[k], label=label)  # fmt: skip
    left.set(title="Classifiers that throw coins", xlabel="rows n", ylabel="risk − training risk")
    left.legend(loc="lower left", fontsize=8)
    labels = ("risk on the rows", "test error", "test-set bound", "certificate")
    for k, label in enumerate(labels):
        places = np.arange(len(drawn)) + 0.12 * (k - 1.5)
        values = [100 * row[k] for row in drawn.values()]
        right.semilogy(places, values, MARKERS[k], color=PALETTE[(k + 1) % 4] if k < 3 else PALETTE[0], markersize=8 if k == 3 else 6, label=label)  # fmt: skip
        if k == 3:
            for place, value in zip(places, values, strict=True):
                right.annotate(f"{value:.2g} %", (place, value), xytext=(8, -3), textcoords="offset points", fontsize=9)  # fmt: skip
    right.set_xticks(range(len(drawn)), [name.replace(", ", "\n") for name in drawn])
    right.set(title="Error on new digits", ylabel="per cent", xlim=(-0.5, len(drawn) - 0.4))
    right.grid(axis="x", visible=False)
    low, high = right.get_ylim()
    ticks = [t for t in (0.5, 1, 2, 5, 10, 20, 50, 100) if low < t < high]
    right.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    right.minorticks_off()
    right.legend(loc="upper right", fontsize=8)
    return figure
