import torch

from gradatim.bayes.networks.likelihood import Likelihood
from gradatim.bayes.networks.predictive import summarize


def test_probabilities_are_averaged_not_logits():
    outputs = torch.tensor([[[0.0, 0.0]], [[0.0, 100.0]]])
    found = summarize(Likelihood("categorical", 1.0), outputs)
    torch.testing.assert_close(found.mean, torch.tensor([[0.25, 0.75]]))
    torch.testing.assert_close(found.std, torch.tensor([[0.125**0.5, 0.125**0.5]]))
    assert repr(found) == "Predictive(2 draws of (1, 2))"
    assert summarize(Likelihood("gaussian", 1.0), outputs, "Yes.").mean.tolist() == [[0.0, 50.0]]
