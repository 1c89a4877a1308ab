"""Ten folds of a small network: independent trainings that could be one."""

import numpy as np
from sklearn.datasets import make_classification

from benchmarks.contestants.cross_validation.task import CONTESTANTS, Task
from benchmarks.jobs.job import Claim, Job

ROWS, QUICK_ROWS = 10_000, 2_000
EPOCHS, QUICK_EPOCHS = 20, 5


def load_task(quick: bool) -> Task:
    """Make a table with two classes."""
    rows = QUICK_ROWS if quick else ROWS
    X, y = make_classification(rows, n_features=16, n_informative=8, random_state=0)
    return Task(
        X.astype(np.float32),
        y.astype(np.int64),
        (16, 32, 32, 2),
        batch_size=64,
        epochs=QUICK_EPOCHS if quick else EPOCHS,
        source=f"make_classification, {rows:,} rows",
    )


JOB = Job(
    name="cross-validation",
    title="10 folds of a table of 16 columns, 16-32-32-2 ReLU, batches of 64, 20 epochs",
    family="cross_validation",
    contestants=CONTESTANTS,
    load=load_task,
    check="mean accuracy",
    epochs=1,
    claims=(Claim("hand_tuned", 5.0), Claim("scikit_learn", 3.0)),
)
