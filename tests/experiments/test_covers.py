"""Every idea of the curriculum has an experiment, and is found by the words that people know it by."""

import pytest

from gradatim import experiments

COUNTS = {"A": 7, "B": 5, "C": 6, "D": 12, "E": 5, "F": 7, "G": 6, "H": 3, "I": 5, "J": 2, "K": 3, "L": 1}  # fmt: skip
IDEAS = [f"{chapter}{number}" for chapter, count in COUNTS.items() for number in range(1, count + 1)]  # fmt: skip
ENTRIES = experiments.entries()
# what an index at the end of a textbook lists
WORDS = (
    "activation function, adaline, and gate, associative memory, attention, autoregressive model, backpropagation, "
    "batch normalization, Baum-Welch, bias-variance trade-off, bidirectional LSTM, "
    "binary cross-entropy, candidate cell state, categorical cross-entropy, chain rule, clustering, constant error carousel, "
    "cost function, cross-validation, dead ReLU problem, decision boundary equation, decoding problem, dropout, dying ReLU problem, "
    "early stopping, error function, experience, exploding gradient problem, exponential linear unit, feature engineering, "
    "forget gate, gated recurrent unit, gradient clipping, gradient descent, grid search, He initialization, "
    "Hebbian learning rule, hidden Markov model, hold-out method, hyperbolic tangent, hyperparameter tuning, hyperplane, "
    "i.i.d., inductive bias, inductive hypothesis, input gate, internal covariate shift, k-fold cross-validation, Kalman filter, "
    "L2 regularization, leaky ReLU, learned features, learning rate scheduling, 1/t decay, cosine annealing, exponential decay, "
    "step decay, leave-one-out, linear activation function, linear dynamical system, linearly separable, logistic, "
    "long short-term memory, loss function, MADALINE, many-to-many, many-to-one, Markov chain, maximum a posteriori, "
    "maximum likelihood estimation, mean absolute error, mean squared error, memory cell, memoryless models, mini-batch, "
    "models with memory, model complexity, nested cross-validation, net input, Ockham's razor, one-hot encoding, output gate, "
    "overfitting, parametric ReLU, patience window, perceptron, random search, random subsampling, rectified linear unit, "
    "recurrent neural network, reinforcement learning, RMSProp, scaled exponential linear, sequence labeling, sigmoid, "
    "softmax activation function, state estimation problem, stochastic gradient descent, stratified sampling, sum of squared errors, "
    "supervised learning, temporal dimension, test set, threshold logic unit, time-delay neural network, training vs. validation error curve, "
    "underfitting, universal approximation theorem, unsupervised learning, validation set, vanishing gradient problem, Viterbi algorithm, "
    "weight decay, weight scaling rule, Xavier initialization, zero-gradient problem"
)
INDEX = WORDS.split(", ")


@pytest.mark.parametrize("idea", IDEAS)
def test_every_idea_has_an_experiment(idea):
    assert [entry.name for entry in ENTRIES if idea in entry.covers]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_experiment_says_what_it_shows_and_how_it_is_found(entry):
    assert entry.covers
    assert set(entry.covers) <= set(IDEAS)
    assert len(set(entry.covers)) == len(entry.covers)
    assert len(entry.keywords.split(", ")) >= 3
    module = experiments.load(entry.name)
    assert entry.covers == module.COVERS
    assert entry.keywords == module.KEYWORDS


@pytest.mark.parametrize("term", INDEX)
def test_the_words_of_a_textbook_s_index_find_something(term):
    assert experiments.entries(term)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Ockham's razor", "iris-simple-wins"),
        ("SELU", "activations"),
        ("Kaiming", "initialization-variance"),
        ("constant error carousel", "lstm-gates"),
        ("Rosenblatt", "perceptron-novikoff"),
        ("weight scaling rule", "dropout-is-ridge"),
        ("MDP", "maze-q-learning"),
        ("RLHF", "preference-tuning"),
        ("word2vec", "word-vectors"),
        ("Toeplitz matrix", "convolution-is-toeplitz"),
    ],
)
def test_other_names_find_the_experiment(words, name):
    assert name in [entry.name for entry in experiments.entries(words)]
