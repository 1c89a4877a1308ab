"""Windows over a growing text, and what is fed to the model."""

import torch

from gradatim.decoding.gpt_state import GPTState, window_start
from gradatim.models import GPT


def test_a_full_window_jumps_by_half_a_context():
    for context in (1, 2, 5, 8):
        for length in range(1, 40):
            start = window_start(length, context)
            assert 0 <= start < length
            assert length - start <= context
            assert start == 0 if length <= context else length - start > context // 2 - 1


def test_the_cache_is_fed_new_tokens_only():
    model, fed = GPT(9, 16, 8, 2, 2).eval(), []
    model.embedding.register_forward_hook(lambda module, args, out: fed.append(args[0].shape[1]))
    tokens = torch.zeros(2, 20, dtype=torch.long)
    state = GPTState(model, tokens[:, :2], 17, use_cache=True)
    for end in range(3, 20):
        state.step(tokens[:, end - 1])
    assert fed == [3] + 13 * [1] + [9] + 2 * [1]  # the window jumps at 17 tokens


@torch.inference_mode()
def test_rows_change_places_with_all_that_belongs_to_them():
    torch.manual_seed(0)
    model, rows = GPT(9, 6, 8, 2, 2).double().eval(), torch.tensor([1, 1, 0])
    tokens = torch.randint(9, (2, 9))
    state = GPTState(model, tokens[:, :2], 8, use_cache=True)
    for t in (2, 3):
        state.step(tokens[:, t])
    state.select(rows)
    text = tokens[rows]
    for t in range(4, 9):  # past the context of 6
        begin = window_start(t + 1, 6)
        torch.testing.assert_close(state.step(text[:, t]), model(text[:, begin : t + 1])[:, -1])
