"""On a cliff Q-learning learns the short path and SARSA the safe one, which pays better while exploring."""

from dataclasses import dataclass

import torch
from torch import Tensor

from gradatim.experiments.reinforcement._walks import greedy_chances, returns_of, walk
from gradatim.plots.reinforcement import GridPanel, SeedCurves, grid_panels, return_curves
from gradatim.reinforcement import SARSA, Cliff, EpsilonGreedy, QLearning
from gradatim.reports import Report

COVERS = ("A7",)
KEYWORDS = "on-policy, off-policy, cliff walking, temporal difference, safe path"
START, EDGE, EPS = 36, 2, 0.1


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    learners: int = 100
    steps: int = 40_000
    lr: float = 0.1


QUICK = Settings(learners=50, steps=10_000, lr=0.2)


def run(settings: Settings) -> Report:
    report = Report(
        title="Near the edge",
        summary="Q-learning judges the best policy and SARSA the one that still stumbles: the first learns the shortest path, the "
        "second the path that loses less as long as one tenth of the steps is drawn at random.",
    )
    world = Cliff()
    tables, paid = {}, {}
    for name, kind in (("Q-learning", QLearning), ("SARSA", SARSA)):
        algorithm = kind(gamma=1.0, lr=settings.lr, exploration=EpsilonGreedy(EPS), num_copies=settings.learners)  # fmt: skip
        state, rewards, ends = algorithm.init(world, seed=settings.seed), [], []
        for _ in range(settings.steps):
            state, info = algorithm.step(state)
            rewards.append(info.reward)
            ends.append(info.ended)
        tables[name], paid[name] = state.q, (torch.stack(rewards), torch.stack(ends))
    _claims(report, world, tables, paid)
    _figures(report, settings, world, tables, paid)
    return report


def typical_path(world: Cliff, q: Tensor) -> list[int]:
    """The greedy walk of the learner that walks as far as the middle one does."""
    paths = sorted((walk(world, policy) for policy in q.argmax(2)), key=len)
    return paths[len(paths) // 2]


def _claims(report: Report, world: Cliff, tables: dict[str, Tensor], paid: dict[str, tuple[Tensor, Tensor]]) -> None:  # fmt: skip
    exploring = {
        n: returns_of(world, greedy_chances(q, EPS), 1.0, START) for n, q in tables.items()
    }
    lengths = {n: [len(walk(world, policy)) - 1 for policy in q.argmax(2)] for n, q in tables.items()}  # fmt: skip
    shortest = sum(length == 13 for length in lengths["Q-learning"]) / len(lengths["Q-learning"])
    report.claim("without exploring, Q-learning walks the shortest path, of 13 steps", shortest, "share of learners", at_least=0.95)  # fmt: skip
    near = {n: typical_path(world, q) for n, q in tables.items()}
    on_edge = {n: sum(cell // 12 == EDGE for cell in path[1:-1]) for n, path in near.items()}
    report.claim("Q-learning's path goes along the edge", on_edge["Q-learning"], "cells beside the cliff", equals=12)  # fmt: skip
    report.claim("SARSA's path keeps away from it", on_edge["SARSA"], "cells beside the cliff, where it leaves and arrives", at_most=4)  # fmt: skip
    report.claim("SARSA's path is longer", len(near["SARSA"]) - 1, "steps", above=13)
    gain = exploring["SARSA"].median() - exploring["Q-learning"].median()
    report.claim("with ε = 0.1 SARSA's policy pays better", float(gain), "exact expected return above Q-learning's, medians", above=5.0)  # fmt: skip
    online = {n: float(_per_episode(*both)[-1].mean()) for n, both in paid.items()}
    report.claim("and it did so while learning", online["SARSA"] - online["Q-learning"], "reward per episode above Q-learning's, last tenth", above=5.0)  # fmt: skip


def _per_episode(rewards: Tensor, ends: Tensor, parts: int = 10) -> Tensor:
    """Reward per episode of every learner in each tenth of the time, shape ``(parts, learners)``."""
    return torch.stack([r.sum(0) / e.sum(0).clamp(min=1) for r, e in zip(rewards.chunk(parts), ends.chunk(parts), strict=True)])  # fmt: skip


def _figures(report: Report, settings: Settings, world: Cliff, tables: dict[str, Tensor], paid: dict[str, tuple[Tensor, Tensor]]) -> None:  # fmt: skip
    panels = [GridPanel(name, world.rows, q.median(0).values.amax(1).clamp(min=-40), q.median(0).values.argmax(1), typical_path(world, q)) for name, q in tables.items()]  # fmt: skip
    report.figure("paths", grid_panels(panels, columns=1, size=6.6), caption="Median values of the learners, their best moves, and the path of the middle learner. A fall costs 100.")  # fmt: skip
    places = torch.arange(1, 11) * settings.steps // 10
    shown = {name: SeedCurves(places[1:], _per_episode(*both)[1:].T) for name, both in paid.items()}
    figure = return_curves(shown, best=-13.0, title="While learning, ε = 0.1", xlabel="steps of each learner", ylabel="reward per episode")  # fmt: skip
    report.figure("rewards", figure, caption=f"Q-learning knows the better path and falls from it again and again: interquartile means over {settings.learners} learners and their 95 % bootstrap intervals. The dashed line is the best without exploring.")  # fmt: skip
