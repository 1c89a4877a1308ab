"""Learning by trying: worlds, planning, tables, and networks that act."""

from gradatim.reinforcement.acting import ActorInfo, ActorState
from gradatim.reinforcement.action_heads import Head, categorical_log_prob, gaussian_log_prob
from gradatim.reinforcement.actor_critic import ActorCritic
from gradatim.reinforcement.bandit import Bandit
from gradatim.reinforcement.cart_pole import CartPole
from gradatim.reinforcement.cliff import Cliff
from gradatim.reinforcement.dqn import DQN, DQNInfo, DQNState, double_q_value
from gradatim.reinforcement.environment import Environment, Move
from gradatim.reinforcement.exploration import UCB, EpsilonGreedy, Exploration
from gradatim.reinforcement.grid import Model
from gradatim.reinforcement.gym import Gym
from gradatim.reinforcement.improving import Batch, policy_slope
from gradatim.reinforcement.learning import Learned, Point, evaluate, learn
from gradatim.reinforcement.maze import Maze
from gradatim.reinforcement.monte_carlo import MonteCarlo
from gradatim.reinforcement.planning import Plan, bellman_backup, policy_iteration, value_iteration
from gradatim.reinforcement.ppo import PPO
from gradatim.reinforcement.q_learning import QLearning
from gradatim.reinforcement.reinforce import Reinforce
from gradatim.reinforcement.replay import Replay, Step
from gradatim.reinforcement.returns import discounted_returns, generalized_advantages
from gradatim.reinforcement.sarsa import SARSA
from gradatim.reinforcement.shaping import shaped
from gradatim.reinforcement.spaces import Box, Discrete
from gradatim.reinforcement.tables import TableInfo, TableState
from gradatim.reinforcement.windy_grid import WindyGrid

__all__ = [
    "ActorCritic",
    "ActorInfo",
    "ActorState",
    "Bandit",
    "Batch",
    "Box",
    "CartPole",
    "Cliff",
    "DQN",
    "DQNInfo",
    "DQNState",
    "Discrete",
    "Environment",
    "EpsilonGreedy",
    "Exploration",
    "Gym",
    "Head",
    "Learned",
    "Maze",
    "Model",
    "MonteCarlo",
    "Move",
    "PPO",
    "Plan",
    "Point",
    "QLearning",
    "Reinforce",
    "Replay",
    "SARSA",
    "Step",
    "TableInfo",
    "TableState",
    "UCB",
    "WindyGrid",
    "bellman_backup",
    "categorical_log_prob",
    "discounted_returns",
    "double_q_value",
    "evaluate",
    "gaussian_log_prob",
    "generalized_advantages",
    "learn",
    "policy_iteration",
    "policy_slope",
    "shaped",
    "value_iteration",
]
