"""Film reviews with their verdicts: collected ones, or made-up ones that need no download."""

from dataclasses import dataclass

import numpy as np
import torch
from sklearn.model_selection import train_test_split
from torch import Tensor

from gradatim.data import Vocabulary, load, pad_sequences, split_words

GOOD = ("good", "great", "funny", "moving", "clever", "fine")
BAD = ("bad", "awful", "dull", "weak", "clumsy", "silly")
FILLER = ("the", "film", "plot", "was", "and", "actors", "story", "a", "this", "seemed", "scenes")


@dataclass(frozen=True)
class Reviews:
    """Words of every review, and whether it is positive (1) or negative (0)."""

    words: list[list[str]]
    labels: np.ndarray

    def tokens(self, vocabulary: Vocabulary, longest: int) -> tuple[Tensor, Tensor, Tensor]:
        """The last words of each review in their order, lengths and labels: verdicts come last."""
        rows = [vocabulary.encode(words[-longest:]) or [0] for words in self.words]
        return *pad_sequences(rows), torch.as_tensor(self.labels)

    def bags(self, vocabulary: Vocabulary) -> tuple[Tensor, Tensor, Tensor]:
        """The distinct words of each review, in no order, how many they are, and labels."""
        rows = [sorted(set(vocabulary.encode(words))) or [0] for words in self.words]
        return *pad_sequences(rows), torch.as_tensor(self.labels)


def load_reviews(source: str, train: int, test: int, seed: int) -> tuple[Reviews, Reviews, Reviews]:
    """Reviews to train on, a tenth of them held out to choose, and reviews to test; no review twice."""
    if source == "imdb":
        data = load(source)
        first = np.unique(data.X.astype(str), return_index=True)[1]  # some were published twice
        texts, labels = data.X[first], np.asarray(data.y)[first]
        rows, _ = train_test_split(
            np.arange(len(labels)), train_size=train + test, stratify=labels, random_state=seed
        )
        words, labels = [split_words(texts[row]) for row in rows], labels[rows]
    else:
        words, labels = make_reviews(train + test, seed)
    choose = train // 10
    cuts = [slice(0, train - choose), slice(train - choose, train), slice(train, None)]
    parts = [Reviews(words[cut], labels[cut]) for cut in cuts]
    return parts[0], parts[1], parts[2]


def make_reviews(count: int, seed: int) -> tuple[list[list[str]], np.ndarray]:
    """Reviews of one judgement among filler words; three in ten are turned round by ``not``.

    The others have a ``not`` elsewhere: which words occur says no more than the judgement does, and
    seven in ten is the best that can be done without their order.
    """
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, count)
    reviews = []
    for label in labels:
        is_turned = rng.random() < 0.3
        verdict = str(rng.choice(GOOD if bool(label) != is_turned else BAD))
        filler = [str(word) for word in rng.choice(FILLER, rng.integers(6, 14))]
        phrases = [["not", verdict]] if is_turned else [[verdict], ["not", filler.pop()]]
        pieces = [*([word] for word in filler), *phrases]
        reviews.append([word for k in rng.permutation(len(pieces)) for word in pieces[k]])
    return reviews, labels
