"""JAX by hand: the textbook recursion as one compiled scan, mapped over the sequences."""

from typing import Any

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.kalman.task import Task

TITLE = "JAX, compiled scan"
REQUIRES = ("jax",)
VARIANTS = ("as it comes",)


def build(task: Task, variant: str) -> Contestant:
    import jax
    from jax import numpy as jnp

    jax.config.update("jax_enable_x64", True)
    A, C, Q, R, mean0, cov0 = (jnp.asarray(task.system[k]) for k in ("A", "C", "Q", "R", "mean0", "cov0"))  # fmt: skip

    def step(before: tuple[Any, Any], y: Any) -> tuple[tuple[Any, Any], tuple[Any, ...]]:
        h, P = before  # predicted
        S, e = C @ P @ C.T + R, y - C @ h
        K = jnp.linalg.solve(S, C @ P).T
        h, P = h + K @ e, P - K @ S @ K.T
        score = -0.5 * (e @ jnp.linalg.solve(S, e) + jnp.linalg.slogdet(2 * jnp.pi * S)[1])
        return (A @ h, A @ P @ A.T + Q), (h, P, K, score)

    # only what depends on the data is mapped: covariances and gains are computed once
    run = jax.jit(jax.vmap(lambda rows: jax.lax.scan(step, (mean0, cov0), rows)[1]))
    y, scores = jnp.asarray(task.y), [0.0]

    def train(epochs: int, tick: Tick) -> None:
        for _ in range(epochs):
            scores.append(float(jax.block_until_ready(run(y))[3].sum()))
            tick()

    return Contestant(train, lambda: scores[-1] / task.y.size)
