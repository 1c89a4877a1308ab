"""Find the way out."""

import torch

from gradatim.errors import require
from gradatim.reinforcement.grid import (
    FREE,
    GOAL,
    MOVES,
    START,
    WALL,
    Grid,
    Tables,
    neighbour,
    read_map,
)

MAZE = """
S.#.......
..#.####.#
.##.#..#..
....#.##..
###.#....#
....####..
.##....##.
.#..##..#.
.##.#G.##.
....###...
"""


class Maze(Grid):
    r"""A maze of any map: a reward at the exit, a penalty for running into a wall, which one does not pass.

    Without rewards but the last, :math:`\gamma<1` alone makes short ways better: :math:`\gamma^{n-1}` for :math:`n` steps.

    Args:
        text: The map: ``#`` a wall, ``.`` or a blank a free cell, ``S`` the start, ``G`` the exit. Outside are walls.
        goal_reward: For the step onto the exit.
        wall_reward: For a step into a wall.
        step_reward: For every other step.
        starts_anywhere: Whether episodes start in any free cell instead of ``S``.
        time_limit: Most steps of an episode, if there is a most.

    Example:
        >>> maze = Maze("S.G")
        >>> maze.reset(seed=0)[0], maze.step(1)[0], maze.step(1)[1:3]
        (tensor(0), tensor(1), (1.0, True))
    """

    def __init__(
        self,
        text: str = MAZE,
        *,
        goal_reward: float = 1.0,
        wall_reward: float = -0.1,
        step_reward: float = 0.0,
        starts_anywhere: bool = False,
        time_limit: int | None = None,
    ) -> None:
        rows = read_map("Maze", text, WALL + FREE + START + GOAL)
        reached = _reachable(rows)
        has_way = any(rows[i][j] == GOAL for i, j in reached)
        require(has_way, "Maze: goal must be reachable from the start", "a wall around it")
        width = len(rows[0])
        shape = (len(rows) * width, len(MOVES))
        goes_to = torch.arange(shape[0])[:, None].repeat(1, shape[1])
        pays, ends = torch.zeros(shape), torch.ones(shape, dtype=torch.bool)
        acting = [(i, j) for i, j in reached if rows[i][j] != GOAL]  # elsewhere nothing happens
        for i, j in acting:
            for a, step in enumerate(MOVES):
                target, s = neighbour(rows, (i, j), step), i * width + j
                k, m = target or (i, j)
                is_goal = rows[k][m] == GOAL
                goes_to[s, a], ends[s, a] = k * width + m, is_goal
                pays[s, a] = goal_reward if is_goal else step_reward if target else wall_reward
        first = [(i, j) for i, j in acting if starts_anywhere or rows[i][j] == START]
        super().__init__(rows, Tables(goes_to, pays, ends), [i * width + j for i, j in first], time_limit)  # fmt: skip


def _reachable(rows: list[str]) -> list[tuple[int, int]]:
    """Cells that can be reached from the start without leaving through the exit, the exit among them, in order."""
    start = next((i, row.index(START)) for i, row in enumerate(rows) if START in row)
    found, edge = {start}, [start]
    while edge:
        cell = edge.pop()
        if rows[cell[0]][cell[1]] == GOAL:
            continue
        near = {n for step in MOVES if (n := neighbour(rows, cell, step))} - found
        found |= near
        edge.extend(near)
    return sorted(found)
