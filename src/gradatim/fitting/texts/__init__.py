"""Texts in the contest: a linear model of word counts against networks that read."""
