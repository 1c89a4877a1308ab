import json

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.models import SequenceClassifier, describe, load_weights, rebuild
from gradatim.training import Trainer

BATCHES = st.lists(st.integers(1, 7), min_size=1, max_size=4)


@settings(max_examples=40, deadline=None)
@given(
    lengths=BATCHES,
    pooling=st.sampled_from(["last", "mean", "max", "attention"]),
    encoder=st.sampled_from(["recurrent", "tcn", "tcn+recurrent"]),
    both=st.booleans(),
    cell=st.sampled_from(["gru", "lstm", "elman"]),
)
def test_a_sequence_alone_equals_the_same_in_a_padded_batch(lengths, pooling, encoder, both, cell):
    torch.manual_seed(0)
    model = SequenceClassifier(
        3, 2, hidden_dim=5, encoder=encoder, pooling=pooling, is_bidirectional=both, cell=cell,
        num_layers=2, num_blocks=2,
    ).double()  # fmt: skip
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


@pytest.mark.parametrize("encoder", ["recurrent", "tcn", "tcn+recurrent"])
def test_attention_sums_to_one_over_real_steps_and_is_what_the_answer_used(encoder):
    torch.manual_seed(0)
    model = SequenceClassifier(3, 2, hidden_dim=4, encoder=encoder, pooling="attention").eval()
    x, lengths = torch.randn(3, 6, 3), torch.tensor([6, 2, 4])
    weights = model.attention(x, lengths)
    torch.testing.assert_close(weights.sum(1), torch.ones(3))
    assert not weights[torch.arange(6) >= lengths[:, None]].any()
    pooled = torch.einsum("bt,btd->bd", weights, model.encoder(x, lengths).outputs)
    torch.testing.assert_close(model(x, lengths), model.readout(pooled))
    torch.testing.assert_close(model.attention(x).sum(1), torch.ones(3))


def test_the_encoders_are_what_they_say():
    torch.manual_seed(0)
    x, lengths = torch.randn(2, 7, 3), torch.tensor([7, 4])
    tcn = SequenceClassifier(3, 2, hidden_dim=4, encoder="tcn", num_blocks=2)
    outputs = tcn.encoder.tcn(x, lengths)
    assert tcn.encoder.tcn.receptive_field == 13
    last = outputs[torch.arange(2), lengths - 1]
    torch.testing.assert_close(tcn(x, lengths), tcn.readout(last))
    both = SequenceClassifier(3, 2, hidden_dim=4, encoder="tcn+recurrent", num_blocks=2)
    outputs, _ = both.encoder.rnn(both.encoder.tcn(x, lengths), lengths)
    last = outputs[torch.arange(2), lengths - 1]
    torch.testing.assert_close(both(x, lengths), both.readout(last))


@pytest.mark.parametrize("encoder", ["tcn", "tcn+recurrent"])
def test_convolutions_read_tokens_too(encoder):
    model = SequenceClassifier(5, 2, hidden_dim=4, encoder=encoder, vocab_size=9)
    tokens = torch.tensor([[4, 5, 6], [6, 0, 0]])
    assert model(tokens, torch.tensor([3, 1])).shape == (2, 2)
    model(tokens, torch.tensor([3, 1])).sum().backward()
    assert all(p.grad is not None for p in model.parameters())


@pytest.mark.parametrize("encoder", ["recurrent", "tcn", "tcn+recurrent"])
@pytest.mark.parametrize("pooling", ["last", "mean", "max", "attention"])
def test_a_description_gives_the_same_model(encoder, pooling):
    torch.manual_seed(0)
    model = SequenceClassifier(3, 2, hidden_dim=4, encoder=encoder, pooling=pooling)
    again = rebuild(json.loads(json.dumps(describe(model))))
    load_weights("test", again, model.state_dict())
    x = torch.randn(2, 7, 3)
    assert torch.equal(again(x), model(x))


def test_a_description_of_before_the_choice_of_encoders_is_read_with_its_weights():
    arguments = {"input_dim": 3, "output_dim": 2, "hidden_dim": 4, "vocab_size": None, "cell": "gru", "num_layers": 1, "is_bidirectional": True, "pooling": "max", "dropout": 0.1}  # fmt: skip
    model = rebuild({"name": "sequence_classifier", "arguments": arguments})
    assert {name.split(".cells")[0] for name in model.state_dict()} == {
        "encoder.rnn", "readout.weight", "readout.bias",
    }  # fmt: skip
    assert describe(model)["arguments"]["encoder"] == "recurrent"


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


def test_numbers_are_learned_too():
    """The mean of the first half, which attention can look at."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(256, 8, 1, generator=generator)
    y = x[:, :4].mean(1)
    torch.manual_seed(0)
    model = SequenceClassifier(1, 1, hidden_dim=8, encoder="tcn+recurrent", num_blocks=2, pooling="attention")  # fmt: skip
    trainer = Trainer(model, "mse", lr=0.02, epochs=15, batch_size=32, progress=False)
    trainer.fit((x, y))
    assert trainer.evaluate((x, y))["loss"] < 0.1 * y.var()


def test_an_unknown_encoder_is_refused():
    with pytest.raises(InvalidValue, match=r"SequenceClassifier: encoder must be one of tcn, .* got 'tcm'"):  # fmt: skip
        SequenceClassifier(3, 2, encoder="tcm")


def test_weights_of_another_pooling_are_refused():
    sentence = "SequenceClassifier: pooling must be 'attention' to have weights, got 'last'"
    with pytest.raises(InvalidValue, match=sentence):
        SequenceClassifier(3, 2).attention(torch.randn(1, 2, 3))


def test_an_unknown_pooling_is_refused():
    with pytest.raises(
        InvalidValue, match=r"pooling must be one of mean, .* got 'men'. Try 'mean'"
    ):
        SequenceClassifier(3, 2, pooling="men")
