"""Cross a field on which the wind blows upwards."""

import torch

from gradatim.reinforcement.grid import FREE, GOAL, MOVES, START, Grid, Tables

ROWS, WIND = 7, (0, 0, 0, 1, 1, 1, 2, 2, 1, 0)
FIRST, LAST = (3, 0), (3, 7)


class WindyGrid(Grid):
    """Sutton and Barto's windy field: a step costs 1, and in some columns the wind carries it one or two cells upwards.

    The shortest way has 15 steps.

    Args:
        starts_anywhere: Whether episodes start in any cell but the goal, instead of the usual one.
        time_limit: Most steps of an episode, if there is a most.

    Example:
        >>> field = WindyGrid()
        >>> field.reset(seed=0)[0], field.step(1)[:2]
        (tensor(30), (tensor(31), -1.0))

    Reference:
        Sutton and Barto, Reinforcement Learning, 2018, example 6.5.
    """

    def __init__(self, *, starts_anywhere: bool = False, time_limit: int | None = None) -> None:
        width = len(WIND)
        letters = [[FREE] * width for _ in range(ROWS)]
        letters[FIRST[0]][FIRST[1]], letters[LAST[0]][LAST[1]] = START, GOAL
        goal, shape = LAST[0] * width + LAST[1], (ROWS * width, len(MOVES))
        cells = torch.arange(shape[0])
        i, j, wind = cells // width, cells % width, torch.tensor(WIND)
        steps = torch.tensor(MOVES)
        to_row = (i[:, None] + steps[:, 0] - wind[j][:, None]).clamp(0, ROWS - 1)  # (S, A)
        to_column = (j[:, None] + steps[:, 1]).clamp(0, width - 1)
        goes_to = to_row * width + to_column
        ends, pays = goes_to == goal, -torch.ones(shape)
        ends[goal], pays[goal] = True, 0.0
        rows = ["".join(row) for row in letters]
        first = FIRST[0] * width + FIRST[1]
        starts = [s for s in range(shape[0]) if s != goal] if starts_anywhere else [first]
        super().__init__(rows, Tables(goes_to, pays, ends), starts, time_limit)
