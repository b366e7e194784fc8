"""Figures of links: who uses which when, and what waits in front of them."""
