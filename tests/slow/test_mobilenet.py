"""The published MobileNetV2 says what an independent run of the same weights says. Needs a network once."""

import numpy as np
import torch
from PIL import Image
from sklearn.datasets import load_sample_image

from gradatim.data import get
from gradatim.models import published_mobilenet
from gradatim.models.published import MEAN, STD

from ..models.test_published_images import run_mobilenet

PALACE, MONASTERY = 698, 663  # of the 1,000 classes


def inputs():
    """Two photographs as the network was tested: 256 pixels high or wide, the middle 224 of them."""
    found = []
    for name in ("china.jpg", "flower.jpg"):
        image = Image.fromarray(load_sample_image(name))
        scale = 256 / min(image.size)
        image = image.resize((round(image.width * scale), round(image.height * scale)))
        left, top = (image.width - 224) // 2, (image.height - 224) // 2
        pixels = np.asarray(image.crop((left, top, left + 224, top + 224))) / 255
        found.append(torch.from_numpy((pixels - MEAN) / STD).float().permute(2, 0, 1))
    return torch.stack(found)


def test_equals_an_independent_run_and_knows_a_palace():
    folder = get("mobilenet")
    network, x = published_mobilenet(), inputs()
    weights = torch.load(folder / "mobilenet_v2-b0353104.pth", weights_only=True)
    with torch.no_grad():
        said = network(x)
        torch.testing.assert_close(said, run_mobilenet(weights, x), atol=1e-4, rtol=1e-4)
    assert sum(p.numel() for p in network.parameters()) == 3_504_872
    assert said.isfinite().all()
    assert said[0].topk(2).indices.tolist() == [PALACE, MONASTERY]
    assert said.softmax(1)[0, PALACE] > 0.5
