"""Tabular learners find the best policy; one step of each is its equation."""

from itertools import pairwise

import pytest
import torch

from gradatim.errors import GradatimError
from gradatim.reinforcement import (  # fmt: skip
    SARSA,
    UCB,
    Bandit,
    EpsilonGreedy,
    Maze,
    MonteCarlo,
    QLearning,
    learn,
    value_iteration,
)
from gradatim.reinforcement.tables import td_target

SMALL = "S..\n.#.\n..G"
ALWAYS = EpsilonGreedy(1.0)


def played(algorithm, world, steps, seed=0):
    """The table that a slow loop over what one learner did gives."""
    state = algorithm.init(world, seed=seed)
    story = []
    for _ in range(steps):
        seen, before = int(state.seen), state
        state, info = algorithm.step(before)
        story.append((seen, int(info.action), float(info.reward), bool(info.ended)))
    return state, story


@pytest.mark.parametrize("lr", [0.3, None])
def test_q_learning_is_its_equation(lr):
    world = Maze(SMALL)
    state, story = played(QLearning(gamma=0.9, lr=lr, exploration=ALWAYS), world, 200)
    q, counts = [[0.0] * 4 for _ in range(9)], [[0] * 4 for _ in range(9)]
    for s, a, reward, ended in story:
        counts[s][a] += 1
        after = int(world.tables.goes_to[s, a])
        target = reward if ended else reward + 0.9 * max(q[after])
        q[s][a] += (1 / counts[s][a] if lr is None else lr) * (target - q[s][a])
    torch.testing.assert_close(state.q[0], torch.tensor(q))
    assert state.counts[0].tolist() == counts


def test_sarsa_is_its_equation():
    world = Maze(SMALL)
    algorithm = SARSA(gamma=0.9, lr=0.3, exploration=EpsilonGreedy(0.5))
    state, story = played(algorithm, world, 300)
    q = [[0.0] * 4 for _ in range(9)]
    for (s, a, reward, ended), (after, following, *_) in pairwise(story):
        target = reward if ended else reward + 0.9 * q[after][following]
        q[s][a] += 0.3 * (target - q[s][a])
    s, a, reward, ended = story[-1]
    if not ended:
        after = int(world.tables.goes_to[s, a])
        q[s][a] += 0.3 * (reward + 0.9 * q[after][int(state.action)] - q[s][a])
    else:
        q[s][a] += 0.3 * (reward - q[s][a])
    torch.testing.assert_close(state.q[0], torch.tensor(q))


def test_monte_carlo_values_of_a_corridor_are_the_mean_returns():
    """One action counts, so every return is known: the table is the mean of them."""
    algorithm = MonteCarlo(gamma=0.5, exploration=ALWAYS, num_copies=3)
    state = algorithm.init(Maze("S.G", wall_reward=0.0), seed=0)
    total, counts = torch.zeros(3, 3, 4), torch.zeros(3, 3, 4)
    for _ in range(30):
        generator = torch.Generator()
        generator.set_state(state.generator.get_state())
        after, _ = algorithm.step(state)
        replay, alive, story = state.world.copies(3), [True] * 3, [[], [], []]
        seen, _ = replay.reset(seed=0)
        while any(alive):
            action = ALWAYS.choose(torch.zeros(3, 4), torch.zeros(3, 4), 0, generator)
            following, reward, terminated, _, _ = replay.step(action)
            for k in range(3):
                if alive[k]:
                    story[k].append((int(seen[k]), int(action[k]), float(reward[k])))
                    alive[k] = not terminated[k]
            seen = following
        for k in range(3):
            worth = 0.0
            for s, a, reward in reversed(story[k]):
                worth = reward + 0.5 * worth
                total[k, s, a] += worth
                counts[k, s, a] += 1
        state = after
    torch.testing.assert_close(state.q, total / counts.clamp(min=1))
    torch.testing.assert_close(state.counts, counts)


@pytest.mark.parametrize(
    ("text", "returns"),
    [("S...G", [0.25, 0.5, 1.0]), ("S..G", [0.25, 0.5, 1.0]), ("S....G", [0.125, 0.25, 0.5])],
)
def test_monte_carlo_counts_what_follows_a_cut_and_nothing_after_the_end(text, returns):
    """Three steps to the right; then the cell is worth 2, or the exit pays 1 in the last step, or it is worth 1."""
    world = Maze(text, time_limit=3, wall_reward=0.0)
    algorithm = MonteCarlo(gamma=0.5, lr=1.0, exploration=EpsilonGreedy(0.0))
    state = algorithm.init(world, seed=0)
    q = torch.zeros_like(state.q)
    q[..., 1] = 1.0
    q[0, 3] = 1.0 if text == "S....G" else 2.0
    after, _ = algorithm.step(state._replace(q=q))
    assert after.q[0, :3, 1].tolist() == returns
    torch.testing.assert_close(after.q[0, 3:], q[0, 3:])


def test_exploring_starts_are_policy_iteration():
    """Episodes that are greedy but for their first action: in a world without chance every value comes out exact."""
    world = Maze("S..\n.#.\n..G", starts_anywhere=True, time_limit=8)
    greedy = EpsilonGreedy(0.0)
    algorithm = MonteCarlo(gamma=0.9, lr=1.0, exploration=greedy, initial=1.0, num_copies=50, exploring_starts=True)  # fmt: skip
    state, first = algorithm.init(world, seed=0), []
    for _ in range(200):
        state, info = algorithm.step(state)
        first.append(info.action)
    shares = torch.bincount(torch.stack(first).flatten(), minlength=4) / (200 * 50)
    assert (shares - 0.25).abs().max() < 5 * (0.25 * 0.75 / 10_000) ** 0.5  # whatever seems best
    plan = value_iteration(world.model(), gamma=0.9)
    acting = plan.q.abs().sum(1) > 0
    torch.testing.assert_close(state.q.amax(2)[:, acting], plan.values[acting].float().expand(50, -1))  # fmt: skip


@pytest.mark.parametrize("kind", [QLearning, SARSA, MonteCarlo])
def test_every_learner_finds_the_way_out(kind):
    world = Maze(SMALL)
    lr = {} if kind is MonteCarlo else {"lr": 0.5}
    exploration = EpsilonGreedy(1.0, 0.05, 500)
    learned = learn(kind(gamma=0.9, exploration=exploration, num_copies=20, **lr), world, steps=800, max_steps=20)  # fmt: skip
    best = value_iteration(world.model(), gamma=0.9)
    assert learned.curve[-1].returns.tolist() == [1.0] * 20
    for table in learned.policy_table:
        state, steps = 0, 0
        while state != 8 and steps < 9:
            state, steps = int(world.tables.goes_to[state, table[state]]), steps + 1
        assert steps == 4
    assert float(best.values[0]) == pytest.approx(0.9**3)


def test_learners_do_not_see_each_other():
    world = Maze(SMALL, starts_anywhere=True)
    state = QLearning(num_copies=7, exploration=ALWAYS).init(world, seed=1)
    for _ in range(5):
        state, _ = QLearning(num_copies=7, exploration=ALWAYS).step(state)
    assert state.counts.sum((1, 2)).tolist() == [5.0] * 7


def test_epsilon_greedy_explores_as_often_as_it_says():
    values = torch.tensor([[0.0, 1.0, 0.5]]).expand(40_000, 3)
    found = EpsilonGreedy(0.3).choose(values, values, 0, torch.Generator().manual_seed(0))
    shares = torch.bincount(found, minlength=3) / len(found)
    torch.testing.assert_close(shares, torch.tensor([0.1, 0.8, 0.1]), atol=0.01, rtol=0)
    ties = EpsilonGreedy(0.0).choose(torch.zeros(40_000, 4), values, 0, torch.Generator().manual_seed(0))  # fmt: skip
    shares = torch.bincount(ties, minlength=4) / len(ties)
    torch.testing.assert_close(shares, torch.full((4,), 0.25), atol=0.01, rtol=0)


def test_ucb_tries_everything_once_and_then_by_its_bound():
    rule, g = UCB(2.0), torch.Generator().manual_seed(0)
    first = rule.choose(torch.tensor([[9.0, 0.0]]), torch.tensor([[4.0, 0.0]]), 0, g)
    assert first.tolist() == [1]
    counts, values = torch.tensor([[90.0, 10.0]]), torch.tensor([[1.0, 0.0]])
    bounds = [v + 2 * (torch.tensor(100.0).log() / n).sqrt() for v, n in ((1.0, 90.0), (0.0, 10.0))]
    assert rule.choose(values, counts, 0, g).item() == int(bounds[1] > bounds[0])


def test_optimism_tries_everything():
    algorithm = QLearning(gamma=0.0, lr=0.5, exploration=EpsilonGreedy(0.0), initial=5.0)
    learned = learn(algorithm, Bandit((0.1, 0.5, 0.9)), steps=60, max_steps=1)
    assert (learned.state.counts > 0).all()


def test_the_target_leaves_out_what_follows_the_end():
    one = torch.ones(2)
    assert td_target(one, 4 * one, torch.tensor([False, True]), 0.5).tolist() == [3.0, 1.0]


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: QLearning(lr=0.0).init(Maze()), "QLearning: lr must be in (0, 1], or None for means, got 0.0"),
        (lambda: SARSA(num_copies=0).init(Maze()), "SARSA: num_copies must be a whole number from 1"),
        (lambda: EpsilonGreedy(1.5), "EpsilonGreedy: eps must be in [0, 1], got 1.5"),
        (lambda: MonteCarlo().init(Bandit((0.5,))), "MonteCarlo: environment must have episodes that end"),
        (lambda: MonteCarlo(max_steps=2).step(MonteCarlo().init(Maze())), "MonteCarlo: max_steps must suffice for an episode, got 2"),
        (lambda: learn(QLearning(), Maze(), steps=0), "learn: steps must be a whole number from 1"),
    ],
)  # fmt: skip
def test_what_cannot_learn_is_said_in_one_sentence(act, words):
    with pytest.raises(GradatimError) as error:
        act()
    assert words in str(error.value)
