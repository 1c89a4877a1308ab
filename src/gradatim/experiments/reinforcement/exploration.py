"""Of rules that explore, the upper confidence bound keeps the regret of a bandit logarithmic."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from gradatim.plots import CurvePanel, curve_panels
from gradatim.reinforcement import UCB, Bandit, EpsilonGreedy, Exploration, QLearning
from gradatim.reports import Report

COVERS = ("A7",)
KEYWORDS = "exploration and exploitation, multi-armed bandit, epsilon-greedy, upper confidence bound UCB, optimism, regret"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    gamblers: int = 1000
    pulls: int = 20_000
    probabilities: tuple[float, ...] = (0.2, 0.3, 0.4, 0.5, 0.7)


QUICK = Settings(gamblers=400, pulls=6_000)


def run(settings: Settings) -> Report:
    report = Report(
        title="Exploring a bandit",
        summary="Greed alone often stays with a bad arm, a constant share of tries loses in proportion to time, and optimism in "
        "the face of uncertainty loses only in proportion to the logarithm of time, below its bound.",
    )
    arms = Bandit(settings.probabilities)
    rules: dict[str, Exploration] = {
        "greedy": EpsilonGreedy(0.0),
        "ε = 0.1": EpsilonGreedy(0.1),
        "ε falls from 1 to 0.01": EpsilonGreedy(1.0, 0.01, settings.pulls // 10),
        "UCB": UCB(),
    }
    curves = {name: regret(arms, rule, settings) for name, rule in rules.items()}
    curves["optimistic start, greedy"] = regret(arms, EpsilonGreedy(0.0), settings, initial=5.0, lr=0.05)  # fmt: skip
    _claims(report, settings, arms, curves)
    _figures(report, settings, arms, curves)
    return report


def regret(arms: Bandit, rule: Exploration, settings: Settings, *, initial: float = 0.0, lr: float | None = None) -> Tensor:  # fmt: skip
    """Regret after every pull of each gambler, shape ``(pulls, gamblers)``."""
    algorithm = QLearning(gamma=0.0, lr=lr, exploration=rule, initial=initial, num_copies=settings.gamblers)  # fmt: skip
    state, lost = algorithm.init(arms, seed=settings.seed), []
    for _ in range(settings.pulls):
        state, info = algorithm.step(state)
        lost.append(arms.gaps[info.action])
    return torch.stack(lost).cumsum(0)


def auer_bound(gaps: Tensor, pulls: int) -> float:
    """Theorem 1 of Auer, Cesa-Bianchi and Fischer."""
    bad = gaps[gaps > 0]
    return float((8 * math.log(pulls) / bad).sum() + (1 + math.pi**2 / 3) * bad.sum())


def lai_robbins(p: Tensor, pulls: int) -> float:
    """What no rule that is good everywhere can do better than, for many pulls."""
    best = p.max()
    bad = p[p < best].double()
    divergence = bad * (bad / best).log() + (1 - bad) * ((1 - bad) / (1 - best)).log()
    return float(((best - bad) / divergence).sum() * math.log(pulls))


def _claims(report: Report, settings: Settings, arms: Bandit, curves: dict[str, Tensor]) -> None:
    n, half = settings.pulls, settings.pulls // 2
    mean = {name: curve.mean(1) for name, curve in curves.items()}
    bound = auer_bound(arms.gaps, n)
    checked = [k for k in (10, 100, 1000, n) if k <= n]
    worst = max(float(mean["UCB"][k - 1]) / auer_bound(arms.gaps, k) for k in checked)
    report.claim("the mean regret of UCB keeps its bound at every time", worst, f"share of the bound, {bound:,.0f} at the end; largest", at_most=1.0)  # fmt: skip
    late = {name: float(curve[-1] - curve[half - 1]) for name, curve in mean.items()}
    slope = 0.1 * float(arms.gaps.mean())
    report.claim("with ε = 0.1 the regret grows by ε times the mean gap per pull", late["ε = 0.1"] / (n - half), "in the second half", near=(slope, 0.15 * slope))  # fmt: skip
    start = float(mean["UCB"][half - 1])
    report.claim("the regret of UCB flattens", late["UCB"] / start, "of what was lost in the first half is lost in the second; of regret in proportion to time 1", below=0.5)  # fmt: skip
    stuck = float((curves["greedy"][-1] - curves["greedy"][half - 1] > 0.5 * (n - half) * arms.gaps[arms.gaps > 0].min()).double().mean())  # fmt: skip
    report.claim("greed alone stays with a bad arm", stuck, "share of gamblers who play one to the end", above=0.1)  # fmt: skip
    report.claim("optimism mends greed", float(mean["optimistic start, greedy"][-1]), "mean regret", below=0.5 * float(mean["greedy"][-1]))  # fmt: skip


def _figures(report: Report, settings: Settings, arms: Bandit, curves: dict[str, Tensor]) -> None:
    n = settings.pulls
    places = torch.unique(torch.logspace(0, math.log10(n), 60).long().clamp(1, n))
    shown = {name: (places, curve.mean(1)[places - 1].numpy()) for name, curve in curves.items()}
    late = [k for k in places.tolist() if k >= 10]
    guides = {
        "Auer's bound of UCB": (late, [auer_bound(arms.gaps, k) for k in late]),
        "Lai and Robbins, for many pulls": (
            late,
            [lai_robbins(arms.probabilities, k) for k in late],
        ),
    }
    panel = CurvePanel(
        "Mean regret", "pulls", "regret", shown, guides, is_log_x=True, is_log_y=True
    )
    report.figure("regret", curve_panels([panel], width=7.4, height=4.6), caption=f"Means over {settings.gamblers:,} gamblers. On these axes a line that rises as steeply as time itself is regret in proportion to time; curves that flatten are logarithms.")  # fmt: skip
