"""Backpropagation as an explicit recursion, gradient checks, Jacobians and pictures of computation graphs."""

from gradatim.backprop.convolution import (
    ConvolutionGradients,
    convolve_backward,
    correlate_backward,
)
from gradatim.backprop.dense_chain import DenseChain, delta_recursion
from gradatim.backprop.gradient_check import Entry, GradientCheck, check_gradients
from gradatim.backprop.graph import ComputationGraph, Node, computation_graph
from gradatim.backprop.jacobian_cost import CostRow, JacobianCost, jacobian_cost
from gradatim.backprop.jacobians import jacobian
from gradatim.backprop.pooling import average_pool_backward, max_pool_backward
from gradatim.backprop.recursion import backpropagate
from gradatim.backprop.stages import list_stages
from gradatim.backprop.trace import Stage, Trace
from gradatim.backprop.vjp import stage_vjp

__all__ = [
    "ComputationGraph",
    "ConvolutionGradients",
    "CostRow",
    "DenseChain",
    "Entry",
    "GradientCheck",
    "JacobianCost",
    "Node",
    "Stage",
    "Trace",
    "average_pool_backward",
    "backpropagate",
    "check_gradients",
    "computation_graph",
    "convolve_backward",
    "correlate_backward",
    "delta_recursion",
    "jacobian",
    "jacobian_cost",
    "list_stages",
    "max_pool_backward",
    "stage_vjp",
]
