"""GPyTorch's exact process, its Cholesky factor instead of its iterations, which would only come near the evidence."""

from typing import Any

import numpy as np
import torch

from benchmarks.contestants.contestant import Contestant
from benchmarks.contestants.processes.evaluating import evaluate_in_turn
from benchmarks.contestants.processes.task import Task
from benchmarks.contestants.threads import THREADS

TITLE = "GPyTorch"
REQUIRES = ("gpytorch",)
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    import gpytorch

    X, y = torch.from_numpy(task.X), torch.from_numpy(task.y)

    class Process(gpytorch.models.ExactGP):  # type: ignore[misc]
        def __init__(self, likelihood: Any) -> None:
            super().__init__(X, y, likelihood)
            self.mean_module = gpytorch.means.ZeroMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(
                gpytorch.kernels.RBFKernel(ard_num_dims=X.shape[1])
            )

        def forward(self, x: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(
                self.mean_module(x), self.covar_module(x)
            )

    likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
    model = Process(likelihood).double()
    model.train()
    likelihood.train()
    evidence = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    scale, lengths = model.covar_module, model.covar_module.base_kernel
    raw = (lengths.raw_lengthscale, scale.raw_outputscale, likelihood.noise_covar.raw_noise)
    limits = (
        lengths.raw_lengthscale_constraint,
        scale.raw_outputscale_constraint,
        likelihood.noise_covar.raw_noise_constraint,
    )

    def evaluate(place: np.ndarray) -> tuple[float, np.ndarray]:
        wanted = torch.from_numpy(np.exp(place))
        lengths.lengthscale, scale.outputscale, likelihood.noise = wanted[:-2], wanted[-2], wanted[-1]  # fmt: skip
        model.zero_grad()
        with gpytorch.settings.max_cholesky_size(10**6):
            value = len(y) * evidence(model(X), y)
            value.backward()
        return value.item(), by_logarithms(wanted)

    def by_logarithms(wanted: torch.Tensor) -> np.ndarray:
        """GPyTorch differentiates by numbers that a constraint turns into parameters."""
        parts = []
        for own, limit in zip(raw, limits, strict=True):
            slope = torch.autograd.functional.jvp(limit.transform, own.detach(), torch.ones_like(own))[1]  # fmt: skip
            parts.append((own.grad / slope).reshape(-1))
        return (torch.cat(parts) * wanted).detach().numpy()

    return evaluate_in_turn(task, variant, evaluate)
