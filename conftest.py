"""One thread per test process: several processes with several threads each would fight for the cores."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
