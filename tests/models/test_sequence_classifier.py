import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.models import SequenceClassifier
from gradatim.training import Trainer

BATCHES = st.lists(st.integers(1, 7), min_size=1, max_size=4)


@settings(max_examples=20, deadline=None)
@given(
    lengths=BATCHES,
    pooling=st.sampled_from(["last", "mean", "max"]),
    both=st.booleans(),
    cell=st.sampled_from(["gru", "lstm", "elman"]),
)
def test_a_sequence_alone_equals_the_same_in_a_padded_batch(lengths, pooling, both, cell):
    torch.manual_seed(0)
    model = SequenceClassifier(
        3, 2, hidden_dim=5, pooling=pooling, is_bidirectional=both, cell=cell, num_layers=2
    ).double()
    x = torch.randn(len(lengths), 7, 3, dtype=torch.float64)
    together = model(x, torch.tensor(lengths))
    x[torch.arange(7) >= torch.tensor(lengths)[:, None]] = 1e6  # padding may hold anything
    assert torch.equal(model(x, torch.tensor(lengths)), together)
    for b, length in enumerate(lengths):
        assert torch.allclose(model(x[b : b + 1, :length])[0], together[b])


def test_the_poolings():
    torch.manual_seed(0)
    x, lengths = torch.randn(2, 5, 3), torch.tensor([5, 2])
    for pooling, by_hand in (
        ("last", lambda h: h[-1]),
        ("mean", lambda h: h.mean(0)),
        ("max", lambda h: h.amax(0)),
    ):
        model = SequenceClassifier(3, 2, hidden_dim=4, pooling=pooling)
        outputs, _ = model.encoder.rnn(x, lengths)
        for b, length in enumerate(lengths.tolist()):
            expected = model.readout(by_hand(outputs[b, :length]))
            assert torch.allclose(model(x, lengths)[b], expected, atol=1e-6)
        assert torch.allclose(model(x)[1], model.readout(by_hand(model.encoder.rnn(x)[0][1])), atol=1e-6)  # fmt: skip


def test_gradients_reach_every_parameter_and_are_right():
    model = SequenceClassifier(2, 2, hidden_dim=3).double()
    x = torch.randn(2, 3, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: model(x, torch.tensor([3, 1])), (x,))
    model(x).sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.parameters())


def test_it_learns_which_end_the_spike_is_at():
    """The order decides: the mean of a sequence says nothing."""
    generator = torch.Generator().manual_seed(0)
    y = torch.randint(2, (256,), generator=generator)
    lengths = torch.randint(4, 9, (256,), generator=generator)
    x = 0.1 * torch.randn(256, 8, 1, generator=generator)
    x[torch.arange(256), torch.where(y == 1, lengths - 1, 0), 0] += 2.0
    torch.manual_seed(0)
    model = SequenceClassifier(1, 2, hidden_dim=8)
    trainer = Trainer(
        model, lr=0.02, epochs=12, batch_size=32, metrics=["accuracy"], progress=False
    )
    trainer.fit((x, lengths, y))
    assert trainer.evaluate((x, lengths, y))["accuracy"] > 0.97


def test_an_unknown_pooling_is_refused():
    with pytest.raises(
        InvalidValue, match=r"pooling must be one of mean, .* got 'men'. Try 'mean'"
    ):
        SequenceClassifier(3, 2, pooling="men")
