"""What the report says of tags: the sentences, what is confused, the hardest words, sentences with mistakes."""

import numpy as np

from gradatim.fitting.findings import Findings
from gradatim.fitting.tags.counted import CHAIN, CountedTags
from gradatim.fitting.tags.measures import tag_figures
from gradatim.fitting.tags.networks import TagSettings
from gradatim.fitting.tags.pretrained import HeadSettings
from gradatim.fitting.tags.problem import TagProblem
from gradatim.plots import confusion_matrix
from gradatim.plots.calibration import calibration
from gradatim.reports import Report
from gradatim.wording import shorten

SHOWN_TAGS = 15  # of the confusion matrix
HARDEST = 12  # words
EXAMPLES = 6  # sentences
AROUND = 6  # words shown on either side of a mistake
OTHERS = "others"


def describe_data(report: Report, p: TagProblem) -> None:
    """Add sizes, documents, lengths and the most frequent tags."""
    lengths = p.lengths[p.train]
    low, middle, high = np.percentile(lengths, [5, 50, 95])
    tokens = p.tokens(p.train)
    words = {word for own in p.words_of(p.train) for word in own}
    counts = np.bincount(p.y[tokens], minlength=p.classes)
    top = np.argsort(-counts, kind="stable")[:12].tolist()
    rows = [
        ["training sentences", f"{len(p.train):,} of {len(tokens):,} words"],
        ["test sentences", f"{len(p.test):,} of {p.lengths[p.test].sum():,} words"],
        ["different words", f"{len(words):,} in the training part"],
        ["words per sentence", f"{middle:.0f} (5 % below {low:.0f}, 5 % above {high:.0f})"],
        ["tags", f"{p.classes}: " + ", ".join(f"{p.labels[k]} {counts[k]:,}" for k in top) + (", …" if p.classes > 12 else "")],
        ["kept together", "documents" if p.is_grouped else "sentences"],
    ]  # fmt: skip
    report.table("Data", columns=["", "value"], rows=rows)


def describe_network(s: TagSettings) -> list[tuple[str, object]]:
    """Settings of the network, for people."""
    return [
        ("network", "LSTM in both directions over words, endings, beginnings and how they are written"),
        ("embedding of a word", s.dim),
        ("hidden units per direction", s.hidden_dim),
        ("recurrent layers", s.num_layers),
        ("dropout", s.dropout),
        ("weight decay", s.weight_decay),
        ("learning rate", s.lr),
        ("epochs", f"{s.epochs}, more where sentences are few"),
    ]  # fmt: skip


def describe_pretrained(s: HeadSettings) -> list[tuple[str, object]]:
    """Settings of the linear layer on published vectors, for people."""
    return [
        ("network", "MiniLM as published, a linear layer on its vectors of a word"),
        ("weight decay", s.weight_decay),
        ("learning rate", s.lr),
        ("epochs", s.epochs),
    ]


def judge_figures(report: Report, p: TagProblem, f: Findings, is_known: np.ndarray) -> None:
    """Add confusion, calibration, hardest words, mistakes in their sentences, and the best path of the chain."""
    y, said = p.y[p.tokens(p.test)], f.output.argmax(1)
    name = f.verdict.recommended
    with report.attempt("the confusion matrix"):
        counts, labels = frequent_confusion(y, said, p.labels, SHOWN_TAGS)
        caption = f"{name} on the test words: the most frequent tags, by column what was said."
        title = f"accuracy {100 * (said == y).mean():.1f} %"
        report.figure("confusion", confusion_matrix(counts, labels, title=title), caption=caption)
    with report.attempt("the calibration"):
        report.figure(
            "calibration",
            calibration(f.output.max(1), said == y),
            caption=f"{name} on the test words: how often it is right, by how sure it is of its tag.",
        )
    with report.attempt("the hardest words"):
        _hardest_words(report, p, y, said, is_known)
    with report.attempt("the mistakes"):
        _examples(report, p, y, said)
    if isinstance(f.models.get(CHAIN), CountedTags):
        with report.attempt("the best path"):
            _best_path(report, p, f, y, is_known)


def frequent_confusion(
    y: np.ndarray, said: np.ndarray, labels: list[str], most: int
) -> tuple[np.ndarray, list[str]]:
    """Counts of right and said tags, the most frequent ones first, all others together.

    Example:
        >>> frequent_confusion(np.array([2, 2, 0, 1]), np.array([2, 0, 0, 2]), ["a", "b", "c"], 1)[0].tolist()
        [[1, 1], [1, 1]]
    """
    K = len(labels)
    order = np.argsort(-np.bincount(y, minlength=K), kind="stable")
    shown = order[:most]
    place = np.full(K, len(shown))
    place[shown] = np.arange(len(shown))
    names = [labels[k] for k in shown.tolist()] + ([OTHERS] if len(shown) < K else [])
    counts = np.zeros((len(names), len(names)), dtype=int)
    np.add.at(counts, (place[y], place[said]), 1)
    return counts, names


def _hardest_words(
    report: Report, p: TagProblem, y: np.ndarray, said: np.ndarray, is_known: np.ndarray
) -> None:
    """The words that were missed most often, and the mistake that was made with each most often."""
    words = np.array([word for own in p.words_of(p.test) for word in own], dtype=object)
    names, inverse, counts = np.unique(words.astype(str), return_inverse=True, return_counts=True)
    wrong = np.bincount(inverse[said != y], minlength=len(names))
    rows = []
    for k in np.argsort(-wrong, kind="stable")[:HARDEST].tolist():
        if not wrong[k]:
            break
        own = np.flatnonzero((inverse == k) & (said != y))
        pairs, times = np.unique(np.stack([y[own], said[own]], 1), axis=0, return_counts=True)
        a, b = pairs[times.argmax()].tolist()
        known = "yes" if is_known[own[0]] else "no"
        rows.append([shorten(str(names[k]), 40), int(counts[k]), int(wrong[k]), known, f"{p.labels[a]} → {p.labels[b]}"])  # fmt: skip
    if rows:
        report.table(
            "Hardest words of the test", columns=["word", "times", "missed", "known", "most often"], rows=rows
        )  # fmt: skip


def _examples(report: Report, p: TagProblem, y: np.ndarray, said: np.ndarray) -> None:
    """The first sentences with mistakes, each around its first mistake."""
    rows, start = [], 0
    for own in p.words_of(p.test):
        wrong = np.flatnonzero(said[start : start + len(own)] != y[start : start + len(own)])
        if len(wrong):
            k = int(wrong[0])
            first, last = max(k - AROUND, 0), min(k + AROUND + 1, len(own))
            shown = [f"[{w}]" if n in wrong else w for n, w in enumerate(own[first:last], first)]
            text = ("… " if first else "") + " ".join(shown) + (" …" if last < len(own) else "")
            rows.append([shorten(text, 200), shorten(own[k], 40), p.labels[y[start + k]], p.labels[said[start + k]]])  # fmt: skip
        start += len(own)
        if len(rows) == EXAMPLES:
            break
    if rows:
        report.table("Sentences with mistakes (in brackets)", columns=["sentence", "first mistake", "tag", "said"], rows=rows)  # fmt: skip


def _best_path(report: Report, p: TagProblem, f: Findings, y: np.ndarray, is_known: np.ndarray) -> None:  # fmt: skip
    """Say what the most probable path of the hidden Markov model would give instead of the most probable tags."""
    said = f.outputs[CHAIN].argmax(1)
    path = f.models[CHAIN].paths(p.words_of(p.test))
    whole = [tag_figures(y, own, is_known, p.lengths[p.test])["sentences"] for own in (said, path)]  # fmt: skip
    report.text(
        f"The hidden Markov model gives each word its most probable tag (forward and backward), which is right for "
        f"{100 * (said == y).mean():.2f} % of the test words and {100 * whole[0]:.1f} % of the sentences; the tags of the most "
        f"probable path (Viterbi) are for {100 * (path == y).mean():.2f} % and {100 * whole[1]:.1f} %."
    )


def usage(p: TagProblem, f: Findings) -> str:
    """Python lines that use the model folder."""
    words = " ".join(p.sentences[p.test[0]][:6])
    lines = [
        ("import gradatim", ""),
        ("", ""),
        (f"model = gradatim.load_model({str(f.folder)!r})", ""),
        (f"model.predict([{shorten(words, 60)!r}])", "a list of tags for each sentence"),
        (f"model.predict_proba([{shorten(words, 60)!r}])", "their probabilities"),
    ]
    return "".join(f"{code:<40}# {comment}\n" if comment else f"{code}\n" for code, comment in lines)  # fmt: skip
