import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.losses import token_cross_entropy
from gradatim.models import SequenceTagger
from gradatim.training import Trainer


@settings(max_examples=15, deadline=None)
@given(lengths=st.lists(st.integers(1, 7), min_size=1, max_size=4), both=st.booleans())
def test_padding_never_matters(lengths, both):
    torch.manual_seed(0)
    model = SequenceTagger(3, 2, hidden_dim=5, is_bidirectional=both).double()
    x = torch.randn(len(lengths), 7, 3, dtype=torch.float64)
    together = model(x, torch.tensor(lengths))
    assert together.shape == (len(lengths), 7, 2)
    for b, length in enumerate(lengths):
        assert torch.allclose(model(x[b : b + 1, :length])[0], together[b, :length])


def test_one_direction_is_causal_and_two_are_not():
    x = torch.randn(1, 6, 3)
    changed = x.clone()
    changed[:, 4:] += 1
    causal = SequenceTagger(3, 2, is_bidirectional=False)
    assert torch.equal(causal(x)[:, :4], causal(changed)[:, :4])
    both = SequenceTagger(3, 2)
    assert not torch.allclose(both(x)[:, :4], both(changed)[:, :4])


def test_it_labels_a_step_by_its_neighbours():
    """Label: whether the next token equals this one; only the backward direction can know."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randint(1, 3, (200, 8), generator=generator)
    y = torch.cat([(x[:, 1:] == x[:, :-1]).long(), torch.full((200, 1), -100)], 1)
    scores = {}
    for both in (True, False):
        torch.manual_seed(0)
        model = SequenceTagger(4, 2, vocab_size=3, hidden_dim=12, is_bidirectional=both)
        trainer = Trainer(model, token_cross_entropy, lr=0.02, epochs=15, batch_size=50, progress=False)  # fmt: skip
        trainer.fit((x, torch.full((200,), 8), y))
        with torch.no_grad():
            scores[both] = (model(x).argmax(-1) == y)[:, :-1].float().mean().item()
    assert scores[True] > 0.97
    assert scores[False] < 0.7
