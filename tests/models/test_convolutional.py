"""What every architecture on images shares: published sizes, shapes, gradients, descriptions."""

import json

import pytest
import torch

from gradatim.models import MODELS, build, describe, rebuild


def size(name, **arguments):
    with torch.device("meta"):  # counts without computing: VGG has 138 million weights
        return sum(p.numel() for p in build(name, **arguments).parameters())


# Tables of the papers, in millions, to the digits printed there.
@pytest.mark.parametrize(
    ("name", "millions"),
    [
        *(("resnet20", "0.27"), ("resnet32", "0.46"), ("resnet44", "0.66"), ("resnet56", "0.85")),
        *(("resnet110", "1.7"), ("densenet100", "0.8")),
        *(("vgg11", "133"), ("vgg13", "133"), ("vgg16", "138"), ("vgg19", "144")),
    ],
)
def test_sizes_printed_in_the_papers(name, millions):
    digits = len(millions.partition(".")[2])
    classes = 1000 if name.startswith("vgg") else 10
    assert f"{size(name, num_classes=classes) / 1e6:.{digits}f}" == millions


# Known from every published set of weights of these nets, for a thousand classes.
@pytest.mark.parametrize(
    ("name", "count"),
    [
        *(("resnet18", 11_689_512), ("resnet34", 21_797_672), ("resnet50", 25_557_032)),
        *(("resnet101", 44_549_160), ("resnet152", 60_192_808)),
        *(("vgg11", 132_863_336), ("vgg16", 138_357_544), ("vgg19", 143_667_240)),
    ],
)
def test_sizes_of_published_weights(name, count):
    assert size(name, num_classes=1000) == count


SMALL = {
    "lenet": ({}, (1, 28, 28)),
    "vgg": ({"widths": ((4,), (6, 6)), "dense": (5,)}, (3, 16, 12)),
    "cifar_resnet": ({"depth": 8}, (3, 16, 16)),
    "resnet": ({"depth": 18, "num_classes": 10}, (3, 32, 32)),
    "densenet": ({"depth": 10, "growth": 4}, (3, 16, 16)),
    "fast_cnn": ({"widths": (8, 8)}, (3, 16, 16)),
}


@pytest.mark.parametrize("name", SMALL)
class TestEveryClassifier:
    def model_and_images(self, name):
        torch.manual_seed(0)
        arguments, shape = SMALL[name]
        return build(name, **arguments), torch.randn(4, *shape)

    def test_gives_logits_by_its_stages(self, name):
        model, x = self.model_and_images(name)
        model.eval()
        h = x
        for _, stage in model.stages():
            h = stage(h)
        assert h.shape == (4, 10)
        torch.testing.assert_close(model(x), h)

    def test_gradient_reaches_every_trainable_parameter(self, name):
        model, x = self.model_and_images(name)
        model(x).square().sum().backward()
        for label, p in model.named_parameters():
            assert not p.requires_grad or (p.grad is not None and p.grad.abs().sum() > 0), label

    def test_in_evaluation_a_sample_ignores_its_batch_mates(self, name):
        model, x = self.model_and_images(name)
        model.eval()
        torch.testing.assert_close(model(x[:1]), model(x)[:1], rtol=1e-4, atol=1e-5)

    def test_description_rebuilds_it(self, name):
        model, x = self.model_and_images(name)
        again = rebuild(json.loads(json.dumps(describe(model))))
        assert describe(again) == describe(model)
        again.load_state_dict(model.state_dict())
        assert torch.equal(again.eval()(x), model.eval()(x))

    def test_refuses_images_of_another_depth(self, name):
        model, x = self.model_and_images(name)
        with pytest.raises(ValueError, match=r"x must have shape \(B, "):
            model(x.repeat(1, 2, 1, 1))


def test_a_name_with_a_number_is_described_by_its_class():
    with torch.device("meta"):
        described = describe(build("resnet44", num_classes=7))
    assert described == {
        "name": "cifar_resnet",
        "arguments": {"depth": 44, "num_classes": 7, "in_channels": 3},
    }


def test_a_name_with_a_number_takes_no_other_depth():
    with pytest.raises(
        ValueError, match=r"build\('resnet20'\): argument must be one of .*'widths'"
    ):
        build("resnet20", widths=(1, 2))
    assert {"lenet", "vgg16", "resnet20", "resnet50", "densenet100", "unet"} <= set(MODELS)
