"""ResNet-20 with the weights its re-implementer published: the test error is the one he printed."""

from dataclasses import dataclass

import numpy as np
import torch
from sklearn.metrics import confusion_matrix as count_confusions

from gradatim.data import load
from gradatim.data.entries import require_cached
from gradatim.experiments._mistakes import most_confident_mistakes
from gradatim.models import published_resnet
from gradatim.plots import confusion_matrix, image_grid
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("E5", "E3", "B2")
KEYWORDS = "residual network, pretrained weights, skip connections, CIFAR-10"
# Test errors in per cent by depth: He et al. (2016), table 6, and Idelbayev's list of his own weights.
PAPER = {20: 8.75, 32: 7.51, 44: 7.17, 56: 6.97, 110: 6.43}
PRINTED = {20: 8.27, 32: 7.37, 44: 6.90, 56: 6.61, 110: 6.32}
PARAMETERS = {20: 269_722, 32: 464_154, 44: 658_586, 56: 853_018, 110: 1_727_962}


@dataclass(frozen=True)
class Settings:
    """Depth of the network (20, 32, 44, 56 or 110), and how many test images it sees."""

    seed: int = 0
    depth: int = 20
    test_rows: int = 10_000


QUICK = Settings(test_rows=1_000)


def run(settings: Settings) -> Report:
    require_cached("resnet20-published", "cifar10", "cifar10-resnets")
    data = load("cifar10")
    images, labels = (part[: settings.test_rows] for part in data.test)
    model, stated = published_resnet(settings.depth)
    logits = Trainer(model, batch_size=250).predict(images)
    probabilities = logits.double().softmax(1).numpy()
    error = 100.0 * float(np.mean(probabilities.argmax(1) != labels))
    report = Report(
        title=f"ResNet-{settings.depth} with published weights",
        summary=f"{error:.2f} % error on {len(labels):,} test images of CIFAR-10; the author printed "
        f"{PRINTED[settings.depth]:.2f} %.",
    )
    parameters = sum(p.numel() for p in model.parameters())
    report.claim("size of the network", parameters, equals=PARAMETERS[settings.depth])
    _claim_error(report, settings, error)
    report.table(
        "Test error of the same network",
        columns=["source", "error %"],
        rows=[
            ["measured here, weights of the last epoch", round(error, 2)],
            ["printed by the author for these weights", PRINTED[settings.depth]],
            ["stated in the file, best epoch of the run", round(100 - stated, 2)],
            ["He et al., 2016", PAPER[settings.depth]],
        ],
    )
    report.text(
        "The file states the accuracy of the best epoch of the run, chosen by the test set; its weights are "
        "those of the last epoch. What they reach is the figure the author printed, not the one in the file."
    )
    names = data.target_names or ()
    counts = count_confusions(labels, probabilities.argmax(1), labels=range(10))
    report.figure(
        "confusion", confusion_matrix(counts, names), caption="Test images by true class."
    )
    shown, titles = most_confident_mistakes(
        probabilities, torch.as_tensor(images), labels, 24, names
    )
    report.figure(
        "mistakes",
        image_grid(shown, titles, columns=6, size=1.2),
        caption="The mistakes the network is most sure of, true → predicted.",
    )
    return report


def _claim_error(report: Report, settings: Settings, error: float) -> None:
    """The printed figure to its last digit on all test images; within chance on a part of them."""
    printed = PRINTED[settings.depth]
    if settings.test_rows >= 10_000:
        room = 0.011  # one image in ten thousand may fall on the other side by rounding
    else:
        room = 3 * float(np.sqrt(printed * (100 - printed) / settings.test_rows))
    report.claim(
        "test error",
        expected=f"{printed:.2f} ± {room:.2g} %",
        measured=round(error, 2),
        holds=abs(error - printed) <= room,
    )
