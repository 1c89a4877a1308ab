"""Language models: a text file becomes a network that goes on writing."""
