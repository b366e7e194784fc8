"""Messages as flits: routers with virtual channels, finite input buffers and credits."""

from astra_edu.network.credits.load import LoadPoint, load_latency
from astra_edu.network.credits.settings import Credits

__all__ = ["Credits", "LoadPoint", "load_latency"]
