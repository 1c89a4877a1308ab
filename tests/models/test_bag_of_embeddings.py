import torch
from torch.autograd import gradcheck

from gradatim.models import BagOfEmbeddings


def test_is_the_mean_of_the_embeddings():
    model = BagOfEmbeddings(10, 4, 3).double().eval()
    tokens, lengths = torch.tensor([[5, 7, 5], [4, 9, 9]]), torch.tensor([3, 1])
    E = model.embedding.weight
    means = torch.stack([(E[5] + E[7] + E[5]) / 3, E[4]])
    expected = means @ model.readout.weight.T + model.readout.bias
    assert torch.allclose(model(tokens, lengths), expected)
    assert torch.allclose(model(tokens[:1]), expected[:1])


def test_padding_changes_nothing():
    model = BagOfEmbeddings(10, 4, 2).eval()
    alone = model(torch.tensor([[5, 7]]))
    padded = model(torch.tensor([[5, 7, 0, 0]]), torch.tensor([2]))
    assert torch.equal(alone, padded)


def test_gradient():
    model = BagOfEmbeddings(6, 3, 2).double()
    tokens, lengths = torch.tensor([[4, 5, 0], [5, 5, 5]]), torch.tensor([2, 3])

    def f(weight):
        return torch.func.functional_call(model, {"embedding.weight": weight}, (tokens, lengths))

    assert gradcheck(f, model.embedding.weight.detach().clone().requires_grad_())
