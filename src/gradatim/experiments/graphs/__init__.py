"""Networks and frequencies on graphs."""
