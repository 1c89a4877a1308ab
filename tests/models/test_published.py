"""Published weights by their new names; the accuracy itself is the experiment's claim."""

import re

import pytest
import torch

from gradatim.data.entries import find
from gradatim.errors import Unavailable
from gradatim.models import CifarResNet, published_resnet
from gradatim.models.published import PixelScaling, rename


def as_published(model):
    """A state under the author's names, without the counters of today's batch norm."""
    old = {"conv": "conv1", "bn": "bn1", "readout": "linear"}
    state = {}
    for name, value in model.state_dict().items():
        part, _, rest = name.partition(".")
        if not name.endswith("num_batches_tracked"):
            state[f"module.{old.get(part, part.replace('stage', 'layer'))}.{rest}"] = value
    return state


def test_renaming_is_one_to_one():
    model = CifarResNet(20)
    own = {k for k in model.state_dict() if not k.endswith("num_batches_tracked")}
    assert set(rename(as_published(model))) == own


def test_a_file_in_the_cache_becomes_a_network(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADATIM_HOME", str(tmp_path))
    torch.manual_seed(3)
    original = CifarResNet(32)
    path = find("test", "cifar10-resnets").path("resnet32.th")
    path.parent.mkdir(parents=True)
    torch.save({"state_dict": as_published(original), "best_prec1": 91.5}, path)
    model, accuracy = published_resnet(32)
    assert accuracy == 91.5
    assert not model.training
    x = torch.rand(2, 3, 32, 32)
    mean = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1)
    std = torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)
    torch.testing.assert_close(model(x), original.eval()((x - mean) / std))


def test_scaling_by_hand():
    scaled = PixelScaling((0.5, 0.0), (0.25, 2.0))(torch.ones(1, 2, 1, 1))
    assert scaled.flatten().tolist() == [2.0, 0.5]


def test_refuses_by_message(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADATIM_HOME", str(tmp_path))
    with pytest.raises(ValueError, match="depth must be one of 20, 32, 44, 56, 110, got 18"):
        published_resnet(18)
    message = "published_resnet: cifar10-resnets is not in the cache yet. Run 'gradatim data get"
    with pytest.raises(Unavailable, match=re.escape(message)):
        published_resnet(20)
