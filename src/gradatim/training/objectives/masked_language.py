"""Learn language from text alone: guess hidden tokens, and which sentence follows."""

from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.data.masked_tokens import KEPT, mask_tokens
from gradatim.data.tokenizers import WordPieceTokenizer
from gradatim.data.tokenizers.word_piece import MASK, SPECIALS
from gradatim.models.bert_pretraining import BERTPretraining
from gradatim.training.batches import Batch
from gradatim.training.objectives.objective import Figures, Objective


class MaskedLanguage(Objective):
    r"""Train a :class:`~gradatim.models.BERTPretraining` on both of its tasks.

    .. math:: E = -\frac1{|M|}\sum_{t\in M}\log p(x_t) - \frac1B\sum_b \log p(n_b)

    Batches are those of :func:`~gradatim.data.next_sentence_pairs`: tokens, lengths, segments, and :math:`n`, which says
    whether the second sentence follows, or is -100 where there is none. The chosen tokens :math:`M` are drawn anew in
    every batch, by :func:`~gradatim.data.mask_tokens`. Logits are computed where a token was chosen and nowhere else.

    Args:
        tokenizer: Knows ``[MASK]`` and the other special tokens.
        share: Probability to choose a token.
        hidden: Share of the chosen tokens that are hidden, as in :func:`~gradatim.data.mask_tokens`.
        replaced: Share of the chosen tokens that are replaced by others.

    Example:
        >>> from gradatim.data import next_sentence_pairs
        >>> from gradatim.models import BERT
        >>> from gradatim.training import Trainer
        >>> sentences = ["one two", "three", "four five", "six"]
        >>> tokenizer = WordPieceTokenizer.train(sentences, vocab_size=60)
        >>> model = BERTPretraining(BERT(tokenizer.vocab_size, 16, 8, 1, 2))
        >>> trainer = Trainer(model, objective=MaskedLanguage(tokenizer, share=0.5), epochs=1)
        >>> history = trainer.fit(next_sentence_pairs([sentences], tokenizer))
        >>> "train_next_accuracy" in history.records[0]
        True

    Reference:
        Devlin et al., BERT, 2019, section 3.1. There the chosen tokens of a text are the same in every epoch.
    """

    any_layout = True

    def __init__(
        self,
        tokenizer: WordPieceTokenizer,
        *,
        share: float = 0.15,
        hidden: float = 0.8,
        replaced: float = 0.1,
    ) -> None:
        self.mask = partial(
            mask_tokens,
            vocab_size=tokenizer.vocab_size,
            mask=tokenizer.number(MASK),
            specials=[tokenizer.number(token) for token in SPECIALS],
            share=share,
            hidden=hidden,
            replaced=replaced,
        )
        self.mask(torch.zeros(0, 0))

    def __call__(self, model: nn.Module, batch: Batch) -> Figures:
        assert isinstance(model, BERTPretraining)
        tokens, lengths, segments, is_next = batch
        inputs, targets = self.mask(tokens)
        hidden = model.trunk(inputs, lengths, segments)  # (B, T, dim)
        chosen = targets != KEPT
        token_loss = _mean_loss(model.token_logits(hidden[chosen]), targets[chosen])
        logits = model.next_logits(hidden)
        paired = is_next != KEPT
        accuracy = (logits.argmax(1) == is_next)[paired].double().mean().nan_to_num()
        return {
            "loss": token_loss + _mean_loss(logits[paired], is_next[paired]),
            "token_loss": token_loss.detach(),
            "next_accuracy": accuracy,
        }


def _mean_loss(logits: Tensor, target: Tensor) -> Tensor:
    """Mean cross-entropy; zero where nothing is asked."""
    return F.cross_entropy(logits, target, reduction="sum") / max(len(target), 1)
