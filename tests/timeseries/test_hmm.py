"""The hidden Markov model: worked tables, all paths counted, another library, and laws."""

import math
from itertools import product

import numpy as np
import pytest
import torch
from hmmlearn.hmm import CategoricalHMM, GaussianHMM
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from gradatim.errors import InvalidType, InvalidValue
from gradatim.timeseries import HMM, CategoricalEmission, baum_welch, stationary_distribution

WEATHER = HMM.categorical(
    start=[0.6, 0.3, 0.1],
    transition=[[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.3, 0.3, 0.4]],
    emission=[[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.5, 0.2, 0.3]],
)
DAYS = torch.tensor([0, 1, 2])  # walk, umbrella, indoors


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def random_rows(rng, *shape, zeros=False):
    rows = rng.dirichlet(np.ones(shape[-1]), shape[:-1])
    if zeros and shape[-1] > 1:
        rows = np.where(rng.random(rows.shape) < 0.3, 0.0, rows)
        rows[..., 0] = np.where(rows.sum(-1) == 0, 1.0, rows[..., 0])
    return rows / rows.sum(-1, keepdims=True)


def random_hmm(K, V, seed, zeros=False):
    rng = np.random.default_rng(seed)
    return HMM.categorical(
        random_rows(rng, K, zeros=zeros),
        random_rows(rng, K, K, zeros=zeros),
        random_rows(rng, K, V),
    )


def random_gaussian(K, D, seed, kind="full"):
    rng = np.random.default_rng(seed)
    means, roots = rng.normal(0, 3, (K, D)), rng.normal(0, 1, (K, D, D))
    full = roots @ np.swapaxes(roots, 1, 2) + 0.3 * np.eye(D)
    covariances = full if kind == "full" else np.diagonal(full, axis1=1, axis2=2).copy()
    return HMM.gaussian(random_rows(rng, K), random_rows(rng, K, K), means, covariances)


def every_path(model, y):
    """Probability of each path together with the observations, by multiplying."""
    pi, A = model.start.numpy(), model.transition.numpy()
    b = model.emission.log_prob(y).exp().numpy()
    for path in product(range(len(pi)), repeat=len(y)):
        p = pi[path[0]] * b[0, path[0]]
        for t in range(1, len(y)):
            p *= A[path[t - 1], path[t]] * b[t, path[t]]
        yield path, p


class TestWorkedWeather:
    def test_evaluation(self):
        assert WEATHER.log_likelihood(DAYS).exp().item() == pytest.approx(0.019008, abs=1e-9)
        alpha = WEATHER.trellis(DAYS).forward.exp()
        expected = [[0.48, 0.06, 0.05], [0.0375, 0.0987, 0.0148], [0.007017, 0.006129, 0.005862]]
        np.testing.assert_allclose(alpha, expected, atol=1e-9)

    def test_decoding(self):
        found = WEATHER.viterbi(DAYS)
        assert found.path.tolist() == [0, 1, 1]
        assert found.log_probability.exp().item() == pytest.approx(0.00336, abs=1e-12)
        trellis = WEATHER.trellis(DAYS)
        expected = [[0.48, 0.06, 0.05], [0.0336, 0.0672, 0.0096], [0.002688, 0.00336, 0.002016]]
        np.testing.assert_allclose(trellis.best.exp(), expected, atol=1e-12)
        assert trellis.previous.tolist() == [[-1] * 3, [0] * 3, [1] * 3]

    def test_two_states_and_four_days(self):
        model = HMM.categorical(
            [0.4, 0.6], [[0.6, 0.4], [0.3, 0.7]], [[0.6, 0.3, 0.1], [0.1, 0.4, 0.5]]
        )
        y = torch.tensor([0, 1, 2, 2])  # walk, shop, clean, clean
        delta = [[0.24, 0.06], [0.0432, 0.0384], [0.002592, 0.01344], [0.0004032, 0.004704]]
        np.testing.assert_allclose(model.trellis(y).best.exp(), delta, rtol=1e-9)
        assert model.viterbi(y).path.tolist() == [0, 1, 1, 1]

    def test_the_start_matters_for_short_sequences_only(self):
        flat = HMM(torch.full((3,), 1 / 3).double(), WEATHER.transition, WEATHER.emission)
        _, y = WEATHER.sample(200, generator=seeded())
        apart = (WEATHER.posterior(y) - flat.posterior(y)).abs().sum(1)
        assert apart[0] > 0.1
        assert apart[20:].max() < 1e-6


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 3), st.integers(1, 4), st.integers(1, 5), st.booleans(), st.integers(0, 10**6)
)
def test_against_every_path(K, V, steps, zeros, seed):
    model = random_hmm(K, V, seed, zeros)
    _, y = model.sample(steps, generator=seeded(seed))
    paths, p = zip(*every_path(model, y), strict=True)
    assert model.log_likelihood(y).item() == pytest.approx(math.log(sum(p)), abs=1e-9)
    found = model.viterbi(y)
    assert found.log_probability.item() == pytest.approx(math.log(max(p)), abs=1e-9)
    assert p[paths.index(tuple(found.path.tolist()))] == pytest.approx(max(p), rel=1e-9)
    gamma = np.zeros((steps, K))
    for path, weight in zip(paths, p, strict=True):
        gamma[range(steps), path] += weight / sum(p)
    np.testing.assert_allclose(model.posterior(y), gamma, atol=1e-9)


class TestMissing:
    @settings(max_examples=25, deadline=None)
    @given(st.integers(1, 3), st.integers(1, 5), st.booleans(), st.integers(0, 10**6))
    def test_symbols_against_every_path_and_every_filling(self, K, steps, zeros, seed):
        """The probability is the sum over all symbols that could stand in the gaps."""
        model = random_hmm(K, 3, seed, zeros)
        _, y = model.sample(steps, generator=seeded(seed))
        gone = (torch.rand(steps, generator=seeded(seed + 1)) < 0.5).nonzero()[:, 0]
        gappy = y.clone()
        gappy[gone] = -1
        total, gamma = 0.0, np.zeros((steps, K))
        best = dict.fromkeys(product(range(K), repeat=steps), 0.0)
        for filling in product(range(3), repeat=len(gone)):
            filled = y.clone()
            filled[gone] = torch.tensor(filling, dtype=torch.long)
            for path, p in every_path(model, filled):
                total += p
                best[path] += p
                gamma[range(steps), path] += p
        assert model.log_likelihood(gappy).item() == pytest.approx(math.log(total), abs=1e-9)
        np.testing.assert_allclose(model.posterior(gappy), gamma / total, atol=1e-9)
        found = model.viterbi(gappy)
        assert found.log_probability.exp().item() == pytest.approx(max(best.values()), rel=1e-9)
        assert best[tuple(found.path.tolist())] == pytest.approx(max(best.values()), rel=1e-9)

    @pytest.mark.parametrize("kind", ["full", "diagonal"])
    def test_vectors_against_every_path(self, kind):
        model = random_gaussian(2, 3, 1, kind)
        _, y = model.sample(5, generator=seeded(1))
        y[torch.rand(5, 3, generator=seeded(2)) < 0.4] = torch.nan
        y[2] = torch.nan
        cov = model.emission.covariances.numpy()
        cov = cov if kind == "full" else np.stack([np.diag(row) for row in cov])
        b = np.ones((5, 2))
        for t, k in product(range(5), range(2)):
            keep = ~np.isnan(y[t].numpy())
            if keep.any():
                mean = model.emission.means[k].numpy()[keep]
                b[t, k] = multivariate_normal.pdf(
                    y[t].numpy()[keep], mean, cov[k][np.ix_(keep, keep)]
                )
        pi, A, total = model.start.numpy(), model.transition.numpy(), 0.0
        for path in product(range(2), repeat=5):
            steps = [A[path[t - 1], path[t]] for t in range(1, 5)]
            total += pi[path[0]] * np.prod(steps) * np.prod(b[range(5), path])
        assert model.log_likelihood(y).item() == pytest.approx(math.log(total), rel=1e-10)

    def test_nothing_seen_says_nothing(self):
        y = torch.full((4, 6), -1)
        assert WEATHER.log_likelihood(y).abs().max() < 1e-12
        learned = WEATHER.learn(y, max_steps=3).model
        torch.testing.assert_close(learned.emission.table, WEATHER.emission.table)
        posterior = WEATHER.posterior(y[0])
        expected = WEATHER.start @ torch.linalg.matrix_power(WEATHER.transition, 5)
        torch.testing.assert_close(posterior[5], expected)
        model = random_gaussian(2, 2, 0)
        blank = torch.full((5, 2), torch.nan)
        assert model.log_likelihood(blank).abs() < 1e-12
        learned = model.learn(blank, max_steps=3).model.emission
        torch.testing.assert_close(learned.covariances, model.emission.covariances)

    @pytest.mark.parametrize("kind", ["full", "diagonal"])
    def test_learning_ends_where_no_direction_leads_up(self, kind):
        truth, start = (random_gaussian(2, 2, seed, kind) for seed in (3, 4))
        _, y = truth.sample(40, 5, generator=seeded(3))
        y[torch.rand(5, 40, 2, generator=seeded(4)) < 0.3] = torch.nan
        found = start.learn(y, max_steps=2000, tol=1e-11)
        assert (np.diff(found.log_likelihoods) > -1e-9).all()
        emission = found.model.emission
        parts = [p.clone().requires_grad_() for p in (emission.means, emission.covariances)]
        model = HMM.gaussian(found.model.start, found.model.transition, *parts)
        for slope in torch.autograd.grad(model.log_likelihood(y).sum(), parts):
            assert slope.abs().max() < 2e-3


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 4), st.integers(1, 12), st.booleans(), st.integers(0, 10**6))
def test_scaling_and_logarithms_agree(K, steps, zeros, seed):
    model = random_hmm(K, 5, seed, zeros)
    _, y = model.sample(steps, 4, generator=seeded(seed))
    lengths = torch.randint(1, steps + 1, (4,), generator=seeded(seed))
    data, _ = model._sequences("learn", y, lengths)
    for ours, logs in zip(
        baum_welch.expect(model._chain, data),
        baum_welch._expect_in_logarithms(model._chain, data),
        strict=True,
    ):
        np.testing.assert_allclose(ours, logs, atol=1e-9)


def test_evidence_lost_by_scaling_is_found_by_logarithms():
    """The second state cannot be left. 300 steps speak for it, then 500 against it: nobody ever went there."""
    model = HMM.categorical([0.5, 0.5], [[0.5, 0.5], [0.0, 1.0]], [[0.999, 0.001], [0.001, 0.999]])
    y = torch.tensor([1] * 300 + [0] * 500)
    stay_first = math.log(0.5) + 799 * math.log(0.5) + 300 * math.log(0.001) + 500 * math.log(0.999)
    assert model.log_likelihood(y).item() > stay_first - 1e-9
    posterior = model.posterior(y)
    assert posterior[400, 0] > 0.999
    assert model.viterbi(y).path.tolist() == [0] * 800
    assert model.learn(y, max_steps=3).log_likelihoods[0] == pytest.approx(
        model.log_likelihood(y).item()
    )


def test_densities_beyond_the_range_of_floats():
    """The first observation fits the unreachable state only, by a factor of e^5000."""
    model = HMM.gaussian([1.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], [[0.0], [100.0]], [[1.0], [1.0]])
    y = torch.full((3, 1), 100.0)
    expected = 3 * (-0.5 * 100.0**2 - 0.5 * math.log(2 * math.pi))
    assert model.log_likelihood(y).item() == pytest.approx(expected)
    np.testing.assert_allclose(model.posterior(y), [[1.0, 0.0]] * 3)


def test_finite_at_length_100000():
    model = random_hmm(4, 6, 3)
    _, y = model.sample(100_000, generator=seeded(3))
    score = model.log_likelihood(y).item()
    best = model.viterbi(y).log_probability.item()
    assert -6e5 < best < score < 0
    assert torch.allclose(model.posterior(y).sum(1), torch.ones(100_000).double())
    assert len(model.learn(y, max_steps=2).log_likelihoods) == 2


class TestRagged:
    lengths = torch.tensor([7, 1, 4])

    @pytest.fixture(params=["categorical", "gaussian"])
    def batch(self, request):
        if request.param == "categorical":
            model, junk = random_hmm(3, 4, 1), 999
        else:
            model, junk = random_gaussian(3, 2, 1), torch.nan
        _, y = model.sample(7, 3, generator=seeded(1))
        for row, length in enumerate(self.lengths):
            y[row, length:] = junk
        return model, y

    def test_a_sequence_in_a_batch_is_the_sequence_alone(self, batch):
        model, y = batch
        score, gamma = model.log_likelihood(y, self.lengths), model.posterior(y, self.lengths)
        decoded = model.viterbi(y, self.lengths)
        for row, length in enumerate(self.lengths.tolist()):
            alone = y[row, :length]
            assert score[row].item() == pytest.approx(model.log_likelihood(alone).item(), rel=1e-12)
            torch.testing.assert_close(gamma[row, :length], model.posterior(alone))
            assert (gamma[row, length:] == 0).all()
            best = model.viterbi(alone)
            assert decoded.path[row, :length].tolist() == best.path.tolist()
            assert (decoded.path[row, length:] == -1).all()
            torch.testing.assert_close(decoded.log_probability[row], best.log_probability)

    def test_learning_from_a_batch_is_learning_from_its_sequences(self, batch):
        model, y = batch
        found = model.learn(y, self.lengths, max_steps=1).model
        K = len(model.start)
        starts, pairs = torch.zeros(K).double(), torch.zeros(K, K).double()
        for row, length in enumerate(self.lengths.tolist()):
            data, _ = model._sequences("learn", y[row, :length], None)
            expected = baum_welch.expect(model._chain, data)
            starts += torch.from_numpy(expected.states[0, 0])
            pairs += torch.from_numpy(expected.transitions)
        torch.testing.assert_close(found.start, starts / 3)
        torch.testing.assert_close(found.transition, pairs / pairs.sum(1, keepdim=True))

    @pytest.mark.parametrize(
        ("lengths", "message"),
        [
            ([7, 1], "one integer per sequence, 3"),
            (
                [7, 1, 0],
                "between 1 and the 7 steps of the batch, got 0 to 7. Leave empty sequences out",
            ),
            ([7, 1, 8], "got 1 to 8"),
            ([7.0, 1.0, 4.0], "one integer per sequence"),
        ],
    )
    def test_bad_lengths(self, batch, lengths, message):
        model, y = batch
        with pytest.raises(InvalidValue, match=message):
            model.viterbi(y, torch.tensor(lengths))


class TestAgainstHmmlearn:
    def symbols(self):
        model = random_hmm(4, 6, 7)
        _, y = model.sample(50, 8, generator=seeded(7))
        lengths = torch.tensor([50, 20, 33, 50, 1, 49, 2, 10])
        rows = np.concatenate([y[b, :n].numpy() for b, n in enumerate(lengths)])[:, None]
        return random_hmm(4, 6, 8), y, lengths, rows

    def peer(self, model, iterations):
        theirs = CategoricalHMM(4, n_features=6, n_iter=iterations, tol=-np.inf, init_params="")
        theirs.startprob_, theirs.transmat_ = model.start.numpy(), model.transition.numpy()
        theirs.emissionprob_ = model.emission.table.numpy()
        return theirs

    def test_score_posterior_and_path(self):
        ours, y, lengths, rows = self.symbols()
        theirs = self.peer(ours, 1)
        score = ours.log_likelihood(y, lengths).sum().item()
        assert score == pytest.approx(theirs.score(rows, lengths.tolist()), rel=1e-10)
        kept = torch.arange(50) < lengths[:, None]
        np.testing.assert_allclose(
            ours.posterior(y, lengths)[kept],
            theirs.predict_proba(rows, lengths.tolist()),
            atol=1e-9,
        )
        log_probability, path = theirs.decode(rows, lengths.tolist())
        found = ours.viterbi(y, lengths)
        assert found.path[kept].tolist() == path.tolist()
        assert found.log_probability.sum().item() == pytest.approx(log_probability, rel=1e-10)

    def test_ten_rounds_of_baum_welch(self):
        ours, y, lengths, rows = self.symbols()
        theirs = self.peer(ours, 10).fit(rows, lengths.tolist())
        found = ours.learn(y, lengths, max_steps=10, tol=-1.0)
        np.testing.assert_allclose(found.model.start, theirs.startprob_, atol=1e-8)
        np.testing.assert_allclose(found.model.transition, theirs.transmat_, atol=1e-8)
        np.testing.assert_allclose(found.model.emission.table, theirs.emissionprob_, atol=1e-8)
        np.testing.assert_allclose(
            found.log_likelihoods, list(theirs.monitor_.history)[-10:], rtol=1e-9
        )

    @pytest.mark.parametrize("kind", ["full", "diag"])
    def test_gaussian(self, kind):
        truth, ours = (random_gaussian(3, 2, seed, kind) for seed in (1, 2))
        _, y = truth.sample(60, 5, generator=seeded(2))
        theirs = GaussianHMM(
            3, kind, n_iter=5, tol=-np.inf, init_params="", covars_prior=0.0, covars_weight=1.0
        )
        if kind == "diag":
            theirs.covars_weight, theirs.means_weight = 1, 0
        theirs.startprob_, theirs.transmat_ = ours.start.numpy(), ours.transition.numpy()
        theirs.means_ = ours.emission.means.numpy()
        theirs.covars_ = ours.emission.covariances.numpy()
        rows = y.flatten(0, 1).numpy()
        score = ours.log_likelihood(y).sum().item()
        assert score == pytest.approx(theirs.score(rows, [60] * 5), rel=1e-10)
        assert ours.viterbi(y).path.flatten().tolist() == theirs.predict(rows, [60] * 5).tolist()
        theirs.fit(rows, [60] * 5)
        found = ours.learn(y, max_steps=5, tol=-1.0).model
        np.testing.assert_allclose(found.transition, theirs.transmat_, atol=1e-6)
        np.testing.assert_allclose(found.emission.means, theirs.means_, atol=1e-5)
        covariances = found.emission.covariances
        full = covariances if kind == "full" else torch.diag_embed(covariances)
        np.testing.assert_allclose(full, theirs.covars_, atol=1e-5)


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["categorical", "zeros", "full", "diagonal"]),
    st.integers(1, 4),
    st.integers(1, 15),
    st.integers(1, 4),
    st.integers(0, 10**6),
)
def test_the_likelihood_never_falls(kind, K, steps, sequences, seed):
    build = {
        "categorical": lambda s: random_hmm(K, 4, s),
        "zeros": lambda s: random_hmm(K, 4, s, zeros=True),
        "full": lambda s: random_gaussian(K, 2, s),
        "diagonal": lambda s: random_gaussian(K, 2, s, "diagonal"),
    }[kind]
    start = build(seed)
    truth = start if kind == "zeros" else build(seed + 1)  # zeros could make other data impossible
    _, y = truth.sample(steps, sequences, generator=seeded(seed))
    if seed % 2:
        gone = torch.rand(y.shape, generator=seeded(seed)) < 0.3
        y[gone] = torch.nan if y.is_floating_point() else -1
    lengths = torch.randint(1, steps + 1, (sequences,), generator=seeded(seed))
    found = start.learn(y, lengths, max_steps=6, tol=-math.inf)
    scores = np.array(found.log_likelihoods)
    assert np.isfinite(scores).all()
    assert (np.diff(scores) > -1e-8 * (1 + np.abs(scores[1:]))).all()
    torch.testing.assert_close(found.model.transition.sum(1), torch.ones(K).double())
    final = found.model.log_likelihood(y, lengths).sum().item()
    assert final > scores[-1] - 1e-8 * (1 + abs(final))


def test_learning_finds_a_better_explanation_than_the_truth():
    truth = HMM.categorical(
        [1.0, 0.0], [[0.9, 0.1], [0.2, 0.8]], [[0.9, 0.1, 0.0], [0.1, 0.2, 0.7]]
    )
    _, y = truth.sample(200, 40, generator=seeded(11))
    start = HMM.categorical(
        [0.5, 0.5], [[0.6, 0.4], [0.5, 0.5]], [[0.4, 0.3, 0.3], [0.3, 0.3, 0.4]]
    )
    found = start.learn(y, max_steps=200)
    assert found.log_likelihoods[-1] > truth.log_likelihood(y).sum().item()
    np.testing.assert_allclose(found.model.transition, truth.transition, atol=0.03)
    np.testing.assert_allclose(found.model.emission.table, truth.emission.table, atol=0.03)
    assert len(found.log_likelihoods) < 200


def test_zeros_stay_zeros_and_unseen_states_stay_as_they_are():
    model = HMM.categorical([1.0, 0.0], [[1.0, 0.0], [0.4, 0.6]], [[0.5, 0.5], [0.1, 0.9]])
    found = model.learn(torch.tensor([0, 1, 1, 0, 1]), max_steps=5).model
    assert found.start.tolist() == [1.0, 0.0]
    assert found.transition.tolist() == [[1.0, 0.0], [0.4, 0.6]]
    np.testing.assert_allclose(found.emission.table, [[0.4, 0.6], [0.1, 0.9]])


def test_the_floor_keeps_variances_from_vanishing():
    model = HMM.gaussian([0.5, 0.5], [[0.5, 0.5]] * 2, [[0.0], [5.0]], [[1.0], [1.0]], floor=0.01)
    found = model.learn(torch.tensor([[0.0], [0.1], [5.0]]), max_steps=50).model
    assert found.emission.covariances.min().item() == pytest.approx(0.01)


def test_samples_follow_the_chain():
    states, y = WEATHER.sample(60, 4000, generator=seeded(5))
    shares = torch.bincount(states[:, -1], minlength=3) / 4000
    np.testing.assert_allclose(shares, stationary_distribution(WEATHER.transition), atol=0.03)
    pairs = torch.zeros(3, 3).index_put(
        (states[:, :-1].flatten(), states[:, 1:].flatten()), torch.ones(()), accumulate=True
    )
    np.testing.assert_allclose(pairs / pairs.sum(1, keepdim=True), WEATHER.transition, atol=0.01)
    shown = torch.bincount(y[states == 1], minlength=3) / (states == 1).sum()
    np.testing.assert_allclose(shown, WEATHER.emission.table[1], atol=0.01)
    np.testing.assert_allclose(
        torch.bincount(states[:, 0], minlength=3) / 4000, WEATHER.start, atol=0.03
    )


def test_gaussian_samples_have_their_moments():
    model = random_gaussian(2, 2, 4)
    states, y = model.sample(20_000, generator=seeded(6))
    for k in range(2):
        rows = y[states == k]
        np.testing.assert_allclose(rows.mean(0), model.emission.means[k], atol=0.1)
        np.testing.assert_allclose(torch.cov(rows.T), model.emission.covariances[k], atol=0.25)
    torch.manual_seed(0)
    again = [
        random_gaussian(2, 2, 4, "diagonal").sample(4, generator=seeded(1))[1] for _ in range(2)
    ]
    assert torch.equal(*again)


def test_gradient_of_the_likelihood():
    y, lengths = torch.tensor([[0, 1, 2, 1], [2, 0, 0, 0]]), torch.tensor([4, 2])

    def score(start, transition, emission):
        rows = (x.softmax(-1) for x in (start, transition, emission))
        return HMM.categorical(*rows).log_likelihood(y, lengths)

    rng = np.random.default_rng(0)
    parts = [torch.from_numpy(rng.normal(size=shape)) for shape in ((3,), (3, 3), (3, 3))]
    torch.autograd.gradcheck(score, [part.requires_grad_() for part in parts])


def test_gradient_of_a_gaussian_model_is_the_expected_score():
    model = random_gaussian(2, 1, 5, "diagonal")
    _, y = model.sample(9, generator=seeded(7))
    means = model.emission.means.clone().requires_grad_()
    moving = HMM.gaussian(model.start, model.transition, means, model.emission.covariances)
    (slope,) = torch.autograd.grad(moving.log_likelihood(y), means)
    gamma = model.posterior(y)
    expected = (gamma[..., None] * (y[:, None] - model.emission.means)).sum(0)
    torch.testing.assert_close(slope, expected / model.emission.covariances)


def of_every_path(start, transition, table, y):
    """Log-likelihood by multiplying and adding, which autograd differentiates at zero too."""
    K, total = len(start), 0.0
    for path in product(range(K), repeat=len(y)):
        p = start[path[0]] * table[path[0], y[0]]
        for t in range(1, len(y)):
            p = p * transition[path[t - 1], path[t]] * table[path[t], y[t]]
        total = total + p
    return total.log()


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 3), st.integers(2, 5), st.integers(0, 10**6))
def test_slopes_at_probabilities_of_zero_are_those_of_the_sum_over_paths(K, steps, seed):
    rng = np.random.default_rng(seed)
    parts = [random_rows(rng, *shape, zeros=True) for shape in ((K,), (K, K), (K, 3))]
    parts = [torch.from_numpy(part).requires_grad_() for part in parts]
    model = HMM(parts[0], parts[1], CategoricalEmission(parts[2]))
    _, y = model.sample(steps, generator=seeded(seed))
    expected = of_every_path(*parts, y)
    found = model.log_likelihood(y)
    assert found.item() == pytest.approx(expected.item(), abs=1e-9)
    pairs = [torch.autograd.grad(f, parts, create_graph=True) for f in (found, expected)]
    plain = torch.autograd.grad(model.log_likelihood(y), parts)
    for ours, theirs, alone in zip(*pairs, plain, strict=True):
        torch.testing.assert_close(ours, theirs)
        torch.testing.assert_close(alone, theirs)
    # and their derivatives
    again = [torch.autograd.grad(sum(g.square().sum() for g in slopes), parts) for slopes in pairs]
    for ours, theirs in zip(*again, strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("steps", [9, 1200])  # step by step, and in blocks
def test_slopes_of_a_ragged_batch_are_expected_counts(steps):
    model = random_hmm(3, 4, 2)
    _, y = model.sample(steps, 3, generator=seeded(2))
    lengths, y[0, 2] = torch.tensor([steps, 5, steps - 2]), -1
    parts = [p.clone().requires_grad_() for p in (*model._chain[:2], model.emission.table)]
    moving = HMM(parts[0], parts[1], CategoricalEmission(parts[2]))
    slopes = torch.autograd.grad(moving.log_likelihood(y, lengths).sum(), parts)
    data, _ = model._sequences("learn", y, lengths)
    expected = baum_welch.expect(model._chain, data)
    np.testing.assert_allclose(slopes[0] * model.start, expected.states[0].sum(0), atol=1e-9)
    np.testing.assert_allclose(slopes[1] * model.transition, expected.transitions, atol=1e-8)
    counts = np.zeros((3, 4))
    for t, b in product(range(steps), range(3)):
        if t < lengths[b] and y[b, t] >= 0:
            counts[:, y[b, t]] += expected.states[t, b]
    np.testing.assert_allclose(slopes[2] * model.emission.table, counts, atol=1e-8)


@pytest.mark.parametrize("kind", ["full", "diagonal"])
def test_gradients_of_a_gaussian_model(kind):
    model = random_gaussian(2, 2, 6, kind)
    _, y = model.sample(6, 2, generator=seeded(8))
    y[0, 1], y[1, 3, 0] = torch.nan, torch.nan

    def score(start, transition, means, covariances):
        covariances = (covariances + covariances.mT) / 2 if kind == "full" else covariances
        rows = (part / part.sum(-1, keepdim=True) for part in (start, transition))
        return HMM.gaussian(*rows, means, covariances).log_likelihood(y, torch.tensor([6, 4]))

    emission = model.emission
    parts = [*model._chain[:2], emission.means, emission.covariances]
    parts = [part.clone().requires_grad_() for part in parts]
    torch.autograd.gradcheck(score, parts)
    torch.autograd.gradgradcheck(score, parts)


def test_slopes_where_scaling_loses_something():
    """The table of the test of lost evidence: the slope by a state's own symbol is its count over it."""
    table = torch.tensor([[0.999, 0.001], [0.001, 0.999]]).double().requires_grad_()
    y = torch.tensor([1] * 300 + [0] * 500)
    rows = (torch.tensor(p).double() for p in ([0.5, 0.5], [[0.5, 0.5], [0.0, 1.0]]))
    model = HMM(*rows, CategoricalEmission(table))
    (slope,) = torch.autograd.grad(model.log_likelihood(y), table)
    gamma = model.posterior(y)
    counts = torch.stack([gamma[y == v].sum(0) for v in (0, 1)], 1)
    torch.testing.assert_close(slope * table, counts)


def test_an_impossible_sequence_has_a_slope_of_zero_and_spoils_no_other():
    table = torch.tensor([[1.0, 0.0], [1.0, 0.0]]).double().requires_grad_()
    rows = (torch.tensor(p).double() for p in ([0.5, 0.5], HALF))
    score = HMM(*rows, CategoricalEmission(table)).log_likelihood(torch.tensor([[0, 0], [1, 0]]))
    assert score.tolist() == [0.0, -math.inf]
    (slope,) = torch.autograd.grad(score[0], table)
    torch.testing.assert_close(slope, torch.tensor([[1.0, 0.0], [1.0, 0.0]]).double())


def test_impossible_observations():
    model = HMM.categorical([1.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    y = torch.tensor([[0, 0], [0, 1]])
    assert model.log_likelihood(y).tolist() == [0.0, -math.inf]
    assert model.viterbi(y).log_probability.tolist() == [0.0, -math.inf]
    for verb in (model.learn, model.posterior):
        with pytest.raises(InvalidValue, match="probability zero for sequence 1"):
            verb(y)


def test_repr():
    assert repr(WEATHER) == "HMM(3 states, categorical)"
    assert repr(random_gaussian(2, 1, 0)) == "HMM(2 states, gaussian)"


HALF = [[0.5, 0.5], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: HMM.categorical([0.5, 0.4], HALF, HALF), InvalidValue, "start must sum to one, got 0.9"),
        (lambda: HMM.categorical([], HALF, HALF), InvalidValue, "start must have size any, got shape \\(0,\\)"),
        (lambda: HMM.categorical([0.5, 0.5], [[0.5, 0.5], [0.5, 0.6]], HALF), InvalidValue, "transition must sum to one in every row, got 1.1 in row 1"),
        (lambda: HMM.categorical([0.5, 0.5], [[1.0]], HALF), InvalidValue, "transition must have size 2 × 2"),
        (lambda: HMM.categorical([0.5, 0.5], HALF, [[0.5, 0.5]]), InvalidValue, "emission must have size 2 × any"),
        (lambda: HMM.gaussian([0.5, 0.5], HALF, [[0.0]], [[1.0]]), InvalidValue, "means must be finite, of shape \\(2, D\\)"),
        (lambda: HMM.gaussian([0.5, 0.5], HALF, [[0.0], [1.0]], [[1.0]]), InvalidValue, "covariances must have shape"),
        (lambda: HMM.gaussian([0.5, 0.5], HALF, [[0.0], [1.0]], [[1.0], [-1.0]]), InvalidValue, "covariances must be positive semidefinite, got eigenvalue -1"),
        (lambda: HMM.gaussian([0.5, 0.5], HALF, [[0.0], [1.0]], [[1.0], [0.0]]), InvalidValue, "no variance below floor=1e-06"),
        (lambda: WEATHER.log_likelihood(torch.tensor([0, 3])), InvalidValue, "symbols from 0 to 2, or -1 where missing, got 3"),
        (lambda: WEATHER.viterbi(torch.tensor([[0], [-2]])), InvalidValue, "or -1 where missing, got -2"),
        (lambda: WEATHER.learn(torch.tensor([0.0, 1.0])), InvalidType, r"integer symbols, -1 where missing, got torch.float32. Try y.nan_to_num\(-1\).long\(\)"),
        (lambda: WEATHER.posterior(torch.zeros(0, dtype=torch.long)), InvalidValue, "not empty, got shape \\(0,\\)"),
        (lambda: WEATHER.posterior(torch.zeros(2, 0, dtype=torch.long)), InvalidValue, "not empty"),
        (lambda: WEATHER.trellis(torch.zeros(2, 3, dtype=torch.long)), InvalidValue, "one sequence, got 2"),
        (lambda: WEATHER.sample(0), InvalidValue, "steps and num_sequences must be at least 1, got 0 and 1"),
        (lambda: WEATHER.sample(3, 0), InvalidValue, "at least 1, got 3 and 0"),
        (lambda: random_gaussian(2, 1, 0).learn(torch.tensor([[0.0], [torch.inf]])), InvalidValue, "must be finite, or NaN where missing, got infinity"),
        (lambda: random_gaussian(2, 2, 0).learn(torch.zeros(5, 1)), InvalidValue, r"y must be \(T, 2\) or \(B, T, 2\)"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
