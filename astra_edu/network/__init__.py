"""The network layer: how long one message takes, and who waits for whom.

One message: dimension.py in ASTRA-sim 1.0, block.py in 2.x. Many: messages.py without congestion, links.py and
timed_links.py with it, packets.py where switches' buffers end, drops/ with packets under TCP or an RDMA-like control.
How NPUs are wired: topologies/, or a graph of your own, graph.py.
"""

from astra_edu.base.late import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
