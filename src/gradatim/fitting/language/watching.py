"""What a language model writes while it learns."""

import math
from typing import TYPE_CHECKING

from gradatim.events import Figure, Sample, Stage, Tell
from gradatim.fitting.language.networks import Plan
from gradatim.fitting.work import Work
from gradatim.training import Callback, Trainer
from gradatim.training.history import Record

if TYPE_CHECKING:
    from gradatim.fitting.language.model import LanguageModel

SHOWN = 100  # tokens of a sample


class Watcher(Callback):
    """After every round: tell the bits per character and what the model writes, and keep both for the report.

    Args:
        model: The model that is trained.
        plan: Its plan.
        work: Where samples are kept, so that a resumed run still has them.
        tell: Called with the figure, the sample and the stage.
        prompt: What the model goes on with.
        per_character: Tokens per character.
    """

    def __init__(
        self,
        model: "LanguageModel",
        plan: Plan,
        work: Work,
        tell: Tell,
        *,
        prompt: str,
        per_character: float,
    ) -> None:
        self.model, self.plan, self.work, self.tell = model, plan, work, tell
        self.prompt, self.per_character = prompt, per_character
        self.samples: list[tuple[int, float, str]] = []

    def on_fit_start(self, trainer: Trainer) -> None:
        kept = (self.work.recall(_key(n), dict) for n in range(1, trainer.epoch + 1))
        self.samples = [(k["round"], k["bits"], k["sample"]) for k in kept if k]

    def on_epoch_end(self, trainer: Trainer, record: Record) -> None:
        done, rounds = int(record["epoch"]), self.plan.rounds
        bits = record["validation_loss"] / math.log(2) * self.per_character
        sample = self.model.generate(self.prompt, SHOWN, temperature=0.8)
        self.samples.append((done, bits, sample))
        self.work.put(_key(done), {"round": done, "bits": bits, "sample": sample})
        told = f"round {done} of {rounds}: {bits:.3f} bits per character"
        self.tell(Figure("bits per character", bits, done))
        self.tell(Sample(told, sample))
        self.tell(Stage(told, 0.15 + 0.75 * done / rounds))


def _key(done: int) -> str:
    return f"round-{done}"
