"""The first neurons and memories: threshold logic, perceptron, Hebbian rule, ADALINE, Hopfield networks."""
