"""A reward model reads the whole text."""

import torch

from gradatim.models import GPT, RewardModel


def test_scores_the_last_hidden_vector_and_starts_indifferent():
    trunk = GPT(5, 8, 8, 2, 2).double()
    model, tokens = RewardModel(trunk).double(), torch.randint(5, (3, 6))
    assert torch.equal(model(tokens), torch.zeros(3).double())
    torch.nn.init.normal_(model.score.weight)
    expected = trunk.features(tokens)[:, -1] @ model.score.weight[0] + model.score.bias
    torch.testing.assert_close(model(tokens), expected)
    changed = tokens.clone()
    changed[:, 0] = (changed[:, 0] + 1) % 5
    assert not torch.allclose(model(changed), model(tokens))
