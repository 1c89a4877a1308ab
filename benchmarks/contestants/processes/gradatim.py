"""Gradatim's evidence and gradient in closed form, as its estimators ask for them, with all threads and with one."""

import numpy as np
import torch

from benchmarks.contestants.contestant import Contestant
from benchmarks.contestants.processes.evaluating import evaluate_in_turn
from benchmarks.contestants.processes.task import Task
from benchmarks.contestants.threads import THREADS
from gradatim.bayes import RBF
from gradatim.bayes.processes.evidence import evidence_gradient, log_evidence
from gradatim.bayes.processes.sparse import bound_and_gradient

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch")
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    X, y = torch.from_numpy(task.X), torch.from_numpy(task.y)
    start = RBF(length=(1.0,) * X.shape[1])

    def evaluate(place: np.ndarray) -> tuple[float, np.ndarray]:
        theta = torch.from_numpy(place)
        kernel, noise = start.replace(theta[:-1]), theta[-1].exp()
        if task.num_inducing:
            value, gradient = bound_and_gradient(kernel, noise, X[: task.num_inducing], X, y)
            return value, gradient.numpy()
        found = log_evidence(kernel, noise.item(), X, y, "benchmark")
        return found.value.item(), evidence_gradient(noise.item(), found).numpy()

    return evaluate_in_turn(task, variant, evaluate)
