"""Clusters: k-means, mixtures and merging step by step, how many clusters there are, and whether there are any."""

from gradatim.clustering import agglomeration, gaussian_mixture, k_means
from gradatim.clustering.agglomeration import LINKAGES, agglomerate
from gradatim.clustering.agreement import adjusted_rand
from gradatim.clustering.choosing import Choice, choose_num_clusters, judge_counts
from gradatim.clustering.evidence import Evidence
from gradatim.clustering.finding import Clusters, find_clusters
from gradatim.clustering.one_hump import OneHump, one_hump_quantiles
from gradatim.clustering.seeding import k_means_plus_plus
from gradatim.clustering.silhouettes import silhouettes

__all__ = [
    "Choice",
    "Clusters",
    "Evidence",
    "LINKAGES",
    "OneHump",
    "adjusted_rand",
    "agglomerate",
    "agglomeration",
    "choose_num_clusters",
    "find_clusters",
    "gaussian_mixture",
    "judge_counts",
    "k_means",
    "k_means_plus_plus",
    "one_hump_quantiles",
    "silhouettes",
]
