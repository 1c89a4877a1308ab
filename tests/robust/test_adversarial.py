"""Adversarial training by one objective: the attack sees every training batch and nothing else."""

from functools import partial

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from gradatim.errors import InvalidType, InvalidValue
from gradatim.losses import LOSSES
from gradatim.models import MLP
from gradatim.randomness import seeded
from gradatim.robust import Adversarial, fgsm, pgd, robust_accuracy
from gradatim.training import Checkpoint, Objective, Trainer
from gradatim.training.engines.choosing import works_in_any_layout
from gradatim.training.engines.general import GeneralEngine


def problem(rows=64, dtype=torch.float64):
    generator = torch.Generator().manual_seed(0)
    X = torch.randn(rows, 4, dtype=dtype, generator=generator)
    return X, (X[:, 0] > 0).long()


def network(seed=0, norm=None, dropout=0.0):
    with seeded(seed):
        return MLP((4, 16, 2), norm=norm, dropout=dropout).double()


def test_equals_a_loop_written_by_hand():
    X, y = problem()
    model, twin = network(), network()
    attack = partial(pgd, eps=0.3, steps=2)
    trainer = Trainer(
        model, optimizer="sgd", lr=0.5, epochs=4, batch_size=64, objective=Adversarial(attack)
    )
    history = trainer.fit((X, y))
    optimizer, losses = torch.optim.SGD(twin.parameters(), lr=0.5), []
    for _ in range(4):
        worst = pgd(twin, X, y, eps=0.3, steps=2)
        optimizer.zero_grad()
        loss = F.cross_entropy(twin(worst), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    # shuffled rows change the order of sums only
    assert history["train_loss"] == pytest.approx(losses, rel=1e-9)
    for p, q in zip(model.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(p, q)


def test_the_attack_sees_training_batches_in_training_mode_and_no_others():
    X, y = problem(50)
    seen = []

    def attack(model, x, y):
        seen.append((len(x), model.training, torch.is_grad_enabled()))
        return x + 100

    shapes = []
    model = network()
    model.register_forward_pre_hook(lambda module, inputs: shapes.append(inputs[0].mean().item()))
    trainer = Trainer(model, epochs=2, batch_size=20, objective=Adversarial(attack), lr=0.0)
    trainer.fit((X, y), (X, y))
    assert seen == [(20, True, True), (20, True, True), (10, True, True)] * 2
    assert [value > 50 for value in shapes] == ([True] * 3 + [False]) * 2


def test_the_chain_path_is_not_taken(monkeypatch):
    taken = []
    call = GeneralEngine.__call__
    monkeypatch.setattr(
        GeneralEngine, "__call__", lambda self, batch: taken.append(1) or call(self, batch)
    )
    X, y = problem()
    Trainer(network(), epochs=1).fit((X, y))
    assert not taken
    Trainer(network(), epochs=1, objective=Adversarial(partial(fgsm, eps=0.1))).fit((X, y))
    assert taken


def test_it_makes_the_model_robust():
    generator = torch.Generator().manual_seed(0)
    y = torch.randint(0, 2, (400,), generator=generator)
    # one strong feature, and ten weak ones that help more together but break under attack
    weak = 0.1 * (2 * y[:, None] - 1) + 0.1 * torch.randn(400, 10, generator=generator)
    strong = (2 * y[:, None] - 1) + 0.5 * torch.randn(400, 1, generator=generator)
    X = torch.cat([strong, weak], 1)
    attack = partial(pgd, eps=0.2, steps=5)
    scores = {}
    for name, chosen in (("clean", None), ("robust", attack)):
        with seeded(0):
            model = nn.Linear(11, 2)
        objective = None if chosen is None else Adversarial(chosen)
        Trainer(model, lr=0.05, epochs=20, batch_size=100, objective=objective).fit((X, y))
        scores[name] = robust_accuracy(model, (X, y), attack)
    assert scores["robust"] > scores["clean"] + 0.1


@pytest.mark.parametrize("kind", [{"norm": "batch"}, {"dropout": 0.5}])
def test_modes_of_the_layers_survive(kind):
    X, y = problem()
    model = network(**kind)
    Trainer(
        model, epochs=2, batch_size=16, objective=Adversarial(partial(pgd, eps=0.1, steps=2))
    ).fit((X, y))
    if "norm" in kind:  # statistics of 8 training batches, none of the attack's
        assert model[1].num_batches_tracked == 8


def test_binary_targets_of_one_logit():
    X, y = problem()
    model = MLP((4, 8, 1)).double()
    trainer = Trainer(model, "bce", epochs=3, objective=Adversarial(partial(pgd, eps=0.1, steps=2)))
    assert trainer.fit((X, y))["train_loss"][-1] > 0


def test_optimizers_with_a_closure_attack_once_a_batch():
    X, y = problem()
    calls = []

    def attack(model, x, y):
        calls.append(len(x))
        return x

    Trainer(
        network(), optimizer="extragradient", epochs=2, batch_size=32, objective=Adversarial(attack)
    ).fit((X, y))
    assert calls == [32] * 4


def test_a_custom_step_gets_the_attacked_batch():
    X, y = problem()
    seen = []

    def step(model, batch):
        seen.append((batch[0] - 7).abs().max().item())
        return F.cross_entropy(model(batch[0]), batch[1])

    attack = lambda model, x, y: torch.full_like(x, 7.0)  # noqa: E731
    Trainer(network(), objective=Adversarial(attack, step), epochs=1).fit((X, y))
    assert seen == [0.0]


def test_a_killed_run_resumes_to_the_same_numbers(tmp_path):
    X, y = problem()
    attack = partial(pgd, eps=0.3, steps=2, restarts=2)  # draws from the trainer's randomness
    whole = Trainer(network(), epochs=4, batch_size=16, objective=Adversarial(attack)).fit((X, y))
    path = tmp_path / "run.pt"
    Trainer(
        network(),
        epochs=2,
        batch_size=16,
        objective=Adversarial(attack),
        callbacks=[Checkpoint(path)],
    ).fit((X, y))
    again = Trainer(
        network(1),
        epochs=4,
        batch_size=16,
        objective=Adversarial(attack),
        callbacks=[Checkpoint(path)],
    )
    again.resume(path)
    assert again.fit((X, y))["train_loss"] == whole["train_loss"]


def test_refuses_batches_that_are_no_pairs():
    X, y = problem()
    trainer = Trainer(
        network(), objective=Adversarial(partial(fgsm, eps=0.1), lambda model, batch: None)
    )
    with pytest.raises(
        InvalidType, match=r"a batch must be a pair \(x, y\) to be attacked, got dict"
    ):
        trainer.fit([{"x": X}])
    with pytest.raises(
        InvalidType, match=r"to be attacked, got tuple of 3\. Attack inside objective="
    ):
        trainer.fit((X, X, y))


def test_soft_labels_are_refused_in_a_sentence():
    X, _ = problem()
    trainer = Trainer(network(), objective=Adversarial(partial(fgsm, eps=0.1)))
    with pytest.raises(InvalidValue, match=r"^fgsm: y must have one class per sample of x, got"):
        trainer.fit((X, torch.full((64, 2), 0.5, dtype=torch.float64)))


def test_what_it_wraps_keeps_its_loss_state_and_players():
    class Inner(Objective):
        optimizers = {"second": None}  # noqa: RUF012
        place, phases = 0, ()

        def __call__(self, model, batch):
            return model(batch[0]).mean()

        def start(self, phase, epoch):
            self.phases += ((phase, epoch),)

        def state_dict(self):
            return {"place": self.place}

        def load_state_dict(self, state):
            self.place = state["place"]

    inner = Inner()
    objective = Adversarial(partial(fgsm, eps=0.1), inner)
    objective.load_state_dict({"place": 3})
    objective.start("train", 1)
    assert inner.place == objective.state_dict()["place"] == 3
    assert inner.phases == (("train", 1),)
    assert objective.optimizers is inner.optimizers
    assert objective.loss is None
    plain = Adversarial(partial(fgsm, eps=0.1))
    Trainer(network(), "mse", objective=plain)
    assert plain.loss is LOSSES["mse"]


def test_code_of_ones_own_inside_is_not_taken_for_declared():
    attack = partial(fgsm, eps=0.1)
    assert works_in_any_layout(Adversarial(attack), [])
    assert not works_in_any_layout(Adversarial(attack, lambda model, batch: None), [])
