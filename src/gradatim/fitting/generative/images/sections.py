"""The report of a generator of pictures: figures of all generators, pictures side by side, near copies."""

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from gradatim.fitting.generative.figures import SAID, percent_with_ends, with_ends
from gradatim.fitting.generative.images.judging import PictureFigures
from gradatim.fitting.generative.medium import Outcome
from gradatim.fitting.player import NETWORK
from gradatim.generative import Estimate, mean_interval, nearest_rows
from gradatim.plots.bars import comparison_bars
from gradatim.plots.latent import image_rows
from gradatim.reports import Report
from gradatim.wording import shorten

if TYPE_CHECKING:
    from gradatim.fitting.generative.images.medium import PictureMedium

SIDE_BY_SIDE = 12  # pictures of each
CLOSEST = 8
COMPARED = 20_000  # training pictures among which the nearest are looked for, where they have 28 × 28 pixels
NAMED = 12  # classes


def plain_figures(own: PictureFigures) -> dict[str, Any]:
    """Figures as plain data.

    Args:
        own: Of a generator.
    """
    return {
        "kernel distance": float(own.losses.mean()),
        **{name: list(estimate) for name, estimate in own.judged.items() if name != "kernel_distance"},
        "agreement": None if own.agreement is None else list(own.agreement),
        "repeats": None if own.repeats is None else own.repeats.total,
    }  # fmt: skip


def describe_data(report: Report, medium: "PictureMedium") -> None:
    """Add pictures and classes.

    Args:
        report: Where to write.
        medium: The pictures.
    """
    names = [shorten(name, 30) for name in medium.classes[:NAMED]]
    told = ", ".join(names) + (", …" if len(medium.classes) > NAMED else "")
    report.table(
        "Data",
        columns=["", "value"],
        rows=[
            ["training images", f"{len(medium.train):,}"],
            ["validation images, which the training is watched on", f"{len(medium.validation):,}"],
            ["held-out images, used once", f"{len(medium.held_out):,}"],
            ["pixels", f"{medium.side} × {medium.side}, {'grey' if medium.channels == 1 else 'colours'}"],
            ["classes that may be asked for", told or "none"],
        ],
    )  # fmt: skip


def explain(report: Report, medium: "PictureMedium", outcome: Outcome) -> None:
    """Add figures and pictures of all generators.

    Args:
        report: Where to write.
        medium: The pictures, judged.
        outcome: What the course found.
    """
    _figures(report, medium, outcome)
    with report.attempt("the figure of the test"):
        found = {name: own.judged["frechet_distance"] for name, own in medium.figures.items()}
        report.figure(
            "distances",
            comparison_bars(
                {name: own.value for name, own in found.items()},
                label="Fréchet distance to held-out images",
                intervals={name: (own.low, own.high) for name, own in found.items()},
                highlight=outcome.verdict.recommended,
            ),
            caption="In the features of a classifier that was trained here: comparable with each other and with nothing else.",
        )
    with report.attempt("images side by side"):
        _side_by_side(report, medium)
    with report.attempt("the closest images"):
        _closest(report, medium)


def _figures(report: Report, medium: "PictureMedium", outcome: Outcome) -> None:
    """Add the table of the test."""
    has_classes = bool(medium.classes)
    columns = ["generator", medium.metric, "Fréchet distance", "precision", "recall"]
    columns += ["agrees with its class"] if has_classes else []
    rows = []
    for name, own in medium.figures.items():
        mark = " ←" if name == outcome.verdict.recommended else ""
        kernel = mean_interval(torch.as_tensor(own.losses))
        some = (own.judged[key] for key in ("frechet_distance", "precision", "recall"))
        cells = [name + mark, *map(with_ends, (kernel, *some))]
        cells += [percent_with_ends(own.agreement)] if has_classes else []
        copied = percent_with_ends(own.judged.get("copying"))
        rows.append([*cells, copied, None if own.repeats is None else own.repeats.unique])
    report.table(
        f"Test, {len(medium.held_out):,} held-out images, used once, beside {medium.count:,} of each generator, {SAID}",
        columns=[*columns, "nearer to a training image", "unique images repeated"],
        rows=rows,
    )
    words = (
        "The kernel distance to held-out images decides, and is 0 for images as good as real ones; the Fréchet distance is larger for "
        "fewer images, so that only figures of this table can be compared. Both are in the features of a small classifier trained "
        "here: they are no Inception distances, and comparable with no others. Precision is the share of images that lie among "
        "held-out ones, recall the share of held-out ones that lie among them. Of images that copy nothing, 50 % are nearer to a "
        "training image than to any of as many held-out ones. Jittered training images are what copying looks like, and never "
        "recommended."
    )
    told = medium.figures["training images"].agreement
    if told is not None:
        words += f" The classifier agrees with the class of {_share(told)} of training images."
    else:
        words += " There are no classes: the classifier learned by how many quarter turns an image was turned."  # fmt: skip
    report.text(words)


def _share(own: Estimate) -> str:
    return f"{100 * own.value:.0f} %"


def _side_by_side(report: Report, medium: "PictureMedium") -> None:
    """Add a row of each."""
    own = {"held-out images": medium.held_out, **{name: x for name, x in medium.made.items() if name != "training images"}}  # fmt: skip
    count = min(SIDE_BY_SIDE, *map(len, own.values()))
    rows = {name.split(" training")[0]: x[:count].float() / 255 for name, x in own.items()}
    report.figure("side-by-side", image_rows(rows), caption="Not chosen: the first of each.")


def _closest(report: Report, medium: "PictureMedium") -> None:
    """Add the pictures of the network that lie nearest to a training picture, each above it."""
    if NETWORK not in medium.made:
        return
    made = medium.made[NETWORK].float() / 255
    train = medium.train[: max(COMPARED * 28 * 28 // made[0].numel(), 500)].float() / 255
    gaps, places = nearest_rows(made, train)
    order = gaps[:, 0].argsort(stable=True)[:CLOSEST]
    report.figure(
        "closest",
        image_rows({"network": made[order], "nearest\ntraining image": train[places[order, 0]]}),
        caption="The network's images that lie nearest to a training image, and below each that training image.",
    )
    report.table(
        "How near they lie, beside how near held-out images lie to training images",
        columns=["", "the nearest", "one in two"],
        rows=[
            [name, float(own.min()), float(np.median(own))]
            for name, own in (
                ("network", gaps[:, 0].numpy()),
                ("held-out images", nearest_rows(medium.held_out[: len(made)].float() / 255, train)[0][:, 0].numpy()),
            )
        ],
    )  # fmt: skip


def usage(medium: "PictureMedium", outcome: Outcome) -> str:
    """Lines that use the model folder, from the shell and from Python.

    Args:
        medium: The pictures.
        outcome: What the course found.
    """
    asked = ""
    if medium.classes:
        asked = f"some = model.sample(100, label={medium.classes[0]!r})  # of one class\n"
    return (
        f"# gradatim sample {outcome.folder} -n 100 -o grid.png\n"
        f"# gradatim sample {outcome.folder} -n 1000 -o images\n"
        "import gradatim\n\n"
        f"model = gradatim.load_model({str(outcome.folder)!r})\n"
        "made = model.sample(100, seed=0)\n"
        f"made.images  # whole numbers from 0 to 255, shape (100, {medium.side}, {medium.side}, {medium.channels})\n"
        f"{asked}"
        f"model.generators  # {', '.join(outcome.model.generators)}; which= takes one\n"
    )
