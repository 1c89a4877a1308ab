"""How a batch moves a model: one file per engine, and one function that chooses."""
