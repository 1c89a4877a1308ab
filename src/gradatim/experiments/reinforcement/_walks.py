"""What experiments on maps share: walking greedily through a table of values."""

import torch
from torch import Tensor

from gradatim.reinforcement.grid import Grid

MOST = 200  # steps of a walk that finds no end


def walk(world: Grid, policy: Tensor, start: int | None = None) -> list[int]:
    """The cells that a policy walks through from the start, the last included."""
    goes_to, _, ends = world.tables
    cell = "".join(world.rows).index("S") if start is None else start
    path = [cell]
    for _ in range(MOST):
        move = int(policy[cell])
        is_over, cell = bool(ends[cell, move]), int(goes_to[cell, move])
        path.append(cell)
        if is_over:
            break
    return path


def returns_of(world: Grid, policies: Tensor, gamma: float, start: int) -> Tensor:
    """Exact returns from a cell of policies given as chances, shape ``(K, S, A)``."""
    model = world.model()
    chances = policies.double()
    moves = torch.einsum("ksa,sat->kst", chances, model.transitions)
    pays = torch.einsum("ksa,sa->ks", chances, model.rewards)
    identity = torch.eye(moves.shape[-1], dtype=torch.float64)
    return torch.linalg.solve(identity - gamma * moves, pays)[:, start]


def greedy_chances(q: Tensor, eps: float = 0.0) -> Tensor:
    """The chances of each action when the best is taken, but any with probability ``eps``."""
    best = torch.zeros_like(q).scatter_(-1, q.argmax(-1, keepdim=True), 1.0)
    return (1 - eps) * best + eps / q.shape[-1]
