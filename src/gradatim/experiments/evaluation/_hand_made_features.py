"""What images were before networks learned features: edges by direction, and words for small patches."""

import numpy as np
from sklearn.cluster import MiniBatchKMeans

BINS = 8  # directions of edges, from 0 to 180 degrees


def edge_histograms(images: np.ndarray, cell: int) -> np.ndarray:
    r"""How much edge there is in every direction in every cell: a histogram of oriented gradients.

    A gradient of length :math:`g` at angle :math:`\theta` gives :math:`g` to the two directions beside it, by nearness.

    Args:
        images: Shape ``(N, H, W)``.
        cell: Pixels along the side of a cell.

    Returns:
        Shape ``(N, H // cell, W // cell, BINS)``.

    Reference:
        Dalal and Triggs, Histograms of Oriented Gradients for Human Detection, 2005.
    """
    down, right = np.gradient(images, axis=(1, 2))
    size, place = np.hypot(down, right), np.arctan2(down, right) % np.pi * BINS / np.pi
    first = np.floor(place).astype(int)
    share = place - first
    rows, columns = images.shape[1] // cell, images.shape[2] // cell
    maps = np.zeros((*images.shape, BINS))
    for low, part in ((first, 1 - share), (first + 1, share)):
        np.put_along_axis(maps, (low % BINS)[..., None], np.take_along_axis(maps, (low % BINS)[..., None], -1) + (size * part)[..., None], -1)  # fmt: skip
    cut = maps[:, : rows * cell, : columns * cell]
    return cut.reshape(len(images), rows, cell, columns, cell, BINS).sum((2, 4))


def blocks(cells: np.ndarray) -> np.ndarray:
    """Two by two neighbouring cells as one vector of length one, at every place, ``(N, R - 1, C - 1, 4 * BINS)``."""
    joined = np.concatenate([cells[:, :-1, :-1], cells[:, :-1, 1:], cells[:, 1:, :-1], cells[:, 1:, 1:]], -1)  # fmt: skip
    return joined / np.sqrt((joined**2).sum(-1, keepdims=True) + 1e-3)


def hog(images: np.ndarray, cell: int) -> np.ndarray:
    """Blocks of edge histograms as one row for each image."""
    return blocks(edge_histograms(images, cell)).reshape(len(images), -1)


class VisualWords:
    """A vocabulary of patches: the centres of groups of blocks; an image is how often each word occurs in each quarter.

    Args:
        num_words: Size of the vocabulary.
        cell: Pixels along the side of a cell.
        seed: Fixes the grouping.

    Reference:
        Csurka et al., Visual Categorization with Bags of Keypoints, 2004; quarters as in Lazebnik et al., Beyond Bags of
        Features, 2006.
    """

    def __init__(self, num_words: int, cell: int, seed: int) -> None:
        self.num_words, self.cell = num_words, cell
        self.groups = MiniBatchKMeans(num_words, random_state=seed, n_init=1, max_iter=20)

    def fit(self, images: np.ndarray) -> "VisualWords":
        patches = blocks(edge_histograms(images, self.cell))
        self.groups.fit(patches.reshape(-1, patches.shape[-1]))
        return self

    def transform(self, images: np.ndarray) -> np.ndarray:
        """Counts of words in four quarters, their square roots, shape ``(N, 4 * num_words)``."""
        patches = blocks(edge_histograms(images, self.cell))
        words = self.groups.predict(patches.reshape(-1, patches.shape[-1])).reshape(patches.shape[:3])  # fmt: skip
        middle = (words.shape[1] + 1) // 2
        parts = [words[:, a, b] for a in (slice(middle), slice(middle, None)) for b in (slice(middle), slice(middle, None))]  # fmt: skip
        counts = [np.stack([np.bincount(row, minlength=self.num_words) for row in part.reshape(len(images), -1)]) for part in parts]  # fmt: skip
        return np.sqrt(np.concatenate(counts, 1))
