"""Pairs of sentences on their way to a translator: train, judge by BLEU on sentences set aside."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gradatim.data.pairs import Pair, Parts, read_pairs, split_pairs
from gradatim.data.tokenizers import BytePairTokenizer, Tokenizer, rebuild_tokenizer
from gradatim.errors import InvalidValue
from gradatim.events import Stage, Tell
from gradatim.fitting.course import Course, Outcome
from gradatim.fitting.player import NETWORK
from gradatim.fitting.rounds import Plan
from gradatim.fitting.translation import networks, sections
from gradatim.fitting.translation.batches import PairBatches
from gradatim.fitting.translation.judging import (
    bleu,
    block_distances,
    chrf,
    load_scorer,
    look_up,
)
from gradatim.fitting.translation.kind import TranslationOptions
from gradatim.fitting.translation.model import TranslationModel
from gradatim.fitting.translation.networks import CONTEXT, make_plan
from gradatim.fitting.verdict import Verdict, decide
from gradatim.fitting.work import Work
from gradatim.models import Transformer
from gradatim.reports import Concern, Report

COPY, MEMORY, GREEDY = "the source itself", "translation memory", "network, greedy"
PAIRS, JUDGED = 1_500, 5  # pairs read and sentences judged per second of the budget
MOST_JUDGED = 2_000


def read_course(data: "str | Path", job: TranslationOptions) -> "TranslationCourse":
    """Read as many pairs as the budget allows, or as were asked for.

    Args:
        data: A file with a sentence, a tab and its translation a line, or a translation set of the catalogue.
        job: What is asked for.
    """
    if not isinstance(data, str | Path):
        raise InvalidValue(
            f"fit: data must be a file of pairs for a translator, got a {type(data).__name__}."
        )
    load_scorer()
    name, pairs = Path(data).name.split(".")[0], read_pairs(data)
    most = job.rows or int(PAIRS * max(job.budget, 1.0))
    if len(pairs) <= most:
        return TranslationCourse(name, pairs, job)
    rows = np.sort(np.random.default_rng(job.seed).permutation(len(pairs))[:most])
    note = f"A random sample of {most:,} of {len(pairs):,} pairs is used (a longer --budget or --rows takes more)."
    return TranslationCourse(name, [pairs[k] for k in rows], job, notes=[note])


class TranslationCourse(Course):
    """Pairs of sentences that were read.

    Args:
        name: Short name of the data.
        pairs: The pairs, all or a sample.
        job: What is asked for.
        notes: What was done to them, one sentence each.
    """

    task, metric, material = "translation", "distance to 100 BLEU", "pairs"
    figure = "validation loss", "loss {:.3f}"
    stretch, spare = (0.1, 0.85), 3.0
    judging = "translating the test sentences"
    doubt = Concern(
        "The network translates no better than looking up the nearest sentence does",
        remedy="Give it a longer --budget or more pairs before you rely on it",
    )
    remedy = "More pairs"

    tokenizer: Tokenizer
    parts: Parts
    train: PairBatches
    validation: PairBatches
    contestants: dict[str, sections.Contestant]  # what each wrote for the test sentences

    def __init__(
        self, name: str, pairs: list[Pair], job: TranslationOptions, *, notes: Sequence[str] = ()
    ) -> None:
        super().__init__()
        self.name, self.pairs, self.job, self.notes = name, pairs, job, list(notes)
        self.title = f"A translator of {name}"
        self.headline = f"Translator of {name}, {len(pairs):,} pairs"

    def fingerprint(self) -> str:
        """A hash of all pairs."""
        return hashlib.blake2b(repr(self.pairs).encode(), digest_size=16).hexdigest()

    def prepare(self, work: Work, tell: Tell) -> None:
        """Split the pairs, and learn the tokens from the training part."""
        job = self.job
        parts = split_pairs(self.pairs, float(job.test), job.seed)
        asked = min(max(int(JUDGED * job.budget), 100), MOST_JUDGED)
        every = max(len(parts.validation) // 1000, 1)  # files may be sorted by length
        self.parts = Parts(parts.train, parts.validation[::every], parts.test[:asked])
        tell(Stage("learning the tokens", 0.05))
        self.tokenizer = rebuild_tokenizer(work.recall("tokenizer", self._learn_tokens))
        self.train = PairBatches(parts.train, self.tokenizer, CONTEXT, batch_size=1, seed=job.seed)
        self.validation = PairBatches(
            self.parts.validation, self.tokenizer, CONTEXT, batch_size=128
        )
        if self.train.left_out:
            self.notes.append(f"{self.train.left_out:,} pairs longer than {CONTEXT} tokens are left out of training.")  # fmt: skip
        self.notes.append(
            f"Both languages are cut into {self.tokenizer.vocab_size:,} byte pairs, learned from the training part. "
            "Sentences of the test do not occur in it."
        )

    def _learn_tokens(self) -> dict[str, Any]:
        texts = [text for pair in self.parts.train for text in pair]
        pieces = min(max(sum(map(len, texts)) // 1000, 300), 2700)
        return BytePairTokenizer.train(texts, vocab_size=256 + pieces).describe()

    def plan(self, seconds: float) -> Plan:
        """The network that the time allows."""
        return make_plan(self.train, self.tokenizer, seconds=seconds, seed=self.job.seed)

    def build(self, plan: Plan) -> Transformer:
        """A fresh network."""
        return networks.build_network(plan, self.tokenizer)

    def batches(self, plan: Plan) -> tuple[object, object]:
        """Pairs of a round, drawn anew for each, and those it is judged by."""
        self.train.batch_size, self.train.num_batches = plan.batch_size, plan.steps
        return self.train, self.validation

    def learning(self, plan: Plan) -> dict[str, Any]:
        """Loss, rate and schedule."""
        return networks.learning(plan)

    def model(self, network: Transformer) -> TranslationModel:
        """The network with its tokenizer."""
        return TranslationModel(network, self.tokenizer, about={"data": self.name})

    def look(self, model: TranslationModel, loss: float) -> tuple[float, str]:
        """The loss, and what the model makes of a few sentences."""
        texts = list(dict.fromkeys(pair.source for pair in self.parts.validation))[:3]
        written = model.translate(texts, num_beams=1)
        lines = [f"{text} → {out}" for text, out in zip(texts, written, strict=True)]
        return loss, "\n".join(lines)

    def judge(self, model: TranslationModel) -> Verdict:
        """BLEU of the test sentences, block by block."""
        test = self.parts.test
        texts = [question.source for question in test]
        written = {
            COPY: texts,
            MEMORY: look_up(self.parts.train, test),
            GREEDY: model.translate(texts, num_beams=1),
            NETWORK: model.translate(texts),
        }
        self.contestants = {
            name: sections.Contestant(out, bleu(out, test), chrf(out, test))
            for name, out in written.items()
        }
        distances = {name: block_distances(written[name], test) for name in (COPY, MEMORY, NETWORK)}
        network = distances.pop(NETWORK)
        return decide(distances, network, 0.0, self.metric)

    def about(self) -> dict[str, Any]:
        """Sizes, and scores of every contestant."""
        return {
            "training_pairs": len(self.parts.train),
            "test_sentences": len(self.parts.test),
            "test": {n: {"BLEU": c.bleu, "chrF": c.chrf} for n, c in self.contestants.items()},
        }

    def describe(self, report: Report, outcome: Outcome) -> None:
        """Add sizes of parts and network."""
        sections.describe_data(report, self, outcome)

    def explain(self, report: Report, outcome: Outcome) -> None:
        """Add scores, examples, where the network looks, and its learning curves."""
        sections.explain(report, self, outcome)

    def usage(self, outcome: Outcome) -> str:
        """How to translate."""
        return sections.usage(self, outcome)
