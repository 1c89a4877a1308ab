"""Worlds of cells: tables of where each action leads, what it pays and whether it ends."""

from abc import ABC
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.errors import require
from gradatim.reinforcement.environment import Environment, Move
from gradatim.reinforcement.spaces import Discrete

WALL, FREE, START, GOAL, TRAP, AGENT = "#", ".", "S", "G", "x", "@"
MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1))  # rows and columns: up, right, down, left
ARROWS = "↑→↓←"
COLOURS = {
    WALL: (0.20, 0.22, 0.27),
    FREE: (1.0, 1.0, 1.0),
    START: (0.80, 0.87, 0.95),
    GOAL: (0.55, 0.80, 0.60),
    TRAP: (0.90, 0.62, 0.55),
    AGENT: (0.84, 0.37, 0.0),
}


class Model(NamedTuple):
    r"""All that can happen in a finite world.

    Args:
        transitions: :math:`P(s'\mid s,a)`, shape ``(S, A, S)``; what is missing from 1 is the chance that the episode ends.
        rewards: :math:`R(s,a)`, shape ``(S, A)``.
    """

    transitions: Tensor
    rewards: Tensor


class Tables(NamedTuple):
    """Where each action leads from each cell, what it pays, and whether it ends; shape ``(S, A)`` each."""

    goes_to: Tensor
    pays: Tensor
    ends: Tensor


class Grid(Environment, ABC):
    """A world of cells in rows and columns, numbered row by row, with four moves: up, right, down, left.

    Args:
        rows: The map, a letter for each cell: ``#`` wall, ``.`` free, ``S`` start, ``G`` goal, ``x`` a bad place.
        tables: What every move does.
        starts: Cells in which episodes start, equally often.
        time_limit: Most steps of an episode, if there is a most.
    """

    def __init__(self, rows: list[str], tables: Tables, starts: list[int], time_limit: int | None) -> None:  # fmt: skip
        self.rows, self.tables, self.time_limit = rows, tables, time_limit
        self.starts = torch.tensor(starts)
        self.observation_space = Discrete(len(rows) * len(rows[0]))
        self.action_space = Discrete(len(MOVES))

    def start(self, which: Tensor, generator: torch.Generator) -> Tensor:
        """A cell for each, drawn where there are several to start in."""
        if len(self.starts) == 1:
            return self.starts.expand(len(which))
        return self.starts[torch.randint(len(self.starts), which.shape, generator=generator)]

    def move(self, state: Tensor, action: Tensor, generator: torch.Generator) -> Move:
        """Look each move up."""
        place = state * len(MOVES) + action
        goes_to, pays, ends = (table.take(place) for table in self.tables)
        return Move(goes_to, pays, ends, torch.zeros_like(ends))

    def model(self) -> Model:
        """What planning needs to know: it may look at the tables, learning may not."""
        transitions = F.one_hot(self.tables.goes_to, self.observation_space.width).double()
        return Model(transitions * ~self.tables.ends[..., None], self.tables.pays.double())

    def show(self, state: int | None = None, *, policy: Tensor | None = None) -> str:
        """The map for a terminal.

        Args:
            state: Where the agent stands, drawn as ``@``.
            policy: The move of each cell, drawn as an arrow, shape ``(S,)``.

        Example:
            >>> from gradatim.reinforcement import Maze
            >>> print(Maze("S.#.\\n..G.").show(1))
            S@#.
            ..G.
        """
        letters = list("".join(self.rows))
        if policy is not None:
            shape = (self.observation_space.width,)
            rule = f"{type(self).__name__}.show: policy must have shape {shape}"
            require(tuple(policy.shape) == shape, rule, tuple(policy.shape))
            arrows = [ARROWS[move] for move in policy.tolist()]
            letters = [a if c in (FREE, START) else c for c, a in zip(letters, arrows, strict=True)]
        if state is not None:
            letters[int(state)] = AGENT
        width = len(self.rows[0])
        return "\n".join("".join(letters[k : k + width]) for k in range(0, len(letters), width))

    def picture(self, state: int | None = None) -> Tensor:
        """The map in colours, shape ``(rows, columns, 3)``.

        Args:
            state: Where the agent stands.

        Example:
            >>> from gradatim.reinforcement import Maze
            >>> Maze("S.#.\\n..G.").picture(0).shape
            torch.Size([2, 4, 3])
        """
        letters = self.show(state).replace("\n", "")
        return torch.tensor([COLOURS[c] for c in letters]).view(len(self.rows), -1, 3)


def read_map(owner: str, text: str, letters: str) -> list[str]:
    """Rows of equal length; a blank is a free cell."""
    rows = [row.replace(" ", FREE) for row in text.strip("\n").split("\n")]
    width = max(map(len, rows))
    rows = [row.ljust(width, FREE) for row in rows]
    strange = sorted(set("".join(rows)) - set(letters))
    rule = f"{owner}: map must be made of {', '.join(letters)} and blanks"
    require(not strange, rule, ", ".join(map(repr, strange)))
    for letter, name, is_one in ((START, "start", True), (GOAL, "goal", False)):
        count = "".join(rows).count(letter)
        words = f"one {name} ({letter})" if is_one else f"a {name} ({letter})"
        require(count == 1 or (count and not is_one), f"{owner}: map must have {words}", count or "none")  # fmt: skip
    return rows


def neighbour(rows: list[str], cell: tuple[int, int], step: tuple[int, int]) -> tuple[int, int] | None:  # fmt: skip
    """The cell that a step reaches, if it is there and no wall."""
    i, j = cell[0] + step[0], cell[1] + step[1]
    is_inside = 0 <= i < len(rows) and 0 <= j < len(rows[0])
    return (i, j) if is_inside and rows[i][j] != WALL else None
