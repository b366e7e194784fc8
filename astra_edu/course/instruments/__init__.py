"""Instruments: each shows one idea of the lectures, fed by the simulator, and asks for a prediction first."""

from astra_edu.base.late import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
