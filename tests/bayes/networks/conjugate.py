"""Bayesian linear regression by the normal equations, which every method is held against."""

import torch

NOISE, PRECISION = 0.3, 2.0


def line(rows=30, columns=2, outputs=1, seed=0):
    """Rows and targets of a linear model, in double precision."""
    g = torch.Generator().manual_seed(seed)
    X = torch.randn(rows, columns, generator=g, dtype=torch.float64)
    W = torch.randn(columns, outputs, generator=g, dtype=torch.float64)
    noise = torch.randn(rows, outputs, generator=g, dtype=torch.float64)
    return X, X @ W + 0.5 + NOISE**0.5 * noise


def posterior(X, y):
    """Mean ``(columns + 1, outputs)`` and covariance of the weights of an output, the bias last."""
    A = torch.cat([X, torch.ones(len(X), 1, dtype=X.dtype)], 1)
    covariance = torch.linalg.inv(A.T @ A / NOISE + PRECISION * torch.eye(A.shape[1]).to(A))
    return covariance @ A.T @ y / NOISE, covariance


def predicted(X, y, x):
    """Mean ``(N, outputs)`` and standard deviation ``(N, 1)`` of the line at ``x``."""
    mean, covariance = posterior(X, y)
    a = torch.cat([x, torch.ones(len(x), 1, dtype=x.dtype)], 1)
    return a @ mean, ((a @ covariance) * a).sum(1, keepdim=True).sqrt()
