"""A baseline leaves REINFORCE's gradient where it is on average and takes most of its noise out."""

from dataclasses import dataclass

import torch
from torch import Tensor

from gradatim.plots import CurvePanel, curve_panels
from gradatim.plots.reinforcement import SeedCurves, return_curves
from gradatim.reinforcement import Batch, CartPole, Reinforce, evaluate, learn
from gradatim.reinforcement.acting import ActorState
from gradatim.reinforcement.improving import policy_slope
from gradatim.reports import Report

COVERS = ("A7",)
KEYWORDS = "REINFORCE, policy gradient, baseline, credit assignment, variance reduction"
BEST = 200.0
STAGES = (0, 8, 24)  # updates after which the noise is measured


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    seeds: int = 8
    steps: int = 60_000
    points: int = 12
    episodes: int = 512


QUICK = Settings(seeds=5, steps=16_000, points=6, episodes=192)


def run(settings: Settings) -> Report:
    report = Report(
        title="Baselines",
        summary="What happens to be a long episode makes everything that was done in it likelier, good or bad. Taking off what "
        "was to be expected changes no mean of the gradient, but most of its variance.",
    )
    world = CartPole(time_limit=int(BEST))
    _noise(report, settings, world)
    _learning(report, settings, world)
    return report


def _noise(report: Report, settings: Settings, world: CartPole) -> None:
    agent = Reinforce(num_copies=16)
    state, ratios, rows = agent.init(world, seed=settings.seed), [], []
    for update in range(max(STAGES) + 1):
        if update in STAGES:
            without, with_one = _gradients(settings, world, state)
            noise = [float(g.var(0).sum()) for g in (without, with_one)]
            ratios.append(noise[0] / noise[1])
            rows.append([update, noise[0], noise[1], ratios[-1], _difference(without - with_one)])
        state, _ = agent.step(state)
    report.table("Variance of the gradient of one episode, summed over the weights", columns=["updates", "without", "with a baseline", "ratio", "difference of the means, in standard errors"], rows=rows)  # fmt: skip
    report.claim("once the critic has learned, the baseline takes noise out", max(ratios[1:]), "times less variance at best", above=2.0)  # fmt: skip
    worst = max(row[-1] for row in rows)
    report.claim("and changes no mean", worst, "largest difference of mean gradients, in standard errors", below=2.0)  # fmt: skip
    panel = CurvePanel("Noise of the gradient", "updates before", "variance", {"without": (STAGES, [r[1] for r in rows]), "with a baseline": (STAGES, [r[2] for r in rows])}, is_log_y=True)  # fmt: skip
    report.figure("variance", curve_panels([panel], width=6.0, height=3.7), caption=f"Of {settings.episodes} episodes of one policy each, both estimates from the same episodes.")  # fmt: skip


def _gradients(settings: Settings, world: CartPole, state: ActorState) -> tuple[Tensor, Tensor]:
    """The gradient of each of many episodes without and with the critic's value as a baseline, shape ``(episodes, weights)``."""
    agent = Reinforce(num_copies=settings.episodes)
    fresh = agent.init(world, seed=settings.seed + 1)
    judged = fresh._replace(actor=state.actor, critic=state.critic)
    _, batch, lived = agent.play(judged)
    first = lived.ended.cumsum(0) - lived.ended.int() == 0
    owner = torch.arange(settings.episodes).expand_as(first)[first]
    return tuple(_by_episode(state, batch, owner, a) for a in (batch.goal, batch.advantages))  # type: ignore[return-value]


def _by_episode(state: ActorState, batch: Batch, owner: Tensor, advantages: Tensor) -> Tensor:
    outputs = state.actor(batch.seen).detach()
    _, pull = state.head.pull(outputs, batch.actions)
    weight = len(batch.seen) * policy_slope(batch.old, batch.old, advantages)
    order, counts = owner.argsort(stable=True), owner.bincount().tolist()
    rows, deltas = (part[order].split(counts) for part in (batch.seen, pull * weight[:, None]))
    weights, found = list(state.actor.parameters()), []
    for own, delta in zip(rows, deltas, strict=True):
        parts = torch.autograd.grad(state.actor(own), weights, delta)
        found.append(torch.cat([part.flatten() for part in parts]))
    return torch.stack(found)


def _difference(apart: Tensor) -> float:
    """How far the mean of independent rows is from zero, in units of what chance does, over all weights together."""
    return float(apart.mean(0).square().sum().div(apart.var(0).sum() / len(apart)).sqrt())


def _learning(report: Report, settings: Settings, world: CartPole) -> None:
    curves, ends = {}, {}
    for name, has_baseline in (("without a baseline", False), ("with a baseline", True)):
        agent = Reinforce(has_baseline=has_baseline)
        runs = [learn(agent, world, steps=settings.steps, evaluations=settings.points, episodes=20, seed=settings.seed * 1000 + k) for k in range(settings.seeds)]  # fmt: skip
        points = [torch.stack([point.returns.mean() for point in run.curve]) for run in runs]
        steps = [round((k + 1) * settings.steps / settings.points) for k in range(settings.points)]
        curves[name] = SeedCurves(steps, torch.stack(points))
        ends[name] = float(torch.stack(points).mean())
    lost = evaluate(lambda seen: (seen[:, 0] * 1e6).long() % 2, world, episodes=100, seed=settings.seed)  # fmt: skip
    report.claim("it learns far more than a random policy gets", ends["with a baseline"], f"mean return over the curve and seeds with a baseline, {ends['without a baseline']:.0f} without", above=2 * float(lost.mean()))  # fmt: skip
    report.figure("learning", return_curves(curves, best=BEST, random=float(lost.mean())), caption=f"Greedy evaluation episodes on the pole, cut off after {BEST:.0f} steps: interquartile mean over {settings.seeds} seeds with its 95 % bootstrap interval.")  # fmt: skip
