"""What the report says of masks: samples, overlap by class, borders, and the best and worst images."""

from itertools import pairwise

import numpy as np
from scipy.ndimage import distance_transform_edt

from gradatim.evaluation import count_pixels, draw_overlaps, measure_overlap
from gradatim.fitting.findings import Findings
from gradatim.fitting.masks.networks import MaskSettings
from gradatim.fitting.masks.problem import MaskProblem
from gradatim.fitting.sections import LISTED
from gradatim.plots import comparison_bars, confusion_matrix
from gradatim.plots.masks import mask_rows
from gradatim.reports import Report
from gradatim.wording import percent, shorten

SAMPLES = 3
BANDS = (1, 2, 4, 8)  # pixels from the nearest border
TITLE = 18  # letters of a file name above its image
MOST_CONFUSED = 30  # classes of a matrix that can be read
FLIPS = {
    "none": "as they are",
    "horizontal": "mirrored left to right",
    "both": "mirrored in both directions",
}


def plain_class(p: MaskProblem) -> int:
    """The most frequent class, which figures leave unpainted."""
    return int(np.bincount(p.y[p.train].ravel(), minlength=p.classes).argmax())


def describe_data(report: Report, p: MaskProblem) -> None:
    """Add sizes and classes, and some images with their masks."""
    shares = np.bincount(p.y[p.train].ravel(), minlength=p.classes) / p.y[p.train].size
    shown = [
        f"{name} {percent(share, digits=3)}" for name, share in zip(p.labels, shares, strict=True)
    ]
    low, high = p.sizes.min(0), p.sizes.max(0)
    sizes = f"{low[1]} × {low[0]}" + ("" if (low == high).all() else f" to {high[1]} × {high[0]}")
    report.table(
        "Data",
        columns=["", "value"],
        rows=[
            ["task", p.task],
            ["training images", f"{len(p.train):,}"],
            ["test images", f"{len(p.test):,}"],
            ["sizes", f"{sizes} pixels"],
            ["seen as", f"{p.side} × {p.side} pixels, {'grey' if p.images.shape[3] == 1 else 'colour'}"],
            ["classes, share of pixels", ", ".join(shown[:LISTED]) + (", …" if p.classes > LISTED else "")],
        ],
    )  # fmt: skip
    with report.attempt("the samples"):
        rows = p.train[:: max(len(p.train) // SAMPLES, 1)][:SAMPLES]
        report.figure(
            "samples",
            mask_rows(p.images[rows], {"mask": p.y[rows]}, p.labels, titles=[shorten(p.files[k], TITLE) for k in rows], plain=plain_class(p)),
            caption=f"Some of the training images; {p.labels[plain_class(p)]!r}, the most frequent class, is not painted.",
        )  # fmt: skip


def describe_network(s: MaskSettings) -> list[tuple[str, object]]:
    """Settings of the network, for people."""
    return [
        ("architecture", "U-Net"),
        ("channels of the first level", s.width),
        ("levels", s.depth),
        ("training images are", FLIPS[s.flips]),
        ("share of the Dice loss", s.dice),
        ("weight decay", s.weight_decay),
        ("learning rate", s.lr),
    ]


def judge_figures(report: Report, p: MaskProblem, f: Findings) -> None:
    """Add overlap by class, the best, a middling and the worst image, confusion, and errors near borders."""
    said = f.output.argmax(1)
    counts = count_pixels(p.y[p.test], said, p.classes)
    with report.attempt("the overlap of classes"):
        _by_class(report, p, f, counts)
    with report.attempt("the test images"):
        _examples(report, p, f, counts, said)
    with report.attempt("the confusion of pixels"):
        if p.classes <= MOST_CONFUSED:
            report.figure("confusion", confusion_matrix(counts.sum(0), p.labels), caption=f"{f.verdict.recommended}: pixels of the test images.")  # fmt: skip
    with report.attempt("the borders"):
        _borders(report, p, f)


def _by_class(report: Report, p: MaskProblem, f: Findings, counts: np.ndarray) -> None:
    """Overlap of every class on the test images, with intervals over images."""
    whole, drawn = measure_overlap(counts.sum(0)), draw_overlaps(counts)
    drawn_all = np.concatenate([drawn.iou, drawn.mean_iou[:, None]], axis=1)
    shares = counts.sum((0, 2)) / counts.sum()
    rows, bars, ends = [], {}, {}
    for k, name in enumerate([*p.labels, "mean"]):
        is_mean = k == p.classes
        iou = float(whole.mean_iou if is_mean else whole.iou[k])
        if np.isnan(iou):
            rows.append([name, shares[k], None, "in no test image, and not predicted", None])
            continue
        low, high = np.nanquantile(drawn_all[:, k], [0.025, 0.975])
        dice = float(whole.mean_dice if is_mean else whole.dice[k])
        rows.append([name, 1.0 if is_mean else shares[k], iou, f"{low:.3f} to {high:.3f}", dice])
        bars[name], ends[name] = iou, (float(low), float(high))
    report.table(
        f"Overlap on the test images: {f.verdict.recommended}",
        columns=["class", "share of pixels", "IoU", "95 % interval over images", "Dice"],
        rows=rows,
    )
    report.text(
        "IoU and Dice of a class are over the pixels of all test images together, at the size that models see. A class that is "
        "in no image and never predicted is left out of the mean; one that is predicted and never there counts as 0. Intervals "
        "are of images drawn with replacement."
    )
    report.figure(
        "overlap",
        comparison_bars(bars, label="IoU on the test images", intervals=ends, highlight="mean"),
        caption=f"{f.verdict.recommended}: overlap by class, with 95 % intervals over images.",
    )


def _examples(report: Report, p: MaskProblem, f: Findings, counts: np.ndarray, said: np.ndarray) -> None:  # fmt: skip
    """The best, a middling and the worst test image under its true and its predicted mask."""
    overlap = measure_overlap(counts).mean_iou
    order = np.argsort(-overlap, kind="stable")
    chosen = {"best": order[0], "middle": order[len(order) // 2], "worst": order[-1]}
    rows = list(chosen.values())
    titles = [
        f"{word}: {shorten(p.files[p.test[k]], TITLE)}, {overlap[k]:.2f}"
        for word, k in chosen.items()
    ]
    report.figure(
        "masks",
        mask_rows(p.images[p.test[rows]], {"true": p.y[p.test[rows]], "predicted": said[rows]}, p.labels, titles=titles, plain=plain_class(p)),
        caption=f"{f.verdict.recommended} on the test images with the best, a middling and the worst mean IoU.",
    )  # fmt: skip


def border_distance(mask: np.ndarray) -> np.ndarray:
    """How far every pixel is from the nearest pixel at a border between classes; infinite where there is none.

    Args:
        mask: Class of every pixel, shape ``(H, W)``.

    Example:
        >>> border_distance(np.array([[0, 0, 0, 1, 1]])).tolist()
        [[2.0, 1.0, 0.0, 0.0, 1.0]]
    """
    border = np.zeros(mask.shape, dtype=bool)
    down, right = mask[1:] != mask[:-1], mask[:, 1:] != mask[:, :-1]
    border[1:] |= down
    border[:-1] |= down
    border[:, 1:] |= right
    border[:, :-1] |= right
    if not border.any():
        return np.full(mask.shape, np.inf)
    return distance_transform_edt(~border)


def in_bands(distance: np.ndarray) -> dict[str, np.ndarray]:
    """Which pixels lie how far from a border, by words; every pixel is in one band.

    Args:
        distance: Of :func:`border_distance`, any shape.

    Example:
        >>> {words: int(own.sum()) for words, own in in_bands(np.array([0.0, 1.0, 1.5, 9.0, np.inf])).items()}
        {'below 1': 1, '1 to 2': 2, '2 to 4': 0, '4 to 8': 0, '8 and more': 2}
    """
    found = {f"below {BANDS[0]}": distance < BANDS[0]}
    for low, high in pairwise(BANDS):
        found[f"{low} to {high}"] = (distance >= low) & (distance < high)
    return found | {f"{BANDS[-1]} and more": distance >= BANDS[-1]}


def _borders(report: Report, p: MaskProblem, f: Findings) -> None:
    """Errors by distance from the borders of the true masks, of every model."""
    truth = p.y[p.test]
    bands = in_bands(np.stack([border_distance(mask) for mask in truth]))
    wrong = {name: output.argmax(1) != truth for name, output in f.outputs.items()}
    report.table(
        "Errors by distance from a border",
        columns=["pixels from a border", "share of pixels", *(f"wrong: {name}" for name in wrong)],
        rows=[
            [words, float(own.mean()), *(float(bad[own].mean()) for bad in wrong.values())]
            for words, own in bands.items()
            if own.any()
        ],
    )


def usage(p: MaskProblem, f: Findings) -> str:
    """Python lines that use the model folder."""
    return (
        "import gradatim\n\n"
        f"model = gradatim.load_model({str(f.folder)!r})\n"
        'model.predict("one.jpg")                 # its mask, as large as the image\n'
        'gradatim.predict(model, "new-images/", output="masks-out")  # masks as files, and their areas as a table\n'
        + ('model.predict("one.jpg", model="network")\n' if f.tuning else "")
    )
