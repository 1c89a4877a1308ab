"""Look at samples while a generator trains: losses of a game say nothing about them."""

import math

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.events import Warned
from gradatim.generative.frechet import frechet_distance
from gradatim.generative.gan import GAN
from gradatim.generative.judging import Features
from gradatim.generative.manifolds import inside_manifold
from gradatim.training import Callback
from gradatim.training.history import Record
from gradatim.training.trainer import Trainer

LEAST_COVERAGE = 0.2  # what must once have been reached before its loss counts
ALIKE = 0.25  # of the data's spread
FAR = 4.0  # times the best distance


class SampleWatch(Callback):
    r"""Measure samples of a GAN against data after every epoch, say when they go bad, and give back the best weights.

    The record of an epoch gets ``sample_distance``, the Fréchet distance; ``sample_coverage``, the share of data within the
    manifold of samples; and ``sample_spread``, their deviation as a share of the data's.

    *Collapse* is a coverage below half of the best so far, or samples that spread less than a quarter as far as the data.
    *Divergence* is a distance above four times the best. Either is said once, and again after it has passed. When the run
    ends, the weights of the epoch of the smallest distance return.

    Args:
        data: Rows to compare with, shape ``(N, ...)``.
        labels: Their classes, for a model that learned by class.
        features: From rows to features; by default the rows themselves, flat.
        num_samples: Most rows of each kind.
        seed: Of the noise, the same in every epoch.

    Attributes:
        warnings: What was said.
        best_epoch: Epoch of the weights that are given back.

    Example:
        >>> watch = SampleWatch(torch.randn(100, 2))
        >>> watch.warnings
        []
    """

    any_layout = True
    kept = ("best_distance", "best_coverage", "best_epoch", "best_weights", "warnings", "is_bad")

    @takes_arrays
    def __init__(
        self,
        data: Tensor,
        labels: Tensor | None = None,
        *,
        features: Features | None = None,
        num_samples: int = 500,
        seed: int = 0,
    ) -> None:
        rule = "SampleWatch: data must be at least 10 rows"
        require(data.ndim > 1 and len(data) >= 10, rule, tuple(data.shape))
        require(num_samples >= 10, "SampleWatch: num_samples must be at least 10", num_samples)
        generator = torch.Generator().manual_seed(seed)
        chosen = torch.randperm(len(data), generator=generator)[:num_samples]
        self.see = features or (lambda rows: rows.flatten(1))
        self.labels = None if labels is None else labels[chosen]
        self.real, self.seed = self.see(data[chosen]).double(), seed
        self._reset()

    def _reset(self) -> None:
        self.best_distance, self.best_coverage, self.best_epoch = math.inf, 0.0, 0
        self.best_weights: dict[str, Tensor] = {}
        self.warnings: list[str] = []
        self.is_bad = False

    def on_fit_start(self, trainer: Trainer) -> None:
        if trainer.epoch == 0 and trainer.position == 0:
            self._reset()

    def measure(self, model: GAN) -> dict[str, float]:
        """Compare samples of ``model`` with the data."""
        draw = torch.Generator().manual_seed(self.seed)
        made = model.sample(len(self.real), label=self.labels, generator=draw)
        seen = self.see(made.cpu()).double()
        if not bool(torch.isfinite(seen).all()):
            return {"sample_distance": math.inf, "sample_coverage": 0.0, "sample_spread": 0.0}
        spread = (seen.var(0).sum() / self.real.var(0).sum().clamp(min=1e-12)).sqrt()
        return {
            "sample_distance": float(frechet_distance(seen, self.real)),
            "sample_coverage": float(inside_manifold(self.real, seen).double().mean()),
            "sample_spread": float(spread),
        }

    def on_epoch_end(self, trainer: Trainer, record: Record) -> None:
        assert isinstance(trainer.model, GAN)
        found = self.measure(trainer.model)
        record.update(found)
        said = self._fault(found, int(record["epoch"]))
        if said and not self.is_bad:
            self.warnings.append(said)
            if callable(trainer.progress):
                trainer.progress(Warned(said))
        self.is_bad = bool(said)
        self.best_coverage = max(self.best_coverage, found["sample_coverage"])
        if found["sample_distance"] < self.best_distance:
            self.best_distance, self.best_epoch = found["sample_distance"], int(record["epoch"])
            state = trainer.model.state_dict()
            self.best_weights = {name: value.clone() for name, value in state.items()}

    def _fault(self, found: dict[str, float], epoch: int) -> str:
        """What is wrong with the samples of an epoch, in a sentence; empty if nothing is."""
        distance, coverage, spread = found.values()
        kept = f"the weights of epoch {self.best_epoch} are kept" if self.best_epoch else "nothing better is known yet"  # fmt: skip
        if spread < ALIKE and epoch > 1:
            return f"epoch {epoch}: the samples have become alike, their spread is {spread:.0%} of the data's; {kept}."
        if self.best_coverage > LEAST_COVERAGE and coverage < self.best_coverage / 2:
            return f"epoch {epoch}: samples cover {coverage:.0%} of the data, after {self.best_coverage:.0%}; {kept}."
        if distance > FAR * self.best_distance:
            return f"epoch {epoch}: samples are {distance / self.best_distance:.3g} times as far from the data as the best; {kept}."
        return ""

    def on_fit_end(self, trainer: Trainer) -> None:
        if self.best_weights:
            trainer.model.load_state_dict(self.best_weights)
