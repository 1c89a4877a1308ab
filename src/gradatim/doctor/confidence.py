"""How often a finding is right: shares that were measured on our own programs."""

import json
from functools import cache
from pathlib import Path

MEASURED = Path(__file__).with_name("confidence.json")
FEWEST = 3  # findings of a code; of fewer, its family is asked


def confidence_of(code: str, *, proved: bool) -> float | None:
    """Of the findings of a code that rest on the same kind of evidence: the share that was right.

    ``benchmarks/doctor/confidence.py`` measures it on faulty and healthy programs. Where fewer than three findings of a
    code were seen, it is the share of its family; where there are as few of these, nothing.

    Args:
        code: Such as ``"optim.lr-high"``.
        proved: Whether a trial proved it.

    Example:
        >>> 0.5 < confidence_of("optim.no-zero-grad", proved=False) <= 1
        True
    """
    table, sign = _counts(), "+" if proved else ""
    family = code.partition(".")[0]
    relatives = [c for key, c in table.items() if key.partition(".")[0] == family and key.endswith("+") == proved]  # fmt: skip
    own = table.get(f"{code}{sign}", (0, 0))
    right, seen = own if own[1] >= FEWEST else (sum(r for r, _ in relatives), sum(n for _, n in relatives))  # fmt: skip
    return round(right / seen, 3) if seen >= FEWEST else None


@cache
def _counts() -> dict[str, tuple[int, int]]:
    """Right findings and all findings by code; ``+`` stands behind those that a trial proved."""
    table = json.loads(MEASURED.read_text(encoding="utf-8"))["findings"]
    return {key: (int(right), int(seen)) for key, (right, seen) in table.items()}
