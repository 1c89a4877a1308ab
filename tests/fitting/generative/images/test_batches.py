import torch

from gradatim.fitting.generative.images.batches import PictureDraws, as_inputs


def draws(seed=0, **how):
    pictures = torch.arange(20, dtype=torch.uint8).view(20, 1, 1, 1).expand(20, 1, 6, 6).contiguous()  # fmt: skip
    settings = {"low": -1.0, "padded": 8, "batch_size": 5, "num_batches": 3, "seed": seed} | how
    return PictureDraws(pictures, torch.arange(20), **settings)


def test_pictures_come_with_their_classes_scaled_and_padded():
    batches = list(draws())
    assert len(batches) == len(draws()) == 3
    for x, label in batches:
        assert x.shape == (5, 1, 8, 8)
        wanted = (2 * label / 255 - 1).view(-1, 1, 1, 1).expand_as(x)
        assert torch.allclose(x, wanted)


def test_rounds_differ_and_come_again():
    own = draws()
    rounds = []
    for epoch in (0, 1, 0):
        own.set_epoch(epoch)
        rounds.append(torch.cat([label for _, label in own]))
    assert torch.equal(rounds[0], rounds[2])
    assert not torch.equal(rounds[0], rounds[1])


def test_black_and_white():
    ends = torch.tensor([0, 255], dtype=torch.uint8).view(2, 1, 1, 1)
    assert as_inputs(ends, -1.0, 1).flatten().tolist() == [-1.0, 1.0]
    assert as_inputs(ends, 0.0, 1).flatten().tolist() == [0.0, 1.0]
