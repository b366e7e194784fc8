"""Figures of collectives: what their algorithms cost, over NPUs and sizes, and what was measured."""
