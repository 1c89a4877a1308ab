"""Learning by trying: agents, rewards, and what exploring costs."""
