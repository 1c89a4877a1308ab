"""Environments of Gymnasium, and of its form, as copies; what has another form is refused in one sentence."""

import builtins

import gymnasium
import numpy as np
import pytest
import torch

from gradatim.errors import GradatimError
from gradatim.reinforcement import DQN, PPO, Gym, QLearning, learn


class Counter:
    """Gymnasium's form without Gymnasium: counts to three; states 10 to 13, actions 5 and 6."""

    def __init__(self):
        class Space:
            def __init__(self, n, start):
                self.n, self.start = n, start

        self.observation_space, self.action_space = Space(4, 10), Space(2, 5)

    def reset(self, seed=None):
        self.count = 0
        return 10, {}

    def step(self, action):
        self.count += action - 5
        return 10 + self.count, float(action == 6), self.count == 3, False, {}


def test_a_world_of_gymnasium_moves_as_it_does_there():
    ours, theirs = Gym("CartPole-v1").copies(2), gymnasium.make("CartPole-v1")
    seen, _ = ours.reset(seed=0)
    theirs.reset(seed=0)
    theirs.unwrapped.state = ours.worlds[1].unwrapped.state.copy()
    for step in range(40):
        seen, reward, terminated, truncated, info = ours.step([step % 2, 1 - step % 2])
        expected = theirs.step(1 - step % 2)
        np.testing.assert_array_equal(info["final_observation"][1].numpy(), expected[0])
        assert (reward[1], terminated[1], truncated[1]) == expected[1:4]
        if expected[2]:
            assert float(seen[1].abs().max()) <= 0.05
            break


def test_boxes_of_actions_and_their_bounds():
    world = Gym("Pendulum-v1", has_end=False)
    learned = learn(
        PPO(num_copies=2, rollout=16, epochs=1), world, steps=32, episodes=2, max_steps=5
    )
    actions = learned.policy(100 * torch.randn(50, 3))
    assert actions.shape == (50, 1)
    assert float(actions.detach().abs().max()) <= 2.0
    with pytest.raises(GradatimError, match="DQN: action space must be discrete, got a Box"):
        DQN().init(world)
    with pytest.raises(GradatimError, match="gamma must be below 1"):
        PPO(gamma=1.0).init(world)


def test_a_world_of_its_form_needs_no_gymnasium():
    learned = learn(QLearning(gamma=0.9, num_copies=4), Gym(Counter), steps=200, max_steps=20)
    assert learned.curve[-1].returns.tolist() == [3.0] * 4
    assert learned.policy_table[:, :3].tolist() == [[1, 1, 1]] * 4


def test_frozen_lake_in_tables():
    lake = Gym(lambda: gymnasium.make("FrozenLake-v1", is_slippery=False, map_name="4x4"))
    assert lake.observation_space.n == 16
    learned = learn(QLearning(gamma=0.9, initial=1.0, num_copies=3), lake, steps=600, max_steps=50)
    assert learned.curve[-1].returns.tolist() == [1.0] * 3


def without(part):
    def make():
        world = Counter()
        names = {
            "reset": world.reset,
            "step": world.step,
            "observation_space": 1,
            "action_space": 1,
        }
        names.pop(part)
        return type("Odd", (), names)()

    return make


def of_space(side, space):
    def make():
        world = Counter()
        setattr(world, f"{side}_space", space)
        return world

    return make


def old_form():
    world = Counter()
    world.step = lambda action: (10, 0.0, False, {})
    return world


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (without("step"), "Gym: make must give an environment with reset, step, observation_space and action_space, got Odd without step"),
        (without("observation_space"), "got Odd without observation_space"),
        (lambda: None, "got NoneType without reset"),
        (3, "Gym: make must be a name or a function that makes an environment, got int"),
        (of_space("observation", gymnasium.spaces.Dict({})), "Gym: observation space must be discrete or a box, got Dict"),
        (of_space("action", gymnasium.spaces.MultiBinary(3)), "Gym: action space must be discrete or a box, got MultiBinary"),
        ("NoSuch-v0", "Gym: make must be a name that Gymnasium knows, got 'NoSuch-v0'"),
    ],
)  # fmt: skip
def test_what_has_another_form_is_refused(make, words):
    with pytest.raises(GradatimError) as error:
        Gym(make)
    assert words in str(error.value)


def test_the_old_form_of_step_is_refused():
    world = Gym(old_form)
    world.reset(seed=0)
    with pytest.raises(GradatimError, match="step must give observation, reward, terminated, truncated and info"):  # fmt: skip
        world.step(0)


def test_a_missing_library_is_named(monkeypatch):
    original = builtins.__import__

    def missing(name, *args, **kwargs):
        if name == "gymnasium":
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(GradatimError, match=r"Gymnasium is not installed. Try pip install 'gradatim\[rl\]'"):  # fmt: skip
        Gym("CartPole-v1")
