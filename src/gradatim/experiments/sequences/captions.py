"""One picture, many words: a convolutional network sees, a recurrent one describes."""

import re
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.data import Vocabulary, pad_sequences
from gradatim.decoding import translate
from gradatim.experiments._date_translation import share_exact
from gradatim.experiments.sequences._pictures import (
    COLOURS,
    KINDS,
    SIZES,
    Pictures,
    draw_scenes,
    has_pair,
    paint,
)
from gradatim.losses import token_cross_entropy
from gradatim.models import SequenceGenerator
from gradatim.plots.style import PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("F6",)
KEYWORDS = "image captioning, one-to-many, show and tell, conditional language model, compositional generalization"
LENGTH = 9  # eight words at most, and the end
HELD = (COLOURS.index("green"), KINDS.index("ring"))  # never shown together in training
_SHAPE = rf"({'|'.join(SIZES)}) ({'|'.join(COLOURS)}) ({'|'.join(KINDS)})"
GRAMMAR = re.compile(rf"{_SHAPE} (above|left of) {_SHAPE}")


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    pictures: int = 8_000
    test_pictures: int = 500
    epochs: int = 15
    exact: float = 0.95


QUICK = Settings(pictures=2_500, test_pictures=300, epochs=8, exact=0.75)


class Captioner(nn.Module):
    """Two convolutions that make a vector of a picture, and a recurrent network that spells it out."""

    def __init__(self, vocab_size: int) -> None:
        super().__init__()
        self.see = nn.Sequential(
            nn.Conv2d(3, 16, 4, stride=2, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 32, 4, stride=2, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(32 * 6 * 6, 96),
        )
        self.tell = SequenceGenerator(96, vocab_size, hidden_dim=96)

    def forward(self, images: Tensor, target: Tensor) -> Tensor:
        return self.tell(self.see(images), target)  # (B, L, vocab_size)


def encode(captions: list[str], vocabulary: Vocabulary) -> Tensor:
    tokens, _ = pad_sequences([vocabulary.encode(text.split(), end=True) for text in captions])
    return tokens


def say(model: Captioner, images: Tensor, vocabulary: Vocabulary) -> list[str]:
    """The likeliest words, one after the other."""
    with torch.inference_mode():
        found = translate(model.tell, model.see(images), max_length=LENGTH)
    return [" ".join(vocabulary.decode(row)) for row in found.tokens[:, 0].tolist()]


def nearest(train: Pictures, images: Tensor) -> list[str]:
    """The description of the training picture with the least difference in pixels."""
    places = torch.cdist(images.flatten(1), train.images.flatten(1)).argmin(1)
    return [train.captions[place] for place in places.tolist()]


def agree(said: list[str], true: list[str]) -> float:
    """Share of descriptions that are right in every word."""
    return float(np.mean([a == b for a, b in zip(said, true, strict=True)]))


def make(settings: Settings) -> tuple[Pictures, Pictures, Pictures]:
    """Pictures without any green ring to learn from and to test, and others with one in each."""
    rng = np.random.default_rng(settings.seed)
    scenes = draw_scenes(3 * (settings.pictures + settings.test_pictures), rng)
    is_held = has_pair(scenes, *HELD)
    usual = scenes[~is_held][: settings.pictures + settings.test_pictures]
    cut = settings.pictures
    return paint(usual[:cut], rng), paint(usual[cut:], rng), paint(scenes[is_held][: settings.test_pictures], rng)  # fmt: skip


def claim_words(report: Report, settings: Settings, model: Captioner, vocabulary: Vocabulary, data: tuple[Pictures, Pictures, Pictures]) -> dict[str, list[str]]:  # fmt: skip
    train, test, held = data
    said = {"test": say(model, test.images, vocabulary), "held": say(model, held.images, vocabulary)}  # fmt: skip
    exact, copied = agree(said["test"], test.captions), agree(nearest(train, test.images), test.captions)  # fmt: skip
    report.claim("new pictures are described right in every word", exact, at_least=settings.exact)
    report.claim("the words of the nearest training picture would be right more seldom", copied, below=exact - 0.2)  # fmt: skip
    report.claim("every description is a sentence of the grammar, which nobody gave", float(np.mean([GRAMMAR.fullmatch(text) is not None for text in said["test"]])), at_least=0.99)  # fmt: skip
    new = agree(said["held"], held.captions)
    report.claim("words it never saw together it does not put together: green rings are called something else", new, "share right {}", at_most=0.3)  # fmt: skip
    wrong = [sum(a != b for a, b in zip(one.split(), true.split(), strict=False)) for one, true in zip(said["held"], held.captions, strict=True)]  # fmt: skip
    report.claim("mostly by one wrong word", float(np.mean(np.array(wrong) == 1)), "share of them {}", at_least=0.5)  # fmt: skip
    other = say(model, test.images.roll(1, 0), vocabulary)
    report.claim("the words come from the picture: those of another one are wrong", agree(other, test.captions), at_most=0.02)  # fmt: skip
    report.table(
        "Descriptions right in every word, per cent",
        columns=["pictures", "network", "nearest training picture"],
        rows=[["new", 100 * exact, 100 * copied], ["with a green ring", 100 * new, 100 * agree(nearest(train, held.images), held.captions)]],
    )  # fmt: skip
    return said


def claim_search(report: Report, model: Captioner, test: Pictures, vocabulary: Vocabulary) -> None:
    target = encode(test.captions, vocabulary)
    with torch.inference_mode():
        x = model.see(test.images)
        greedy, beam = (translate(model.tell, x, num_beams=k, max_length=LENGTH) for k in (1, 4))
    better = float((beam.log_probs[:, 0] - greedy.log_probs[:, 0]).min())
    report.claim("a beam of 4 finds no less probable words than one after the other", better, "least gain of log-probability {}", above=-1e-3)  # fmt: skip
    gain = share_exact(beam.tokens[:, 0], target) - share_exact(greedy.tokens[:, 0], target)
    report.claim("and hardly more of its descriptions are right", gain, "share more", at_most=0.02)


def run(settings: Settings) -> Report:
    report = Report(
        title="Pictures in words",
        summary="A vector of a picture begins the state of a recurrent network, which then writes until it says that it is done. It learns the "
        "grammar from examples, but not to combine a colour and a kind that it never saw together.",
    )
    data = make(settings)
    train, test, held = data
    vocabulary = Vocabulary.build(text.split() for text in train.captions)
    tokens = encode(train.captions, vocabulary)
    with seeded(settings.seed):
        model = Captioner(len(vocabulary))
    Trainer(model, token_cross_entropy, lr=2e-3, schedule="cosine", epochs=settings.epochs, batch_size=25, clip_norm=1.0, seed=settings.seed, progress=False).fit((train.images, tokens, tokens))  # fmt: skip
    model.eval()
    said = claim_words(report, settings, model, vocabulary, data)
    claim_search(report, model, test, vocabulary)
    wrong = [k for k, (a, b) in enumerate(zip(said["held"], held.captions, strict=True)) if a != b]
    rows = wrong[:2] + [k for k in range(4) if k not in wrong[:2]][: 4 - len(wrong[:2])]
    report.figure(
        "pictures",
        captioned(torch.cat([test.images[:4], held.images[rows]]), said["test"][:4] + [said["held"][k] for k in rows], test.captions[:4] + [held.captions[k] for k in rows]),
        caption="New pictures and what the network says; below, with green rings, of which it has never seen one. Orange: something is wrong.",
    )  # fmt: skip
    return report


def captioned(images: Tensor, said: list[str], true: list[str]) -> Figure:
    """Pictures with their descriptions below, those that are wrong in red."""
    figure, axes = new_figure(2, len(images) // 2, width=10.0, height=5.8)
    for panel, image, words, right in zip(axes.flat, images, said, true, strict=True):
        panel.imshow(image.permute(1, 2, 0).numpy(), interpolation="nearest")
        panel.grid(False)
        panel.set(xticks=[], yticks=[])
        first, link, second = re.split(r" (above|left of) ", words, maxsplit=1) if GRAMMAR.fullmatch(words) else (words, "", "")  # fmt: skip
        panel.set_xlabel(f"{first}\n{link}\n{second}", fontsize=9, color=PALETTE[1] if words != right else "black")  # fmt: skip
    return figure
