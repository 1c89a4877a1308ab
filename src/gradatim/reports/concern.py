"""What a careful reader would worry about, as data."""

from typing import NamedTuple


class Concern(NamedTuple):
    """Something that may make a result less than it seems.

    Args:
        what: What it is, a few words such as ``"Little data"``.
        evidence: What was seen, with figures; empty where ``what`` says it all.
        remedy: What follows from it, or what to do; empty where nothing can be done.

    Example:
        >>> print(Concern("Drift", "'price' differs between training and test rows"))
        Drift: 'price' differs between training and test rows.
    """

    what: str
    evidence: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        seen = f"{self.what}: {self.evidence}." if self.evidence else f"{self.what}."
        return f"{seen} {self.remedy}." if self.remedy else seen
