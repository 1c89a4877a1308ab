"""Translation: pairs of sentences become a network that reads one language and writes another."""
