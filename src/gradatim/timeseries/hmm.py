"""The hidden Markov model: states that nobody sees follow each other at random and emit what is seen."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gradatim.errors import InvalidValue
from gradatim.threads import in_one_thread
from gradatim.timeseries import baum_welch, viterbi
from gradatim.timeseries.baum_welch import Chain, Sequences
from gradatim.timeseries.emissions import CategoricalEmission, Emission
from gradatim.timeseries.gaussian_emission import GaussianEmission
from gradatim.timeseries.inputs import Array, as_lengths, check_covariance
from gradatim.timeseries.log_recursions import best_paths, log_forward, safe_log
from gradatim.timeseries.markov import as_probabilities


class Decoded(NamedTuple):
    """The most probable paths.

    Args:
        path: States, shape ``(B, T)`` or ``(T,)``; -1 beyond the end of a sequence.
        log_probability: Of path and observations together, shape ``(B,)`` or a scalar.
    """

    path: Tensor
    log_probability: Tensor


class Trellis(NamedTuple):
    r"""The tables of the algorithms for one sequence, as one fills them by hand; logarithms, ``(T, K)``.

    Args:
        forward: :math:`\log\alpha_t(j)=\log P(y_0,\dots,y_t,s_t=j)`.
        best: :math:`\delta_t(j)`, the log-probability of the best path to :math:`j`.
        previous: :math:`\psi_t(j)`, the state before :math:`j` on it; -1 at the first step.
    """

    forward: Tensor
    best: Tensor
    previous: Tensor


class HMMFit(NamedTuple):
    """A learned hidden Markov model.

    Args:
        model: The model after the last round.
        log_likelihoods: Log-likelihood of all sequences before each round, which never falls.
    """

    model: "HMM"
    log_likelihoods: list[float]


class HMM:
    r"""A Markov chain of :math:`K` hidden states, each with a distribution of what it emits.

    .. math::
        P(s,y)=\pi_{s_0}b_{s_0}(y_0)\prod_{t\ge1}a_{s_{t-1}s_t}b_{s_t}(y_t)

    Built by :meth:`categorical` or :meth:`gaussian`. Sequences come one at a time or as a padded batch with
    ``lengths``; what lies beyond an end is never looked at. A missing observation, symbol -1 or NaN, is
    summed over; of a vector single entries may be missing. All computations are in double precision, and
    exact: by scaling where that loses nothing, in logarithms elsewhere. Log-likelihoods are differentiable
    in all probabilities and parameters, at a probability of exactly zero too: there the gradient says what
    the first bit of it would gain.

    :func:`fit_hmm` learns one from nothing but sequences.

    Args:
        start: :math:`\pi`, shape ``(K,)``.
        transition: :math:`a_{ij}=P(s_t=j\mid s_{t-1}=i)`, shape ``(K, K)``.
        emission: What the states emit.

    Example:
        >>> weather = HMM.categorical(
        ...     start=[0.6, 0.3, 0.1],
        ...     transition=[[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.3, 0.3, 0.4]],
        ...     emission=[[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.5, 0.2, 0.3]],
        ... )
        >>> weather.viterbi(torch.tensor([0, 1, 2])).path
        tensor([0, 1, 1])
        >>> round(weather.log_likelihood(torch.tensor([0, 1, 2])).exp().item(), 6)
        0.019008

    Reference:
        Rabiner, A tutorial on hidden Markov models and selected applications in speech recognition, 1989.
    """

    def __init__(self, start: Tensor, transition: Tensor, emission: Emission) -> None:
        self.start, self.transition, self.emission = start, transition, emission

    @classmethod
    def categorical(cls, start: Array, transition: Array, emission: Array) -> "HMM":
        r"""States that emit one of :math:`V` symbols.

        Args:
            start: :math:`\pi`, shape ``(K,)``.
            transition: :math:`a`, shape ``(K, K)``.
            emission: :math:`b_k(v)`, shape ``(K, V)``.
        """
        owner = "HMM.categorical"
        pi, a = _chain(owner, start, transition)
        table = as_probabilities(owner, "emission", emission, (len(pi), None))
        return cls(pi, a, CategoricalEmission(table))

    @classmethod
    def gaussian(
        cls,
        start: Array,
        transition: Array,
        means: Array,
        covariances: Array,
        *,
        floor: float = 1e-6,
    ) -> "HMM":
        r"""States that emit vectors from a normal distribution.

        Args:
            start: :math:`\pi`, shape ``(K,)``.
            transition: :math:`a`, shape ``(K, K)``.
            means: :math:`\mu_k`, shape ``(K, D)``.
            covariances: :math:`\Sigma_k`, shape ``(K, D, D)``, or ``(K, D)`` for diagonal ones.
            floor: Least variance in any direction that learning may reach, so that no state can win an
                infinite density by closing in on one observation.
        """
        owner = "HMM.gaussian"
        pi, a = _chain(owner, start, transition)
        mu, sigma = torch.as_tensor(means).double(), torch.as_tensor(covariances).double()
        if mu.ndim != 2 or len(mu) != len(pi) or not mu.isfinite().all():
            raise InvalidValue(
                f"{owner}: means must be finite, of shape ({len(pi)}, D), got {tuple(mu.shape)}."
            )
        if sigma.shape not in (mu.shape, (*mu.shape, mu.shape[1])):
            raise InvalidValue(
                f"{owner}: covariances must have shape {(*mu.shape, mu.shape[1])} or {tuple(mu.shape)}, "
                f"got {tuple(sigma.shape)}."
            )
        full = sigma if sigma.ndim == 3 else torch.diag_embed(sigma)
        check_covariance(owner, "covariances", full, mu.shape[1])
        if torch.linalg.eigvalsh(full.detach()).min() < floor or floor <= 0:
            raise InvalidValue(
                f"{owner}: covariances must have no variance below floor={floor:g}, which must be positive, "
                f"got {torch.linalg.eigvalsh(full.detach()).min():.4g}. Lower the floor."
            )
        return cls(pi, a, GaussianEmission(mu, sigma, floor))

    def __repr__(self) -> str:
        kind = type(self.emission).__name__.removesuffix("Emission").lower()
        return f"HMM({len(self.start)} states, {kind})"

    def log_likelihood(self, y: Array, lengths: Array | None = None) -> Tensor:
        r"""Log-probability of the observations, summed over all paths; :math:`-\infty` if there is none.

        Args:
            y: Symbols ``(T,)`` or ``(B, T)``, -1 where missing, or vectors ``(T, D)`` or ``(B, T, D)``, NaN
                where missing.
            lengths: Length of each sequence of a padded batch, shape ``(B,)``.

        Returns:
            Shape ``(B,)``, or a scalar for one sequence.
        """
        data, is_one = self._sequences("log_likelihood", y, lengths)
        with in_one_thread(self._numbers(data)):
            total = baum_welch.score(self._chain, data)
        return total[0] if is_one else total

    def posterior(self, y: Array, lengths: Array | None = None) -> Tensor:
        r"""Probability of each state at each step given the whole sequence, :math:`P(s_t=k\mid y)`.

        Args:
            y: As for :meth:`log_likelihood`.
            lengths: As for :meth:`log_likelihood`.

        Returns:
            Shape ``(B, T, K)`` or ``(T, K)``; zero beyond the end of a sequence.
        """
        data, is_one = self._sequences("posterior", y, lengths)
        with in_one_thread(self._numbers(data)):
            found = baum_welch.expect(self._chain, data)
        _refuse_impossible("posterior", found.log_likelihood)
        states = torch.from_numpy(found.states).transpose(0, 1)
        return states[0] if is_one else states

    def viterbi(self, y: Array, lengths: Array | None = None) -> Decoded:
        """The most probable path through the states, and its probability with the observations.

        Args:
            y: As for :meth:`log_likelihood`.
            lengths: As for :meth:`log_likelihood`.

        Returns:
            Paths and log-probabilities; of paths equally probable the first in order of the states.
        """
        data, is_one = self._sequences("viterbi", y, lengths)
        with torch.no_grad(), in_one_thread(self._numbers(data)):
            logs = self.emission.log_prob(data.y).movedim(2, 1).contiguous().numpy()  # (T, K, B)
            start, transition = (safe_log(p).numpy() for p in (self.start, self.transition))
            path, score = viterbi.decode(start, transition, logs, data.is_real)
        found = Decoded(torch.from_numpy(path).T, torch.from_numpy(score))
        return Decoded(found.path[0], found.log_probability[0]) if is_one else found

    def trellis(self, y: Array) -> Trellis:
        """The tables behind evaluation and decoding of one sequence, shape ``(T, K)`` each."""
        data, is_one = self._sequences("trellis", y, None)
        if not is_one:
            raise InvalidValue(f"HMM.trellis: y must be one sequence, got {data.y.shape[1]}.")
        logs = self.emission.log_prob(data.y)
        start, transition = safe_log(self.start), safe_log(self.transition)
        best, previous = best_paths(start, transition, logs[:, 0])
        return Trellis(log_forward(start, transition, logs)[:, 0], best, previous)

    def learn(
        self,
        y: Array,
        lengths: Array | None = None,
        *,
        max_steps: int = 100,
        tol: float = 1e-4,
    ) -> HMMFit:
        """Learn from sequences by the Baum-Welch algorithm, from this model on.

        A probability of zero stays zero.

        Args:
            y: As for :meth:`log_likelihood`.
            lengths: As for :meth:`log_likelihood`.
            max_steps: Most rounds.
            tol: Stop when a round gains less log-likelihood than this; negative never stops.
        """
        data, _ = self._sequences("learn", y, lengths)
        chain, scores = self._chain, list[float]()
        for _ in range(max_steps):
            with in_one_thread(self._numbers(data)):
                expected = baum_welch.expect(chain, data)
            _refuse_impossible("learn", expected.log_likelihood)
            scores.append(float(expected.log_likelihood.sum()))
            if len(scores) > 1 and scores[-1] - scores[-2] < tol:
                break
            with in_one_thread(self._numbers(data)):
                chain = baum_welch.maximize(chain, data, expected)
        return HMMFit(HMM(*chain), scores)

    def sample(
        self,
        steps: int,
        num_sequences: int | None = None,
        *,
        generator: torch.Generator | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Draw states and observations.

        Args:
            steps: Length :math:`T`.
            num_sequences: How many sequences; ``None`` gives one, without the axis for it.
            generator: Source of randomness.

        Returns:
            States ``(B, T)`` and observations ``(B, T)`` or ``(B, T, D)``.
        """
        B = 1 if num_sequences is None else num_sequences
        if steps < 1 or B < 1:
            raise InvalidValue(
                f"HMM.sample: steps and num_sequences must be at least 1, got {steps} and {B}."
            )
        chance = torch.rand(steps, B, 1, generator=generator, dtype=torch.float64).numpy()
        with torch.no_grad():
            first, rows = (p.cumsum(-1)[..., :-1].numpy() for p in (self.start, self.transition))
            states = np.empty((steps, B), np.int64)
            (chance[0] > first).sum(1, out=states[0])
            for t in range(1, steps):
                (chance[t] > rows[states[t - 1]]).sum(1, out=states[t])
            path = torch.from_numpy(states).T
            y = self.emission.sample(path.flatten(), generator).unflatten(0, (B, steps))
        return (path, y) if num_sequences is not None else (path[0], y[0])

    @property
    def _chain(self) -> Chain:
        return Chain(self.start, self.transition, self.emission)

    def _numbers(self, data: Sequences) -> int:
        """Probabilities of all states at all steps."""
        return data.y.shape[0] * data.y.shape[1] * len(self.start)

    def _sequences(self, verb: str, y: Array, lengths: Array | None) -> tuple[Sequences, bool]:
        """Checked sequences, steps first, and whether it was one without an axis for a batch."""
        owner = f"HMM.{verb}"
        batch = self.emission.as_batch(owner, y)
        B, T = batch.shape[:2]
        ends = as_lengths(owner, lengths, B, T)
        rows, is_real = batch.transpose(0, 1).contiguous(), None
        if (ends < T).any():
            real = torch.arange(T)[:, None] < ends  # (T, B)
            self.emission.check(owner, rows[real])
            rows[~real] = rows[real][0]  # something that can be looked up
            is_real = real.numpy()
        else:
            self.emission.check(owner, rows)
        return Sequences(rows, is_real), batch.ndim > torch.as_tensor(y).ndim


def _chain(owner: str, start: Array, transition: Array) -> tuple[Tensor, Tensor]:
    pi = as_probabilities(owner, "start", start, (None,))
    return pi, as_probabilities(owner, "transition", transition, (len(pi), len(pi)))


def _refuse_impossible(verb: str, log_likelihood: np.ndarray) -> None:
    if not np.isfinite(log_likelihood).all():
        bad = int(np.flatnonzero(~np.isfinite(log_likelihood))[0])
        raise InvalidValue(
            f"HMM.{verb}: y must be possible under the model, got probability zero for sequence {bad}. "
            "Give every start, transition and symbol that occurs a positive probability."
        )
