"""Learning that generalizes."""
