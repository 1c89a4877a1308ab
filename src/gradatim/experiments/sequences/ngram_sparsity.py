"""Tables of contexts grow as Vᴺ and stay all but empty: why counting words does not scale."""

import heapq
import math
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

from gradatim.data import load, split_sentences, split_words
from gradatim.experiments._characters import TextSettings, made_up_text
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.reports import Report
from gradatim.timeseries import NGram

COVERS = ("F1", "G3")
KEYWORDS = "n-gram, sparsity, curse of dimensionality, context table, zero counts, back-off, smoothing, likeliest sentence, most likely sentences, Markov assumption, perplexity"
PAD, END = 0, 1  # what stands before a sentence, and what ends it


@dataclass(frozen=True)
class Settings(TextSettings):
    most: int = 4
    shown: int = 5


QUICK = Settings(source="made-up", characters=40_000, shown=3)


class Words:
    """Sentences as numbers of words, each with padding before and an end behind; the last tenth is held out."""

    def __init__(self, settings: Settings) -> None:
        if settings.source == "made-up":
            lines = made_up_text(settings.characters, settings.seed).splitlines()
        else:
            lines = split_sentences(load(settings.source).text[: settings.characters])
        sentences = [words for line in lines if (words := split_words(line))]
        names = sorted({word for words in sentences for word in words})
        self.names = ["", "\n", *names]
        places = {name: k for k, name in enumerate(self.names)}
        rows = [torch.tensor([*(places[word] for word in words), END]) for words in sentences]
        cut = len(rows) * 9 // 10
        self.train, self.test = rows[:cut], rows[cut:]

    @property
    def size(self) -> int:
        return len(self.names)

    def text(self, tokens: list[int]) -> str:
        return " ".join(self.names[k] for k in tokens if k > END)


def grams(rows: list[Tensor], length: int) -> set[tuple[int, ...]]:
    """Different stretches of so many words."""
    return {tuple(part) for row in rows if len(row) >= length for part in row.unfold(0, length, 1).tolist()}  # fmt: skip


def unseen_share(words: Words, length: int) -> float:
    """Share of the held-out stretches that training never had."""
    known, total, strange = grams(words.train, length), 0, 0
    for row in words.test:
        if len(row) >= length:
            parts = row.unfold(0, length, 1).tolist()
            total += len(parts)
            strange += sum(tuple(part) not in known for part in parts)
    return strange / total


def likeliest(
    model: NGram, count: int, longest: int = 12, kept: int = 200
) -> list[tuple[float, list[int]]]:
    """The most probable sentences, by best-first search: a beginning is never less probable than what it becomes."""
    queue: list[tuple[float, list[int]]] = [(0.0, [])]
    found: list[tuple[float, list[int]]] = []
    while queue and len(found) < count:
        cost, tokens = heapq.heappop(queue)
        if tokens and tokens[-1] == END:
            found.append((-cost, tokens))
            continue
        if len(tokens) >= longest:
            continue
        costs = -model.distribution(torch.tensor([END, *tokens])).log()
        best = costs.topk(min(kept, len(costs)), largest=False)
        for more, token in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            if token != PAD and (tokens or token != END):
                heapq.heappush(queue, (cost + more, [*tokens, token]))
        queue = heapq.nsmallest(20_000, queue) if len(queue) > 40_000 else queue
    return found


def run(settings: Settings) -> Report:
    report = Report(
        title="The sparsity of n-grams",
        summary="Of V words there are Vᴺ contexts of N, and a text shows next to none of them: most of what is asked for was "
        "never counted.",
    )
    words = Words(settings)
    rows = []
    for n in range(1, settings.most + 1):
        possible, seen = float(words.size) ** n, len(grams(words.train, n))
        model = NGram(n, words.size).fit([torch.cat([torch.tensor([END]), *words.train])])
        held_out = torch.cat([torch.tensor([END]), *words.test])
        rows.append((n, possible, seen, seen / possible, unseen_share(words, n), model.perplexity(held_out)))  # fmt: skip
    claim(report, rows, words, settings)
    report.table(f"Stretches of N words; {sum(map(len, words.train)):,} words to learn from, {words.size - 2:,} different ones", columns=["N", "possible, Vᴺ", "seen", "share seen", "unseen of the held out", "perplexity, backing off"], rows=[list(row) for row in rows])  # fmt: skip
    show_sentences(report, words, settings)
    draw(report, rows, words)
    return report


def claim(
    report: Report, rows: list[tuple[int, float, int, float, float, float]], words: Words, settings: Settings
) -> None:  # fmt: skip
    falling = [math.log10(after[3] / before[3]) for before, after in pairwise(rows)]  # fmt: skip
    report.claim("share of contexts seen falls with every word more", max(falling), "largest change of its logarithm", at_most=-0.5)  # fmt: skip
    report.claim(f"of all stretches of {rows[-1][0]} words, seen", rows[-1][3], "share", at_most=1e-4 if settings.source != "made-up" else 5e-3)  # fmt: skip
    total = sum(map(len, words.train))
    report.claim("however many are possible, no more are seen than the text is long", max(row[2] for row in rows), f"{{}} of {total:,} words", at_most=total)  # fmt: skip
    report.claim("longer stretches of unread text are stranger", rows[-1][4] - rows[0][4], "rise of the share", above=0)  # fmt: skip
    limit = 0.9 if settings.source != "made-up" else 0.02
    report.claim(f"unread stretches of {rows[-1][0]} words that were never counted", rows[-1][4], "share", at_least=limit)  # fmt: skip
    best = min(rows, key=lambda row: row[5])
    report.claim("two words know more than one", rows[1][5] / rows[0][5], "perplexity, times", at_most=0.8)  # fmt: skip
    report.text(
        f"Backing off to shorter contexts gives every stretch a probability; the lowest perplexity is that of N = {best[0]}, "
        f"{best[5]:.1f}. Notes that write p(x_t | x_(t-N-1), …, x_(t-1)) mean N words, and print N + 1: with V = {words.size:,} "
        f"a table for one word more is {words.size:,} times as large."
    )


def show_sentences(report: Report, words: Words, settings: Settings) -> None:
    """The likeliest sentences are short: every word more costs. Those of the made-up language have no verb, which none has."""
    model = NGram(3, words.size).fit([torch.cat([torch.tensor([END]), *words.train])])
    found = likeliest(model, settings.shown)
    report.table("The likeliest sentences of a trigram", columns=["sentence", "probability"], rows=[[words.text(tokens), math.exp(value)] for value, tokens in found])  # fmt: skip
    mean = sum(map(len, words.train)) / len(words.train)
    length = sum(len(tokens) for _, tokens in found) / len(found)
    report.claim("the likeliest sentences are shorter than usual", length, f"words {{}}, mean {mean:.1f}", below=mean)  # fmt: skip
    log_probability, tokens = found[0]
    again = model.log_probabilities(torch.tensor([END, *tokens]))[1:].sum().item()
    report.claim("their probability is the product of its words'", log_probability, near=(again, 1e-9))  # fmt: skip


def draw(report: Report, rows: list[tuple[int, float, int, float, float, float]], words: Words) -> None:  # fmt: skip
    n = [row[0] for row in rows]
    panels = [
        CurvePanel("Tables", "words of a stretch, N", "stretches", {"possible, Vᴺ": (n, [row[1] for row in rows]), "seen": (n, [row[2] for row in rows])}, is_log_y=True),
        CurvePanel("Unread text", "words of a stretch, N", "share never counted", {"unseen": (n, [row[4] for row in rows])}),
    ]  # fmt: skip
    report.figure("sparsity", curve_panels(panels), caption="The table grows as a power of the vocabulary, what fills it only with the text.")  # fmt: skip
