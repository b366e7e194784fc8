"""The files of ASTRA-sim 1.0 and 2.x, and InfraGraph's, read and written."""

from astra_edu.base.late import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
