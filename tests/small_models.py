"""Models small enough to be simulated often, and a network of rings for any groups."""

import astra_edu as ae


def gpt(blocks=4, **sizes):
    """A transformer whose parameters are divisible so often that ZeRO pads nothing."""
    shape = {"hidden": 256, "heads": 8, "sequence": 32, "vocabulary": 512} | sizes
    return ae.transformer("small", blocks=blocks, **shape)


def rings(*sizes, splits=1):
    network = [ae.Dimension.of("Ring", n, 50, 500) for n in sizes]
    return ae.Platform(network, ae.SystemConfig.of("_".join(["ring"] * len(sizes)), splits=splits))
