"""Models that make data: autoencoders, adversaries, diffusion, and how what they make is judged."""
