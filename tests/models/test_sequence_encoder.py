import pytest
import torch

from gradatim.errors import InvalidType, InvalidValue
from gradatim.models import SequenceEncoder


def test_the_summary_is_the_state_at_both_ends():
    torch.manual_seed(0)
    encoder = SequenceEncoder(3, 4, is_bidirectional=True, num_layers=2)
    x, lengths = torch.randn(3, 6, 3), torch.tensor([6, 2, 4])
    outputs, summary, state, is_real = encoder(x, lengths)
    assert torch.equal(torch.cat([state[0][2], state[0][3]], 1), summary)
    for b, length in enumerate(lengths.tolist()):
        assert torch.allclose(summary[b, :4], outputs[b, length - 1, :4], atol=1e-6)
        assert torch.allclose(summary[b, 4:], outputs[b, 0, 4:], atol=1e-6)
        assert is_real[b].sum() == length


def test_a_summary_is_an_output_where_states_are_something_else():
    encoder = SequenceEncoder(3, 4, cell="lru")
    x, lengths = torch.randn(2, 6, 3), torch.tensor([6, 2])
    outputs, summary, _, _ = encoder(x, lengths)
    assert torch.equal(summary, torch.stack([outputs[0, 5], outputs[1, 1]]))


def test_common_padding_is_cut_and_given_back():
    encoder = SequenceEncoder(3, 4)
    x, lengths = torch.randn(2, 9, 3), torch.tensor([3, 2])
    outputs, summary, _, is_real = encoder(x, lengths)
    assert outputs.shape == (2, 9, 4)
    assert is_real.shape == (2, 9)
    assert (outputs[~is_real] == 0).all()
    short = encoder(x[:, :3], lengths)
    assert torch.equal(short.outputs, outputs[:, :3])
    assert torch.equal(short.summary, summary)


def test_tokens_are_embedded():
    encoder = SequenceEncoder(3, 4, vocab_size=7)
    tokens = torch.tensor([[1, 6, 2]])
    vectors, _ = encoder.rnn(encoder.embedding(tokens))
    assert torch.equal(encoder(tokens).outputs, vectors)
    assert encoder.embedding.weight[0].abs().sum() == 0  # padding


def test_dropout_acts_in_training_only():
    encoder = SequenceEncoder(3, 64, dropout=0.5)
    x = torch.randn(1, 3, 3)
    assert (encoder(x).outputs == 0).float().mean() > 0.2
    assert (encoder.eval()(x).outputs != 0).all()


@pytest.mark.parametrize(
    ("x", "lengths", "error", "message"),
    [
        (torch.zeros(0, 3, 3), None, InvalidValue, r"at least one sequence of one step or more, got shape \(0, 3, 3\)"),
        (torch.zeros(2, 0, 3), None, InvalidValue, r"one step or more, got shape \(2, 0, 3\)"),
        (torch.zeros(2, 4, 3), [4, 0], InvalidValue, "lengths must be 1 or more, got 0 in row 1. Leave empty"),
        (torch.zeros(2, 4, 3), [0, 0], InvalidValue, "lengths must be 1 or more, got 0 in row 0"),
        (torch.zeros(2, 4, 3), [4, 5], InvalidValue, "lengths must be from 0 to the padded length 4, got 4 to 5"),
        (torch.zeros(2, 4, 5), None, InvalidValue, r"shape \(batch, time, 3\)"),
    ],
)  # fmt: skip
def test_what_is_no_sequence_is_refused(x, lengths, error, message):
    with pytest.raises(error, match=message):
        SequenceEncoder(3, 4)(x, None if lengths is None else torch.tensor(lengths))


def test_what_are_no_tokens_is_refused():
    encoder = SequenceEncoder(3, 4, vocab_size=7)
    with pytest.raises(InvalidType, match=r"tokens of shape \(B, T\), got torch.float32 of shape"):
        encoder(torch.zeros(1, 2, 3))
    with pytest.raises(InvalidValue, match=r"tokens from 0 to 6, got 1 to 9. Try vocab_size=10"):
        encoder(torch.tensor([[1, 9]]))
