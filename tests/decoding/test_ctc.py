"""CTC decoding against the enumeration of every path."""

from collections import defaultdict
from itertools import groupby, product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.decoding import best_path, collapse_path, prefix_beam_search, transcribe
from gradatim.errors import InvalidValue
from gradatim.models import CTC


def collapse(path):
    return tuple(label for label, _ in groupby(path) if label)


def every_labelling(log_probs):
    """Probability of each labelling: the sum over all paths that collapse to it."""
    T, K = log_probs.shape
    total = defaultdict(float)
    for path in product(range(K), repeat=T):
        total[collapse(path)] += log_probs[range(T), path].sum().exp().item()
    return total


def random_log_probs(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64).mul(1.5).log_softmax(-1)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 9999), T=st.integers(1, 5), K=st.integers(2, 3))
def test_a_wide_beam_finds_every_labelling_and_its_probability(seed, T, K):
    log_probs = random_log_probs(seed, 1, T, K)
    expected = every_labelling(log_probs[0])
    found = prefix_beam_search(log_probs, num_beams=80)
    alive = found.log_probs[0] > -torch.inf
    assert int(alive.sum()) == len(expected)
    for w in range(len(expected)):
        labels = tuple(found.tokens[0, w, : found.lengths[0, w]].tolist())
        assert found.log_probs[0, w].exp().item() == pytest.approx(expected[labels], rel=1e-9)
    assert found.log_probs[0, alive].exp().sum().item() == pytest.approx(1.0)
    best = max(expected, key=expected.get)
    assert tuple(found.tokens[0, 0, : found.lengths[0, 0]].tolist()) == best


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 9999), lengths=st.lists(st.integers(1, 6), min_size=1, max_size=4))
def test_padding_never_matters(seed, lengths):
    log_probs = random_log_probs(seed, len(lengths), 6, 4)
    count = torch.tensor(lengths)
    beam = prefix_beam_search(log_probs, count, num_beams=5)
    path, sizes = best_path(log_probs, count)
    for b, length in enumerate(lengths):
        alone = prefix_beam_search(log_probs[b : b + 1, :length], num_beams=5)
        assert torch.allclose(alone.log_probs[0], beam.log_probs[b])
        assert torch.equal(alone.lengths[0, :2], beam.lengths[b, :2])
        L = alone.tokens.shape[-1]
        assert torch.equal(alone.tokens[0, :2], beam.tokens[b, :2, :L])
        assert (beam.tokens[b, :2, L:] == 0).all()
        short, size = best_path(log_probs[b : b + 1, :length])
        assert path[b, : sizes[b]].tolist() == short[0].tolist()
        assert size == sizes[b]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.integers(0, 2), min_size=7, max_size=7), min_size=1, max_size=4))
def test_collapsing_merges_then_drops(paths):
    labels, counts = collapse_path(torch.tensor(paths))
    for path, row, count in zip(paths, labels, counts, strict=True):
        assert tuple(row[:count].tolist()) == collapse(path)
        assert (row[count:] == 0).all()


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 9999))
def test_best_path_takes_the_likeliest_label_of_every_frame(seed):
    log_probs = random_log_probs(seed, 3, 8, 4)
    labels, counts = best_path(log_probs)
    for b in range(3):
        path = [max(range(4), key=lambda k, f=frame: f[k]) for frame in log_probs[b].tolist()]
        assert tuple(labels[b, : counts[b]].tolist()) == collapse(path)


def test_the_best_path_may_miss_the_best_labelling():
    # Graves 2012, fig. 7.2: blank wins both frames (0.7 · 0.6 = 0.42), but "1" has 0.58.
    log_probs = torch.tensor([[[0.7, 0.3], [0.6, 0.4]]]).log()
    assert best_path(log_probs)[1].tolist() == [0]
    found = prefix_beam_search(log_probs, num_beams=2)
    assert found.tokens[0, 0].tolist() == [1]
    assert found.log_probs[0, 0].exp().item() == pytest.approx(0.58, abs=1e-6)


def test_repeated_labels_need_a_blank():
    sure = torch.tensor([[[0.01, 0.98, 0.01]] * 3]).log()
    assert prefix_beam_search(sure).tokens[0, 0, :2].tolist()[0] == 1
    assert prefix_beam_search(sure).lengths[0, 0] == 1
    spaced = torch.tensor([[[0.01, 0.98, 0.01], [0.98, 0.01, 0.01], [0.01, 0.98, 0.01]]]).log()
    assert prefix_beam_search(spaced).tokens[0, 0, :2].tolist() == [1, 1]


def test_a_prefix_that_fell_out_and_came_back_is_not_counted_twice():
    for seed in range(30):
        log_probs = random_log_probs(seed, 1, 9, 3)
        found = prefix_beam_search(log_probs, num_beams=4)
        rows = [
            tuple(found.tokens[0, w, : found.lengths[0, w]].tolist())
            for w in range(4)
            if found.log_probs[0, w] > -torch.inf
        ]
        assert len(set(rows)) == len(rows)


def test_bad_arguments_are_refused():
    with pytest.raises(
        InvalidValue, match=r"shape \(B, T, K\) and num_beams be 1 or more, got \(2, 3\)"
    ):
        prefix_beam_search(torch.zeros(2, 3))
    with pytest.raises(InvalidValue, match="and 0"):
        prefix_beam_search(torch.zeros(1, 2, 3), num_beams=0)
    with pytest.raises(InvalidValue, match="lengths must be from 0 to the padded length 2, got 3"):
        best_path(torch.zeros(1, 2, 3), torch.tensor([3]))


@pytest.mark.parametrize("blank", [1, 3])
def test_the_place_of_the_blank_changes_only_the_numbers(blank):
    generator = torch.Generator().manual_seed(0)
    log_probs = torch.randn(4, 8, 4, generator=generator).double().log_softmax(-1)
    places = torch.tensor([blank, *(k for k in range(4) if k != blank)])
    moved = torch.empty_like(log_probs)
    moved[..., places] = log_probs
    lengths = torch.tensor([8, 5, 8, 2])
    for ours, theirs in zip(
        best_path(moved, lengths, blank=blank), best_path(log_probs, lengths), strict=True
    ):
        assert torch.equal(ours, places[theirs] if theirs.ndim == 2 else theirs)
    found = prefix_beam_search(moved, lengths, num_beams=5, blank=blank)
    plain = prefix_beam_search(log_probs, lengths, num_beams=5)
    assert torch.equal(found.tokens, places[plain.tokens])
    torch.testing.assert_close(found.log_probs, plain.log_probs)
    with pytest.raises(InvalidValue, match="blank must be a place from 0 to 3, got 4"):
        prefix_beam_search(moved, blank=4)


def test_a_network_knows_its_blank():
    model = CTC(3, 4, hidden_dim=5, blank=4)
    labels, counts = transcribe(model, torch.randn(2, 7, 3))
    assert all(4 not in row[:n].tolist() for row, n in zip(labels, counts, strict=True))
    with pytest.raises(InvalidValue, match="blank must be from 0 to num_labels=4, got 5"):
        CTC(3, 4, blank=5)
