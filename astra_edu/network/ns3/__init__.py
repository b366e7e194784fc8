"""ns-3 as a network: `ae.simulate(trace, platform, network="ns-3")`."""

from astra_edu.network.ns3.settings import Ns3

__all__ = ["Ns3"]
