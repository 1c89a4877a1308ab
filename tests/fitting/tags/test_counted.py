"""Counting: the formulas by hand, and the chain against sums over all paths."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.fitting.tags.counted import CHAIN, FREQUENCIES, PER_WORD, fit_counts
from gradatim.fitting.tags.lexicon import LEVEL, THETA, Endings, WordTags, count_words
from gradatim.fitting.tags.measures import span_f1, spans_of
from gradatim.fitting.tags.passes import by_sentences, width_of

SENTENCES = [["the", "saw", "ended"], ["she", "saw", "it"], ["walked", "the", "dog"]]
Y = np.array([0, 1, 2, 1, 2, 1, 2, 0, 1])


def test_frequencies_are_those_of_all_words():
    model = fit_counts(FREQUENCIES, SENTENCES, Y, 3)
    expected = (np.array([2, 4, 3]) + 1 / 3) / 10
    np.testing.assert_allclose(model.outputs([["x", "y"]]), [expected, expected])


def test_a_word_has_the_tags_it_had():
    model = fit_counts(PER_WORD, SENTENCES, Y, 3)
    said = model.outputs([["the", "saw", "never"]])
    assert said.argmax(1).tolist()[:1] == [0]
    rare = WordTags(model.lexicon, by_ending=False).endings.tags[-1]
    np.testing.assert_allclose(said[0], (np.array([2, 0, 0]) + THETA * rare) / (2 + THETA))
    np.testing.assert_allclose(said[1], (np.array([0, 1, 1]) + THETA * rare) / (2 + THETA))
    np.testing.assert_allclose(said[2], rare)


def test_an_ending_backs_off_to_a_shorter_one():
    endings = Endings(count_words([["walked", "talked", "red"]], np.array([0, 0, 1]), 2))
    root = endings.tags[-1]
    small = (np.array([2, 1]) + LEVEL * root) / (3 + LEVEL)  # all are written small
    for longer in ([2, 1], [2, 1]):  # d, ed
        small = (np.array(longer) + LEVEL * small) / (sum(longer) + LEVEL)
    np.testing.assert_allclose(endings.tags[endings.find("bled")], small)
    assert endings.names[endings.find("chalked")] == "s:lked"
    assert endings.find("1961") == len(endings.names)


@settings(max_examples=20, deadline=None)
@given(words=st.lists(st.sampled_from(["the", "saw", "it", "new", "ended"]), min_size=1, max_size=4))  # fmt: skip
def test_the_chain_sums_over_all_paths(words):
    model = fit_counts(CHAIN, SENTENCES, Y, 3)
    start, move = model.chain.start.numpy(), model.chain.transition.numpy()
    table = model.word_tags.table * model.word_tags.weight[:, None]
    emit = (table / table.sum(0))[model.word_tags.rows(words)]  # (T, tags)
    total, best = np.zeros((len(words), 3)), (-1.0, ())
    for path in product(range(3), repeat=len(words)):
        p = start[path[0]] * emit[0, path[0]]
        for t in range(1, len(words)):
            p *= move[path[t - 1], path[t]] * emit[t, path[t]]
        total[np.arange(len(words)), path] += p
        best = max(best, (p, path), key=lambda own: own[0])
    np.testing.assert_allclose(model.outputs([words]), total / total.sum(1, keepdims=True))
    assert tuple(model.paths([words]).tolist()) == best[1]


def test_the_chain_tells_nouns_from_verbs_by_their_neighbours():
    model = fit_counts(CHAIN, SENTENCES * 20, np.tile(Y, 20), 3)
    assert model.outputs([["the", "saw"]]).argmax(1).tolist() == [0, 1]
    assert model.outputs([["she", "saw"]]).argmax(1).tolist() == [1, 2]


@pytest.mark.parametrize("method", [FREQUENCIES, PER_WORD, CHAIN])
def test_it_is_stored_whole(method):
    model = fit_counts(method, SENTENCES, Y, 3)
    again = type(model).restore(*model.store())
    some = [["the", "new", "saw"], ["walked"]]
    np.testing.assert_array_equal(again.outputs(some), model.outputs(some))
    assert again.parameters == model.parameters


def test_spans_by_hand():
    tags = ["B-A", "I-A", "I-B", "O", "B-A", "B-A", "E-A", "S-C"]
    right = {(0, 2, "A"), (2, 3, "B"), (4, 5, "A"), (5, 7, "A"), (7, 8, "C")}
    assert spans_of(tags, [0, 8]) == right
    assert spans_of(["B-A", "I-A"], [0, 1, 2]) == {(0, 1, "A"), (1, 2, "A")}
    assert span_f1(right, right) == 1.0
    assert span_f1(set(), set()) == 1.0
    assert span_f1(right, {(0, 2, "A"), (0, 9, "A")}) == pytest.approx(2 / 7)


@given(lengths=st.lists(st.integers(1, 40), min_size=1, max_size=70))
def test_passes_bring_every_word_back_to_its_place(lengths):
    sentences = [np.arange(n) + 100 * k for k, n in enumerate(lengths)]
    widths = []

    def apply(x, counts):
        widths.append((x.shape[1], counts.max()))
        return x[..., None] * 2

    out = by_sentences(apply, sentences)
    np.testing.assert_array_equal(out[:, 0], 2 * np.concatenate(sentences))
    assert all(width == longest for width, longest in widths)  # so that every pass has one shape
    assert all(width_of(n) >= n for n in lengths)
