"""Before processes train together: do they train the same model on the same data?"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gradatim.errors import InvalidValue
from gradatim.training.batches import Batches
from gradatim.training.distributed.describing import describe_run
from gradatim.training.distributed.group import Group

if TYPE_CHECKING:
    from gradatim.training.trainer import Trainer

LONG = 40  # letters, of which more are not told whole
_REMEDIES = {
    "model": "Seed before it is built: torch.manual_seed(0).",
    "data": "Let all read the same, in the same order.",
    "validation": "Let all validate on the same rows, weighed alike.",
    "code": "Install the same versions everywhere.",
}


def check_alike(trainer: "Trainer", batches: Batches, held_out: Batches | None = None) -> None:
    """Raise, naming the first that differs and in what, unless all processes train the same.

    Args:
        trainer: Of this process.
        batches: What it trains on.
        held_out: What it validates on.
    """
    if not trainer.group.is_alone:
        compare(trainer.group, describe_run(trainer, batches, held_out))


def compare(group: Group, own: Mapping[str, str]) -> None:
    """Raise unless all processes note the same.

    Args:
        group: The processes.
        own: What this process has, by name.
    """
    first, *others = group.gather(dict(own))
    for rank, theirs in enumerate(others, 1):
        for name, value in first.items():
            if theirs.get(name) != value:
                remedy = _REMEDIES.get(name, "Give all processes the same arguments.")
                got, expected = apart(str(theirs.get(name)), value)
                raise InvalidValue(
                    f"Trainer: all processes must have the same {name}, got {got} in rank {rank} and {expected} in rank 0. "
                    f"{remedy}"
                )


def apart(one: str, other: str) -> tuple[str, str]:
    """Of two long lists of words the first that differ.

    >>> apart("SGD(lr=0.1, momentum=0.9, dampening=0, nesterov=False)", "SGD(lr=0.1, momentum=0.8, dampening=0, nesterov=False)")
    ('momentum=0.9', 'momentum=0.8')
    """
    if max(len(one), len(other)) <= LONG:
        return one, other
    same = next((k for k, pair in enumerate(zip(one, other, strict=False)) if len({*pair}) > 1), 0)
    start = max(one.rfind(sign, 0, same) + 1 for sign in (", ", "(", "[", "{"))
    first, second = (re.split(r"[,)\]}]", text[start:])[0].strip() for text in (one, other))
    return first or "less", second or "less"
