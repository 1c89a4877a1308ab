"""A small network on a table: most of the time is what a library does around the arithmetic."""

import numpy as np
from sklearn.datasets import make_classification

from benchmarks.contestants.mlp.task import MLP_CONTESTANTS, Task
from benchmarks.jobs.job import EVERYBODY, Claim, Job

ROWS, QUICK_ROWS = 10_000, 5_000


def load_task(quick: bool) -> Task:
    """Make a table with two classes."""
    rows = QUICK_ROWS if quick else ROWS
    X, y = make_classification(rows, n_features=16, n_informative=8, random_state=0)
    return Task(
        X.astype(np.float32),
        y.astype(np.int64),
        (16, 32, 32, 2),
        batch_size=64,
        source=f"make_classification, {rows:,} rows",
    )


JOB = Job(
    name="tabular-mlp",
    title="table of 16 columns, 16-32-32-2 ReLU, batches of 64",
    family="mlp",
    contestants=MLP_CONTESTANTS,
    load=load_task,
    check="training accuracy",
    epochs=10,
    claims=(
        Claim("hand_tuned"),
        Claim("skorch", 2.5),
        Claim("lightning", 2.5),
        Claim("scikit_learn"),
        Claim(EVERYBODY, is_goal=True),
    ),
)
