"""Why large networks learn, and what may be promised of them."""
