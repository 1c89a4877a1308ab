"""Series with one label or number each in the contest: distances, statistics and kernels against networks that read steps."""
