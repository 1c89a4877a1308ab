"""What the report says of images: samples, mistakes, and where the network looks."""

import numpy as np
import torch
from torch import nn

from gradatim.fitting.findings import Findings
from gradatim.fitting.images.networks import TRANSFORMERS, ImageNetwork, ImageSettings
from gradatim.fitting.images.problem import ImageProblem
from gradatim.fitting.player import NETWORK
from gradatim.fitting.report import class_figures
from gradatim.fitting.sections import surest_mistakes, target_row
from gradatim.instruments import attention_maps, feature_maps, gradient_saliency, occlusion_map
from gradatim.plots.attention import image_heads
from gradatim.plots.convolution import feature_map_grid, filter_grid, picture_panels
from gradatim.plots.images import image_grid
from gradatim.reports import Report

DISTORTIONS = {
    "shift": "shifted",
    "affine": "shifted, turned and scaled",
    "flip": "shifted and mirrored",
    "random": "distorted at random (RandAugment)",
}
ARCHITECTURES = {
    "cnn": "convolutional network",
    "resnet": "residual network",
    "vit": "vision Transformer",
    "hybrid": "vision Transformer on a map of convolutions",
}
SAMPLES, MISTAKES, LOOKED_AT = 24, 16, 3
LAYERS = 3  # of which feature maps are shown


def describe_data(report: Report, p: ImageProblem) -> None:
    """Add sizes and classes, and some images."""
    side, channels = p.images.shape[1], p.images.shape[3]
    report.table(
        "Data",
        columns=["", "value"],
        rows=[
            ["task", p.task],
            ["training images", f"{len(p.train):,}"],
            ["test images", f"{len(p.test):,}"],
            ["seen as", f"{side} × {side} pixels, {'grey' if channels == 1 else 'colour'}"],
            target_row(p),
        ],
    )
    with report.attempt("the samples"):
        _samples(report, p)


def _samples(report: Report, p: ImageProblem) -> None:
    turn = np.argsort(np.argsort(p.y[p.train], kind="stable") % max(len(p.train) // SAMPLES, 1), kind="stable")  # fmt: skip
    rows = p.train[np.sort(turn[:SAMPLES])]
    report.figure(
        "samples",
        image_grid(p.images[rows], [str(p.labels[k])[:14] for k in p.y[rows]], columns=8),
        caption="Some of the training images.",
    )


def describe_network(s: ImageSettings) -> list[tuple[str, object]]:
    """Settings of the network, for people."""
    sizes: list[tuple[str, object]] = [("layers", s.depth)]
    if s.architecture == "cnn":
        sizes = [("channels of the first stage", s.width)]
    elif s.architecture in TRANSFORMERS:
        sizes = [("width of a token", 4 * s.width), ("blocks", s.depth // 2)]
    return [
        ("architecture", ARCHITECTURES[s.architecture]),
        *sizes,
        (
            "training images are",
            DISTORTIONS[s.distortion] + ", mixed in pairs (MixUp)" * (s.mixing > 0),
        ),
        ("weight decay", s.weight_decay),
        ("learning rate", s.lr),
    ]


def judge_figures(report: Report, p: ImageProblem, f: Findings) -> None:
    """Add confusion and calibration, the most confident mistakes, and what the network sees."""
    class_figures(report, f.verdict.recommended, p.y[p.test], f.output, p.labels, f.decision)
    with report.attempt("the mistakes"):
        _mistakes(report, p, f)
    network = f.models.get(NETWORK)
    if isinstance(network, ImageNetwork):
        with report.attempt("the inside of the network"):
            _inside(report, p, network)
        with report.attempt("where the network looks"):
            _saliency(report, p, network)
        if network.settings["architecture"] in TRANSFORMERS:
            with report.attempt("the attention of the network"):
                _attention(report, p, network)


def _attention(report: Report, p: ImageProblem, network: ImageNetwork) -> None:
    picture = p.images[p.test[:1]]
    maps = attention_maps(network.module, network.inputs(picture))
    shown = torch.from_numpy(np.moveaxis(picture[0], -1, 0) / 255.0)
    report.figure(
        "attention",
        image_heads(shown, {name: weights[0] for name, weights in maps.items()}),
        caption="Where the class token looks in a test image, layer by layer, head by head.",
    )


def _mistakes(report: Report, p: ImageProblem, f: Findings) -> None:
    output, y = f.output, p.y[p.test]
    worst = surest_mistakes(output, y, MISTAKES)
    if worst:
        said = [f"{p.labels[int(output[k].argmax())]}, not {p.labels[y[k]]}"[:22] for k in worst]
        report.figure(
            "mistakes",
            image_grid(p.images[p.test[worst]], said, columns=4, size=1.5),
            caption=f"The mistakes on test images that {f.verdict.recommended} was surest of.",
        )


def _inside(report: Report, p: ImageProblem, network: ImageNetwork) -> None:
    """The first layer's filters, and what layers make of a test image."""
    convolutions = {n: m for n, m in network.module.named_modules() if isinstance(m, nn.Conv2d)}
    first = next(iter(convolutions.values()))
    report.figure(
        "filters",
        filter_grid(first.weight.detach()[:32].numpy()),
        caption="Filters of the network's first layer; blue is negative, red positive.",
    )
    picture = p.images[p.test[:1]]
    maps = feature_maps(network.module, network.inputs(picture))
    large = [(name, m[0].numpy()) for name, m in maps.items() if m.shape[-1] > 1 and name in convolutions]  # fmt: skip
    step = max(len(large) // LAYERS, 1)
    chosen = {f"layer {k * step + 1}": m for k, (_, m) in enumerate(large[::step][:LAYERS])}
    report.figure(
        "feature-maps",
        feature_map_grid(_shown(picture[0]), chosen),
        caption="What some of its layers make of a test image.",
    )


def _saliency(report: Report, p: ImageProblem, network: ImageNetwork) -> None:
    _, first = np.unique(p.y[p.test], return_index=True)
    pictures = p.images[p.test[first[:LOOKED_AT]]]
    x = network.inputs(pictures)
    said = torch.from_numpy(network.outputs(pictures).argmax(1))
    gradient = gradient_saliency(network.module, x, said)
    hidden = occlusion_map(network.module, x, said, size=max(x.shape[-1] // 6, 2))
    panels = {}
    for k in range(len(pictures)):
        name = p.labels[int(said[k])]
        panels[f"image {k + 1}: {name}"] = _shown(pictures[k])
        panels[f"{k + 1}: gradient"] = gradient[k].numpy()
        panels[f"{k + 1}: hiding patches"] = hidden[k].numpy()
    report.figure(
        "saliency",
        picture_panels(panels, columns=3),
        caption="Where the network looks: how much its score changes with each pixel, and how much its probability "
        "falls when a patch is hidden.",
    )


def _shown(picture: np.ndarray) -> np.ndarray:
    return picture[..., 0] / 255.0 if picture.shape[-1] == 1 else picture / 255.0


def usage(p: ImageProblem, f: Findings) -> str:
    """Python lines that use the model folder."""
    return (
        "import gradatim\n\n"
        f"model = gradatim.load_model({str(f.folder)!r})\n"
        'model.predict("new-photos/")             # a folder, or a list of files\n'
        'model.predict_proba(["one.jpg"])         # probabilities\n'
        + ('model.predict("new-photos/", model="network")\n' if f.tuning else "")
    )
