"""The table of codes: what each finding means, what to change, and what follows from it."""

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from gradatim.errors import choose

TABLE = Path(__file__).with_name("codes.toml")
FAMILIES = {
    "data": "The data",
    "init": "The start",
    "model": "The model",
    "loss": "The loss",
    "grad": "Gradients",
    "optim": "The optimizer",
    "fit": "The fit",
    "metric": "The metric",
    "crash": "Crashes",
}
UPSTREAM = ("crash", "data", "init", "model", "loss", "grad", "optim", "metric", "fit")


class Code(NamedTuple):
    """One finding that can be made.

    Args:
        name: ``family.what``.
        kind: ``"contract"``, ``"statistic"`` or ``"note"``.
        cause: What is wrong, a clause.
        remedy: What to change, a sentence.
        explains: Symptoms and codes that follow from it.
        wrong: A line that has the fault.
        right: The line without it.
    """

    name: str
    kind: str
    cause: str
    remedy: str
    explains: tuple[str, ...]
    wrong: str
    right: str

    @property
    def family(self) -> str:
        """The part before the point."""
        return self.name.partition(".")[0]


@cache
def codes() -> dict[str, Code]:
    """Return every code by name.

    >>> codes()["optim.lr-high"].cause
    'the learning rate is too high'
    """
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {
        name: Code(name=name, **{**entry, "explains": tuple(entry["explains"])})
        for name, entry in table.items()
    }


def find_code(name: str) -> Code:
    """Return the code of a name, or list the nearest.

    Args:
        name: Such as ``"loss.broadcast"``.

    Example:
        >>> find_code("loss.broadcast").kind
        'contract'
    """
    return codes()[choose("doctor", "code", name, codes())]


def upstream(name: str) -> int:
    """How far up a cause stands: the smaller, the earlier it is blamed among equals."""
    return UPSTREAM.index(name.partition(".")[0])
