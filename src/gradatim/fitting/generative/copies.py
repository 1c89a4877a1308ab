"""What a careful reader is told where samples of a generator copy."""

from gradatim.fitting.player import NETWORK
from gradatim.generative import Estimate, Repeats
from gradatim.reports import Concern


def copying_concerns(
    owner: str, things: str, copying: Estimate | None, repeats: Repeats | None, count: int
) -> list[Concern]:
    """Say that samples lie too near to what was learned from, or repeat it.

    Args:
        owner: Whose samples they are, such as ``"network"``.
        things: What they are, ``"rows"`` or ``"images"``.
        copying: Share whose nearest is one of training; honest is a half.
        repeats: Those that are equal to one of training.
        count: How many samples there are.

    Example:
        >>> found = copying_concerns("network", "rows", Estimate(0.7, 0.6, 0.8), Repeats(3, 2), 900)
        >>> [concern.what for concern in found]
        ['The rows of the network lie too near to training rows', '2 of 900 rows of the network repeat one that stands in the data once']
        >>> copying_concerns("network", "rows", Estimate(0.52, 0.45, 0.6), Repeats(3, 0), 900)
        []
    """
    found, one = [], things[:-1]
    if copying is not None and copying.low > 0.5:
        seen = f"{100 * copying.value:.0f} % have a training {one} nearest, not a held-out one (95 % interval {100 * copying.low:.0f} % to {100 * copying.high:.0f} %; an honest generator has 50 %)"
        remedy = f"More {things}{' or a shorter --budget' if owner == NETWORK else ''} would help; do not take them for new"
        found.append(Concern(f"The {things} of the {owner} lie too near to training {things}", seen, remedy))  # fmt: skip
    if repeats is not None and repeats.unique:
        what = f"{repeats.unique:,} of {count:,} {things} of the {owner} repeat one that stands in the data once"
        found.append(Concern(what, remedy=f"Leave such {things} out before you share them"))
    return found
