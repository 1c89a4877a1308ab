import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.losses import token_cross_entropy
from gradatim.models import FeatureTagger, SequenceTagger
from gradatim.training import Trainer


def test_it_is_the_tagger_of_the_joined_embeddings():
    torch.manual_seed(0)
    model = FeatureTagger((7, 5), (3, 2), 4, hidden_dim=6, dropout=0.5).eval()
    x = torch.randint(0, 5, (2, 3, 2))
    rows = [
        [
            np.concatenate([e.weight.detach().numpy()[x[b, t, k]] for k, e in enumerate(model.embeddings)])
            for t in range(3)
        ]
        for b in range(2)
    ]  # fmt: skip
    plain = SequenceTagger(5, 4, hidden_dim=6, cell="lstm").eval()
    plain.load_state_dict(model.tagger.state_dict())
    torch.testing.assert_close(model(x), plain(torch.from_numpy(np.array(rows))))


@settings(max_examples=10, deadline=None)
@given(lengths=st.lists(st.integers(1, 6), min_size=1, max_size=4))
def test_padding_never_matters(lengths):
    torch.manual_seed(0)
    model = FeatureTagger((9, 4), (3, 2), 2, hidden_dim=5).double()
    x = torch.randint(0, 4, (len(lengths), 6, 2))
    together = model(x, torch.tensor(lengths))
    for b, length in enumerate(lengths):
        torch.testing.assert_close(model(x[b : b + 1, :length])[0], together[b, :length])


def test_an_ending_tells_what_an_unknown_word_is():
    """Words are all unknown (3); the tag is the second feature."""
    ending = torch.randint(1, 3, (60, 5), generator=torch.Generator().manual_seed(0))
    x = torch.stack([torch.full_like(ending, 3), ending], -1)
    torch.manual_seed(0)
    model = FeatureTagger((4, 3), (4, 4), 2, hidden_dim=8)
    trainer = Trainer(model, token_cross_entropy, lr=0.02, epochs=10, batch_size=20, progress=False)
    trainer.fit((x, torch.full((60,), 5), ending - 1))
    assert (model(x).argmax(-1) == ending - 1).float().mean() > 0.97


def test_what_is_wrong_is_said():
    with pytest.raises(InvalidValue, match="dims must have a width for each of vocab_sizes"):
        FeatureTagger((4, 3), (4,), 2)
    model = FeatureTagger((4, 3), (4, 2), 2)
    with pytest.raises(InvalidValue, match=r"x must be whole numbers of shape \(B, T, 2\), got torch.float32"):  # fmt: skip
        model(torch.zeros(1, 2, 2))
    with pytest.raises(InvalidValue, match="numbers from 0 to 2 in feature 1, got 3"):
        model(torch.tensor([[[3, 3]]]))
    with pytest.raises(InvalidValue, match="from 0 to 3 in feature 0, got -1"):
        model(torch.tensor([[[-1, 0]]]))
