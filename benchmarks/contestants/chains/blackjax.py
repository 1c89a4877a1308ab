"""BlackJAX as a first call finds it: the program is compiled before it runs."""

from typing import Any

import numpy as np

from benchmarks.contestants.chains.task import PATH, STEP_SIZE, Task, effective_share
from benchmarks.contestants.contestant import Contestant, Tick

TITLE = "BlackJAX, compiled anew"
REQUIRES = ("blackjax", "jax")
VARIANTS = ("all threads",)


def build(task: Task, variant: str) -> Contestant:
    import jax

    return repeat(task, before_each=jax.clear_caches)


def repeat(task: Task, *, before_each: Any = None) -> Contestant:
    """A contestant that samples again and again, and does something before each time that the clock sees."""
    found: list[np.ndarray] = []
    compiled: list[Any] = []

    def train(epochs: int, tick: Tick) -> None:
        import jax

        for number in range(epochs):
            if before_each is not None or not compiled:
                if before_each is not None:
                    before_each()
                compiled[:] = [jax.jit(make_run(task))]
            found[:] = [np.asarray(compiled[0](jax.random.key(number), task.start))]
            tick()

    return Contestant(train, lambda: effective_share(found[0]))


def make_run(task: Task) -> Any:
    """All draws of all chains as one function of a key and the starts, ``(CHAINS, draws, d)``."""
    import blackjax
    import jax
    import jax.numpy as jnp

    rows = jnp.asarray(task.X.T * task.y)

    def log_density(w: Any) -> Any:
        return jax.nn.log_sigmoid(w @ rows).sum() - (w**2).sum() / 2

    sampler = blackjax.hmc(log_density, STEP_SIZE, jnp.ones(len(rows)), PATH)

    def run_chain(key: Any, start: Any) -> Any:
        def draw(state: Any, key: Any) -> Any:
            state, _ = sampler.step(key, state)
            return state, state.position

        return jax.lax.scan(draw, sampler.init(start), jax.random.split(key, task.draws))[1]

    return lambda key, starts: jax.vmap(run_chain)(jax.random.split(key, len(starts)), starts)
