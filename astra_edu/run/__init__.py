"""Running the three layers together: simulate, what a run has brought, presets, exports and reports."""

from astra_edu.base.late import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
