"""Parts of speech: the most frequent tag, a hidden Markov model, a recurrent network, and features of BERT."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from gradatim.data.entries import require_cached
from gradatim.data.tagged import Tagged, read_tagged
from gradatim.fitting.tags.counted import CHAIN, PER_WORD, CountedTags
from gradatim.fitting.tags.lexicon import count_words
from gradatim.fitting.tags.measures import tag_figures
from gradatim.fitting.tags.networks import TagSettings, fit_network
from gradatim.fitting.tags.pretrained import HeadSettings, fit_head, read_words
from gradatim.models.published_bert import published_minilm
from gradatim.plots import comparison_bars
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.reports import Report

COVERS = ("G6", "F6", "F2", "G4")
KEYWORDS = "part-of-speech tagging, POS, sequence labeling, Brown corpus, most frequent tag baseline, HMM tagger, Viterbi, BiLSTM, BERT features, unknown words, many-to-many"
MOST_FREQUENT, HMM, NETWORK, BERT = "most frequent tag", "HMM", "BiLSTM", "BERT features"
Figures = dict[str, float]  # accuracy, and that of known words, of unknown ones and of sentences


@dataclass(frozen=True)
class Settings:
    """``grammar`` needs no download: what ``up`` is depends there on a verb that may stand far away."""

    seed: int = 0
    source: Literal["brown", "grammar"] = "brown"
    sizes: tuple[int, ...] = (500, 2000, 8000)
    bert: int = 500
    test_sentences: int = 1000
    steps: int = 300
    hidden_dim: int = 96


QUICK = Settings(source="grammar", sizes=(60, 440), bert=0, test_sentences=150, steps=400, hidden_dim=32)  # fmt: skip


class Sentences(NamedTuple):
    """Words, and the codes of their tags, a row a sentence."""

    words: list[list[str]]
    tags: list[np.ndarray]

    @property
    def y(self) -> np.ndarray:
        return np.concatenate(self.tags)

    def first(self, count: int) -> "Sentences":
        return Sentences(self.words[:count], self.tags[:count])


class Corpus(NamedTuple):
    train: Sentences
    test: Sentences
    labels: list[str]


def read_corpus(settings: Settings) -> Corpus:
    """Deal whole documents to training and test, so that no text is in both."""
    found: Tagged = read_tagged(settings.source)
    labels = sorted({tag for tags in found.tags for tag in tags})
    codes = {tag: k for k, tag in enumerate(labels)}
    order = np.random.default_rng(settings.seed).permutation(max(found.documents) + 1)
    rows = sorted(range(len(found.words)), key=lambda k: order[found.documents[k]])
    border = found.documents[rows[settings.test_sentences]]
    cut = next(k for k, row in enumerate(rows) if found.documents[row] == border)

    def pick(part: list[int]) -> Sentences:
        tags = [np.array([codes[tag] for tag in found.tags[k]]) for k in part]
        return Sentences([found.words[k] for k in part], tags)

    mixed = np.random.default_rng([settings.seed, 1]).permutation(rows[cut:]).tolist()
    return Corpus(pick(mixed[: max(settings.sizes)]), pick(rows[:cut]), labels)


Tagger = Callable[[list[list[str]]], np.ndarray]  # from sentences to the tags of all words


def count(train: Sentences, method: str, classes: int) -> CountedTags:
    start, moves = np.zeros(classes, np.int64), np.zeros((classes, classes), np.int64)
    for tags in train.tags:
        start[tags[0]] += 1
        np.add.at(moves, (tags[:-1], tags[1:]), 1)
    return CountedTags(method, count_words(train.words, train.y, classes), start, moves)


def taggers(train: Sentences, classes: int, settings: Settings) -> dict[str, Tagger]:
    """Learn every tagger from the same sentences."""
    by_count = {name: count(train, method, classes) for name, method in ((MOST_FREQUENT, PER_WORD), (HMM, CHAIN))}  # fmt: skip
    chosen = TagSettings(dim=64 if settings.source == "brown" else 32, hidden_dim=settings.hidden_dim)  # fmt: skip
    network, _ = fit_network(train.words, train.tags, classes, chosen, settings.seed, steps=settings.steps)  # fmt: skip
    found: dict[str, Tagger] = {name: lambda words, model=model: model.outputs(words).argmax(1) for name, model in by_count.items()}  # type: ignore[misc]  # fmt: skip
    found[NETWORK] = lambda words: network.outputs(words).argmax(1)
    if len(train.words) <= settings.bert:
        encoder = published_minilm()
        head, _ = fit_head(encoder, read_words(encoder, train.words), train.y, classes, HeadSettings(), settings.seed)  # fmt: skip
        found[BERT] = lambda words: head.outputs(words).argmax(1)
    return found


def judge(tagger: Tagger, train: Sentences, test: Sentences) -> tuple[Figures, np.ndarray]:
    """Figures of a tagger on sentences it has not read, and where it was right."""
    known = {word for words in train.words for word in words}
    is_known = np.array([word in known for words in test.words for word in words])
    said = tagger(test.words)
    lengths = np.array([len(words) for words in test.words])
    own = tag_figures(test.y, said, is_known, lengths)
    return {"accuracy": float((said == test.y).mean()), **own}, said == test.y


def run(settings: Settings) -> Report:
    report = Report(
        title="Tagging parts of speech",
        summary="A word's most frequent tag is right most of the time. What came before helps, an ending helps with words never "
        "seen, and what stands far away only a network can use.",
    )
    if settings.bert:
        require_cached("pos-tagging", "brown", "minilm")
    corpus = read_corpus(settings)
    scores: dict[str, dict[int, Figures]] = {}
    for size in settings.sizes:
        train = corpus.train.first(size)
        for name, tagger in taggers(train, len(corpus.labels), settings).items():
            scores.setdefault(name, {})[size], right = judge(tagger, train, corpus.test)
            if name in (HMM, NETWORK) and settings.source == "grammar":
                scores[name][size]["up"] = accuracy_of(corpus.test, right, "up")
    check(report, scores, settings)
    show(report, scores, corpus)
    return report


def accuracy_of(test: Sentences, right: np.ndarray, word: str) -> float:
    """Share of right tags of one word."""
    is_it = np.array([own == word for words in test.words for own in words])
    return float(right[is_it].mean())


def check(report: Report, scores: dict[str, dict[int, Figures]], settings: Settings) -> None:
    small, large = settings.sizes[0], settings.sizes[-1]
    plain, chain, network = (scores[name][large] for name in (MOST_FREQUENT, HMM, NETWORK))
    report.claim("the most frequent tag of each word", plain["accuracy"], "accuracy", at_least=0.7)
    gain = chain["accuracy"] - plain["accuracy"]
    report.claim("an HMM corrects it", gain, "gain of accuracy", at_least=0.03)
    gain = chain["unknown"] - plain["unknown"]
    report.claim("most of all on words never seen, by their endings", gain, "gain of accuracy", at_least=0.3)  # fmt: skip
    if settings.source == "grammar":
        report.claim("a tag that hangs on a word far away: HMM", chain["up"], "accuracy", at_most=0.85)  # fmt: skip
        left = (1 - network["up"]) / (1 - chain["up"])
        report.claim("there the BiLSTM errs at most half as often", left, "times", at_most=0.5)
        report.claim("so the network wins", network["accuracy"] - chain["accuracy"], above=0)
        return
    report.claim("a network that learns its features comes at least near", network["accuracy"] - chain["accuracy"], "gain over the HMM", at_least=-0.005)  # fmt: skip
    bert = scores[BERT][small]
    best = max(scores[name][small]["accuracy"] for name in (HMM, NETWORK))
    report.claim(f"with {small} sentences, features read elsewhere are best", bert["accuracy"] - best, "gain of accuracy", above=0)  # fmt: skip


def show(report: Report, scores: dict[str, dict[int, Figures]], corpus: Corpus) -> None:
    names = ("accuracy", "known", "unknown", "sentences")
    words = sum(map(len, corpus.test.words))
    report.table(
        f"On {len(corpus.test.words):,} sentences ({words:,} words, {len(corpus.labels)} tags) of texts that were not read",
        columns=["tagger", "sentences read", *names],
        rows=[[name, size, *(own.get(key) for key in names)] for name, by_size in scores.items() for size, own in by_size.items()],
    )  # fmt: skip
    curves = {name: (list(by_size), [own["accuracy"] for own in by_size.values()]) for name, by_size in scores.items()}  # fmt: skip
    panel = CurvePanel("Words tagged right", "sentences to learn from", "accuracy", curves, is_log_x=True)  # fmt: skip
    report.figure("accuracy", curve_panels([panel], width=7.0), caption="Whole texts are held out, so names and subjects are new.")  # fmt: skip
    last = {name: by_size[max(by_size)] for name, by_size in scores.items()}
    bars = {f"{name}, {part}": 100 * own[part] for part in ("known", "unknown") for name, own in last.items()}  # fmt: skip
    report.figure("known-and-unknown", comparison_bars(bars, label="words tagged right, %"), caption="Words that stand in the training sentences, and words that do not.")  # fmt: skip
