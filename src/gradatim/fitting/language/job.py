"""From a text file to a language model: count, train, judge on the last part, write a model folder."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

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
from gradatim.events import CancelToken, Stage, Tell, tell_nobody
from gradatim.fitting.contest import RESERVE, FitResult
from gradatim.fitting.language.judging import (
    best_ngram,
    block_characters,
    block_scores,
    ngram_bits,
    token_bits,
)
from gradatim.fitting.language.kind import LanguageOptions
from gradatim.fitting.language.model import LanguageModel
from gradatim.fitting.language.networks import (
    Plan,
    build_network,
    choose_context,
    make_plan,
    train_network,
)
from gradatim.fitting.language.sections import LanguageFindings, make_report, samples
from gradatim.fitting.language.watching import Watcher
from gradatim.fitting.player import NETWORK
from gradatim.fitting.rounds import Deadline, Size, early_end
from gradatim.fitting.verdict import Verdict, decide
from gradatim.fitting.work import Work, begin
from gradatim.reports import Concern
from gradatim.timeseries import NGram
from gradatim.training import History

METRIC = "bits per character"
UNIFORM, SINGLE = "characters equally likely", "frequencies"
# read, counted and judged per second of the budget
CHARACTERS, COUNTED, JUDGED = 100_000, 30_000, 1_000
MOST_COUNTED, MOST_JUDGED = 5_000_000, 100_000  # tokens, whatever the budget


@dataclass
class Reading:
    """A text on its way into a network.

    Args:
        text: What was read.
        tokenizer: How it is cut.
        tokens: Its parts as numbers.
        context: Tokens the network looks at.
        notes: What was done, one sentence each.
    """

    text: Text
    tokenizer: Tokenizer
    tokens: Tokens
    context: int
    notes: list[str]


def read_data(data: "str | Path", job: LanguageOptions) -> Text:
    """Read as much of a text as the budget allows, or as was asked for.

    Args:
        data: A UTF-8 text file, or a language set of the catalogue.
        job: What is asked for.
    """
    if not isinstance(data, str | Path):
        raise InvalidValue(
            f"fit: data must be a text file for a language model, got a {type(data).__name__}."
        )
    return read_text(data, job.rows or int(CHARACTERS * max(job.budget, 1.0)))


def fit_language(
    read: Callable[[], Text],
    job: LanguageOptions,
    *,
    tell: Tell = tell_nobody,
    cancel: CancelToken | None = None,
    started: float | None = None,
) -> FitResult:
    """Train a language model on a text, compare it with counting, and write a model folder.

    Args:
        read: Reads the text.
        job: What is asked for, the model folder included.
        tell: Called with what is being done and the share of it that is done.
        cancel: Ends the run when asked to.
        started: Reading of :func:`time.perf_counter` from which the budget counts; now by default.
    """
    with begin(read, job, tell=tell, cancel=cancel, started=started) as (text, work):
        return _fit(text, job, work, job.folder, tell)


def _fit(text: Text, job: LanguageOptions, work: Work, folder: Path, tell: Tell) -> FitResult:
    start_up = work.elapsed - work.spent
    reading = _read(text, job, work, tell)
    tell(Stage("counting", 0.1))
    most = min(int(COUNTED * max(job.budget, 10.0)), MOST_COUNTED)
    counted = reading.tokens.train[-most:]
    ngram = best_ngram(counted, reading.tokens.validation[-100_000:], reading.tokenizer.vocab_size)
    single = NGram(1, reading.tokenizer.vocab_size).fit([counted.astype(np.int64)])
    if len(counted) < len(reading.tokens.train):
        reading.notes.append(f"Counting used the last {len(counted):,} training tokens.")
    most = max(min(int(JUDGED * job.budget), MOST_JUDGED), 4 * reading.context + 1)
    judged = reading.tokens.test[:most]
    end = job.budget * (1 - RESERVE) - start_up - 2.0
    plan = _plan(reading, job, work, end - work.elapsed)
    network = build_network(plan, reading.tokenizer.vocab_size)
    model = LanguageModel(network, reading.tokenizer, about={})
    history, watcher = _train(model, plan, reading, work, tell, end)
    tell(Stage("judging on the last part", 0.9))
    scores, verdict = _judge(model, {SINGLE: single, f"{ngram.order}-gram": ngram}, reading, judged)
    findings = LanguageFindings(
        folder=folder, name=text.name, text=text, tokenizer=reading.tokenizer, tokens=reading.tokens, plan=plan,
        history=history, scores=scores, verdict=verdict, judged=len(judged), watched=watcher.samples,
        counted=_counted_bits(ngram, reading), written=samples(model, reading), notes=reading.notes, concerns=_concerns(verdict, history, plan),
    )  # fmt: skip
    return _write(model, findings, job, work)


def _read(text: Text, job: LanguageOptions, work: Work, tell: Tell) -> Reading:
    notes, context = [], choose_context(job.budget)
    assert isinstance(job.test, float)
    if text.is_cut:
        notes.append(
            f"The first {text.characters:,} characters are used (a longer --budget or --rows takes more)."
        )
    tell(Stage("cutting the text into tokens", 0.05))
    described = work.recall(
        "tokenizer", lambda: train_tokenizer(text, job.tokenizer, 1 - float(job.test)).describe()
    )
    tokenizer = rebuild_tokenizer(described)
    tokens = map_tokens(work.folder / "tokens.bin", text, tokenizer)
    notes.append(
        f"The text is cut into {len(tokens):,} tokens of {tokenizer.vocab_size:,} kinds "
        f"({described['name'].replace('_', ' ')}); the last {100 * job.test:.0f} % are held out, half to choose the "
        "best round by, half for the test."
    )
    parts = split_tokens(text.name, tokens, job.test, context)
    return Reading(text, tokenizer, parts, context, notes)


def _plan(reading: Reading, job: LanguageOptions, work: Work, seconds: float) -> Plan:
    made = work.recall(
        "plan",
        lambda: asdict(
            make_plan(
                reading.tokenizer.vocab_size, reading.tokens.train, context=reading.context,
                seconds=0.75 * seconds, seed=job.seed,
            )
        ),
    )  # fmt: skip
    return Plan(**{**made, "size": Size(*made["size"])})


def _train(
    model: LanguageModel, plan: Plan, reading: Reading, work: Work, tell: Tell, end: float
) -> tuple[History, Watcher]:
    train, validation = reading.tokens.train, reading.tokens.validation
    shown = validation[:50_000]
    per_character = len(shown) / max(len(reading.tokenizer.decode(shown.tolist())), 1)
    watcher = Watcher(model, plan, work, tell, prompt=_prompt(reading), per_character=per_character)
    history = train_network(
        model.network, plan, train, validation, checkpoint=work.folder / "network.safetensors",
        observers=[watcher, Deadline(lambda: work.elapsed > end)],
    )  # fmt: skip
    return history, watcher


def _prompt(reading: Reading) -> str:
    """The beginning of the held-out part, half a context of it: nothing that the network has read."""
    start = reading.tokens.validation[: reading.context // 2].tolist()
    return reading.tokenizer.decode(start).strip("�")


def _judge(
    model: LanguageModel, counted: dict[str, NGram], reading: Reading, judged: np.ndarray
) -> tuple[dict[str, np.ndarray], Verdict]:
    bits = {NETWORK: token_bits(model.network, judged)}
    count = len(bits[NETWORK])
    for name, ngram in counted.items():
        bits[name] = ngram_bits(ngram, judged, reading.context, count)
    characters = block_characters(reading.tokenizer, judged, reading.context, count)
    scores = {name: block_scores(values, characters) for name, values in bits.items()}
    uniform = np.full(len(characters), np.log2(len(reading.text.alphabet)))
    simple = {UNIFORM: uniform, **{name: scores[name] for name in counted}}
    verdict = decide(simple, scores[NETWORK], 0.0, METRIC)
    return {**simple, NETWORK: scores[NETWORK]}, verdict


def _counted_bits(ngram: NGram, reading: Reading) -> float:
    """Bits per character that counting needs on the validation part, for the learning curve."""
    shown = reading.tokens.validation[:50_000]
    bits = -float(ngram.log_probabilities(shown.astype(np.int64)).sum()) / np.log(2)
    return bits / max(len(reading.tokenizer.decode(shown.tolist())), 1)


def _concerns(verdict: Verdict, history: History, plan: Plan) -> list[Concern]:
    concerns = []
    if not verdict.network_wins:
        what = "The network predicts this text no better than counting does"
        remedy = "Give it a longer --budget or more text before you rely on what it writes"
        concerns.append(Concern(what, remedy=remedy))
    return concerns + early_end(history, plan.rounds, "A longer text")


def _write(
    model: LanguageModel, f: LanguageFindings, job: LanguageOptions, work: Work
) -> FitResult:
    report = make_report(f)
    report.settings, report.seconds = job.settings(), work.elapsed
    model.about = {
        "data": f.name,
        "task": "language model",
        "metric": METRIC,
        "verdict": f.verdict.sentence,
        "training_tokens": len(f.tokens.train),
        "test_tokens": f.judged,
        "test": {name: {METRIC: float(values.mean())} for name, values in f.scores.items()},
    }
    model.save(f.folder, report.files())
    command = f'gradatim generate {f.folder} --prompt "{f.word}"'
    return FitResult(
        f.folder, model, f.verdict, report, work.elapsed, f, f.concerns, command=command
    )
