"""Drops: packets that are dropped, marked, paused and sent again, under TCP or an RDMA-like rate control."""

from astra_edu.network.drops.flow import Delivered
from astra_edu.network.drops.network import PacketNetwork
from astra_edu.network.drops.settings import Packets
from astra_edu.network.drops.statistics import LinkUse

__all__ = ["Delivered", "LinkUse", "PacketNetwork", "Packets"]
