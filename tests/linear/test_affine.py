"""The records that fits return."""

import torch

from gradatim.linear import Affine, LinearClassifier


def test_affine_by_hand():
    model = Affine(torch.tensor([[1.0, 0.0], [2.0, 1.0]]), torch.tensor([0.5, -1.0]))
    assert model.predict(torch.tensor([[1.0, 2.0], [0.0, 0.0]])).tolist() == [
        [5.5, 1.0],
        [0.5, -1.0],
    ]


def test_one_logit_and_two_logits_say_the_same():
    w, b = torch.tensor([2.0, -1.0], dtype=torch.float64), torch.tensor(0.3, dtype=torch.float64)
    classes = torch.tensor([4, 9])
    one = LinearClassifier(w, b, classes)
    two = LinearClassifier(
        torch.stack([torch.zeros(2, dtype=torch.float64), w], dim=1),
        torch.tensor([0.0, 0.3], dtype=torch.float64),
        classes,
    )
    X = torch.randn(20, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    torch.testing.assert_close(one.probabilities(X), two.probabilities(X))
    torch.testing.assert_close(one.probabilities(X)[:, 1], torch.sigmoid(X @ w + b))
    assert one.predict(X).tolist() == [9 if z > 0 else 4 for z in (X @ w + b).tolist()]
