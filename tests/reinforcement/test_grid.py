"""Tables of mazes, cliff and wind against the words that define them, and maps that are refused."""

import pytest
import torch

from gradatim.errors import GradatimError
from gradatim.reinforcement import Cliff, Maze, WindyGrid, value_iteration

UP, RIGHT, DOWN, LEFT = range(4)


def move(world, state, action):
    moved = world.move(torch.tensor([state]), torch.tensor([action]), torch.Generator())
    return moved.state.item(), moved.reward.item(), moved.terminated.item()


def test_a_maze_pays_at_the_exit_and_fines_at_walls():
    maze = Maze("S#G\n...", wall_reward=-0.5, step_reward=-0.25, goal_reward=2.0)
    assert move(maze, 0, RIGHT) == (0, -0.5, False)
    assert move(maze, 0, UP) == (0, -0.5, False)
    assert move(maze, 0, DOWN) == (3, -0.25, False)
    assert move(maze, 5, UP) == (2, 2.0, True)
    assert maze.show(0) == "@#G\n..."
    assert maze.show(policy=torch.tensor([DOWN, 0, 0, RIGHT, RIGHT, UP])) == "↓#G\n→→↑"
    assert maze.picture(0)[0, 1].tolist() == pytest.approx([0.20, 0.22, 0.27])


def test_the_way_out_is_as_long_as_breadth_first_search_says():
    maze = Maze()
    rows, seen = maze.rows, {(0, 0): 0}
    queue = [(0, 0)]
    for i, j in queue:
        for k, m in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            inside = 0 <= k < len(rows) and 0 <= m < len(rows[0])
            if inside and rows[k][m] != "#" and (k, m) not in seen:
                seen[k, m] = seen[i, j] + 1
                queue.append((k, m))
    goal = next((i, row.index("G")) for i, row in enumerate(rows) if "G" in row)
    plan = value_iteration(maze.model(), gamma=0.9)
    assert float(plan.values[0]) == pytest.approx(0.9 ** (seen[goal] - 1))


def test_episodes_may_start_anywhere():
    maze = Maze("S..\n.#G", starts_anywhere=True)
    states = maze.copies(500).reset(seed=0)[0]
    assert set(states.tolist()) == {0, 1, 2, 3}
    assert set(Maze("S..\n.#G").copies(50).reset(seed=0)[0].tolist()) == {0}


def test_what_cannot_be_reached_is_as_a_wall():
    maze = Maze("S.G#.")
    model = maze.model()
    assert float(model.transitions[4].sum()) == 0
    assert float(value_iteration(model, gamma=1.0).values[4]) == 0


def test_a_fall_from_the_cliff_costs_100_and_leads_back():
    cliff = Cliff()
    assert move(cliff, 36, RIGHT) == (36, -100.0, False)
    assert move(cliff, 30, DOWN) == (36, -100.0, False)
    assert move(cliff, 35, DOWN) == (47, -1.0, True)
    assert move(cliff, 0, UP) == (0, -1.0, False)
    assert float(value_iteration(cliff.model(), gamma=1.0).values[36]) == -13


def test_wind_carries_upwards():
    field = WindyGrid()
    assert move(field, 33, RIGHT) == (24, -1.0, False)  # wind 1 in column 3
    assert move(field, 36, LEFT) == (15, -1.0, False)  # wind 2 in column 6
    assert move(field, 6, UP) == (6, -1.0, False)
    assert move(field, 48, LEFT) == (
        37,
        -1.0,
        True,
    )  # from below and beside, by the wind of column 8
    assert float(value_iteration(field.model(), gamma=1.0).values[30]) == -15


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("..G", "Maze: map must have one start (S), got none"),
        ("S.S.G", "Maze: map must have one start (S), got 2"),
        ("S..", "Maze: map must have a goal (G), got none"),
        ("S#G", "Maze: goal must be reachable from the start, got a wall around it"),
        ("S.?G", "Maze: map must be made of #, ., S, G and blanks, got '?'"),
        ("", "Maze: map must have one start (S), got none"),
    ],
)
def test_a_map_that_is_no_maze_is_refused(text, words):
    with pytest.raises(GradatimError) as error:
        Maze(text)
    assert words in str(error.value)


def test_a_policy_of_another_size_is_refused():
    with pytest.raises(
        GradatimError, match=r"Maze.show: policy must have shape \(3,\), got \(2,\)"
    ):
        Maze("S.G").show(policy=torch.zeros(2))
