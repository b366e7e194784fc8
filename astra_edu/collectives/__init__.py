"""Collectives as data: algorithms that make schedules, and what can be read off a schedule.

One module an algorithm. Each function takes the number of NPUs (and a root, where there is one) and gives the
schedule's groups of rounds; `schedule()` looks it up by name.
"""

from astra_edu.base.late import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
