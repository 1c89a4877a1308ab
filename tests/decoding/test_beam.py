from itertools import product
from typing import NamedTuple

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.decoding import beam_search, sample
from gradatim.decoding.beam import select_rows
from gradatim.errors import InvalidValue

END = 2


def make_model(seed, vocabulary=3, width=4):
    """A recurrent model with random weights: ``(state, last) -> (log-probabilities, state)``."""
    generator = torch.Generator().manual_seed(seed)
    E, A, C = (
        torch.randn(shape, generator=generator, dtype=torch.float64)
        for shape in ((vocabulary, width), (width, width), (width, vocabulary))
    )

    def step(state, last):
        state = torch.tanh(state @ A + 2 * E[last])
        return torch.log_softmax(2 * state @ C, -1), state

    return step


def enumerate_all(step, state, start, length, end=END, vocabulary=3):
    """Every sequence that ends, or has ``length`` tokens without end, and its log-probability."""
    found = {}
    for path in product(range(vocabulary), repeat=length):
        cut = path.index(end) + 1 if end in path else length
        path = path[:cut]
        if path in found:
            continue
        s, last, total = state[None], torch.tensor([start]), 0.0
        for token in path:
            gains, s = step(s, last)
            total += gains[0, token].item()
            last = torch.tensor([token])
        found[path] = total
    return found


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), power=st.sampled_from([0.0, 1.0]))
def test_a_beam_that_nothing_falls_out_of_finds_the_best_sequences(seed, power):
    step, state = make_model(seed), torch.randn(2, 4, dtype=torch.float64)
    start = torch.tensor([0, 1])
    best = beam_search(step, state, start, end=END, num_beams=81, max_length=4, length_power=power)
    for b in range(2):
        found = enumerate_all(step, state[b], int(start[b]), 4)
        ranked = sorted(found, key=lambda path: -found[path] / len(path) ** power)
        for w, path in enumerate(ranked[:5]):
            length = int(best.lengths[b, w])
            assert tuple(best.tokens[b, w, :length].tolist()) == path
            assert best.log_probs[b, w].item() == pytest.approx(found[path], abs=1e-9)
            assert (best.tokens[b, w, length:] == 0).all()
        total = best.log_probs[b].exp().sum().item()
        assert total == pytest.approx(1.0, abs=1e-9)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), batch=st.integers(1, 4))
def test_width_one_is_greedy(seed, batch):
    step, state = make_model(seed, 5), torch.randn(batch, 4, dtype=torch.float64)
    start = torch.zeros(batch, dtype=torch.long)
    beam = beam_search(step, state, start, end=END, num_beams=1, max_length=9)
    greedy = sample(step, state, start, 9, draw=lambda logits: logits.argmax(-1), end=END)
    assert torch.equal(beam.tokens[:, 0], torch.stack(list(greedy), 1))


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_a_row_ignores_its_neighbours(seed):
    step, state = make_model(seed, 6), torch.randn(3, 4, dtype=torch.float64)
    start = torch.tensor([0, 1, 3])
    together = beam_search(step, state, start, end=END, num_beams=3, max_length=6)
    for b in range(3):
        alone = beam_search(
            step, state[b : b + 1], start[b : b + 1], end=END, num_beams=3, max_length=6
        )
        L = alone.tokens.shape[-1]
        assert torch.equal(alone.tokens[0], together.tokens[b, :, :L])
        assert torch.allclose(alone.log_probs[0], together.log_probs[b])


def test_a_wider_beam_escapes_the_greedy_trap():
    # greedy starts with 1 (0.6), whose best continuation is 0.4: 0.24; 0 leads to 0.4 · 1.0 = 0.4
    table = torch.tensor([[1.0, 0, 0], [0.3, 0.3, 0.4], [0.4, 0.6, 0.0]]).log()
    arguments = {"start": torch.tensor([2]), "max_length": 2}
    greedy = beam_search(lambda s, last: (table[last], s), None, num_beams=1, **arguments)
    wide = beam_search(lambda s, last: (table[last], s), None, num_beams=2, **arguments)
    assert greedy.tokens[0, 0].tolist() == [1, 2]
    assert wide.tokens[0, 0].tolist() == [0, 0]
    assert wide.log_probs[0, 0].exp().item() == pytest.approx(0.4)


def test_length_normalization_prefers_the_longer():
    # 2 ends at once with 0.5; 0, 2 has 0.5 · 0.9 = 0.45, but 0.67 a token
    table = torch.tensor([[0.1, 0.0, 0.9], [0.5, 0.0, 0.5], [1.0, 0.0, 0.0]]).log()
    arguments = {"start": torch.tensor([1]), "end": 2, "num_beams": 4, "max_length": 3}
    plain = beam_search(lambda s, last: (table[last], s), None, **arguments)
    mean = beam_search(lambda s, last: (table[last], s), None, length_power=1.0, **arguments)
    assert plain.tokens[0, 0].tolist() == [2, 0, 0]
    assert mean.tokens[0, 0].tolist() == [0, 2, 0]
    assert mean.lengths[0, 0] == 2


def test_sequences_that_do_not_exist_have_no_probability():
    table = torch.zeros(1, 1)
    beam = beam_search(
        lambda s, last: (table[last], s), None, torch.tensor([0]), num_beams=2, max_length=2
    )
    assert beam.log_probs.tolist() == [[0.0, -torch.inf]]


class Pair(NamedTuple):
    left: torch.Tensor
    right: object


class Changing:
    def __init__(self, rows):
        self.rows = rows

    def select(self, rows):
        self.rows = self.rows[rows]


def test_states_of_every_kind_are_selected():
    rows, x = torch.tensor([1, 1, 0]), torch.tensor([[1.0], [2.0]])
    chosen = x[rows]
    state = {"a": [x, None], "b": Pair(x, (x,)), "c": Changing(x)}
    new = select_rows(state, rows)
    assert torch.equal(new["a"][0], chosen)
    assert new["a"][1] is None
    assert isinstance(new["b"], Pair)
    assert torch.equal(new["b"].left, chosen)
    assert torch.equal(new["b"].right[0], chosen)
    assert torch.equal(new["c"].rows, chosen)


@pytest.mark.parametrize(("width", "length"), [(0, 3), (2, 0)])
def test_bad_sizes_are_refused(width, length):
    with pytest.raises(
        InvalidValue, match=f"num_beams and max_length must be 1 or more, got {width} and {length}"
    ):
        beam_search(
            lambda s, last: (last, s), None, torch.tensor([0]), num_beams=width, max_length=length
        )
