"""Weights under torchvision's names: every tensor in its place, checked by an independent run, and wrong files."""

import pickle
import re

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import nn

from gradatim.data.entries import find
from gradatim.errors import InvalidValue, Unavailable
from gradatim.models import MobileNetV2, ResNet, load_image_network, published_mobilenet
from gradatim.models.published_images import mobilenet_names, resnet_names

CONFIG = [(1, 1, 1), (6, 2, 2), (6, 3, 2), (6, 4, 2), (6, 3, 1), (6, 3, 2), (6, 1, 1)]


def publish(model, names):
    """A state under torchvision's names."""
    state = {}
    for name, value in model.state_dict().items():
        part, _, kind = name.rpartition(".")
        state[f"{names[part]}.{kind}"] = value.clone()
    return state


def lively(model, seed=0):
    """Random weights and statistics, so that every tensor matters."""
    generator = torch.Generator().manual_seed(seed)
    for part in model.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.running_mean.normal_(0, 0.2, generator=generator)
            part.running_var.uniform_(0.5, 1.5, generator=generator)
            part.weight.data.uniform_(0.5, 1.5, generator=generator)
            part.bias.data.normal_(0, 0.2, generator=generator)
    return model.eval()


def norm(w, name, x):
    mean, var = w[f"{name}.running_mean"], w[f"{name}.running_var"]
    return F.batch_norm(x, mean, var, w[f"{name}.weight"], w[f"{name}.bias"])


def run_mobilenet(w, x):
    """MobileNetV2 from its tensors alone, as the paper's table reads."""
    x = F.relu6(norm(w, "features.0.1", F.conv2d(x, w["features.0.0.weight"], None, 2, 1)))
    place = 0
    for factor, count, first in CONFIG:
        for block in range(count):
            place += 1
            name, h, at = f"features.{place}.conv", x, 0
            if factor > 1:
                h = F.relu6(norm(w, f"{name}.0.1", F.conv2d(h, w[f"{name}.0.0.weight"])))
                at = 1
            stride, kernel = (first if block == 0 else 1), w[f"{name}.{at}.0.weight"]
            h = F.conv2d(h, kernel, None, stride, 1, 1, len(kernel))
            h = F.relu6(norm(w, f"{name}.{at}.1", h))
            h = norm(w, f"{name}.{at + 2}", F.conv2d(h, w[f"{name}.{at + 1}.weight"]))
            x = x + h if x.shape == h.shape else h
    x = F.relu6(norm(w, "features.18.1", F.conv2d(x, w["features.18.0.weight"])))
    return F.linear(x.mean((2, 3)), w["classifier.1.weight"], w["classifier.1.bias"])


def run_resnet(w, x, counts):
    """A ResNet from its tensors alone."""
    x = F.relu(norm(w, "bn1", F.conv2d(x, w["conv1.weight"], None, 2, 3)))
    x = F.max_pool2d(x, 3, 2, 1)
    for k, count in enumerate(counts, 1):
        for block in range(count):
            name, stride = f"layer{k}.{block}", 2 if k > 1 and block == 0 else 1
            is_deep = f"{name}.conv3.weight" in w
            h = F.conv2d(x, w[f"{name}.conv1.weight"], None, 1 if is_deep else stride, 0 if is_deep else 1)  # fmt: skip
            h = F.relu(norm(w, f"{name}.bn1", h))
            h = norm(w, f"{name}.bn2", F.conv2d(h, w[f"{name}.conv2.weight"], None, stride if is_deep else 1, 1))  # fmt: skip
            if is_deep:
                h = norm(w, f"{name}.bn3", F.conv2d(F.relu(h), w[f"{name}.conv3.weight"]))
            if f"{name}.downsample.0.weight" in w:
                x = norm(w, f"{name}.downsample.1", F.conv2d(x, w[f"{name}.downsample.0.weight"], None, stride))  # fmt: skip
            x = F.relu(x + h)
    return F.linear(x.mean((2, 3)), w["fc.weight"], w["fc.bias"])


@pytest.mark.parametrize("ending", ["pth", "safetensors"])
def test_mobilenet_equals_an_independent_run(tmp_path, ending):
    weights = publish(lively(MobileNetV2(7)), mobilenet_names())
    path = tmp_path / f"weights.{ending}"
    if ending == "pth":
        torch.save(weights, path)
    else:
        save_file(weights, path)
    model = load_image_network(path)
    assert isinstance(model, MobileNetV2)
    assert not model.training
    x = torch.randn(2, 3, 64, 64, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        torch.testing.assert_close(model(x), run_mobilenet(weights, x))


@pytest.mark.parametrize(("depth", "counts"), [(18, (2, 2, 2, 2)), (34, (3, 4, 6, 3)), (50, (3, 4, 6, 3))])  # fmt: skip
def test_resnets_are_recognized_and_equal_an_independent_run(tmp_path, depth, counts):
    network = lively(ResNet(depth, 5))
    weights = publish(network, resnet_names(network))
    for name in [n for n in weights if n.endswith("num_batches_tracked")]:  # as old files are
        del weights[name]
    wrapped = {"epoch": 3, "state_dict": {f"module.{name}": t for name, t in weights.items()}}
    torch.save(wrapped if depth == 34 else weights, tmp_path / "r.pth")
    model = load_image_network(tmp_path / "r.pth")
    assert (type(model), model.depth, model.num_classes) == (ResNet, depth, 5)
    x = torch.randn(2, 3, 32, 32, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        torch.testing.assert_close(model(x), run_resnet(weights, x, counts), atol=1e-4, rtol=1e-4)


def cached(monkeypatch, home, weights):
    """A cache that holds these weights, under the size that they have."""
    monkeypatch.setenv("GRADATIM_HOME", str(home))
    path = find("test", "mobilenet").path("mobilenet_v2-b0353104.pth")
    path.parent.mkdir(parents=True)
    torch.save(weights, path)
    monkeypatch.setattr("gradatim.data.entry.has_size", lambda path, size: path.is_file())
    return path


def test_the_published_file_is_converted_once(tmp_path, monkeypatch):
    weights = publish(lively(MobileNetV2()), mobilenet_names())
    path = cached(monkeypatch, tmp_path, weights)
    first = published_mobilenet()
    monkeypatch.setattr(torch, "load", None)  # from now on only tensors are read
    again = published_mobilenet()
    x = torch.randn(1, 3, 32, 32)
    assert torch.equal(first(x), again(x))
    monkeypatch.undo()
    monkeypatch.setenv("GRADATIM_HOME", str(tmp_path))
    monkeypatch.setattr("gradatim.data.entry.has_size", lambda path, size: path.is_file())
    path.with_name("mobilenet_v2.safetensors").write_bytes(b"torn")
    assert torch.equal(published_mobilenet()(x), first(x))


class Spy:
    def __reduce__(self):
        return print, ("code ran",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "must be a file of weights (.pth, .safetensors), and is damaged or another file"),
        (b"GIF89a, or any other bytes", "must "),
        (pickle.dumps(Spy()), "must "),
        ({"net": Spy()}, "must hold tensors alone, and asks for other code, which is not run"),
        ({"lr": 0.1}, "must hold tensors by name, a state_dict, and does not"),
        ({"conv1.weight": torch.ones(2, 3)}, "must hold the weights of MobileNetV2 or a ResNet of 18, 34, 50, 101 or 152 layers, got tensors such as 'conv1.weight'"),
        ({}, "got tensors such as none"),
    ],
)  # fmt: skip
def test_wrong_files_get_a_sentence(tmp_path, capsys, content, message):
    path = tmp_path / "w.pth"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        torch.save(content, path)
    with pytest.raises(InvalidValue, match=re.escape(message)):
        load_image_network(path)
    assert "code ran" not in capsys.readouterr().out


def test_weights_of_other_shapes_or_numbers_are_refused(tmp_path):
    network = ResNet(18, 5)
    weights = publish(network, resnet_names(network))
    weights["layer1.0.conv1.weight"] = torch.ones(64, 64, 1, 1)
    torch.save(weights, tmp_path / "w.pth")
    with pytest.raises(InvalidValue, match=r"weights must fit the model, got stage1\.0\.conv1\.weight \(64, 64, 1, 1\) instead of \(64, 64, 3, 3\)"):  # fmt: skip
        load_image_network(tmp_path / "w.pth")
    weights["fc.bias"][0] = float("nan")
    torch.save(weights, tmp_path / "w.pth")
    with pytest.raises(InvalidValue, match="must be finite, and are not"):
        load_image_network(tmp_path / "w.pth")
    (tmp_path / "w.safetensors").write_bytes(b"\0" * 20)
    with pytest.raises(InvalidValue, match="is damaged or another file"):
        load_image_network(tmp_path / "w.safetensors")


def test_what_is_not_there_gets_a_sentence(tmp_path, monkeypatch):
    with pytest.raises(Unavailable, match=r"gone\.pth: there is no such file"):
        load_image_network(tmp_path / "gone.pth")
    with pytest.raises((InvalidValue, Unavailable)):
        load_image_network(tmp_path)
    monkeypatch.setenv("GRADATIM_HOME", str(tmp_path))
    message = "published_mobilenet: mobilenet is not in the cache yet. Run 'gradatim data get mobilenet' once."
    with pytest.raises(Unavailable, match=re.escape(message)):
        published_mobilenet()
