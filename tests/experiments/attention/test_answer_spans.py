"""The language of the questions: what is asked, where the answer stands, and what is held back."""

import numpy as np
import torch

from gradatim.experiments.attention._stories import HELD, answers, ask, look_up, named
from gradatim.experiments.attention.answer_spans import LENGTH, point, read_tags, to_tags

RULES = {
    "who sees ? [SEP] anna sees the old miller .": "anna",
    "who is seen ? [SEP] anna sees the old miller .": "the old miller",
    "who sees ? [SEP] near the oak anna is seen by bruno at noon .": "bruno",
    "who is seen ? [SEP] near the oak anna is seen by bruno at noon .": "anna",
    "where ? [SEP] near the big oak anna is seen by bruno at noon .": "near the big oak",
    "when ? [SEP] last winter clara helps david .": "last winter",
    "where ? [SEP] last winter clara helps david .": "",
}


def test_patterns_answer_as_a_reader_would():
    for text, answer in RULES.items():
        assert look_up(["[CLS]", *text.split(), "[SEP]"]) == answer


def test_spans_are_what_patterns_find_in_either_kind_of_sentence():
    rng = np.random.default_rng(3)
    for is_held in (False, True):
        asked = ask(300, rng, length=LENGTH, is_held=is_held)
        found = answers(asked, asked.spans)
        assert found == [look_up(row) for row in asked.words]
        pairs = [tuple(who.split()[1:]) for row in asked.words for who in named(row)]
        assert any(pair in HELD for pair in pairs) == is_held
        if is_held:
            assert all(tuple(answer.split()[1:]) in HELD for answer in found)


def test_rows_are_segments_of_one_length():
    asked = ask(50, np.random.default_rng(0), length=LENGTH)
    assert asked.tokens.shape == asked.segments.shape == (50, LENGTH)
    for row, length, segments in zip(asked.words, asked.lengths, asked.segments, strict=True):
        assert length == len(row)
        assert segments[: row.index("[SEP]") + 1].sum() == 0
        assert segments[row.index("[SEP]") + 1 :].all()


class _Knows(torch.nn.Module):
    """Says what it was told, whatever it reads."""

    def __init__(self, output):
        super().__init__()
        self.output = output

    def forward(self, tokens, lengths, segments):
        return self.output


def test_a_head_that_knows_is_read_without_loss():
    asked = ask(80, np.random.default_rng(1), length=LENGTH)
    ends = torch.nn.functional.one_hot(asked.spans, LENGTH).transpose(1, 2).float()
    assert torch.equal(point(_Knows(ends), asked), asked.spans)
    tags = torch.nn.functional.one_hot(to_tags(asked).clamp(min=0), 2).float()
    assert read_tags(_Knows(tags), asked) == answers(asked, asked.spans)


def test_tags_in_two_pieces_are_told():
    asked = ask(1, np.random.default_rng(1), length=LENGTH)
    tags = torch.zeros(1, LENGTH, 2)
    tags[..., 0] = 1
    tags[0, [1, 3], 1] = 2
    words = asked.words[0]
    assert read_tags(_Knows(tags), asked) == [f"{words[1]} | {words[3]}"]
