"""Drops: packets that are dropped, marked, paused and sent again, under TCP or an RDMA-like rate control."""

from astra_edu.network.drops.settings import Packets

__all__ = ["Packets"]
