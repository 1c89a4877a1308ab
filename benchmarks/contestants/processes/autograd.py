"""PyTorch by hand: the textbook's formula in a few lines, differentiated by autograd."""

import math

import numpy as np
import torch
from torch import Tensor

from benchmarks.contestants.contestant import Contestant
from benchmarks.contestants.processes.evaluating import evaluate_in_turn
from benchmarks.contestants.processes.task import Task
from benchmarks.contestants.threads import THREADS

TITLE = "PyTorch, plain autograd"
REQUIRES = ("torch",)
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    X, y = torch.from_numpy(task.X), torch.from_numpy(task.y)
    Z = X[: task.num_inducing]

    def evaluate(place: np.ndarray) -> tuple[float, np.ndarray]:
        theta = torch.from_numpy(place).requires_grad_()
        value = bound(theta, Z, X, y) if task.num_inducing else evidence(theta, X, y)
        value.backward()  # type: ignore[no-untyped-call]
        assert theta.grad is not None
        return value.item(), theta.grad.numpy()

    return evaluate_in_turn(task, variant, evaluate)


def covariances(theta: Tensor, x1: Tensor, x2: Tensor) -> Tensor:
    """The Gaussian kernel."""
    lengths = theta[:-2].exp()
    a, b = x1 / lengths, x2 / lengths
    squared = a.square().sum(1)[:, None] + b.square().sum(1) - 2 * a @ b.T
    return theta[-2].exp() * torch.exp(-squared.clamp_min(0) / 2)


def evidence(theta: Tensor, X: Tensor, y: Tensor) -> Tensor:
    """The logarithm of the evidence."""
    K = covariances(theta, X, X) + theta[-1].exp() * torch.eye(len(X)).double()
    L = torch.linalg.cholesky(K)
    alpha = torch.cholesky_solve(y[:, None], L)[:, 0]
    return -(y @ alpha) / 2 - L.diagonal().log().sum() - len(y) / 2 * math.log(2 * math.pi)


def bound(theta: Tensor, Z: Tensor, X: Tensor, y: Tensor) -> Tensor:
    """Titsias' bound of it."""
    noise, variance = theta[-1].exp(), theta[-2].exp()
    eye = torch.eye(len(Z)).double()
    L = torch.linalg.cholesky(covariances(theta, Z, Z) + 1e-8 * variance * eye)
    A = torch.linalg.solve_triangular(L, covariances(theta, Z, X), upper=False) / noise.sqrt()
    LB = torch.linalg.cholesky(eye + A @ A.T)
    c = torch.linalg.solve_triangular(LB, (A @ y)[:, None], upper=False)[:, 0] / noise.sqrt()
    logs = len(y) * torch.log(2 * math.pi * noise) / 2 + LB.diagonal().log().sum()
    lost = len(y) * variance / (2 * noise) - A.square().sum() / 2
    return -logs - (y @ y) / (2 * noise) + c @ c / 2 - lost
