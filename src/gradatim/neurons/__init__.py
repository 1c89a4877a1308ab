"""The first neurons and memories: threshold logic, perceptron, Hebbian rule, ADALINE, Hopfield networks."""

from gradatim.neurons.adaline import Adaline, lms_pass
from gradatim.neurons.boolean import boolean_network
from gradatim.neurons.capacity import (
    TRANSITION,
    bit_error,
    crosstalk,
    dense_capacity,
    hopfield_capacity,
)
from gradatim.neurons.dense_memory import DenseMemory
from gradatim.neurons.hebbian import HebbianRun, hebbian_learning
from gradatim.neurons.hopfield import Hopfield
from gradatim.neurons.madaline import Madaline, rule_one_pass
from gradatim.neurons.modern_hopfield import ModernHopfield
from gradatim.neurons.perceptron import Perceptron
from gradatim.neurons.settling import Recall
from gradatim.neurons.threshold import ThresholdNetwork, ThresholdUnit, binary_inputs, gate

__all__ = [
    "TRANSITION",
    "Adaline",
    "DenseMemory",
    "HebbianRun",
    "Hopfield",
    "Madaline",
    "ModernHopfield",
    "Perceptron",
    "Recall",
    "ThresholdNetwork",
    "ThresholdUnit",
    "binary_inputs",
    "bit_error",
    "boolean_network",
    "crosstalk",
    "dense_capacity",
    "gate",
    "hebbian_learning",
    "hopfield_capacity",
    "lms_pass",
    "rule_one_pass",
]
