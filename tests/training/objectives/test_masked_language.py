"""Pre-training: the loss by hand, and both tasks are learned where they can be."""

import torch
import torch.nn.functional as F

from gradatim.data import WordPieceTokenizer, next_sentence_pairs
from gradatim.data.masked_tokens import mask_tokens
from gradatim.data.tokenizers.word_piece import SPECIALS
from gradatim.models import BERT, BERTPretraining
from gradatim.training import MaskedLanguage, Trainer

LETTERS = "abcdefgh"
TOKENIZER = WordPieceTokenizer([*SPECIALS, *LETTERS])


def build():
    torch.manual_seed(0)
    return BERTPretraining(BERT(TOKENIZER.vocab_size, 16, 32, 2, 2, dropout=0.0))


def make_pairs(count=60):
    """A sentence says one letter three times; the next sentence says the next letter."""
    sentences = [" ".join([letter] * 3) for letter in LETTERS]
    return next_sentence_pairs([sentences] * count, TOKENIZER)


def test_the_loss_by_hand():
    model, pairs = build().eval(), make_pairs(4)
    step = MaskedLanguage(TOKENIZER, share=0.4)
    torch.manual_seed(5)
    figures = step(model, tuple(pairs))
    torch.manual_seed(5)
    inputs, targets = mask_tokens(pairs.tokens, vocab_size=13, mask=4, specials=range(5), share=0.4)
    logits = model(inputs, pairs.lengths, pairs.segments)
    tokens = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
    hidden = model.trunk(inputs, pairs.lengths, pairs.segments)
    following = F.cross_entropy(model.next_logits(hidden), pairs.is_next)
    torch.testing.assert_close(figures["token_loss"], tokens.detach())
    torch.testing.assert_close(figures["loss"], tokens + following)


def test_texts_without_a_second_one_and_batches_without_a_choice():
    model, pairs = build().eval(), make_pairs(2)
    alone = torch.full_like(pairs.is_next, -100)
    torch.manual_seed(1)
    figures = MaskedLanguage(TOKENIZER)(model, (*pairs[:3], alone))
    torch.testing.assert_close(figures["loss"], figures["token_loss"], check_dtype=False)
    assert figures["next_accuracy"] == 0.0
    torch.manual_seed(1)
    none = MaskedLanguage(TOKENIZER, share=1e-9)(model, (*pairs[:3], alone))
    assert none["loss"] == 0.0


def test_both_tasks_are_learned():
    model, pairs = build(), make_pairs()
    trainer = Trainer(
        model, objective=MaskedLanguage(TOKENIZER), lr=3e-3, epochs=14, batch_size=32,
        clip_norm=1.0, progress=False,
    )  # fmt: skip
    history = trainer.fit(pairs)
    assert history["train_token_loss"][0] > 1.5
    assert history["train_token_loss"][-1] < 0.5  # neighbours say what is hidden
    assert history["train_next_accuracy"][-1] > 0.7  # some strangers say the next letter too
