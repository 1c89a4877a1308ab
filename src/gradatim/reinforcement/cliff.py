"""Walk along a cliff, near the edge or far from it."""

import torch

from gradatim.reinforcement.grid import FREE, GOAL, MOVES, START, TRAP, Grid, Tables, neighbour

ROWS, COLUMNS = 4, 12


class Cliff(Grid):
    """Sutton and Barto's cliff: every step costs 1, a fall costs 100 and leads back to the start.

    The shortest way, of 13 steps, goes along the edge; whoever stumbles now and then does better to keep away from it.

    Args:
        time_limit: Most steps of an episode, if there is a most.

    Example:
        >>> print(Cliff().show()[-12:])
        SxxxxxxxxxxG

    Reference:
        Sutton and Barto, Reinforcement Learning, 2018, example 6.6.
    """

    def __init__(self, *, time_limit: int | None = None) -> None:
        rows = [FREE * COLUMNS] * (ROWS - 1) + [START + TRAP * (COLUMNS - 2) + GOAL]
        shape, start = (ROWS * COLUMNS, len(MOVES)), (ROWS - 1) * COLUMNS
        goes_to = torch.arange(shape[0])[:, None].repeat(1, shape[1])
        pays, ends = torch.zeros(shape), torch.ones(shape, dtype=torch.bool)
        for s in range(shape[0]):
            here = divmod(s, COLUMNS)
            if rows[here[0]][here[1]] in (TRAP, GOAL):
                continue
            for a, step in enumerate(MOVES):
                i, j = neighbour(rows, here, step) or here
                falls = rows[i][j] == TRAP
                goes_to[s, a] = start if falls else i * COLUMNS + j
                pays[s, a] = -100.0 if falls else -1.0
                ends[s, a] = rows[i][j] == GOAL
        super().__init__(rows, Tables(goes_to, pays, ends), [start], time_limit)
