import pytest
import torch
from torch import nn

from gradatim.errors import GradatimError
from gradatim.events import Warned
from gradatim.generative import GAN, AdversarialGame, SampleWatch, train_gan
from gradatim.generative.playing import PLAYS
from gradatim.models import MLP, DCGANDiscriminator, DCGANGenerator
from gradatim.randomness import seeded
from gradatim.training import Callback, Checkpoint, Trainer


def draw(n=400):
    with seeded(0):
        return torch.randn(n, 1) * 0.5 + 2


def players():
    with seeded(1):
        return MLP((2, 16, 1)), MLP((1, 16, 1))


def fit(data, **arguments):
    settings = {"latent_dim": 2, "epochs": 6, "lr": 5e-3, "progress": False} | arguments
    return train_gan(*players(), data, **settings)


@pytest.mark.parametrize(
    ("objective", "play"),
    [
        *(("non-saturating", play) for play in PLAYS),
        ("minimax", "alternating"),
        ("wasserstein-gp", "alternating"),
    ],
)
def test_every_game_moves_samples_towards_the_data(objective, play):
    trained = fit(
        draw(),
        objective=objective,
        play=play,
        critic_steps=1,
        epochs=12,
        discriminator_lr=2e-2,
        penalty=0.1,
    )
    start = abs(float(GAN(*players(), 2).sample(400, generator=torch.Generator()).mean()) - 2)
    assert abs(float(trained.gan.sample(400, generator=torch.Generator()).mean()) - 2) < start / 2
    names = {
        "train_generator_loss",
        "train_discriminator_loss",
        "train_real_score",
        "train_fake_score",
    }
    assert names <= set(trained.history.records[-1])


def test_the_best_epoch_comes_back():
    trained = fit(draw())
    best = min(trained.history.records, key=lambda r: r["sample_distance"])
    assert trained.best_epoch == best["epoch"]
    again = SampleWatch(draw()).measure(trained.gan)
    assert again["sample_distance"] == pytest.approx(best["sample_distance"])


def test_classes_are_learned_by_class():
    with seeded(0):
        labels = torch.arange(400) % 2
        data = 4.0 * labels[:, None] + 0.3 * torch.randn(400, 1)

    class Told(nn.Module):
        def __init__(self, network):
            super().__init__()
            self.network = network

        def forward(self, x, label):
            return self.network(torch.cat([x, label[:, None].float()], 1))

    with seeded(1):
        pair = Told(MLP((3, 16, 1))), Told(MLP((2, 16, 1)))
    trained = train_gan(*pair, (data, labels), latent_dim=2, epochs=20, lr=1e-2, progress=False)
    means = [
        float(trained.gan.sample(200, label=c, generator=torch.Generator()).mean()) for c in (0, 1)
    ]
    assert means[0] < 2 < means[1]
    with pytest.raises(GradatimError, match="label must be classes from 0 to 1, got 2"):
        trained.gan.sample(3, label=2)
    with pytest.raises(GradatimError, match="label must be classes from 0 to 1, got none"):
        trained.gan.sample(3)


class Killed(Exception):
    pass


class Kill(Callback):
    def __init__(self, step):
        self.step = step

    def on_batch_end(self, trainer, loss):
        if trainer.steps == self.step:
            raise Killed


@pytest.mark.parametrize("play", ["alternating", "extragradient"])
def test_a_killed_game_goes_on_to_the_same_numbers(tmp_path, play):
    def trainer(*callbacks):
        with seeded(0):
            gan = GAN(*players(), 2)
        rules = [
            torch.optim.Adam(p.parameters(), lr=1e-2) for p in (gan.generator, gan.discriminator)
        ]
        game = AdversarialGame(*rules, play=play, critic_steps=2)
        return Trainer(gan, optimizer=rules[0], objective=game, epochs=3, batch_size=100, progress=False, callbacks=[*callbacks, Checkpoint(tmp_path / "run", every_steps=1)])  # fmt: skip

    data = draw(), torch.zeros(400)
    whole = trainer(Kill(-1))
    whole.fit(data)
    with pytest.raises(Killed):
        trainer(Kill(7)).fit(data)
    rest = trainer(Kill(-1))
    rest.resume(tmp_path / "run")
    rest.fit(data)
    for name, value in whole.model.state_dict().items():
        assert torch.equal(rest.model.state_dict()[name], value), name
    own, other = (
        t.objective.optimizers["discriminator"].state_dict()["state"] for t in (whole, rest)
    )
    assert torch.equal(own[0]["exp_avg"], other[0]["exp_avg"])
    assert own[0]["step"] == other[0]["step"] > 0


def test_the_critic_moves_alone_between_moves_of_the_generator():
    gan = GAN(*players(), 2)
    rules = [torch.optim.SGD(p.parameters(), lr=0.1) for p in (gan.generator, gan.discriminator)]
    game = AdversarialGame(*rules, critic_steps=3)
    before = [p.clone() for p in gan.generator.parameters()]
    moved = []
    for _ in range(6):
        game(gan.train(), (draw(20), torch.zeros(20)))
        moved.append(
            any(
                not torch.equal(a, b)
                for a, b in zip(before, gan.generator.parameters(), strict=True)
            )
        )
        before = [p.clone() for p in gan.generator.parameters()]
    assert moved == [False, False, True, False, False, True]


def test_validation_moves_nobody():
    gan = GAN(*players(), 2).eval()
    rules = [torch.optim.SGD(p.parameters(), lr=0.1) for p in (gan.generator, gan.discriminator)]
    before = [p.clone() for p in gan.parameters()]
    figures = AdversarialGame(*rules)(gan, (draw(20), torch.zeros(20)))
    assert set(figures) == {"generator_loss", "discriminator_loss", "real_score", "fake_score"}
    assert all(torch.equal(a, b) for a, b in zip(before, gan.parameters(), strict=True))


class Fake(nn.Module):
    """A generator that passes its noise on, scaled and shifted."""

    def __init__(self):
        super().__init__()
        self.scale, self.shift = nn.Parameter(torch.ones(())), nn.Parameter(torch.zeros(()))

    def forward(self, z):
        return self.scale * z + self.shift


class Told:
    """As much of a trainer as a watch sees."""

    def __init__(self, gan):
        self.model, self.epoch, self.position, self.said = gan, 0, 0, []
        self.progress = self.said.append


@pytest.mark.parametrize(
    ("scale", "shift", "words"),
    [
        (0.05, 0.0, "have become alike, their spread is 5% of the data's"),
        (0.4, 9.0, "cover"),
        (1.0, 3.0, ""),
    ],
)
def test_collapse_is_said_once_and_the_best_weights_return(scale, shift, words):
    with seeded(0):
        watch = SampleWatch(torch.randn(300, 2))
    fake = Fake()
    trainer = Told(GAN(fake, nn.Linear(2, 1), 2))
    watch.on_fit_start(trainer)
    for epoch in range(1, 5):
        with torch.no_grad():
            fake.scale.fill_(scale if epoch > 2 else 1.0)
            fake.shift.fill_(shift if epoch > 2 else 0.0)
        watch.on_epoch_end(trainer, {"epoch": epoch})
    assert len(watch.warnings) == 1
    assert (words or "times as far from the data as the best") in watch.warnings[
        0
    ] or "cover" in watch.warnings[0]
    assert "the weights of epoch 1 are kept" in watch.warnings[0]
    assert trainer.said == [Warned(watch.warnings[0])]
    watch.on_fit_end(trainer)
    assert (fake.scale.item(), fake.shift.item()) == (1.0, 0.0)


def test_a_run_that_overflows_keeps_its_best_weights():
    class Break(Callback):
        def on_epoch_end(self, trainer, record):
            if record["epoch"] == 2:
                with torch.no_grad():
                    next(trainer.model.generator.parameters()).fill_(float("nan"))

    trained = fit(draw(), callbacks=[Break()])
    assert "not finite" in trained.warnings[-1]
    assert trained.history.stopped
    assert torch.isfinite(trained.gan.sample(10)).all()


def test_images_by_convolutions():
    with seeded(0):
        images, labels = torch.rand(40, 1, 8, 8), torch.arange(40) % 3
        pair = (
            DCGANGenerator(4, 8, width=4, num_classes=3),
            DCGANDiscriminator(8, width=4, norm="spectral", num_classes=3),
        )
    trained = train_gan(*pair, (images, labels), latent_dim=4, epochs=1, progress=False)
    sample = trained.gan.sample(5, label=torch.arange(5) % 3)
    assert sample.shape == (5, 1, 8, 8)
    assert 0 <= float(sample.min()) <= float(sample.max()) <= 1


def test_errors():
    with pytest.raises(
        GradatimError, match="train_gan: data must be at least 10 rows, and classes as many, got"
    ):
        fit(draw(9))
    with pytest.raises(GradatimError, match="critic_steps must be at least 1, got 0"):
        fit(draw(), critic_steps=0)
    rules = [torch.optim.SGD(p.parameters(), lr=0.1) for p in players()]
    with pytest.raises(GradatimError, match="model must be a GAN, got MLP"):
        AdversarialGame(*rules)(players()[0], (draw(), draw()))
    with pytest.raises(GradatimError, match="label must be left out of a model without classes"):
        GAN(*players(), 2).sample(3, label=0)
