"""What a report is made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradatim.reports.values import Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Claim:
    """A statement about numbers, and whether the numbers bear it out.

    Example:
        >>> Claim("XOR is learned", expected="accuracy = 1", measured=1.0, holds=True).holds
        True
    """

    name: str
    expected: str
    measured: Value
    holds: bool


@dataclass(frozen=True)
class Text:
    """Plain paragraphs, separated by blank lines; `` `words` `` in backticks show as code."""

    text: str


@dataclass(frozen=True)
class Table:
    """A titled table; numbers stay numbers until they are shown."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]


@dataclass(frozen=True)
class Picture:
    """A figure and the words under it."""

    name: str
    figure: "Figure"
    caption: str


@dataclass(frozen=True)
class Code:
    """Source text in some language."""

    language: str
    source: str


Section = Text | Table | Picture | Code
