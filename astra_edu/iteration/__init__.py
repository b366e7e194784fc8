"""A whole training iteration of a model, by a strategy, on a device and a platform."""

from astra_edu.iteration.estimate import Iteration, estimate
from astra_edu.iteration.groups import groups

__all__ = ["Iteration", "estimate", "groups"]
