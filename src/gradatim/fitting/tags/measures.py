"""How good tags are: of known and unknown words, of whole sentences, of spans."""

from collections.abc import Sequence

import numpy as np

Span = tuple[int, int, str]  # first word, behind the last word, kind


def spans_of(tags: Sequence[str], starts: Sequence[int]) -> set[Span]:
    """Spans that tags mark, as first word, end and kind; a span that goes on without a beginning begins there.

    Args:
        tags: Tags of all words, one sentence after the other.
        starts: Where sentences begin, and the end of the last.

    Example:
        >>> sorted(spans_of(["B-PER", "I-PER", "O", "I-LOC"], [0, 3, 4]))
        [(0, 2, 'PER'), (3, 4, 'LOC')]
    """
    found, begins = set(), set(starts)
    first, kind = 0, ""
    for k, tag in enumerate([*tags, "O"]):
        part, _, name = tag.partition("-")
        goes_on = kind and part in ("I", "E") and name == kind and k not in begins
        if kind and not goes_on:
            found.add((first, k, kind))
            kind = ""
        if name and not goes_on:
            first, kind = k, name
    return found


def span_f1(right: set[Span], said: set[Span]) -> float:
    r"""Harmonic mean of the share of said spans that are right and of right spans that were said.

    .. math:: F_1 = \frac{2\,|R \cap S|}{|R| + |S|}

    Args:
        right: :math:`R`.
        said: :math:`S`.

    Example:
        >>> span_f1({(0, 2, "PER"), (4, 5, "LOC")}, {(0, 2, "PER")})
        0.6666666666666666
    """
    total = len(right) + len(said)
    return 2 * len(right & said) / total if total else 1.0


def tag_figures(
    y: np.ndarray, said: np.ndarray, is_known: np.ndarray, lengths: np.ndarray
) -> dict[str, float]:
    """Accuracy of known and of unknown words, and the share of sentences without a mistake.

    Args:
        y: Tag codes of all words.
        said: What was said.
        is_known: Whether each word stood in a training sentence.
        lengths: Words of each sentence.

    Example:
        >>> known = np.array([True, True, False])
        >>> tag_figures(np.array([0, 1, 1]), np.array([0, 0, 1]), known, np.array([2, 1]))
        {'known': 0.5, 'unknown': 1.0, 'sentences': 0.5}
    """
    right = y == said
    figures = {}
    for name, part in (("known", is_known), ("unknown", ~is_known)):
        if part.any():
            figures[name] = float(right[part].mean())
    wrong = np.add.reduceat(~right, np.concatenate([[0], np.cumsum(lengths)[:-1]]))
    return {**figures, "sentences": float((wrong == 0).mean())}
