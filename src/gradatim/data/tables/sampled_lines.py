"""A uniform sample of the lines of a large text table, drawn before anything is parsed.

Parsing a gigabyte takes minutes, finding its line ends seconds. Lines are rows as long as no quoted cell holds a line
break, which shows in the quotes: then every line has an even number of them.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

_QUOTE, _SPACES = ord('"'), np.frombuffer(b" \t\r\n", np.uint8)


class SampledLines(NamedTuple):
    """Lines that were drawn.

    Args:
        lines: The lines, without their ends, in order.
        rows: Which row of the table each of them is, from 0.
        total: Rows of the table.
    """

    lines: list[bytes]
    rows: np.ndarray
    total: int


def sample_lines(
    blocks: Iterable[bytes], limit: int, bound: int, seed: int, end: bytes = b"\n"
) -> SampledLines | None:
    r"""Draw about ``limit`` lines without replacement, all equally likely.

    Args:
        blocks: The bytes of the file, in order; its first line that is not blank is the header.
        limit: Most lines to draw.
        bound: Lines of the file at most.
        seed: Fixes the sample.
        end: The byte that ends a line.

    Returns:
        ``None`` where lines are not rows: a quoted cell holds a line break, or line ends are mixed.

    Example:
        >>> found = sample_lines([b"n\n" + b"".join(b"%d\n" % k for k in range(1000))], 50, 1001, seed=0)
        >>> [int(line) for line in found.lines] == found.rows.tolist(), found.total
        (True, 1000)
    """
    rng = np.random.default_rng(seed)
    share = (limit + 4.0 * np.sqrt(limit)) / bound  # enough for the limit, almost surely
    lines: list[bytes] = []
    keys, rows, total = [np.empty(0)], [np.empty(0, np.int64)], -1  # the header is row -1
    for block in _whole_lines(blocks, end):
        starts, stops = _bounds(block, end)
        if stops is None:
            return None
        key = rng.random(len(starts))
        chosen = np.flatnonzero((key < share) & (total + np.arange(len(starts)) >= 0))
        lines += [block[a:b] for a, b in zip(starts[chosen], stops[chosen], strict=True)]
        keys.append(key[chosen])
        rows.append(total + chosen)
        total += len(starts)
    key, row = np.concatenate(keys), np.concatenate(rows)
    if len(key) > limit:
        kept = np.sort(np.argpartition(key, limit - 1)[:limit])
        lines, row = [lines[k] for k in kept], row[kept]
    return SampledLines(lines, row, total)


def _whole_lines(blocks: Iterable[bytes], end: bytes) -> Iterator[bytes]:
    """Cut blocks at line ends, so that each holds whole lines; the last line may have no end."""
    rest = b""
    for block in blocks:
        cut = block.rfind(end) + 1
        if cut == 0:
            rest += block
            continue
        yield rest + block[:cut]
        rest = block[cut:]
    if rest:
        yield rest + end


def _bounds(block: bytes, end: bytes) -> tuple[np.ndarray, np.ndarray | None]:
    """Start and stop of every line that is not blank; no stops where lines are not rows."""
    characters = np.frombuffer(block, np.uint8)
    stops = np.flatnonzero(characters == end[0])
    starts = np.concatenate([[0], stops[:-1] + 1])
    if end == b"\n" and block.count(b"\r") != block.count(b"\r\n"):
        return starts, None
    if b'"' in block:
        quotes = np.flatnonzero(characters == _QUOTE)
        if (np.searchsorted(quotes, stops) % 2).any():
            return starts, None
    blank = np.isin(characters[starts], _SPACES)
    for k in np.flatnonzero(blank):
        blank[k] = not block[starts[k] : stops[k]].strip()
    return starts[~blank], stops[~blank]
