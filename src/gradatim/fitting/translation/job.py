"""From pairs of sentences to a translator: train, judge by BLEU on sentences set aside, write a model folder."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from gradatim.data.pairs import Pair, Parts, Sampled, read_pairs, split_pairs
from gradatim.data.tokenizers import BytePairTokenizer, Tokenizer, rebuild_tokenizer
from gradatim.errors import InvalidValue
from gradatim.events import CancelToken, Figure, Sample, Stage, Tell, tell_nobody
from gradatim.fitting.contest import RESERVE, FitResult
from gradatim.fitting.player import NETWORK
from gradatim.fitting.rounds import Deadline, Size, early_end
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
from gradatim.fitting.translation.networks import (
    CONTEXT,
    Plan,
    build_network,
    make_plan,
    train_network,
)
from gradatim.fitting.translation.sections import Contestant, TranslationFindings, make_report
from gradatim.fitting.verdict import Verdict, decide
from gradatim.fitting.work import Work, begin
from gradatim.reports import Concern
from gradatim.training import Callback, History, Trainer
from gradatim.training.history import Record

METRIC = "distance to 100 BLEU"
COPY, MEMORY, GREEDY = "the source itself", "translation memory", "network, greedy"
PAIRS, JUDGED = 1_500, 5  # pairs read and sentences judged per second of the budget
MOST_JUDGED = 2_000


class Watcher(Callback):
    """After every round: tell the loss and what the model makes of a few sentences."""

    def __init__(
        self, model: TranslationModel, plan: Plan, tell: Tell, work: Work, texts: list[str]
    ) -> None:
        self.model, self.plan, self.tell, self.work, self.texts = model, plan, tell, work, texts

    def on_epoch_end(self, trainer: Trainer, record: Record) -> None:
        done, rounds = int(record["epoch"]), self.plan.rounds
        self.work.put(f"round-{done}", record["validation_loss"])
        written = self.model.translate(self.texts, beam_width=1)
        lines = [f"{text} → {out}" for text, out in zip(self.texts, written, strict=True)]
        told = f"round {done} of {rounds}: loss {record['validation_loss']:.3f}"
        self.tell(Figure("validation loss", record["validation_loss"], done))
        self.tell(Sample(told, "\n".join(lines)))
        self.tell(Stage(told, 0.1 + 0.7 * done / rounds))


def read_data(data: "str | Path", job: TranslationOptions) -> Sampled:
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
        return Sampled(name, pairs, [])
    rows = np.sort(np.random.default_rng(job.seed).permutation(len(pairs))[:most])
    note = f"A random sample of {most:,} of {len(pairs):,} pairs is used (a longer --budget or --rows takes more)."
    return Sampled(name, [pairs[k] for k in rows], [note])


def fit_translation(
    read: Callable[[], Sampled],
    job: TranslationOptions,
    *,
    tell: Tell = tell_nobody,
    cancel: CancelToken | None = None,
    started: float | None = None,
) -> FitResult:
    """Train a translator on pairs of sentences, compare it with looking up, and write a model folder.

    Args:
        read: Reads the pairs.
        job: What is asked for, the model folder included.
        tell: Called with what is being done and the share of it that is done.
        cancel: Ends the run when asked to.
        started: Reading of :func:`time.perf_counter` from which the budget counts; now by default.
    """
    with begin(read, job, tell=tell, cancel=cancel, started=started) as (sampled, work):
        return _fit(*sampled, job, work, job.folder, tell)


def _fit(
    name: str,
    pairs: list[Pair],
    notes: list[str],
    job: TranslationOptions,
    work: Work,
    folder: Path,
    tell: Tell,
) -> FitResult:
    start_up = work.elapsed - work.spent
    parts = split_pairs(pairs, float(job.test), job.seed)
    asked = min(max(int(JUDGED * job.budget), 100), MOST_JUDGED)
    validation = parts.validation[
        :: max(len(parts.validation) // 1000, 1)
    ]  # files may be sorted by length
    parts = Parts(parts.train, validation, parts.test[:asked])
    tell(Stage("learning the tokens", 0.05))
    tokenizer = _tokenizer(parts, work)
    end = job.budget * (1 - RESERVE) - start_up - 3.0
    train = PairBatches(parts.train, tokenizer, CONTEXT, batch_size=1, seed=job.seed)
    plan = _plan(train, tokenizer, work, 0.75 * (end - work.elapsed), job.seed)
    train.batch_size, train.num_batches = plan.batch_size, plan.steps
    if train.left_out:
        notes.append(f"{train.left_out:,} pairs longer than {CONTEXT} tokens are left out of training.")  # fmt: skip
    notes.append(
        f"Both languages are cut into {tokenizer.vocab_size:,} byte pairs, learned from the training part. "
        "Sentences of the test do not occur in it."
    )
    model = TranslationModel(build_network(plan, tokenizer), tokenizer, about={"data": name})
    history = _train(model, plan, train, parts, work, tell, end)
    tell(Stage("translating the test sentences", 0.85))
    found, verdict = _judge(model, parts)
    findings = TranslationFindings(
        folder=folder, name=name, pairs=len(pairs), parts=parts, plan=plan, model=model, history=history,
        contestants=found, verdict=verdict, notes=notes, concerns=_concerns(verdict, history, plan),
    )  # fmt: skip
    return _write(model, findings, job, work)


def _tokenizer(parts: Parts, work: Work) -> Tokenizer:
    def learn() -> dict[str, Any]:
        texts = [text for pair in parts.train for text in pair]
        pieces = min(max(sum(map(len, texts)) // 1000, 300), 2700)
        return BytePairTokenizer.train(texts, vocab_size=256 + pieces).describe()

    return rebuild_tokenizer(work.recall("tokenizer", learn))


def _plan(train: PairBatches, tokenizer: Tokenizer, work: Work, seconds: float, seed: int) -> Plan:
    made = work.recall(
        "plan", lambda: asdict(make_plan(train, tokenizer, seconds=seconds, seed=seed))
    )
    return Plan(**{**made, "size": Size(*made["size"])})


def _train(
    model: TranslationModel, plan: Plan, train: PairBatches, parts: Parts, work: Work, tell: Tell, end: float
) -> History:  # fmt: skip
    validation = PairBatches(parts.validation, model.tokenizer, CONTEXT, batch_size=128)
    shown = list(dict.fromkeys(pair.source for pair in parts.validation))[:3]
    return train_network(
        model.network, plan, train, validation, checkpoint=work.folder / "network.safetensors",
        observers=[Watcher(model, plan, tell, work, shown), Deadline(lambda: work.elapsed > end)],
    )  # fmt: skip


def _judge(model: TranslationModel, parts: Parts) -> tuple[dict[str, Contestant], Verdict]:
    texts = [question.source for question in parts.test]
    written = {
        COPY: texts,
        MEMORY: look_up(parts.train, parts.test),
        GREEDY: model.translate(texts, beam_width=1),
        NETWORK: model.translate(texts),
    }
    found = {
        name: Contestant(out, bleu(out, parts.test), chrf(out, parts.test))
        for name, out in written.items()
    }
    distances = {name: block_distances(written[name], parts.test) for name in (COPY, MEMORY, NETWORK)}  # fmt: skip
    network = distances.pop(NETWORK)
    return found, decide(distances, network, 0.0, METRIC)


def _concerns(verdict: Verdict, history: History, plan: Plan) -> list[Concern]:
    concerns = []
    if not verdict.network_wins:
        what = "The network translates no better than looking up the nearest sentence does"
        remedy = "Give it a longer --budget or more pairs before you rely on it"
        concerns.append(Concern(what, remedy=remedy))
    return concerns + early_end(history, plan.rounds, "More pairs")


def _write(
    model: TranslationModel, f: TranslationFindings, job: TranslationOptions, work: Work
) -> FitResult:
    report = make_report(f)
    report.settings, report.seconds = job.settings(), work.elapsed
    model.about = {
        "data": f.name,
        "task": "translation",
        "metric": METRIC,
        "verdict": f.verdict.sentence,
        "training_pairs": len(f.parts.train),
        "test_sentences": len(f.parts.test),
        "test": {name: {"BLEU": c.bleu, "chrF": c.chrf} for name, c in f.contestants.items()},
    }
    model.save(f.folder, report.files())
    return FitResult(f.folder, model, f.verdict, report, work.elapsed, f, f.concerns)
