"""The form of environments, alone and as copies, and what is refused."""

import pytest
import torch

from gradatim.errors import GradatimError
from gradatim.reinforcement import (  # fmt: skip
    Bandit,
    Box,
    CartPole,
    Cliff,
    Discrete,
    Maze,
    QLearning,
    WindyGrid,
    evaluate,
    learn,
)
from gradatim.reinforcement.environment import require_gamma
from gradatim.reinforcement.spaces import clip, encode, require_discrete

WORLDS = {"maze": Maze(), "cliff": Cliff(), "wind": WindyGrid(), "bandit": Bandit((0.2, 0.9)), "pole": CartPole()}  # fmt: skip


@pytest.mark.parametrize("name", list(WORLDS))
def test_copies_are_the_same_world_side_by_side(name):
    world = WORLDS[name]
    seen, info = world.reset(seed=0)
    assert info == {}
    first = world.step(0)
    assert [type(part) for part in first[1:]] == [float, bool, bool, dict]
    many = world.copies(3)
    seen, _ = many.reset(seed=0)
    assert seen.shape == (3, *first[0].shape)
    after, reward, terminated, truncated, info = many.step([0, 0, 0])
    assert after.shape == seen.shape
    assert reward.shape == terminated.shape == truncated.shape == (3,)
    assert set(info) == {"final_observation"}


def test_the_time_limit_truncates_and_does_not_terminate():
    world = WindyGrid(time_limit=3)
    world.reset(seed=0)
    assert [world.step(0)[2:4] for _ in range(3)] == [(False, False), (False, False), (False, True)]
    many = WindyGrid(time_limit=3).copies(2)
    many.reset(seed=0)
    for step in range(1, 7):
        seen, _, terminated, truncated, info = many.step(torch.ones(2, dtype=torch.long))
        assert not terminated.any()
        assert truncated.all() == (step % 3 == 0)
        assert (seen == 30).all() == (step % 3 == 0)
    assert (info["final_observation"] != 30).all()


def test_equal_seeds_give_equal_episodes_and_draws_go_on_without_one():
    world = CartPole().copies(2)
    first = world.reset(seed=4)[0]
    later = world.reset()[0]
    assert not torch.equal(first, later)
    assert torch.equal(world.reset(seed=4)[0], first)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: CartPole().step(0), "CartPole.step: reset must come first, got an episode that is over"),
        (lambda: CartPole().copies(2).step([0, 1]), "CartPole.step: reset must come first"),
        (lambda: started(CartPole()).step(2), "action must be a whole number from 0 to 1, got 2"),
        (lambda: started(CartPole()).step(0.5), "action must be a whole number from 0 to 1, got 0.5"),
        (lambda: started(CartPole().copies(2)).step([0, 1, 1]), "action must have a row for each of 2 copies, got shape (3,)"),
        (lambda: CartPole().copies(0), "CartPole.copies: count must be a whole number from 1, got 0"),
        (lambda: CartPole().reset(seed=-1), "CartPole.reset: seed must be a whole number"),
        (lambda: Bandit((0.5, 2.0)), "Bandit: probabilities must be a list of numbers in"),
        (lambda: learn(QLearning(), object(), steps=1), "learn: environment must be one of gradatim.reinforcement, got object. Try Gym(make)"),
        (lambda: evaluate(len, "CartPole-v1"), "evaluate: environment must be one of gradatim.reinforcement, got str"),
        (lambda: learn(QLearning(gamma=1.5), Maze(), steps=1), "QLearning: gamma must be in [0, 1], got 1.5"),
        (lambda: learn(QLearning(gamma="0.9"), Maze(), steps=1), "QLearning: gamma must be in [0, 1], got '0.9'"),
        (lambda: learn(QLearning(gamma=1.0), Bandit((0.5,)), steps=1), "gamma must be below 1 where episodes do not end, for the return is not finite"),
        (lambda: learn(QLearning(), CartPole(), steps=1), "QLearning: observation space must be discrete, got a Box"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said_in_one_sentence(act, words):
    with pytest.raises(GradatimError) as error:
        act()
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def started(world):
    world.reset(seed=0)
    return world


def test_gammas_that_are_fine():
    require_gamma("f", 0.0)
    require_gamma("f", 1.0)
    require_gamma("f", 0.9, has_end=False)


def test_spaces():
    assert encode(Discrete(3), torch.tensor([2, 0])).tolist() == [[0, 0, 1], [1, 0, 0]]
    box = Box((-1.0, 0.0), (1.0, 2.0))
    assert clip(box, torch.tensor([[-3.0, 3.0]])).tolist() == [[-1, 2]]
    assert clip(Discrete(3), torch.tensor([2])).tolist() == [2]
    assert require_discrete("f", "space", Discrete(3)) == 3
