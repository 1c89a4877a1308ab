"""PPO, actor-critic and DQN learn to hold a pole upright; PPO from 131,072 steps with every seed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from gradatim.plots.reinforcement import SeedCurves, pole_frames, return_curves
from gradatim.reinforcement import DQN, PPO, ActorCritic, CartPole, evaluate, learn
from gradatim.reinforcement.learning import Learned
from gradatim.reports import Report

COVERS = ("A7",)
KEYWORDS = "deep reinforcement learning, PPO proximal policy optimization, actor-critic, DQN deep Q-network, inverted pendulum"
BEST, SOLVED = 500.0, 475.0


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    seeds: int = 10
    steps: int = 131_072
    points: int = 16
    judged: int = 100
    others: bool = True
    other_seeds: int = 5
    other_steps: int = 60_000


QUICK = Settings(seeds=1, points=1, others=False)


def run(settings: Settings) -> Report:
    report = Report(
        title="A pole on a cart",
        summary="Three ways to learn from rewards alone how to hold a pole upright, judged in episodes of their own.",
    )
    random = _random_return(settings)
    makers: dict[str, tuple[Callable[[], Any], int, int]] = {
        "PPO": (lambda: PPO(decay_steps=settings.steps), settings.seeds, settings.steps)
    }
    if settings.others:
        makers["actor-critic"] = (ActorCritic, settings.other_seeds, settings.other_steps)
        makers["DQN"] = (DQN, settings.other_seeds, settings.other_steps)
    runs = {name: [learn(make(), CartPole(), steps=steps, evaluations=settings.points, episodes=settings.judged, seed=settings.seed * 1000 + k) for k in range(seeds)] for name, (make, seeds, steps) in makers.items()}  # fmt: skip
    _claims(report, settings, runs, random)
    _figures(report, settings, runs, random)
    return report


def _random_return(settings: Settings) -> float:
    """What a coin gets."""
    coin = torch.Generator().manual_seed(settings.seed)
    found = evaluate(lambda seen: torch.randint(2, (len(seen),), generator=coin), CartPole(), episodes=500, seed=settings.seed)  # fmt: skip
    return float(found.mean())


def _claims(report: Report, settings: Settings, runs: dict[str, list[Learned]], random: float) -> None:  # fmt: skip
    ends = [float(run.curve[-1].returns.mean()) for run in runs["PPO"]]
    report.claim(f"PPO solves it from {settings.steps:,} steps with every seed", min(ends), f"least greedy mean return over {settings.judged} episodes of {len(ends)} {'seeds' if len(ends) > 1 else 'seed'}", at_least=SOLVED)  # fmt: skip
    report.claim("a coin does not", random, "mean return", near=(22.0, 4.0))
    rows = []
    for name, found in runs.items():
        last = [float(run.curve[-1].returns.mean()) for run in found]
        rows.append([name, found[0].state.steps, min(last), float(np.median(last)), max(last)])
        if name != "PPO":
            best = max(float(np.median([float(run.curve[k].returns.mean()) for run in found])) for k in range(settings.points))  # fmt: skip
            report.claim(f"{name} learns it too", best, f"best median over {len(found)} seeds on the way", at_least=5 * random)  # fmt: skip
    report.table("Greedy mean return at the end", columns=["method", "steps", "worst seed", "median", "best seed"], rows=rows)  # fmt: skip


def _figures(report: Report, settings: Settings, runs: dict[str, list[Learned]], random: float) -> None:  # fmt: skip
    if min(len(found) for found in runs.values()) >= 5:
        curves = {name: _curve(found) for name, found in runs.items()}
        report.figure("learning", return_curves(curves, best=BEST, random=random), caption="Greedy episodes apart from training: interquartile mean over seeds with its 95 % bootstrap interval.")  # fmt: skip
    policy, world = runs["PPO"][0].policy, CartPole()
    states = [torch.tensor([[-1.0, 0.0, 0.15, 0.0]], dtype=torch.float64)]
    with torch.no_grad():
        for _ in range(200):
            moved = world.move(states[-1], policy(world.observe(states[-1])), torch.Generator())
            states.append(moved.state)
            if moved.terminated.all():
                break
    shown = np.linspace(0, len(states) - 1, 7).astype(int)
    report.figure("frames", pole_frames(torch.cat(states)[shown], [f"{k * 0.02:.1f} s" for k in shown]), caption="Four seconds of the policy that PPO learned, from a pole that leans by 9°.")  # fmt: skip


def _curve(found: list[Learned]) -> SeedCurves:
    steps = [point.steps for point in found[0].curve]
    rows = [[float(point.returns.mean()) for point in run.curve] for run in found]
    return SeedCurves(steps, rows)
