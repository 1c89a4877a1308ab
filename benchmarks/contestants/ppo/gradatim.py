"""Gradatim, with the peer's tuned settings; until solved with its own, 64 copies."""

import torch

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.ppo.task import SOLVED, Task
from benchmarks.contestants.threads import ONE_THREAD, set_torch_threads
from gradatim.reinforcement import PPO, CartPole

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch")
VARIANTS = (ONE_THREAD,)


def build(task: Task, variant: str) -> Contestant:
    returns = [torch.zeros(0)]

    def learn(agent: PPO, seed: int, steps: int, *, until_solved: bool) -> None:
        state, seen = agent.init(CartPole(), seed=seed), returns[0][:0]
        while state.steps < steps:
            state, info = agent.step(state)
            seen = torch.cat((seen, info.returns))[-100:]
            returns[0] = seen
            if until_solved and len(seen) == 100 and float(seen.mean()) >= SOLVED:
                return

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(epochs):
            if task.steps is None:
                for seed in task.seeds:
                    learn(PPO(), seed, task.most, until_solved=True)
            else:
                tuned = PPO(num_copies=8, rollout=32, batch_size=256, epochs=20, lr=1e-3, decay_steps=100_000)  # fmt: skip
                learn(tuned, 0, task.steps, until_solved=False)
            tick()

    return Contestant(train, lambda: float(returns[0].mean()))
