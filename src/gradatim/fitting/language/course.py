"""A text on its way to a language model: count, train, judge on the last part."""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np

from gradatim.data.corpus import (
    Text,
    Tokens,
    map_tokens,
    read_text,
    split_tokens,
    train_tokenizer,
)
from gradatim.data.tokenizers import Tokenizer, rebuild_tokenizer
from gradatim.errors import InvalidValue
from gradatim.events import Stage, Tell
from gradatim.fitting.course import Course, Outcome
from gradatim.fitting.language import networks, sections
from gradatim.fitting.language.judging import (
    best_ngram,
    block_characters,
    block_scores,
    ngram_bits,
    token_bits,
)
from gradatim.fitting.language.kind import LanguageOptions
from gradatim.fitting.language.model import TORN, LanguageModel
from gradatim.fitting.language.networks import choose_context, make_plan
from gradatim.fitting.player import NETWORK
from gradatim.fitting.rounds import Plan
from gradatim.fitting.verdict import Verdict, decide
from gradatim.fitting.work import Work
from gradatim.models import GPT
from gradatim.reports import Concern, Report
from gradatim.timeseries import NGram

METRIC = "bits per character"
UNIFORM, SINGLE = "characters equally likely", "frequencies"
# read, counted and judged per second of the budget
CHARACTERS, COUNTED, JUDGED = 100_000, 30_000, 1_000
MOST_COUNTED, MOST_JUDGED = 5_000_000, 100_000  # tokens, whatever the budget
SHOWN = 100  # tokens of a sample after a round


def read_course(data: "str | Path", job: LanguageOptions) -> "LanguageCourse":
    """Read as much of a text as the budget allows, or as was asked for.

    Args:
        data: A UTF-8 text file, or a language set of the catalogue.
        job: What is asked for.
    """
    if not isinstance(data, str | Path):
        raise InvalidValue(
            f"fit: data must be a text file for a language model, got a {type(data).__name__}."
        )
    text = read_text(data, job.rows or int(CHARACTERS * max(job.budget, 1.0)))
    return LanguageCourse(text, job)


class LanguageCourse(Course):
    """A text that was read.

    Args:
        text: The text.
        job: What is asked for.
    """

    task, metric, material = "language model", METRIC, "text"
    figure = METRIC, "{:.3f} bits per character"
    stretch, spare = (0.15, 0.9), 2.0
    judging = "judging on the last part"
    doubt = Concern(
        "The network predicts this text no better than counting does",
        remedy="Give it a longer --budget or more text before you rely on what it writes",
    )
    remedy = "A longer text"

    tokenizer: Tokenizer
    tokens: Tokens  # training, validation and test part
    counted: dict[str, NGram]  # what the network must beat, the simplest first
    judged: np.ndarray  # tokens of the test part that are used
    scores: dict[str, np.ndarray]  # bits per character of every contestant on every block of them
    written: list[sections.Sample]  # by the trained network

    def __init__(self, text: Text, job: LanguageOptions) -> None:
        super().__init__()
        self.text, self.job, self.name, self.notes = text, job, text.name, []
        self.title = f"A language model of {text.name}"
        self.headline = f"Language model of {text.name}, {text.characters:,} characters"
        self.context = choose_context(job.budget)

    def fingerprint(self) -> str:
        """The hash of the text."""
        return self.text.digest

    def prepare(self, work: Work, tell: Tell) -> None:
        """Cut the text into tokens and parts, and count."""
        self._cut(work, tell)
        tell(Stage("counting", 0.1))
        budget, tokens, size = self.job.budget, self.tokens, self.tokenizer.vocab_size
        seen = tokens.train[-min(int(COUNTED * max(budget, 10.0)), MOST_COUNTED) :]
        ngram = best_ngram(seen, tokens.validation[-100_000:], size)
        single = NGram(1, size).fit([seen.astype(np.int64)])
        self.counted = {SINGLE: single, f"{ngram.order}-gram": ngram}
        if len(seen) < len(tokens.train):
            self.notes.append(f"Counting used the last {len(seen):,} training tokens.")
        most = max(min(int(JUDGED * budget), MOST_JUDGED), 4 * self.context + 1)
        self.judged = tokens.test[:most]

    def _cut(self, work: Work, tell: Tell) -> None:
        text, job = self.text, self.job
        assert isinstance(job.test, float)
        if text.is_cut:
            self.notes.append(
                f"The first {text.characters:,} characters are used (a longer --budget or --rows takes more)."
            )
        tell(Stage("cutting the text into tokens", 0.05))
        described = work.recall(
            "tokenizer",
            lambda: train_tokenizer(text, job.tokenizer, 1 - float(job.test)).describe(),
        )
        self.tokenizer = rebuild_tokenizer(described)
        tokens = map_tokens(work.folder / "tokens.bin", text, self.tokenizer)
        self.notes.append(
            f"The text is cut into {len(tokens):,} tokens of {self.tokenizer.vocab_size:,} kinds "
            f"({described['name'].replace('_', ' ')}); the last {100 * job.test:.0f} % are held out, half to choose "
            "the best round by, half for the test."
        )
        self.tokens = split_tokens(text.name, tokens, job.test, self.context)

    def plan(self, seconds: float) -> Plan:
        """The network that the time allows."""
        size, train = self.tokenizer.vocab_size, self.tokens.train
        return make_plan(size, train, context=self.context, seconds=seconds, seed=self.job.seed)

    def build(self, plan: Plan) -> GPT:
        """A fresh network."""
        return networks.build_network(plan, self.tokenizer.vocab_size)

    def batches(self, plan: Plan) -> tuple[object, object]:
        """Windows of a round, and those it is judged by."""
        return networks.batches(plan, self.tokens.train, self.tokens.validation)

    def learning(self, plan: Plan) -> dict[str, Any]:
        """Loss, rate and schedule."""
        return networks.learning(plan)

    def model(self, network: GPT) -> LanguageModel:
        """The network with its tokenizer."""
        return LanguageModel(network, self.tokenizer, about={})

    def start_of(self, part: np.ndarray, most: int) -> str:
        """The beginning of a part, half a context of it at the most: nothing that the network has read."""
        start = part[: min(self.context // 2, most)].tolist()
        return self.tokenizer.decode(start).strip(TORN)

    def bits(self, nats: float) -> float:
        """Bits per character of nats of all the first tokens of the validation part."""
        return nats / math.log(2) / max(len(self.tokenizer.decode(self.shown.tolist())), 1)

    @property
    def shown(self) -> np.ndarray:
        """The first tokens of the validation part, by which the learning curve is drawn."""
        return self.tokens.validation[:50_000]

    def look(self, model: LanguageModel, loss: float) -> tuple[float, str]:
        """Bits per character, and how the model goes on with the validation part."""
        prompt = self.start_of(self.tokens.validation, self.context)
        sample = model.generate(prompt, SHOWN, temperature=0.8)
        return self.bits(loss * len(self.shown)), sample

    def judge(self, model: LanguageModel) -> Verdict:
        """Bits per character of the last part, block by block."""
        bits = {NETWORK: token_bits(model.network, self.judged)}
        count = len(bits[NETWORK])
        for name, ngram in self.counted.items():
            bits[name] = ngram_bits(ngram, self.judged, self.context, count)
        characters = block_characters(self.tokenizer, self.judged, self.context, count)
        scores = {name: block_scores(values, characters) for name, values in bits.items()}
        uniform = np.full(len(characters), np.log2(len(self.text.alphabet)))
        simple = {UNIFORM: uniform, **{name: scores[name] for name in self.counted}}
        self.scores = {**simple, NETWORK: scores[NETWORK]}
        self.written = sections.samples(model, self)
        return decide(simple, scores[NETWORK], 0.0, METRIC)

    def counted_bits(self) -> float:
        """Bits per character that counting needs on the validation part, for the learning curve."""
        ngram = list(self.counted.values())[-1]
        return self.bits(-float(ngram.log_probabilities(self.shown.astype(np.int64)).sum()))

    @property
    def word(self) -> str:
        """A word of the text, for examples."""
        words: list[str] = re.findall(r"\w+", self.written[0].prompt)
        return max(words, key=len, default=self.text.alphabet[-1])

    def about(self) -> dict[str, Any]:
        """Tokens, and bits per character of every contestant."""
        return {
            "training_tokens": len(self.tokens.train),
            "test_tokens": len(self.judged),
            "test": {name: {METRIC: float(v.mean())} for name, v in self.scores.items()},
        }

    def describe(self, report: Report, outcome: Outcome) -> None:
        """Add sizes."""
        sections.describe_data(report, self)

    def explain(self, report: Report, outcome: Outcome) -> None:
        """Add bits per character, the network, its learning curve, and what it writes."""
        sections.explain(report, self, outcome)

    def usage(self, outcome: Outcome) -> str:
        """How to go on with a prompt."""
        return sections.usage(self, outcome)

    def command(self, outcome: Outcome) -> str:
        """A first prompt."""
        return f'gradatim generate {outcome.folder} --prompt "{self.word}"'
