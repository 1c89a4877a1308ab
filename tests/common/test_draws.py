"""Whatever draws takes a ``generator`` or a ``seed``: equal ones give equal results, and nobody else's are used up.

A public function, class or method with such an argument and without an entry fails.
"""

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.linear_model import LogisticRegression, Ridge
from torch import Tensor, nn

from gradatim import (
    NeuralClassifier,
    NeuralRegressor,
    Trainer,
    bayes,
    clustering,
    decoding,
    evaluation,
    generative,
    neurons,
    reinforcement,
    theory,
    timeseries,
)
from gradatim.data import WordPieceTokenizer, synthetic
from gradatim.models import GPT, MLP, Forecaster, RecurrentLanguageModel, SequenceGenerator, TimeMLP
from gradatim.randomness import seeded

from .conftest import public_calls

CALLS = {label.split(".", 1)[1]: function for label, function in public_calls()}


def fixed(make):
    with seeded(5):
        return make()


IMAGES = fixed(lambda: torch.rand(4, 1, 8, 8))
X = fixed(lambda: torch.randn(24, 4))
Y = (X[:, 0] + X[:, 1] > 0).long()
LINE = X[:, 0] + 0.1 * X[:, 1]
SIGNS = fixed(lambda: torch.randn(24, 16).sign())
TOKENS = torch.arange(60).reshape(6, 10) % 8 + 1
PIECES = WordPieceTokenizer.train("one two three four five", vocab_size=60)
TEXTS = [["one two", "three", "four five"], ["two", "one one", "five"], ["three three", "four"]]
SERIES = np.sin(np.arange(40) / 3) + 0.1 * np.cos(np.arange(40) ** 2)


def network(sizes=(4, 8, 2), **arguments):
    return fixed(lambda: MLP(sizes, **arguments))


def gpt():
    return fixed(lambda: GPT(9, 16, 8, 1, 2))


def vae():
    return fixed(lambda: generative.VAE(MLP((4, 8, 4)), MLP((2, 8, 4)), 2))


def rows():
    """The points as a table."""
    return pd.DataFrame(X.numpy(), columns=list("abcd")).assign(kind=["u", "v"] * 12)


def pictures():
    return torch.rand(40, 1, 3, 3, generator=torch.Generator().manual_seed(0))


def diffusion():
    return fixed(lambda: generative.Diffusion(TimeMLP(2, hidden_dim=8), num_steps=10))


def mixture():
    means = torch.tensor([[-1.0], [1.0]])
    return generative.DiffusedMixture(means, 0.5, generative.NoiseSchedule("linear", 10))


def plane():
    means = torch.tensor([[-1.0, 0.0], [1.0, 0.5]])
    return generative.DiffusedMixture(means, 0.5, generative.NoiseSchedule("linear", 10))


def gan():
    return fixed(lambda: CALLS["GAN"](MLP((2, 8, 4)), MLP((4, 8, 1)), 2))


def tensors(model):
    return list(model.state_dict().values())


def step_of(name, g):
    """Weights after two steps on a parabola."""
    w = nn.Parameter(torch.ones(3))
    optimizer = CALLS[name]([w], lr=0.1, generator=g)

    def closure():
        optimizer.zero_grad()
        loss = w.square().sum()
        loss.backward()
        return loss

    for _ in range(2):
        closure()
        optimizer.step(closure)
    return w


def bowl(w):
    return (w * w * torch.tensor([1.0, 2.0, 3.0])).sum()


def peak(x):
    return -x.square().sum(1) / 2


def moved(name, **settings):
    """The state of a sampler after a step."""
    sampler = getattr(bayes, name)
    return sampler.step(peak, sampler.init(peak, X), **settings)


def stored(memory):
    memory.store(SIGNS[:6])
    return memory


START, MOVES = torch.tensor([0.5, 0.5]), torch.tensor([[0.9, 0.1], [0.2, 0.8]])
GAUSSIAN = timeseries.HMM.gaussian(START, MOVES, torch.tensor([[0.0], [1.0]]), torch.ones(2, 1))
CATEGORICAL = timeseries.HMM.categorical(START, MOVES, torch.tensor([[0.7, 0.3], [0.1, 0.9]]))
ONE = torch.ones(1, 1, dtype=torch.float64)
SYSTEM = timeseries.LinearDynamicalSystem(ONE, ONE, ONE, ONE, torch.zeros(1).double(), ONE)
STATES = torch.tensor([0, 1, 1, 0, 1])
MIXTURE = timeseries.MixtureEmission([[1.0], [1.0]], GAUSSIAN.emission)


def paid(kind):
    """Rewards that an algorithm sees in a few steps."""

    def draw(seed):
        world = reinforcement.Maze("S...\n....\n...G", starts_anywhere=True)
        algorithm = getattr(reinforcement, kind)(num_copies=8)
        state, seen = algorithm.init(world, seed=seed), []
        for _ in range(2):
            state, _ = algorithm.step(state)
            seen.append(state.seen)
        return seen

    return draw


def first_states(name):
    """A world's first states, drawn by a generator."""
    world = getattr(reinforcement, name)(*(["Pendulum-v1"] if name == "Gym" else []))
    copies = world.copies(4)
    return lambda g: copies.start(torch.arange(4), g)


def remembered():
    memory = reinforcement.Replay(50)
    rows = torch.arange(50.0)
    memory.add(reinforcement.Step(rows[:, None], rows, rows, rows, rows[:, None]))
    return memory


ONE_STATE = torch.zeros(40, dtype=torch.long)
MAZE = reinforcement.Maze("S...\n....\n...G", starts_anywhere=True)

# What to draw with a generator.
WITH_GENERATOR: dict[str, Callable[[torch.Generator], object]] = {
    "CartPole.start": first_states("CartPole"),
    "Gym.start": first_states("Gym"),
    "Bandit.move": lambda g: reinforcement.Bandit((0.5, 0.4)).move(ONE_STATE, ONE_STATE, g).reward,
    "EpsilonGreedy.choose": lambda g: reinforcement.EpsilonGreedy(1.0).choose(torch.zeros(40, 3), torch.zeros(40, 3), 0, g),
    "UCB.choose": lambda g: reinforcement.UCB().choose(torch.zeros(40, 3), torch.zeros(40, 3), 0, g),
    "Replay.draw": lambda g: remembered().draw(9, g),
    "add_noise": lambda g: CALLS["add_noise"](X, generator=g),
    "adding_task": lambda g: CALLS["adding_task"](3, 10, generator=g),
    "colour_jitter": lambda g: CALLS["colour_jitter"](IMAGES.expand(-1, 3, -1, -1), generator=g),
    "filter_normalized": lambda g: CALLS["filter_normalized"](network(), generator=g),
    "drop_edge": lambda g: CALLS["drop_edge"](torch.arange(20).view(2, 10), 0.5, generator=g),
    "sample_neighbours": lambda g: CALLS["sample_neighbours"](torch.stack([torch.arange(40) % 8, torch.arange(40) // 8]), [0, 1], [2, 2], num_nodes=8, generator=g),
    "copy_task": lambda g: CALLS["copy_task"](5, 4, generator=g),
    "cutout": lambda g: CALLS["cutout"](IMAGES, generator=g),
    "drop_points": lambda g: CALLS["drop_points"](X.view(6, 4, 4), generator=g),
    "jitter_points": lambda g: CALLS["jitter_points"](X.view(6, 4, 4), generator=g),
    "rotate_points": lambda g: CALLS["rotate_points"](X.view(6, 4, 4), generator=g),
    "stroke_points": lambda g: CALLS["stroke_points"](IMAGES, 5, generator=g),
    "flip_pairs": lambda g: CALLS["flip_pairs"](IMAGES.repeat(8, 1, 1, 1), IMAGES.repeat(8, 1, 1, 1)[:, 0], generator=g),
    "mask_entries": lambda g: CALLS["mask_entries"](X, generator=g),
    "mask_tokens": lambda g: CALLS["mask_tokens"](TOKENS, vocab_size=9, mask=0, generator=g),
    "mixup": lambda g: CALLS["mixup"](X, Y, num_classes=2, generator=g),
    "rand_augment": lambda g: CALLS["rand_augment"](IMAGES, generator=g),
    "random_affine": lambda g: CALLS["random_affine"](IMAGES, generator=g),
    "random_crop": lambda g: CALLS["random_crop"](IMAGES, generator=g),
    "random_elastic": lambda g: CALLS["random_elastic"](IMAGES, generator=g),
    "random_flip": lambda g: CALLS["random_flip"](IMAGES.repeat(8, 1, 1, 1), generator=g),
    "stain_jitter": lambda g: CALLS["stain_jitter"](IMAGES.expand(-1, 3, -1, -1), generator=g),
    "Forecaster.forecast": lambda g: fixed(lambda: Forecaster(4, 3, strategy="recursive")).forecast(X[None], num_paths=5, generator=g),
    "Forecaster.simulate": lambda g: fixed(lambda: Forecaster(4, 3, strategy="recursive")).simulate(X[None], num_paths=5, generator=g),
    "DenseMemory.recall": lambda g: stored(neurons.DenseMemory(16)).recall(SIGNS, max_sweeps=1, generator=g).energies,
    "Hopfield.recall": lambda g: stored(neurons.Hopfield(16)).recall(SIGNS, max_sweeps=1, generator=g),
    "draw_tokens": lambda g: CALLS["draw_tokens"](torch.zeros(6, 9), generator=g),
    "initialize": lambda g: tensors(CALLS["initialize"](network(), "he", generator=g)),
    "ring": lambda g: CALLS["ring"](5, 0.5, 0.9, 1.0, generator=g),
    "EntropySGD": lambda g: step_of("EntropySGD", g),
    "Langevin": lambda g: step_of("Langevin", g),
    "k_means_plus_plus": lambda g: CALLS["k_means_plus_plus"](X, 5, generator=g),
    "batch_gradients": lambda g: CALLS["batch_gradients"](X, 3, draws=4, generator=g),
    "lowest_curvature": lambda g: CALLS["lowest_curvature"](bowl, torch.ones(3), max_steps=1, generator=g),
    "smoothness": lambda g: CALLS["smoothness"](bowl, torch.ones(3), max_steps=1, generator=g),
    **{f"{kind.__name__}.draw": lambda g, kind=kind: kind(1, 1000).draw(np.random.default_rng(g.initial_seed())) for kind in (evaluation.Uniform, evaluation.LogUniform, evaluation.Integers)},
    **{f"{name}.step": lambda g, name=name: moved(name, step_size=0.5, generator=g) for name in ("mala", "nuts", "langevin")},
    **{f"{name}.step": lambda g, name=name: moved(name, lr=0.1, generator=g) for name in ("sgld", "sghmc")},
    "hmc.step": lambda g: moved("hmc", step_size=0.5, num_steps=3, generator=g),
    "metropolis.step": lambda g: moved("metropolis", propose=bayes.metropolis.random_walk(step_size=0.5), generator=g),
    "NetworkDensity.start": lambda g: bayes.network_log_density(network(), X, Y).start(3, generator=g),
    "pgd": lambda g: CALLS["pgd"](network(), X, Y, eps=0.3, steps=2, step_size=0.01, restarts=2, generator=g),
    "barron_network": lambda g: tensors(CALLS["barron_network"](6, 2, generator=g)),
    "sample_ball": lambda g: CALLS["sample_ball"](6, 2, generator=g),
    "elbo": lambda g: generative.elbo(vae(), X, generator=g).bound,
    "importance_weighted_bound": lambda g: generative.importance_weighted_bound(vae(), X, 3, generator=g),
    "log_weights": lambda g: generative.log_weights(vae(), X, 3, generator=g),
    "diffusion_bound": lambda g: generative.diffusion_bound(diffusion(), X[:, :2], generator=g),
    "DiffusedMixture.sample": lambda g: mixture().sample(5, generator=g),
    "reverse_sde": lambda g: generative.reverse_sde(mixture().score, mixture().schedule, X[:, :1], steps=3, generator=g),
    "flow_log_likelihood": lambda g: generative.flow_log_likelihood(plane().score, plane().schedule, X[:, :2], steps=2, num_probes=1, generator=g),
    "FlowMatching.sample": lambda g: fixed(lambda: generative.FlowMatching(TimeMLP(2, hidden_dim=8))).sample(5, steps=2, generator=g),
    "sampling_path": lambda g: [step.x for step in generative.sampling_path(diffusion(), 5, sampler="ancestral", steps=3, generator=g)],
    "VAE.sample": lambda g: vae().sample(24, generator=g),
    **{f"{name}.sample": lambda g, name=name: getattr(generative, name)().sample(X, generator=g) for name in ("Bernoulli", "Gaussian")},
    **{f"{name}.sample": lambda g, name=name: getattr(generative, name).learn(rows()).sample(9, generator=g)[list("abcd")].to_numpy() for name in ("GaussianCopula", "IndependentColumns", "JitteredRows")},
    "ImageMixture.sample": lambda g: generative.ImageMixture.learn(pictures()).sample(torch.zeros(9, dtype=torch.long), generator=g),
    "jitter_images": lambda g: generative.jitter_images(pictures(), 9, generator=g),
    "RowCodec.encode": lambda g: generative.RowCodec.learn(rows()).encode(rows(), generator=g),
    "RowLikelihood.sample": lambda g: generative.RowLikelihood([1, -3]).sample(X, generator=g),
    "random_weights": lambda g: CALLS["random_weights"](4, 2, generator=g),
    "GAN.sample": lambda g: gan().sample(3, generator=g),
    "AR.simulate": lambda g: timeseries.AR.fit(SERIES, 2).simulate(6, generator=g),
    "CategoricalEmission.sample": lambda g: CATEGORICAL.emission.sample(STATES.repeat(4), g),
    "GaussianEmission.sample": lambda g: GAUSSIAN.emission.sample(STATES, g),
    "MixtureEmission.sample": lambda g: MIXTURE.sample(STATES, g),
    "fit_hmm": lambda g: CALLS["fit_hmm"](TOKENS % 5, 2, restarts=2, max_steps=2, generator=g).model.emission.table,
    "HMM.sample": lambda g: GAUSSIAN.sample(6, 2, generator=g),
    "LinearDynamicalSystem.simulate": lambda g: SYSTEM.simulate(6, 2, generator=g),
    "NGram.sample": lambda g: timeseries.NGram(2, 9).fit([TOKENS.flatten() % 7]).sample(20, generator=g),
}  # fmt: skip

# What to draw with a seed.
WITH_SEED: dict[str, Callable[[int], object]] = {
    **{f"{kind}.init": paid(kind) for kind in ("QLearning", "SARSA", "MonteCarlo", "Reinforce", "ActorCritic", "PPO", "DQN")},
    "Environment.reset": lambda s: reinforcement.CartPole().copies(3).reset(seed=s)[0],
    "information_bottleneck": lambda s: theory.information_bottleneck(torch.eye(6) / 6, 1.5, max_steps=3, seed=s).encoder,
    "evaluate": lambda s: reinforcement.evaluate(lambda seen: (seen + 1).clamp(max=0), MAZE, episodes=50, gamma=0.9, max_steps=9, seed=s),
    "learn": lambda s: reinforcement.learn(reinforcement.QLearning(num_copies=4), MAZE, steps=20, seed=s).state.q,
    "NeuralClassifier": lambda s: NeuralClassifier((4,), epochs=2, seed=s).fit(X, Y).predict_proba(X),
    "NeuralRegressor": lambda s: NeuralRegressor((4,), epochs=2, seed=s).fit(X, LINE).predict(X),
    "Trainer": lambda s: [r["train_loss"] for r in Trainer(network(), epochs=2, batch_size=8, seed=s, progress=False).fit((X, Y))],
    "check_gradients": lambda s: CALLS["check_gradients"](bowl, torch.ones(3), max_entries=1, seed=s).worst.index,
    "SkipGrams": lambda s: [part for batch in CALLS["SkipGrams"]([list("abcdabcd")] * 9, min_count=1, batch_size=8, seed=s) for part in batch],
    "TokenWindows": lambda s: list(CALLS["TokenWindows"](TOKENS.flatten(), 4, batch_size=3, num_batches=2, seed=s)),
    "next_sentence_pairs": lambda s: CALLS["next_sentence_pairs"](TEXTS * 3, PIECES, max_length=16, seed=s),
    **{name: lambda s, name=name: getattr(synthetic, name)(20, seed=s) for name in ("blobs", "circles", "moons", "sinusoid", "spirals", "xor")},
    "random_graph": lambda s: CALLS["random_graph"](9, 9, seed=s),
    "block_model": lambda s: CALLS["block_model"]([5, 5], [[0.5, 0.2], [0.2, 0.5]], seed=s)[0],
    "node_split": lambda s: CALLS["node_split"](torch.arange(30) % 3, per_class=2, validation=4, test=4, seed=s),
    "rings": lambda s: [part for g in CALLS["rings"](3, seed=s) for part in (g.x, g.edge_index)],
    "scattered_digits": lambda s: CALLS["scattered_digits"](2, seed=s),
    "solids": lambda s: CALLS["solids"](6, cloud_size=4, seed=s),
    "waves": lambda s: [*CALLS["waves"](3, seed=s)[0]],
    "machine_signal": lambda s: CALLS["machine_signal"](100, 2, seed=s),
    "OneHump.draw": lambda s: clustering.OneHump(X.numpy()).draw(seed=s),
    "judge_counts": lambda s: clustering.judge_counts(X.numpy(), [2, 3], num_references=2, num_halvings=2, seed=s),
    "choose_num_clusters": lambda s: clustering.choose_num_clusters(X.numpy(), max_clusters=3, num_references=2, num_halvings=2, seed=s),
    "bootstrap_band": lambda s: evaluation.bootstrap_band(X.numpy(), seed=s),
    "bias_variance": lambda s: evaluation.bias_variance(Ridge(), lambda rng: (rng.normal(size=(9, 1)), rng.normal(size=9)), X[:, :1].numpy(), LINE.numpy(), noise=1.0, repeats=3, seed=s),
    "compare": lambda s: evaluation.compare({"a": LogisticRegression(), "b": LogisticRegression(C=0.1)}, X.numpy(), Y.numpy(), folds=3, seed=s).results["a"].splits,
    "GaussianProcessRegressor.sample_y": lambda s: bayes.GaussianProcessRegressor(noise=0.1, optimize=False).fit(X.numpy(), LINE.numpy()).sample_y(X.numpy(), seed=s),
    "cross_validate": lambda s: evaluation.cross_validate(LogisticRegression(), X.numpy(), Y.numpy(), folds=3, seed=s).splits,
    "draw_overlaps": lambda s: evaluation.draw_overlaps(np.arange(24).reshape(6, 2, 2), s, draws=3).iou,
    "hold_outs": lambda s: evaluation.hold_outs(Y.numpy(), repeats=2, seed=s),
    "learning_curve": lambda s: evaluation.learning_curve(Ridge(), X.numpy(), LINE.numpy(), sizes=(8, 12), folds=3, seed=s).test,
    "make_splits": lambda s: evaluation.make_splits(Y.numpy(), 3, seed=s),
    "nested_cross_validate": lambda s: evaluation.nested_cross_validate(Ridge(), X.numpy(), LINE.numpy(), {"alpha": [0.1, 1.0]}, folds=3, seed=s).scores,
    "repeated_hold_out": lambda s: evaluation.repeated_hold_out(LogisticRegression(), X.numpy(), Y.numpy(), repeats=2, seed=s).splits,
    "split_three_ways": lambda s: evaluation.split_three_ways(Y.numpy(), seed=s),
    "tune": lambda s: [t.parameters for t in evaluation.tune(Ridge(), X.numpy(), LINE.numpy(), {"alpha": evaluation.LogUniform(0.1, 1.0)}, trials=2, folds=3, seed=s).trials],
    "generate": lambda s: [
        decoding.generate(gpt(), [1, 2], 6, seed=s),
        decoding.generate(fixed(lambda: RecurrentLanguageModel(9)), TOKENS, 6, seed=s),
        decoding.generate(fixed(lambda: SequenceGenerator(4, 9)), X, 6, temperature=1.0, seed=s),
    ],
    "copying_share": lambda s: list(CALLS["copying_share"](X[:8], X[8:], X[12:], seed=s)),
    "judge_samples": lambda s: [*CALLS["judge_samples"](X[:8] + 1, X[:16], X[8:], seed=s).model["kernel_distance"]],
    **{name: lambda s, name=name: list(CALLS[name](rows()[:10], rows()[10:], seed=s)) for name in ("mean_column_similarity", "mean_pair_similarity")},
    "ImageMixture.learn": lambda s: list(vars(generative.ImageMixture.learn(pictures(), num_gaussians=3, seed=s)).values()),
    "two_sample_test": lambda s: list(CALLS["two_sample_test"](rows()[:12], rows()[12:], folds=2, seed=s).auc),
    "train_on_generated": lambda s: list(CALLS["train_on_generated"](rows()[:12], rows()[12:], rows()[::2], "a", seed=s).real),
    "SampleWatch": lambda s: list(CALLS["SampleWatch"](X, seed=s).measure(gan()).values()),
    "train_gan": lambda s: tensors(CALLS["train_gan"](gan().generator, gan().discriminator, X, latent_dim=2, epochs=1, seed=s, progress=False).gan),
    "mean_interval": lambda s: list(CALLS["mean_interval"](LINE, seed=s)),
    "stream": lambda s: list(CALLS["stream"](gpt(), [1, 2], 6, seed=s)),
    "Madaline": lambda s: neurons.Madaline(seed=s, max_epochs=2).fit(X, 2 * Y - 1).decision_function(X),
    "Perceptron": lambda s: neurons.Perceptron(shuffle=True, max_epochs=1, seed=s).fit(X, 2 * Y - 1).coef_,
    "mc_predict": lambda s: CALLS["mc_predict"](network(dropout=0.5), X, num_samples=3, seed=s),
    "variance_profile": lambda s: CALLS["variance_profile"](network(), X, seed=s),
    "RandomKernels.learn": lambda s: timeseries.RandomKernels.learn(X, num_features=84, seed=s),
    "approximate": lambda s: [a.l2_error for a in CALLS["approximate"](torch.sin, [2], restarts=1, steps=2, seed=s)],
    "Rollouts": lambda s: list(CALLS["Rollouts"](gpt(), gpt(), lambda t: t.float().mean(1), TOKENS[:2, :2], 4, batch_size=2, seed=s)),
    "sample": lambda s: bayes.sample(peak, X, sampler="hmc", draws=3, warmup=3, seed=s).draws,
    "posterior_predictive": lambda s: bayes.posterior_predictive(network(), (X, Y), X, num_samples=3, seed=s).draws,
    "rebuild": lambda s: tensors(CALLS["rebuild"](CALLS["describe"](network()), seed=s)),
    "lr_range_test": lambda s: CALLS["lr_range_test"](network(), (X, Y), steps=10, batch_size=8, seed=s).losses,
    "policy_divergence": lambda s: CALLS["policy_divergence"](gpt(), fixed(lambda: GPT(9, 16, 4, 1, 2)), TOKENS[:2, :2], 4, seed=s),
    "replace_head": lambda s: tensors(CALLS["replace_head"](network(), 5, seed=s)),
    "train_replicas": lambda s: [tensors(m) for m in CALLS["train_replicas"](network, (X, Y), rows=[range(12), range(12, 24)], epochs=1, batch_size=4, seed=s).models],
}  # fmt: skip

# Whose law is not tested here, and why.
ELSEWHERE: dict[str, str] = {
    "Likelihood.sample": "abstract; its kinds have entries",
    **dict.fromkeys(
        ("Environment.start", "Environment.move", "Exploration.choose"),
        "draws nothing of its own: others fill it in",
    ),
    **dict.fromkeys(
        ("ActorState", "DQNState", "TableState"),
        "keeps the source of an algorithm, which has an entry",
    ),
    **dict.fromkeys(
        ("Bandit.start", "CartPole.move", "Gym.move"), "nothing is left to chance there"
    ),
    "jacobian_cost": "a table of seconds: nothing else in it depends on the draw",
    "find_clusters": "its starts are drawn, and end in the same clusters",
    "spectral_clustering": "starts of k-means are drawn, and end in the same parts",
    "fit_smoothing": "its restarts are drawn, and end in the same optimum",
    "count_regions": "samples only where the exact count is too long; tests/theory/test_regions.py",
    "Options": "the settings of fit, which draws",
    "GaussianProcessClassifier": "its restarts are drawn, and end in the same optimum",
    "GaussianProcessRegressor": "the same",
    "hessian_eigenvalues": "its first direction is drawn, and the eigenvalues are the same",
    "hessian_trace": "an estimate with its error; tests/theory/test_hessian_spectrum.py",
    "spectral_density": "the same",
    "pac_bayes_certificate": "tests/theory/test_certificate.py: equal seeds, equal bounds",
    "rademacher_complexity": "an estimate with its error; tests/theory/test_uniform_convergence.py",
    "labelings": "starts of the search of a network; tests/theory/test_labeling_search.py",
    "shatters": "the same",
    "vc_dimension": "the same",
    "GAN": "its generator is a network",
    "GraphStream": "tests/data/test_graph_stream.py: equal seeds, equal orders",
}


def numbers(value):
    """All numbers of a result, in order, in one flat list of arrays."""
    if isinstance(value, Tensor):
        return [value.detach().to_dense().numpy()]
    if isinstance(value, np.ndarray | float | int | str | None | np.generic):
        return [np.asarray(value)]
    if dataclasses.is_dataclass(value):
        return numbers([getattr(value, field.name) for field in dataclasses.fields(value)])
    if isinstance(value, Mapping):
        return numbers(list(value.values()))
    if isinstance(value, Sequence):
        return [part for item in value for part in numbers(item)]
    return []


def equal(first, second):
    """Equal, to the rounding of solvers that split their work over threads."""
    a, b = numbers(first), numbers(second)
    return len(a) == len(b) and all(same(p, q) for p, q in zip(a, b, strict=True))


def same(a, b):
    if a.shape != b.shape or a.dtype.kind != "f":
        return np.array_equal(a, b)
    return np.allclose(a, b, rtol=1e-6, atol=1e-9, equal_nan=True)


def random_state():
    return [torch.get_rng_state(), np.random.get_state()[1].copy()]  # noqa: NPY002


def takers(argument):
    """Names of what takes it; two rooms may have a name in common."""
    takes = (label for label, f in public_calls() if argument in inspect.signature(f).parameters)
    return {label.split(".", 1)[1] for label in takes}


def test_whatever_draws_has_an_entry():
    entries = set(WITH_GENERATOR) | set(WITH_SEED) | set(ELSEWHERE)
    assert (takers("generator") | takers("seed")) - entries == set()
    assert entries - (takers("generator") | takers("seed")) == set()


@pytest.mark.parametrize("name", list(WITH_GENERATOR))
def test_equal_generators_give_equal_results(name):
    def draw(seed):
        return WITH_GENERATOR[name](torch.Generator().manual_seed(seed))

    first = draw(1)
    before = random_state()
    again = draw(1)
    assert numbers(first)
    assert equal(again, first)
    assert equal(random_state(), before), "it draws from the global generator too"
    assert not equal(draw(2), first), "another generator changes nothing"


@pytest.mark.parametrize("name", list(WITH_SEED))
def test_equal_seeds_give_equal_results(name):
    first = WITH_SEED[name](1)
    before = random_state()
    again = WITH_SEED[name](1)
    assert numbers(first)
    assert equal(again, first)
    assert equal(random_state(), before), "it draws from the global generator too"
    assert not equal(WITH_SEED[name](2), first), "another seed changes nothing"
