"""stable-baselines3 with the settings that its own zoo found best for this world."""

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.ppo.task import SOLVED, Task
from benchmarks.contestants.threads import ONE_THREAD, set_torch_threads

TITLE = "stable-baselines3"
REQUIRES = ("stable_baselines3", "gymnasium")
VARIANTS = (ONE_THREAD,)


def build(task: Task, variant: str) -> Contestant:
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.env_util import make_vec_env

    returns: list[float] = []

    class Watch(BaseCallback):
        """Ends when the last 100 training episodes pay enough."""

        def _on_step(self) -> bool:
            infos = self.locals["infos"]
            returns.extend(info["episode"]["r"] for info in infos if "episode" in info)
            is_solved = len(returns) >= 100 and sum(returns[-100:]) / 100 >= SOLVED
            return task.steps is not None or not is_solved

    def learn(seed: int, steps: int) -> None:
        returns.clear()
        world = make_vec_env("CartPole-v1", n_envs=8, seed=seed)
        agent = PPO("MlpPolicy", world, n_steps=32, batch_size=256, n_epochs=20, gae_lambda=0.8, gamma=0.98, learning_rate=lambda left: 1e-3 * left, clip_range=lambda left: 0.2 * left, seed=seed, device="cpu")  # fmt: skip
        agent.learn(steps, callback=Watch())

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(epochs):
            if task.steps is None:
                for seed in task.seeds:
                    learn(seed, task.most)
            else:
                learn(0, task.steps)
            tick()

    return Contestant(train, lambda: sum(returns[-100:]) / max(len(returns[-100:]), 1))
