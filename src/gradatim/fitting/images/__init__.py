"""Images in the contest: pixels and simple models against convolutional networks."""
