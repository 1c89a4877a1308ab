"""Learning by trying: worlds, planning, tables, and networks that act."""

from gradatim.reinforcement.bandit import Bandit
from gradatim.reinforcement.cart_pole import CartPole
from gradatim.reinforcement.cliff import Cliff
from gradatim.reinforcement.environment import Environment, Move
from gradatim.reinforcement.exploration import UCB, EpsilonGreedy, Exploration
from gradatim.reinforcement.grid import Model
from gradatim.reinforcement.learning import Learned, Point, evaluate, learn
from gradatim.reinforcement.maze import Maze
from gradatim.reinforcement.monte_carlo import MonteCarlo
from gradatim.reinforcement.planning import Plan, bellman_backup, policy_iteration, value_iteration
from gradatim.reinforcement.q_learning import QLearning
from gradatim.reinforcement.returns import discounted_returns, generalized_advantages
from gradatim.reinforcement.sarsa import SARSA
from gradatim.reinforcement.spaces import Box, Discrete
from gradatim.reinforcement.tables import TableInfo, TableState
from gradatim.reinforcement.windy_grid import WindyGrid

__all__ = [
    "Bandit",
    "Box",
    "CartPole",
    "Cliff",
    "Discrete",
    "Environment",
    "EpsilonGreedy",
    "Exploration",
    "Learned",
    "Maze",
    "Model",
    "MonteCarlo",
    "Move",
    "Plan",
    "Point",
    "QLearning",
    "SARSA",
    "TableInfo",
    "TableState",
    "UCB",
    "WindyGrid",
    "bellman_backup",
    "discounted_returns",
    "evaluate",
    "generalized_advantages",
    "learn",
    "policy_iteration",
    "value_iteration",
]
