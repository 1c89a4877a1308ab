import torch

from gradatim.models import BagOfEmbeddings, TextAndColumns


def test_the_formula():
    torch.manual_seed(0)
    model = TextAndColumns(BagOfEmbeddings(10, 4, 6), 3, 6, 2, dropout=0.5).eval()
    tokens, lengths, x = torch.tensor([[5, 7, 0], [1, 2, 3]]), torch.tensor([2, 3]), torch.randn(2, 3)  # fmt: skip
    r = model.reader(tokens, lengths)
    W1, b1 = model.join.weight, model.join.bias
    for b in range(2):
        hidden = (W1 @ torch.cat([r[b], x[b]]) + b1).clamp(min=0)
        y = model.readout.weight @ hidden + model.readout.bias + model.direct.weight @ x[b]
        torch.testing.assert_close(model(tokens, lengths, x)[b], y)
