"""Learning until solved: each as its authors set it up."""

from benchmarks.contestants.ppo.task import CONTESTANTS, SEEDS, Task
from benchmarks.jobs.job import Claim, Job


def load_task(quick: bool) -> Task:
    """From three seeds, or one."""
    return Task(None, seeds=SEEDS[:1] if quick else SEEDS)


JOB = Job(
    name="ppo-solved",
    title="PPO on CartPole-v1 until 100 training episodes pay 475 on average",
    family="ppo",
    contestants=CONTESTANTS,
    load=load_task,
    check="mean return",
    epochs=1,
    claims=(Claim("stable_baselines3", 4.0),),
    unit="time until solved",
)
