"""Figures of an endpoint: what it reads and writes for what it sends, and what that means for training."""
