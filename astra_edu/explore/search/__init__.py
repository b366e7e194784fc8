"""Which of many settings is best: exactly where that can be, else by a good guess with a bound on how good it is."""

from astra_edu.explore.search.axis import Range
from astra_edu.explore.search.result import Search
from astra_edu.explore.search.search import search
from astra_edu.explore.search.spaces import Platforms, algorithms, bandwidths, placements, shapes

__all__ = ["Platforms", "Range", "Search", "algorithms", "bandwidths", "placements", "search", "shapes"]
