"""Systems that several tests use, and the joint Gaussian that says what is true of them."""

import numpy as np
import pytest
import torch

from gradatim.timeseries import LinearDynamicalSystem


def build_system(n=3, m=2, k=None, seed=0):
    """A stable system with full covariances, in double precision."""
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    A = draw(n, n)
    A = 0.9 * A / torch.linalg.eigvals(A).abs().max()
    roots = [draw(dim, dim) / 2 for dim in (n, m, n)]
    Q, R, cov0 = (root @ root.T + 0.2 * torch.eye(len(root)) for root in roots)
    B = None if k is None else draw(n, k)
    return LinearDynamicalSystem(A, draw(m, n), Q, R, draw(n), cov0, B)


def joint_gaussian(model, steps, inputs=None):
    """Mean and covariance of all states and all observations, stacked, by writing each as a linear map."""
    A, C, Q, R, mu, P0 = (x.detach().double().numpy() for x in model.parameters[:6])
    n = len(A)
    mean, means = mu, [mu]
    for t in range(1, steps):
        push = 0.0 if inputs is None else model.B.numpy() @ inputs[t]
        mean = A @ mean + push
        means.append(mean)
    state_mean = np.concatenate(means)
    noise = np.zeros((steps * n, steps * n))
    spread = np.zeros_like(noise)
    for i in range(steps):
        noise[i * n : i * n + n, i * n : i * n + n] = P0 if i == 0 else Q
        for j in range(i + 1):
            spread[i * n : i * n + n, j * n : j * n + n] = np.linalg.matrix_power(A, i - j)
    states = spread @ noise @ spread.T
    see = np.kron(np.eye(steps), C)
    observed = see @ states @ see.T + np.kron(np.eye(steps), R)
    return state_mean, see @ state_mean, states, states @ see.T, observed


@pytest.fixture(scope="session")
def random_system():
    return build_system


@pytest.fixture(scope="session")
def joint():
    return joint_gaussian
