"""The third set: more programs in other hands, unseen until the doctor was finished.

Of the same form as the second set, and read by its reader.
"""

from pathlib import Path

from benchmarks.doctor import second
from benchmarks.doctor.second import Program

HERE = Path(__file__).parent


def read_programs() -> list[Program]:
    """All programs of the table, in its order."""
    return second.read_programs(HERE)
