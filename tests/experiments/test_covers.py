"""Every idea of the curriculum has an experiment, and is found by the words that people know it by."""

import pytest

from gradatim import experiments
from gradatim.experiments._discovery import _matches

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
# what lecture notes on the field call their sections, and what stands in them in bold
SECTIONS = (
    "McCulloch-Pitts neuron, threshold unit, perceptron, version space, Novikoff, convergence proof, "
    "linear separability, Cover's theorem, Hopfield network, Hebbian learning, associative memory, energy function, "
    "parallel distributed processing, least squares, ridge regression, logistic regression, softmax regression, "
    "linear networks, collapse of linear layers, residual networks, skip connections, highway networks, DenseNet, "
    "sigmoid networks, ReLU networks, universal approximation, Bernstein polynomials, Barron, piecewise linear, "
    "linear regions, Zaslavsky, activation patterns, backpropagation, chain rule, vector-Jacobian product, "
    "forward mode, reverse mode, computational graph, gradient descent, gradient flow, smoothness, "
    "Polyak-Lojasiewicz, sufficient decrease, convexity, saddle points, local minima, momentum, heavy ball, Nesterov, "
    "AdaGrad, Adam, RMSProp, stochastic gradient descent, mini-batch, Polyak averaging, stochastic weight averaging, "
    "gradient clipping, learning rate schedule, warm-up, cosine, weight initialization, Glorot, He initialization, "
    "LeCun initialization, orthogonal initialization, numerical stability, log-sum-exp, convolution, "
    "cross-correlation, Toeplitz, equivariance, translation invariance, receptive field, pooling, stride, dilation, "
    "weight sharing, VGG, ResNet, U-Net, image classification, convolution theorem, vanishing gradient, "
    "exploding gradient, LSTM, GRU, linear recurrent unit, minGRU, state space model, teacher forcing, "
    "sequence to sequence, encoder-decoder, connectionist temporal classification, self-attention, cross-attention, "
    "multi-head attention, positional encoding, machine translation, BERT, vision transformer, class token, "
    "deep sets, PointNet, graph neural network, graph convolution, graph attention network, over-smoothing, "
    "Weisfeiler-Lehman, spectral graph theory, graph Fourier transform, graph Laplacian, weight decay, "
    "L2 regularization, L1, lasso, early stopping, dropout, co-adaptation, batch normalization, layer normalization, "
    "weight normalization, data augmentation, label smoothing, MixUp, RandAugment, stochastic depth, distillation, "
    "tempered, transfer learning, ensembling, bagging, lottery ticket, implicit regularization, "
    "gradient norm penalty, gradient variance penalty, information bottleneck, neural tangent kernel, "
    "linearized model, infinite width, Bayesian learning, posterior, Markov chain Monte Carlo, Metropolis-Hastings, "
    "Hamiltonian Monte Carlo, Langevin, Gaussian process, VC dimension, growth function, shattering, PAC-Bayes, "
    "double descent, flat minima, Entropy-SGD, autoencoder, variational autoencoder, ELBO, reparameterization, "
    "posterior collapse, GAN, minimax, extragradient, mode collapse, diffusion model, denoising, DDPM, "
    "classifier-free guidance, adversarial examples, FGSM, DeepFool, PGD, robust training, adversarial training, "
    "k-means, hierarchical clustering, Q-learning, REINFORCE, policy gradient, actor-critic, autoregressive, "
    "Yule-Walker, n-gram, bag of words, word embeddings, bits per character, perplexity, beam search, "
    "nucleus sampling, temperature, KV cache, weight tying, RLHF, Kalman filter, hidden Markov model, Viterbi, "
    "forward-backward, Baum-Welch, bias-variance, cross-validation, nested cross-validation, hyperparameter tuning, "
    "Bayesian optimization, grid search, random search, expected improvement, surrogate, learning curve, "
    "confusion matrix, rare classes, conformal, hyperplane, signed distance, normal vector, binary cross-entropy, "
    "Huber, maximum likelihood, maximum a posteriori, prior, likelihood, Bayes' theorem, dead ReLU, SELU, ELU, GELU, "
    "softplus, symmetry, permutation of hidden units, MLP-Mixer, curse of dimensionality, fixed basis functions, "
    "learned features, feature engineering, overfitting, underfitting, distribution shift, data leakage, "
    "wrong labels, label noise, interpretability, Occam, spam, zip code, IMDB, MNIST, NYSE, XOR, random restarts, "
    "multi-start, noise injection, whitening, internal covariate shift, self-normalizing, Monte Carlo dropout, "
    "uncertainty, calibration, captions, linear attention, bump, polynomial activation, product of numbers, sawtooth, "
    "power of depth, condition number, Hessian, sharpness, Boltzmann, simulated annealing, AdamW, weight energy, "
    "patience, leave-one-out, stratified"
)


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


@pytest.mark.parametrize("words", [INDEX, SECTIONS.split(", ")], ids=["index", "sections"])
def test_the_words_of_textbooks_and_notes_find_something(words):
    """Entries are read once: a search reads the text of every experiment."""
    lost = [term for term in words if not any(_matches(entry, term) for entry in ENTRIES)]
    assert not lost


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
        ("co-adaptation", "dropout-redundancy"),
        ("games", "gan-game"),
        ("extragradient", "gan-game"),
        ("weight normalization", "normalization"),
        ("self-normalizing", "flat-units"),
        ("Tikhonov", "augmentation"),
        ("GAM", "tricks-ablation"),
        ("soft thresholding", "lasso"),
        ("covariate shift", "generalization-breaks"),
        ("acquisition function", "bayesian-optimization"),
        ("AdaGrad", "adam-versus-sgd"),
        ("question answering", "answer-spans"),
        ("stacked multi-layer LSTM", "sequence-patterns"),
        ("windowed attention", "attention-versus-recurrence"),
        ("most likely sentence", "ngram-sparsity"),
        ("gradient clipping", "vanishing-in-time"),
    ],
)
def test_other_names_find_the_experiment(words, name):
    assert name in [entry.name for entry in ENTRIES if _matches(entry, words)]


def test_a_search_matches_in_the_same_way():
    found = [entry.name for entry in experiments.entries("co-adaptation")]
    assert found == ["dropout-redundancy"]
