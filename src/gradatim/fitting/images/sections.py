"""What the report says of images: samples, mistakes, and where the network looks."""

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.fitting import sections
from gradatim.fitting.findings import Findings
from gradatim.fitting.images.fitted import ImageNetwork
from gradatim.fitting.images.inputs import cut_tiles
from gradatim.fitting.images.networks import TRANSFORMERS, ImageSettings
from gradatim.fitting.images.pretrained import PretrainedSettings
from gradatim.fitting.images.problem import ImageProblem
from gradatim.fitting.images.tags import SAID, say_tags
from gradatim.fitting.player import NETWORK
from gradatim.instruments import (
    attention_maps,
    feature_maps,
    grad_cam,
    gradient_saliency,
    occlusion_map,
)
from gradatim.plots.attention import image_heads
from gradatim.plots.convolution import feature_map_grid, filter_grid, picture_panels
from gradatim.plots.images import image_grid
from gradatim.reports import Report

DISTORTIONS = {
    "shift": "shifted",
    "affine": "shifted, turned and scaled",
    "flip": "shifted and mirrored",
    "random": "distorted at random (RandAugment)",
    "colour": "shifted, mirrored and seen under other light",
    "stain": "shifted, mirrored, turned and stained more or less",
}
ARCHITECTURES = {
    "cnn": "convolutional network",
    "resnet": "residual network",
    "vit": "vision Transformer",
    "hybrid": "vision Transformer on a map of convolutions",
}
VIEWS = {1: "as they are", 2: "as they are and mirrored", 4: "mirrored and upside down as well"}
SAMPLES, MISTAKES, LOOKED_AT = 24, 16, 3
LAYERS = 3  # of which feature maps are shown
HIDDEN = 6  # patches along an image, of which one is hidden at a time
LARGE = 64  # pixels a side, above which patches that are hidden do not overlap
PASSES = LOOKED_AT * HIDDEN**2  # of the network, to hide them
TITLE = 22  # characters above a picture


def describe_data(report: Report, p: ImageProblem) -> None:
    """Add sizes and targets, and some images."""
    side, channels = p.images.shape[1], p.images.shape[3]
    rows = [
        ["task", p.task],
        ["training images", f"{len(p.train):,}"],
        ["test images", f"{len(p.test):,}"],
        ["seen as", f"{side} × {side} pixels, {'grey' if channels == 1 else 'colour'}"],
        _target_row(p),
    ]
    if p.groups is not None:
        count = len(np.unique(p.groups[p.train])), len(np.unique(p.groups[p.test]))
        rows.append(["groups", f"{count[0]:,} to learn from, {count[1]:,} others for the test"])
    report.table("Data", columns=["", "value"], rows=rows)
    with report.attempt("the samples"):
        _samples(report, p)


def _target_row(p: ImageProblem) -> list[str]:
    if not p.is_tagged:
        return sections.target_row(p)
    counts = p.y[p.train].sum(0).tolist()
    shown = [f"{label} {n:,}" for label, n in zip(p.labels[: sections.LISTED], counts, strict=False)]  # fmt: skip
    return ["labels", ", ".join(shown) + (", …" if p.classes > sections.LISTED else "")]


def _told(p: ImageProblem, rows: np.ndarray) -> list[str]:
    """What is to be said of images, short enough to stand above them."""
    if p.is_tagged:
        return [text[:14] for text in say_tags(p.y[rows], p.labels).tolist()]
    return [str(p.labels[k])[:14] if p.classes else f"{k:.4g}" for k in p.y[rows].tolist()]


def _samples(report: Report, p: ImageProblem) -> None:
    order = p.strata
    turn = np.argsort(np.argsort(order, kind="stable") % max(len(p.train) // SAMPLES, 1), kind="stable")  # fmt: skip
    rows = p.train[np.sort(turn[:SAMPLES])]
    report.figure(
        "samples",
        image_grid(p.images[rows], _told(p, rows), columns=8),
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
        ("images are looked at", VIEWS[s.views]),
        ("weight decay", s.weight_decay),
        ("learning rate", s.lr),
    ]


def describe_pretrained(s: PretrainedSettings, name: str, side: int, epochs: int | None) -> list[tuple[str, object]]:  # fmt: skip
    """Settings of a fine-tuned network, for people."""
    return [
        ("network", f"{name} as published, all its weights fine-tuned from a linear head"),
        ("batch normalization", "keeps its published averages"),
        ("images are seen at", f"{side} × {side} pixels"),
        ("training images are", DISTORTIONS[s.distortion]),
        ("images are looked at", VIEWS[s.views]),
        ("learning rate of the head", s.lr),
        ("factor of the rate from part to part", s.decay),
        ("weight decay", s.weight_decay),
        ("epochs", epochs),
    ]


def judge_figures(report: Report, p: ImageProblem, f: Findings, *, can_hide: bool = True) -> None:
    """Add confusion and calibration or residuals, the worst mistakes, and what a network sees.

    Args:
        report: Where to draw.
        p: The problem.
        f: What the contest found.
        can_hide: Whether there is time to hide patch after patch.
    """
    if p.is_tagged:
        with report.attempt("the figures of each label"):
            _tags_table(report, p, f)
    else:
        sections.judge_figures(report, p, f, label="the number")
    with report.attempt("the mistakes"):
        _mistakes(report, p, f)
    network = next((m for m in (f.models.get(NETWORK), f.models.get(f.verdict.best_simple)) if isinstance(m, ImageNetwork)), None)  # fmt: skip
    if network is None:
        return
    with report.attempt("the inside of the network"):
        _inside(report, p, network)
    with report.attempt("where the network looks"):
        _looks(report, p, f, network, can_hide)
    if network.settings.get("architecture") in TRANSFORMERS:
        with report.attempt("the attention of the network"):
            _attention(report, p, network)


def _tags_table(report: Report, p: ImageProblem, f: Findings) -> None:
    y, said = p.y[p.test], f.output >= SAID
    rows = []
    for k, label in enumerate(p.labels):
        hits, told, true = int((said[:, k] & (y[:, k] > 0)).sum()), int(said[:, k].sum()), int(y[:, k].sum())  # fmt: skip
        rows.append([str(label), true, told, hits, 2 * hits / max(told + true, 1)])
    report.table(
        f"Labels of the test images, said by {f.verdict.recommended}",
        columns=["label", "have it", "said to have it", "rightly", "F1"],
        rows=rows,
    )


def _seen(p: ImageProblem, network: ImageNetwork, rows: np.ndarray) -> np.ndarray:
    """Pictures as the network takes them: of those in tiles the one in the middle."""
    count = network.tiles**2
    return cut_tiles(p.images[rows], network.tiles)[count // 2 :: count]


def _attention(report: Report, p: ImageProblem, network: ImageNetwork) -> None:
    picture = _seen(p, network, p.test[:1])
    maps = attention_maps(network.module, network.inputs(picture))
    shown = torch.from_numpy(np.moveaxis(picture[0], -1, 0) / 255.0)
    report.figure(
        "attention",
        image_heads(shown, {name: weights[0] for name, weights in maps.items()}),
        caption="Where the class token looks in a test image, layer by layer, head by head.",
    )


def worst_images(p: ImageProblem, f: Findings, most: int) -> list[int]:
    """Test images of which the recommended model is surest and wrong, or furthest off."""
    output, y = f.output, p.y[p.test]
    if p.classes and not p.is_tagged:
        return sections.surest_mistakes(output, y, most)
    gaps = np.abs(output - y)
    gaps = gaps.max(1) if p.is_tagged else gaps
    order = np.argsort(-gaps, kind="stable")
    return order[gaps[order] > (SAID if p.is_tagged else 0)][:most].tolist()


def _mistakes(report: Report, p: ImageProblem, f: Findings) -> None:
    worst = worst_images(p, f, MISTAKES)
    if not worst:
        return
    truths = _told(p, p.test[worst])
    if p.is_tagged:
        answers = say_tags(f.output[worst], p.labels).tolist()
    else:
        answers = [str(p.labels[int(f.output[k].argmax())]) if p.classes else f"{f.output[k]:.4g}" for k in worst]  # fmt: skip
    said = [f"{a or 'none'}, not {t or 'none'}"[:TITLE] for a, t in zip(answers, truths, strict=True)]  # fmt: skip
    worse = "was surest of" if p.classes and not p.is_tagged else "was furthest off with"
    report.figure(
        "mistakes",
        image_grid(p.images[p.test[worst]], said, columns=4, size=1.5),
        caption=f"The mistakes on test images that {f.verdict.recommended} {worse}.",
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
    picture = _seen(p, network, p.test[:1])
    maps = feature_maps(network.module, network.inputs(picture))
    large = [(name, m[0].numpy()) for name, m in maps.items() if m.shape[-1] > 1 and name in convolutions]  # fmt: skip
    step = max(len(large) // LAYERS, 1)
    chosen = {f"layer {k * step + 1}": m for k, (_, m) in enumerate(large[::step][:LAYERS])}
    report.figure(
        "feature-maps",
        feature_map_grid(_shown(picture[0]), chosen),
        caption="What some of its layers make of a test image.",
    )


def _looks(report: Report, p: ImageProblem, f: Findings, network: ImageNetwork, can_hide: bool) -> None:  # fmt: skip
    """Where it looks in typical test images, and in those with the worst mistakes."""
    _, first = np.unique(p.strata_of_test, return_index=True)
    hides = can_hide and bool(p.classes) and not p.is_tagged
    _saliency(report, p, network, "saliency", p.test[first[:LOOKED_AT]], "Where the network looks", hides)  # fmt: skip
    worst = worst_images(p, f, LOOKED_AT)
    if worst:
        words = f"Where the network looks in mistakes of {f.verdict.recommended}"
        _saliency(report, p, network, "saliency-of-mistakes", p.test[worst], words, False)


def _saliency(report: Report, p: ImageProblem, network: ImageNetwork, name: str, rows: np.ndarray, words: str, hides: bool) -> None:  # fmt: skip
    pictures = _seen(p, network, rows)
    x = network.inputs(pictures)
    with torch.no_grad():
        said = network.module.eval()(x).argmax(1)
    kinds = {
        "gradient": gradient_saliency(network.module, x, said),
        "Grad-CAM": grad_cam(network.module if p.is_tagged else _Contrast(network.module), x, said),
    }
    if hides:
        size = max(x.shape[-1] // HIDDEN, 2)
        stride = size if x.shape[-1] > LARGE else 2
        kinds["hiding patches"] = occlusion_map(network.module, x, said, size=size, stride=stride)
    panels = {}
    for k in range(len(pictures)):
        title = str(p.labels[int(said[k])])[:TITLE] if p.classes else "the number"
        panels[f"image {k + 1}: {title}"] = _shown(pictures[k])
        panels |= {f"{k + 1}: {kind}": maps[k].numpy() for kind, maps in kinds.items()}
    hiding = ", and how much its probability falls when a patch is hidden" * hides
    report.figure(
        name,
        picture_panels(panels, columns=1 + len(kinds)),
        caption=f"{words}: how much its score changes with each pixel, where its last maps speak for what it says (Grad-CAM){hiding}.",
    )


class _Contrast(nn.Module):
    """Scores beside their mean: only differences of scores tell classes apart."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, x: Tensor) -> Tensor:
        z = self.module(x)
        return z - z.mean(1, keepdim=True) if z.shape[1] > 1 else z


def _shown(picture: np.ndarray) -> np.ndarray:
    return picture[..., 0] / 255.0 if picture.shape[-1] == 1 else picture / 255.0


def usage(p: ImageProblem, f: Findings) -> str:
    """Python lines that use the model folder."""
    return (
        "import gradatim\n\n"
        f"model = gradatim.load_model({str(f.folder)!r})\n"
        'model.predict("new-photos/")             # a folder, or a list of files\n'
        + ('model.predict_proba(["one.jpg"])         # probabilities\n' if p.classes else "")
        + (
            f'model.predict_interval("new-photos/")    # {f.interval_words} that hold 90 %\n'
            if f.interval_words
            else ""
        )
        + ('model.predict("new-photos/", model="network")\n' if f.tuning else "")
    )
