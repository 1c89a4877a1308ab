"""Rewards on the way make a maze easier; as differences of a potential they leave the best policy as it is."""

from dataclasses import dataclass

import torch
from torch import Tensor

from gradatim.experiments.reinforcement._walks import walk
from gradatim.plots.reinforcement import GridPanel, SeedCurves, grid_panels, return_curves
from gradatim.reinforcement import EpsilonGreedy, Maze, QLearning, shaped, value_iteration
from gradatim.reports import Report

COVERS = ("A7",)
KEYWORDS = "sparse and dense rewards, delayed reward, reward shaping, potential"
GAMMA, BONUS = 0.97, 0.2
ROOM = """
S.............
....#.........
....#....###..
....#.........
..............
..###....#....
.........#....
.........#....
...####.......
..............
.......#......
.......#.....G
"""


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    learners: int = 100
    steps: int = 20_000


QUICK = Settings(learners=40, steps=8_000)


def run(settings: Settings) -> Report:
    report = Report(
        title="Rare rewards",
        summary="Who is paid only at the exit stumbles about until it is found by chance. A potential that grows towards the exit "
        "shows the way and changes no best policy; a bonus for being near may make it best never to arrive.",
    )
    maze = Maze(ROOM, wall_reward=0.0)
    potential = _nearness(maze)
    worlds = {
        "sparse": maze,
        "shaped by a potential": shaped(maze, potential, gamma=GAMMA),
        "bonus for being near": _with_bonus(maze, potential),
    }
    _planning(report, worlds, potential)
    _learning(report, settings, worlds)
    return report


def _nearness(maze: Maze) -> Tensor:
    """What every cell would be worth without walls, γ for each step to the exit but the last: what one may know without the map."""
    width = len(maze.rows[0])
    cells = torch.arange(maze.observation_space.width)
    goal = "".join(maze.rows).index("G")
    across = (cells // width - goal // width).abs() + (cells % width - goal % width).abs()
    return GAMMA ** (across.clamp(min=1) - 1).float()


def _with_bonus(maze: Maze, potential: Tensor) -> Maze:
    """Every step pays for being near where it leads, and nothing is taken off."""
    goes_to, pays, ends = maze.tables
    other = maze.copies(1)
    other.num_copies = None
    is_idle = ends.all(1) & (pays == 0).all(1)
    other.tables = maze.tables._replace(pays=pays + BONUS * potential[goes_to] * ~is_idle[:, None])
    return other


def _planning(report: Report, worlds: dict[str, Maze], potential: Tensor) -> None:
    plans = {name: value_iteration(world.model(), gamma=GAMMA) for name, world in worlds.items()}
    plain, told, bribed = plans.values()
    acting = plain.q.abs().sum(1) > 0
    gap = (told.q - (plain.q - potential[:, None].double()))[acting].abs().max()
    report.claim("shaping takes exactly the potential off Q*", float(gap), "largest difference from Q* − Φ, of tables in single precision", at_most=1e-5)  # fmt: skip
    best = [q >= q.amax(1, keepdim=True) - 1e-6 for q in (plain.q[acting], told.q[acting])]
    report.claim("and leaves the best moves of every cell as they are", int((best[0] != best[1]).sum()), "moves that are best in only one of both", equals=0)  # fmt: skip
    exits = {name: _arrives(worlds["sparse"], plan.policy) for name, plan in plans.items()}
    report.claim("a bonus for being near makes it best never to arrive", str(exits["bonus for being near"]), "whether the best policy ends at the exit:", equals="False")  # fmt: skip
    panels = [GridPanel(name, world.rows, plans[name].values, plans[name].policy, walk(worlds["sparse"], plans[name].policy)) for name, world in worlds.items()]  # fmt: skip
    report.figure("policies", grid_panels(panels, size=3.9), caption="Values and best policies by value iteration, and the way they lead from the start. Shaped values differ by Φ and lead the same way; with the bonus one stays beside the exit for ever.")  # fmt: skip
    assert not bribed.policy.equal(plain.policy)


def _arrives(maze: Maze, policy: Tensor) -> bool:
    return "".join(maze.rows)[walk(maze, policy)[-1]] == "G"


def _learning(report: Report, settings: Settings, worlds: dict[str, Maze]) -> None:
    parts, arrived, first = 30, {}, {}
    for name in ("sparse", "shaped by a potential"):
        algorithm = QLearning(gamma=GAMMA, lr=0.5, exploration=EpsilonGreedy(0.1), num_copies=settings.learners)  # fmt: skip
        state, ends = algorithm.init(worlds[name], seed=settings.seed), []
        for _ in range(settings.steps):
            state, info = algorithm.step(state)
            ends.append(info.ended)
        seen = torch.stack(ends)  # (steps, learners)
        arrived[name] = torch.stack(
            [part.double().mean(0) * 100 for part in seen.chunk(parts)]
        )  # (parts, learners)
        first[name] = torch.where(seen.any(0), seen.int().argmax(0), settings.steps).double()
    ratio = float(first["sparse"].median() / first["shaped by a potential"].median())
    report.claim("the exit is found sooner with shaping", ratio, "times fewer steps until the first arrival, medians", above=1.5)  # fmt: skip
    early = {name: float(shares[: parts // 3].mean()) for name, shares in arrived.items()}
    report.claim("and reached more often in the first third", early["shaped by a potential"] / max(early["sparse"], 1e-9), "times as often as without", above=5)  # fmt: skip
    places = torch.arange(1, parts + 1) * settings.steps / parts
    shown = {name: SeedCurves(places, shares.T) for name, shares in arrived.items()}
    world = worlds["sparse"]
    steps = len(walk(world, value_iteration(world.model(), gamma=GAMMA).policy)) - 1
    figure = return_curves(shown, best=100 / steps, random=100 / _stumbling(world), title="Arrivals while learning", xlabel="steps of each learner", ylabel="arrivals per 100 steps")  # fmt: skip
    report.figure("arrivals", figure, caption=f"Interquartile means over {settings.learners} learners with ε = 0.1, who therefore stay below the dashed line, and their 95 % bootstrap intervals.")  # fmt: skip


def _stumbling(world: Maze) -> float:
    """Steps to the exit where every move is drawn, on average: t = 1 + Pt."""
    moves = world.model().transitions.mean(1)
    times = torch.linalg.solve(torch.eye(len(moves)).to(moves) - moves, moves.new_ones(len(moves)))
    return float(times["".join(world.rows).index("S")])
