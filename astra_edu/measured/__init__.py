"""What was measured on real systems, with its sources, and what this package says of the same.

Collectives as small tables; training runs as rows of a table, predicted by `predict` and held against what was measured
by `error_table`.
"""

from astra_edu.base.late import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
