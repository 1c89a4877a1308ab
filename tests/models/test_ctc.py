import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.decoding import prefix_beam_search, transcribe
from gradatim.errors import InvalidValue
from gradatim.models import CTC
from gradatim.training import CTCObjective, Trainer


@settings(max_examples=10, deadline=None)
@given(lengths=st.lists(st.integers(1, 8), min_size=1, max_size=4), beam=st.sampled_from([None, 4]))
def test_padding_never_matters(lengths, beam):
    torch.manual_seed(0)
    model = CTC(2, 3, hidden_dim=6).double()
    x = torch.randn(len(lengths), 8, 2, dtype=torch.float64)
    labels, counts = transcribe(model, x, torch.tensor(lengths), num_beams=beam)
    for b, length in enumerate(lengths):
        alone, count = transcribe(model, x[b : b + 1, :length], num_beams=beam)
        assert count == counts[b]
        assert torch.equal(alone[0, : count[0]], labels[b, : counts[b]])


def test_decoding_with_a_beam_takes_its_best():
    torch.manual_seed(1)
    model, x = CTC(2, 3, hidden_dim=6), torch.randn(3, 7, 2)
    found = prefix_beam_search(model(x), num_beams=5)
    labels, counts = transcribe(model, x, num_beams=5)
    assert torch.equal(labels, found.tokens[:, 0])
    assert torch.equal(counts, found.lengths[:, 0])


def test_it_finds_the_alignment_nobody_gave():
    """Labels are blips at unknown places; the target says only which, in which order."""
    generator = torch.Generator().manual_seed(0)
    target = torch.randint(1, 4, (300, 2), generator=generator)
    x = 0.2 * torch.randn(300, 12, 3, generator=generator)
    first = torch.randint(0, 5, (300,), generator=generator)
    second = first + torch.randint(2, 7, (300,), generator=generator)
    for k, place in enumerate((first, second)):
        x[torch.arange(300), place, target[:, k] - 1] += 2.0
    torch.manual_seed(0)
    model = CTC(3, 3, hidden_dim=16)
    sizes = (torch.full((300,), 12), target, torch.full((300,), 2))
    Trainer(model, objective=CTCObjective(), lr=0.02, epochs=20, batch_size=50, progress=False).fit(
        (x, *sizes)
    )
    labels, counts = transcribe(model, x)
    assert (counts == 2).float().mean() > 0.95
    assert (labels[:, :2] == target).all(1).float().mean() > 0.95


def test_labels_must_be_positive():
    with pytest.raises(InvalidValue, match="num_labels must be 1 or more, got 0"):
        CTC(2, 0)
