"""Pairs of neighbours: which, how often, and what is drawn beside them."""

import numpy as np
import pytest

from gradatim.data import SkipGrams
from gradatim.errors import InvalidValue


def test_pairs_are_those_of_a_loop():
    sentences = [["a", "b", "c", "d"], ["e", "a"]]
    pairs = SkipGrams(sentences, window=1, threshold=0, min_count=1)
    words, others = pairs.draw_pairs()
    found = sorted((pairs.words[w], pairs.words[c]) for w, c in zip(words, others, strict=True))
    expected = [
        (s[i], s[j]) for s in sentences for i in range(len(s)) for j in range(len(s)) if abs(i - j) == 1
    ]  # fmt: skip
    assert found == sorted(expected)


def test_near_neighbours_are_met_more_often():
    """With a window drawn from 1 to 4, a neighbour at distance d is met with probability (5 - d) / 4."""
    words = [str(k) for k in range(4000)]
    pairs = SkipGrams([words], window=4, threshold=0, min_count=1, seed=1)
    centers, others = pairs.draw_pairs()
    place = np.array([int(word) for word in pairs.words])
    distance = np.abs(place[centers] - place[others])
    shares = np.bincount(distance, minlength=5)[1:] / (2 * len(words))
    np.testing.assert_allclose(shares, [1.0, 0.75, 0.5, 0.25], atol=0.02)


def test_frequent_words_are_kept_less_and_drawn_by_their_counts_to_three_quarters():
    sentences = [["the"] * 16 + ["cat"]] * 200
    pairs = SkipGrams(sentences, threshold=0.01, min_count=1, num_noise=3, batch_size=500)
    f = 16 / 17
    assert pairs.keep[0] == pytest.approx(np.sqrt(0.01 / f) + 0.01 / f)
    np.testing.assert_allclose(pairs.noise, np.array([8.0, 1.0]) / 9)
    drawn = np.concatenate([others[:, 1:].numpy().ravel() for _, others, _ in pairs])
    assert (drawn == 1).mean() == pytest.approx(1 / 9, abs=0.03)
    kept = np.mean([len(pairs.draw_pairs()[0]) for _ in range(3)])
    whole = len(SkipGrams(sentences, threshold=0, min_count=1).draw_pairs()[0])
    assert kept < 0.3 * whole


def test_rare_words_fall_away_and_equal_seeds_draw_equal_pairs():
    sentences = [["a", "b", "rare"], ["a", "b"]]
    assert SkipGrams(sentences, min_count=2, threshold=0).words == ["a", "b"]
    first, second = (list(SkipGrams(sentences * 9, min_count=2, seed=4)) for _ in range(2))
    assert all((a[1] == b[1]).all() for a, b in zip(first, second, strict=True))
    with pytest.raises(InvalidValue, match=r"two words that stand 5 times or more, got 0\. Lower min_count"):  # fmt: skip
        SkipGrams(sentences)
    with pytest.raises(InvalidValue, match="threshold must be 0 or more, got -1"):
        SkipGrams(sentences, threshold=-1)
