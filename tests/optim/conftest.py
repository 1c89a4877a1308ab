"""Scalars under an optimizer, in double precision."""

import pytest
import torch


class Scalar:
    """One parameter that an optimizer moves, with the objective it minimizes."""

    def __init__(self, build, start, objective):
        self.w = torch.tensor([start], dtype=torch.float64, requires_grad=True)
        self.objective = objective
        self.optimizer = build([self.w])

    def closure(self):
        self.optimizer.zero_grad()
        loss = self.objective(self.w).sum()
        loss.backward()
        return loss

    def run(self, steps, before_step=None):
        """Return the parameter after each step."""
        path = []
        for t in range(steps):
            if before_step is not None:
                before_step(self.optimizer, t)
            self.optimizer.step(self.closure)
            path.append(self.w.item())
        return path


@pytest.fixture
def scalar():
    return Scalar
