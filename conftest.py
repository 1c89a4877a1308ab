"""One thread per test process, and the same random inputs in every run."""

import os

from hypothesis import settings

os.environ.setdefault(
    "OMP_NUM_THREADS", "1"
)  # several processes with several threads each would fight for the cores

# A verdict depends on the code alone; `make test-slow` looks at inputs that were never tried.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("new", derandomize=False, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
