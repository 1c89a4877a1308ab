"""Steps of an agent with the peer's own settings: acting in eight copies, twenty epochs over 256 rows."""

from benchmarks.contestants.ppo.task import CONTESTANTS, Task
from benchmarks.jobs.job import Claim, Job


def load_task(quick: bool) -> Task:
    """As many steps as show the rate."""
    return Task(2_048 if quick else 8_192)


JOB = Job(
    name="ppo-step",
    title="PPO on CartPole-v1: 8 copies, rollouts of 32, batches of 256, 20 epochs; 8,192 steps",
    family="ppo",
    contestants=CONTESTANTS,
    load=load_task,
    check="mean return",
    epochs=1,
    claims=(Claim("stable_baselines3", 1.5),),
    unit="8,192 steps",
)
