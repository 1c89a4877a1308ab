"""Tabular learners find the shortest way out of a maze, and Q-learning the worth of every action."""

from dataclasses import dataclass

import torch

from gradatim.experiments.reinforcement._walks import walk
from gradatim.plots import image_grid
from gradatim.plots.reinforcement import GridPanel, SeedCurves, grid_panels, return_curves
from gradatim.reinforcement import (
    SARSA,
    EpsilonGreedy,
    Maze,
    MonteCarlo,
    Plan,
    QLearning,
    WindyGrid,
    evaluate,
    learn,
    policy_iteration,
    value_iteration,
)
from gradatim.reinforcement.grid import Grid
from gradatim.reinforcement.learning import Learned
from gradatim.reports import Report

COVERS = ("A7",)
KEYWORDS = "reinforcement learning RL, Q-learning, value iteration, Markov decision process MDP, Bellman, SARSA, Monte Carlo, agent environment reward"
GAMMA, CLOSE = 0.95, 0.01
SMALL = "S..\n.#.\n..G"
ANYWHERE = Maze(starts_anywhere=True, time_limit=100)
SHORT = 20  # steps of an episode of exploring starts: those that walk in circles teach little
CURVE, EVALUATIONS = 10_000, 20


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    learners: int = 20
    steps: int = 60_000
    control_steps: int = 20_000
    exploring_steps: int = 80_000


QUICK = Settings(steps=24_000, control_steps=6_000, exploring_steps=0)


def run(settings: Settings) -> Report:
    report = Report(
        title="The way out of a maze",
        summary="Without being told the map, tables of values learn from single steps what value iteration computes from the "
        "map: Q-learning the worth of every action within 1 %, and all of them the shortest way.",
    )
    maze = Maze()
    plan = value_iteration(maze.model(), gamma=GAMMA)
    _planning(report, maze, plan)
    learned = _worth(report, settings, plan)
    _learning(report, settings)
    _control(report, settings)
    _pictures(report, maze, plan, learned)
    return report


def _planning(report: Report, maze: Maze, plan: Plan) -> None:
    other = policy_iteration(maze.model(), gamma=GAMMA)
    ratios = [after / before for before, after in zip(plan.changes, plan.changes[1:], strict=False) if before > 1e-9]  # fmt: skip
    report.claim("value iteration contracts by γ", max(ratios), "largest ratio of two changes in a row", at_most=GAMMA + 1e-6)  # fmt: skip
    gap = float((other.values - plan.values).abs().max())
    report.claim("policy iteration finds the same values", gap, "largest difference", at_most=1e-8)


def _worth(report: Report, settings: Settings, plan: Plan) -> Learned:
    """Do anything: Q-learning learns what the best would be worth all the same."""
    learned = learn(_stumbling(settings), ANYWHERE, steps=settings.steps, seed=settings.seed)
    q, best = learned.state.q.double(), plan.q
    visited = learned.state.counts > 0
    wrong = ((q - best).abs() / best.abs().clamp(min=1e-6) * visited).amax((1, 2))
    report.claim(
        "Q agrees with Q* on every pair that was visited",
        float(wrong.max()),
        f"largest relative error of {settings.learners} learners that only stumble about",
        at_most=CLOSE,
    )
    share = float(visited.any(0).sum() / (best.abs().sum(1) > 0).sum() / 4)
    report.claim("every pair was visited by somebody", share, "share of pairs", at_least=0.999)
    return learned


def _stumbling(settings: Settings) -> QLearning:
    return QLearning(gamma=GAMMA, lr=1.0, exploration=EpsilonGreedy(1.0), num_copies=settings.learners)  # fmt: skip


def _learning(report: Report, settings: Settings) -> None:
    """What the greedy policy gets on the way, beside the best and a random one."""
    learned = learn(_stumbling(settings), ANYWHERE, steps=CURVE, evaluations=EVALUATIONS, seed=settings.seed)  # fmt: skip
    returns = torch.stack([point.returns for point in learned.curve], 1)  # (learners, points)
    chance = torch.Generator().manual_seed(settings.seed)
    lost = evaluate(lambda seen: torch.randint(4, seen.shape, generator=chance), ANYWHERE, episodes=500, seed=settings.seed)  # fmt: skip
    report.figure(
        "learning",
        return_curves(
            {"Q-learning": SeedCurves([p.steps for p in learned.curve], returns)},
            best=1.0,
            random=float(lost.mean()),
            xlabel="steps of each learner",
            title="Greedy episodes from anywhere",
        ),
        caption="Interquartile mean over learners with its 95 % bootstrap interval, in episodes of at most a hundred steps that are not "
        "those of training, where all actions are drawn evenly. Who is sure of little yet bumps into walls all the time.",
    )


def _control(report: Report, settings: Settings) -> None:
    """Each learner in each world: how many of the learners walk the shortest way at the end."""
    rows = []
    for name, label, algorithm, world, steps in _learners(settings):
        plan = value_iteration(world.model(), gamma=algorithm.gamma)
        best = len(walk(world, plan.policy)) - 1
        learned = learn(algorithm, world, steps=steps, max_steps=100, seed=settings.seed)
        lengths = [len(walk(world, policy)) - 1 for policy in learned.policy_table]
        right = sum(length == best for length in lengths)
        rows.append([name, label, best, max(lengths), right])
        report.claim(f"{label} finds the shortest way of the {name}", right, f"{{}} of {settings.learners} learners", at_least=settings.learners)  # fmt: skip
    report.table("Steps to the goal", columns=["world", "learner", "fewest", "worst learner", "right"], rows=rows)  # fmt: skip


Tabular = QLearning | SARSA | MonteCarlo


def _learners(settings: Settings) -> list[tuple[str, str, Tabular, Grid, int]]:
    """A start above all that can be had makes greedy learners try everything.

    Monte Carlo learns once an episode, and what it learns is the worth of its exploring policy: a small maze suffices for it. With
    exploring starts it may be greedy, and short episodes from anywhere lead it through the large worlds.
    """
    n, steps, found = settings.learners, settings.control_steps, list[tuple[str, str, Tabular, Grid, int]]()  # fmt: skip
    for name, gamma, world, initial in (("maze", GAMMA, Maze(), 1.0), ("windy field", 1.0, WindyGrid(), 0.0)):  # fmt: skip
        stumbling, greedy = EpsilonGreedy(0.05), EpsilonGreedy(0.0)
        found += [
            (name, "Q-learning", QLearning(gamma=gamma, lr=1.0, exploration=stumbling, initial=initial, num_copies=n), world, steps),
            (name, "SARSA", SARSA(gamma=gamma, lr=1.0, exploration=greedy, initial=initial, num_copies=n), world, steps),
        ]  # fmt: skip
        if settings.exploring_steps:
            anywhere = type(world)(starts_anywhere=True, time_limit=SHORT)
            exact = MonteCarlo(
                gamma=gamma,
                lr=1.0,
                exploration=greedy,
                initial=initial,
                num_copies=n,
                exploring_starts=True,
            )
            found.append((name, "Monte Carlo from anywhere", exact, anywhere, settings.exploring_steps))  # fmt: skip
    whole = MonteCarlo(gamma=0.9, exploration=EpsilonGreedy(1.0, 0.05, 1000), num_copies=n)
    return [*found, ("small maze", "Monte Carlo", whole, Maze(SMALL), 2_000)]


def _pictures(report: Report, maze: Maze, plan: Plan, learned: Learned) -> None:
    first = learned.state.q[0]
    panels = [
        GridPanel("Value iteration: V* and a best policy", maze.rows, plan.values, plan.policy, walk(maze, plan.policy)),
        GridPanel("Q-learning: max Q and its policy", maze.rows, first.amax(1), first.argmax(1), walk(maze, first.argmax(1))),
    ]  # fmt: skip
    report.figure("policy", grid_panels(panels, columns=2, size=4.2), caption="Darker is worth more; arrows are the best moves, the line is the way they lead from S to G. Where two moves are equally good, the arrows may differ.")  # fmt: skip
    path = walk(maze, first.argmax(1))
    shown = path[:: max(len(path) // 7, 1)][:7] + path[-1:]
    frames = torch.stack([maze.picture(cell) for cell in shown])
    report.figure("frames", image_grid(frames, [f"step {path.index(cell)}" for cell in shown], columns=8, size=0.95), caption="Frames of one episode of the learned policy.")  # fmt: skip
    report.code("text", maze.show(policy=first.argmax(1)))
