"""Pictures as a medium: read, split, learned as pixels, judged in the features of a classifier trained on them."""

import hashlib
from base64 import b64encode
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.errors import InvalidValue
from gradatim.events import Stage, Tell
from gradatim.fitting.generative.copies import copying_concerns
from gradatim.fitting.generative.images import sections
from gradatim.fitting.generative.images.batches import PictureDraws, as_inputs
from gradatim.fitting.generative.images.drawing import grid_png, in_blocks
from gradatim.fitting.generative.images.judging import Bench, PictureFigures, train_eye
from gradatim.fitting.generative.images.model import (
    GAUSSIAN,
    MIXTURE,
    PictureGenerator,
    draw_labels,
    whole_numbers,
)
from gradatim.fitting.generative.images.networks import MAKERS, PictureMaker
from gradatim.fitting.generative.images.reading import (
    Pictures,
    read_arrays,
    read_folder,
    read_set,
)
from gradatim.fitting.generative.kind import GenerativeOptions
from gradatim.fitting.generative.medium import Asked, Look, Maker, Medium, Outcome, Trained
from gradatim.fitting.player import NETWORK
from gradatim.fitting.rounds import Plan
from gradatim.fitting.verdict import Verdict, decide
from gradatim.fitting.work import Work
from gradatim.generative import ImageMixture, SampleWatch, jitter_images, kernel_distance
from gradatim.reports import Concern, Report

REAL, JITTERED = "training images", "jittered training images"
JITTER = 0.02  # of the range from black to white
DEFAULT = "diffusion"
MOST_MADE = 1_000  # pictures that are judged, of each generator
MADE_PER_SECOND = 15  # of the budget, where pictures have 28 × 28 pixels
FEWEST_MADE = 40
MOST_LEARNED = 10_000  # by the classifier and simple generators
LOOKED = 64  # pictures after every round
SHOWN = 36  # of them in the report
IN_WORDS = 10  # of them on a terminal
MOST_PASSES = 500  # over the training pictures
REPORT_SECONDS, JUDGE_SHARE = 4.0, 0.1  # of the budget


def read_images(data: "str | Path | tuple[np.ndarray, np.ndarray]", job: GenerativeOptions) -> "PictureMedium":  # fmt: skip
    """Read as many pictures as the budget allows, or as were asked for.

    Args:
        data: A folder, a built-in name, or pictures with their classes.
        job: What is asked for.
    """
    for name in ("target", "drop"):
        if getattr(job, name):
            got = repr(job.target or job.drop[0])
            raise InvalidValue(f"fit: {name} must be left out for images, got {got}. Subfolders are classes.")  # fmt: skip
    if isinstance(data, tuple):
        return PictureMedium(read_arrays(data, job), job)
    is_folder = Path(data).is_dir()
    return PictureMedium(read_folder(Path(data), job) if is_folder else read_set(str(data), job), job)  # fmt: skip


class PictureMedium(Medium):
    """Pictures that were read.

    Args:
        read: The pictures.
        job: What is asked for.
    """

    things = "images"
    metric = "kernel distance"
    figure = "kernel distance", "kernel distance {:.3g}"

    def __init__(self, read: Pictures, job: GenerativeOptions) -> None:
        self.job, self.name, self.notes, self.read = job, read.name, list(read.notes), read
        everyone = torch.from_numpy(np.ascontiguousarray(np.moveaxis(read.images, 3, 1)))
        codes = torch.from_numpy(read.codes)
        self.train, self.validation, self.held_out = (everyone[rows] for rows in read.places)
        self.labels, self.watched_labels, self.real_labels = (codes[rows] for rows in read.places)
        self.channels, self.side = self.train.shape[1], self.train.shape[2]
        self.classes = read.classes
        counts = torch.bincount(self.labels, minlength=max(len(self.classes), 1)).double()
        self.shares = tuple((counts / counts.sum()).tolist()) if self.classes else ()
        of = f" of {len(self.classes)} classes" if self.classes else ""
        count = sum(map(len, read.places))
        self.headline = (
            f"Generator of {read.name}, {count:,} images{of} of {self.side} × {self.side} pixels,"
        )
        self.title = f"A generator of images like those of {read.name}"

    def fingerprint(self) -> str:
        """The hash of all pixels, classes, and the split."""
        found = hashlib.blake2b(digest_size=16)
        for part in self.read.contents():
            found.update(part)
        return found.hexdigest()

    # --- on the way

    def prepare(self, work: Work | None, tell: Tell) -> None:
        job, unit = self.job, self.train[:MOST_LEARNED].float() / 255
        tell(Stage("training a classifier that judges", 0.02))
        told = self.labels[:MOST_LEARNED] if self.classes else None
        eye = train_eye(unit, told, len(self.classes), job.budget, work, job.seed)
        self.bench = Bench(self.train, self.held_out, eye, job.seed)
        wanted = int(MADE_PER_SECOND * max(job.budget, 1.0) * (28 / self.side) ** 2)
        most = min(MOST_MADE, len(self.held_out), len(self.train))
        self.count = min(max(wanted, FEWEST_MADE), most)
        self.figures: dict[str, PictureFigures] = {}
        self.made: dict[str, Tensor] = {}
        tell(Stage("fitting simple generators", 0.1))
        self.mixtures = {
            GAUSSIAN: ImageMixture.learn(unit, num_gaussians=1, seed=job.seed),
            MIXTURE: ImageMixture.learn(unit, told, seed=job.seed),
        }
        tell(Stage("judging simple generators", 0.12))
        for name, mixture in self.mixtures.items():
            generator = self._draws(1)
            labels = draw_labels(self.shares, self.count, generator)
            own = torch.zeros_like(labels) if mixture.num_classes == 1 else labels
            self._judge(name, whole_numbers(mixture.sample(own, generator=generator)), None if own is not labels else labels)  # fmt: skip

    def _draws(self, number: int) -> torch.Generator:
        return torch.Generator().manual_seed(1000 * self.job.seed + number)

    def seconds_to_judge(self, prepared: float) -> float:
        """Pictures of the network are drawn and judged, like those of the simple generators before; then the report."""
        return 0.3 * prepared + JUDGE_SHARE * self.job.budget + REPORT_SECONDS

    def most_steps(self, plan: Plan) -> int:
        return MOST_PASSES * len(self.train) // plan.batch_size

    def makers(self) -> list[Maker]:
        return [self._maker(self.job.model or DEFAULT)]

    def _maker(self, name: str) -> PictureMaker:
        count = len(self.classes) or None
        maker = MAKERS[name](self.channels, self.side, count)

        def watch() -> SampleWatch:
            x = as_inputs(self.validation, maker.low, maker.padded)
            labels = self.watched_labels if self.classes else None
            return SampleWatch(x, labels, features=self.bench.eye, seed=self.job.seed)

        maker.watch = watch
        return maker

    def batches(self, maker: Maker, plan: Plan) -> tuple[object, object]:
        assert isinstance(maker, PictureMaker)
        train = PictureDraws(
            self.train, self.labels, low=maker.low, padded=maker.padded, batch_size=plan.batch_size, num_batches=plan.steps,
            seed=plan.seed,
        )  # fmt: skip
        some = slice(4 * self.count)
        return train, (as_inputs(self.validation[some], maker.low, maker.padded), self.watched_labels[some])  # fmt: skip

    def _draw(self, maker: Maker, network: nn.Module, count: int, number: int) -> tuple[Tensor, Tensor]:  # fmt: skip
        """Pictures of a network, whole numbers, and their classes."""
        generator = self._draws(number)
        labels = draw_labels(self.shares, count, generator)
        asked = Asked(labels if self.classes else None)
        return whole_numbers(maker.draw(network, count, asked, generator=generator)), labels

    def look(self, maker: Maker, network: nn.Module) -> Look:
        made, labels = self._draw(maker, network, min(LOOKED, len(self.validation)), 2)
        pictures = np.moveaxis(made[labels.argsort(stable=True)].numpy(), 1, 3)
        few, some = (pictures[np.linspace(0, len(pictures) - 1, min(n, len(pictures))).astype(int)] for n in (IN_WORDS, SHOWN))  # fmt: skip
        figure = self._distance(made, self.validation[: 4 * len(made)])
        return Look(figure, in_blocks(few), b64encode(grid_png(some)).decode())

    def _distance(self, made: Tensor, real: Tensor) -> float:
        eye = self.bench.eye
        return float(kernel_distance(eye(made.float() / 255), eye(real.float() / 255)))

    def choose_by(self, maker: Maker, network: nn.Module) -> float:
        made, _ = self._draw(maker, network, min(2 * LOOKED, len(self.validation)), 3)
        return self._distance(made, self.validation[: 4 * len(made)])

    # --- at the end

    def _judge(self, name: str, made: Tensor, labels: Tensor | None, *, is_real: bool = False) -> None:  # fmt: skip
        self.made[name] = made
        self.figures[name] = self.bench.judge(made, labels, is_real=is_real)

    def judge(self, best: Trained | None, tell: Tell) -> Verdict:
        if best is not None:
            made, labels = self._draw(best.maker, best.network, self.count, 4)
            self._judge(NETWORK, made, labels if self.classes else None)
        jittered = jitter_images(self.train[:MOST_LEARNED].float() / 255, self.count, width=JITTER, generator=self._draws(5))  # fmt: skip
        self._judge(JITTERED, whole_numbers(jittered), None)
        rows = torch.randperm(len(self.train), generator=self._draws(6))[: self.count]
        self._judge(REAL, self.train[rows], self.labels[rows] if self.classes else None, is_real=True)  # fmt: skip
        losses = {name: self.figures[name].losses for name in self.mixtures}
        network = None if best is None else self.figures[NETWORK].losses
        return decide(losses, network, 0.0, self.metric)

    def worries(self, recommended: str) -> list[Concern]:
        found = []
        for name in dict.fromkeys((recommended, NETWORK)):
            own = self.figures.get(name)
            if own is not None:
                found += copying_concerns(name, self.things, own.judged["copying"], own.repeats, len(self.made[name]))  # fmt: skip
        return found

    def model(self, best: Trained | None, verdict: Verdict) -> PictureGenerator:
        network, maker = (None, None) if best is None else (best.network.eval(), best.maker.name)
        return PictureGenerator(self.side, self.channels, tuple(self.classes), self.shares, self.mixtures, verdict.recommended, network, maker)  # fmt: skip

    def about(self) -> dict[str, Any]:
        return {
            "training_images": len(self.train),
            "test_images": len(self.held_out),
            "test": {name: sections.plain_figures(own) for name, own in self.figures.items()},
        }

    def describe(self, report: Report) -> None:
        sections.describe_data(report, self)

    def explain(self, report: Report, outcome: Outcome) -> None:
        sections.explain(report, self, outcome)

    def usage(self, outcome: Outcome) -> str:
        return sections.usage(self, outcome)

    def command(self, outcome: Outcome) -> str:
        return f"gradatim sample {outcome.folder} -n 100 -o grid.png"
