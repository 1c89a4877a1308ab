"""One thread per test process, and the same random numbers in every run: a verdict depends on the code alone."""

import os
import random

from hypothesis import settings

os.environ.setdefault(
    "OMP_NUM_THREADS", "1"
)  # several processes with several threads each would fight for the cores

# `make test HYPOTHESIS_PROFILE=new` looks at inputs that were never tried; no test may depend on seconds
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("new", derandomize=False, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_runtest_setup() -> None:
    _seed()


def pytest_runtest_call() -> None:
    _seed()


def _seed() -> None:
    """What a test draws without a generator of its own is the same whichever tests ran before it."""
    import numpy as np
    import torch

    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - the state that libraries share
    torch.manual_seed(0)
