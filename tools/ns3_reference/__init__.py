"""What ns-3 itself says of incast, a dumbbell and a ring all-reduce over TCP: `python -m tools.ns3_reference`."""
