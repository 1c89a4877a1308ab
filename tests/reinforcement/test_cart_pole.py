"""The pole falls as Gymnasium's does, alone and in many copies."""

import gymnasium
import numpy as np
import torch

from gradatim.reinforcement import CartPole


def gymnasium_pole(state):
    world = gymnasium.make("CartPole-v1")
    world.reset(seed=0)
    world.unwrapped.state = state.numpy().copy()
    return world


def test_it_equals_gymnasium_step_for_step():
    rng, ends, cuts = np.random.default_rng(0), 0, 0
    for episode in range(60):
        ours = CartPole()
        seen, _ = ours.reset(seed=episode)
        theirs = gymnasium_pole(ours._state[0])
        while True:
            keep_up = int(seen[2] + seen[3] > 0)  # sometimes, so that the limit is met too
            action = keep_up if episode % 20 == 0 else int(rng.integers(2))
            seen, *rest, _ = ours.step(action)
            expected, *others, _ = theirs.step(action)
            np.testing.assert_allclose(seen.numpy(), expected, rtol=1e-6, atol=1e-7)
            assert rest == others
            if rest[1] or rest[2]:
                ends, cuts = ends + rest[1], cuts + rest[2]
                break
    assert ends >= 50
    assert cuts >= 2


def test_spaces_and_starts_are_those_of_gymnasium():
    theirs, ours = gymnasium.make("CartPole-v1"), CartPole()
    np.testing.assert_allclose(np.float32(ours.observation_space.high), theirs.observation_space.high)  # fmt: skip
    assert ours.action_space.n == theirs.action_space.n
    assert ours.time_limit == theirs.spec.max_episode_steps
    seen, _ = ours.copies(2000).reset(seed=0)
    assert 0.0495 < float(seen.abs().max()) <= 0.05
    assert seen.dtype == torch.float32


def test_copies_move_as_one_does_and_start_anew_where_they_end():
    many, generator = CartPole().copies(5), torch.Generator().manual_seed(1)
    seen, _ = many.reset(seed=3)
    restarts = 0
    for _ in range(60):
        action = torch.randint(2, (5,), generator=generator)
        before = many._state.clone()
        seen, reward, terminated, truncated, info = many.step(action)
        assert reward.tolist() == [1.0] * 5
        assert not truncated.any()
        for k in range(5):
            alone = CartPole()
            alone.reset(seed=0)
            alone._state = before[k : k + 1]
            expected, _, ended, _, _ = alone.step(int(action[k]))
            assert torch.equal(info["final_observation"][k], expected)
            assert bool(terminated[k]) is ended
            assert bool((seen[k].abs() <= 0.05).all()) if ended else torch.equal(seen[k], expected)
            restarts += ended
    assert restarts >= 5
