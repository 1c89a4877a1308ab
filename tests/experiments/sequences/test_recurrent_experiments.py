"""Every claim about recurrent networks holds, with a figure to show it."""

from itertools import product

import pytest
import torch

from gradatim import experiments
from gradatim.experiments.sequences import (
    bidirectional,
    learned_initial_state,
    lstm_gates,
    ngram_sparsity,
    pos_tagging,
    recurrent_machines,
    tcn_versus_lstm,
)
from gradatim.models import TCN, SequenceClassifier
from gradatim.timeseries import NGram

FIGURES = {
    "vanishing-in-time": ["gradient-against-lag", "non-normal"],
    "bptt-by-hand": ["unrolled", "copies"],
    "lstm-gates": ["gates"],
    "learned-initial-state": ["error-by-step"],
    "bidirectional": ["accuracy"],
    "prefix-scan": ["cost"],
    "recurrent-machines": ["stack", "learned"],
    "pos-tagging": ["accuracy", "known-and-unknown"],
    "ngram-sparsity": ["sparsity"],
}
# as little as still shows it
SMALLER = {
    "learned-initial-state": {"trials": "1", "sequences": "256"},
    "bidirectional": {"sentences": "1000"},
    "prefix-scan": {"lengths": "256,2048", "repeats": "3"},
    "recurrent-machines": {"lengths": "8,64"},
    "pos-tagging": {"sizes": "440"},
}


@pytest.mark.parametrize("name", FIGURES)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True, overrides=SMALLER.get(name, {}))
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert [picture.name for picture in report.pictures] == FIGURES[name]


def test_a_register_holds_the_last_flagged_bit():
    x, y = lstm_gates.draw_register(20, 30, torch.Generator().manual_seed(0))
    for row, target in zip(x.tolist(), y[..., 0].tolist(), strict=True):
        held = 0.0
        for (bit, flag), wanted in zip(row, target, strict=True):
            held = bit if flag else held
            assert wanted == held


def test_sentences_have_one_bank_and_one_clue_that_decides():
    words, lengths, labels = bidirectional.draw_sentences(200, 16, torch.Generator().manual_seed(0))
    for row, length, label in zip(words.tolist(), lengths.tolist(), labels.tolist(), strict=True):
        assert row.count(bidirectional.BANK) == 1
        assert row.count(bidirectional.RIVER) + row.count(bidirectional.MONEY) == 1
        wanted = bidirectional.SHORE if bidirectional.RIVER in row else bidirectional.HOUSE
        assert label[row.index(bidirectional.BANK)] == wanted
        assert set(row[length:]) <= {0}
        assert set(label[length:]) <= {bidirectional.NEITHER}


def test_averages_follow_their_recurrence():
    x, y = learned_initial_state.draw_averages(3, 5, 1.0, torch.Generator().manual_seed(0))
    before = torch.cat([torch.ones(3, 1, 1), y[:, :-1]], 1)
    torch.testing.assert_close(y, 0.9 * before + 0.1 * x)


def test_a_field_ends_one_step_before_the_symbol():
    for lag, fewer in ((28, 29), (124, 125)):
        blocks = tcn_versus_lstm.blocks_for(lag + 2)
        assert TCN(1, 2, num_layers=blocks - 1).receptive_field == fewer == lag + 1
        assert TCN(1, 2, num_layers=blocks).receptive_field >= lag + 2


def test_networks_that_are_compared_have_about_as_many_weights():
    task = tcn_versus_lstm.make_tasks(tcn_versus_lstm.QUICK)["digits"]
    tcn, lstm = (sum(p.numel() for p in tcn_versus_lstm.build(name, task, 24).parameters()) for name in ("TCN", "LSTM"))  # fmt: skip
    assert 0.8 < lstm / tcn < 1.4


def test_what_a_stream_keeps():
    """Two steps back for each convolution of the first block, four in the second."""
    tcn = SequenceClassifier(3, 2, hidden_dim=5, encoder="tcn", num_blocks=2)
    assert tcn_versus_lstm.numbers_kept(tcn) == 2 * 3 + 2 * 5 + 4 * 5 + 4 * 5
    assert tcn_versus_lstm.numbers_kept(SequenceClassifier(3, 2, hidden_dim=5, cell="lstm")) == 10


def test_the_counter_by_hand_counts():
    x = torch.tensor([1.0, 1, -1, -1, -1, 1, 0]).double().reshape(1, 7, 1)
    outputs, _ = recurrent_machines.counter()(x)
    assert outputs[0, :, 0].tolist() == [1, 2, 1, 0, 0, 1, 1]  # open brackets
    assert outputs[0, :, 2].tolist() == [0, 0, 0, 0, 0, 1, 1]  # closed nothing, a step later


def test_brackets_are_balanced_by_a_stack():
    x, y = recurrent_machines.draw_brackets(60, 12, torch.Generator().manual_seed(0))
    for row, label in zip(x[..., 0].tolist(), y.tolist(), strict=True):
        stack, sound = [], True
        for bracket in row:
            if bracket > 0:
                stack.append(bracket)
            elif stack:
                stack.pop()
            else:
                sound = False
        assert label == (sound and not stack)


def test_the_stack_cell_is_a_stack():
    cell, state, told = recurrent_machines.StackCell(), (torch.zeros(1, 1).double(),), []
    for bit, push, pop in ((1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 0, 1), (0, 0, 1)):
        state, top = cell(state, torch.tensor([[bit, push, pop]]).double())
        told.append(top.item())
    assert [told[k] for k in (2, 4, 5)] == [0, 1, 1]
    assert state[0].item() == 0


def test_texts_are_not_torn_between_training_and_test():
    corpus = pos_tagging.read_corpus(pos_tagging.QUICK)
    train, test = ({w for own in part.words for w in own if len(w) > 6} for part in corpus[:2])
    # long words of the drawn language belong to one document, but for a few drawn twice
    assert len(train & test) < 0.3 * len(test)
    assert len(corpus.test.words) <= pos_tagging.QUICK.test_sentences


def test_the_likeliest_sentences_are_those_of_all():
    """Every sentence of up to three words, one by one."""
    rows = [torch.tensor(row) for row in ([2, 3, 1], [2, 3, 1], [3, 2, 1], [3, 1])]
    model = NGram(2, 4).fit([torch.cat([torch.tensor([1]), *rows])])
    every = [
        (model.log_probabilities(torch.tensor([1, *words, 1]))[1:].sum().item(), [*words, 1])
        for length in (1, 2, 3)
        for words in product((2, 3), repeat=length)
    ]
    found = ngram_sparsity.likeliest(model, 3, longest=4)
    assert [tokens for _, tokens in found] == [tokens for _, tokens in sorted(every)[::-1][:3]]


def test_stretches_are_counted_once():
    rows = [torch.tensor([2, 3, 2, 3]), torch.tensor([3, 2])]
    assert ngram_sparsity.grams(rows, 2) == {(2, 3), (3, 2)}
    assert ngram_sparsity.grams(rows, 3) == {(2, 3, 2), (3, 2, 3)}
