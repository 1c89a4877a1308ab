"""Tables in the contest: from cells to features, to models, to a model folder."""
