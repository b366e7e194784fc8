"""Why a device's kernels stay below its peaks: tiles and waves, filling and emptying, and being launched.

A matrix product's result is cut into tiles. Each of the device's units (NVIDIA: streaming multiprocessors) computes one
at a time, so all of them together compute a wave of tiles; the last wave is seldom full, and neither are the tiles at
the edges (NVIDIA, "Matrix Multiplication Background User's Guide": tile and wave quantization). Where tiles are few, k
is shared out as well, and the parts are added up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from astra_edu.base.errors import ConfigError, flag, list_of, not_negative, positive, whole
from astra_edu.workload.compute.gemm import Gemm

RIGHT = "give tiles such as Tile(256, 128)"


@dataclass(frozen=True)
class Tile:
    """A part of a product's result, as large as one unit computes at once.

    share: of the unit's peak that is reached, 1 at most: the smaller a tile, the more often each factor is read.

    >>> from astra_edu.workload.compute import Tile
    >>> Tile(256, 128).count(ae.Gemm(1000, 1000, 64))
    32
    """

    rows: int
    columns: int
    share: float = 1

    def __post_init__(self) -> None:
        for name in ("rows", "columns"):
            object.__setattr__(self, name, whole(f"{name} of a tile", getattr(self, name), at_least=1))
        if positive("share of a tile", self.share) > 1:
            raise ConfigError(f"share of a tile is {self.share}; it is a part of the peak, 1 at most.")

    def count(self, gemm: Gemm) -> int:
        """How many of them the result takes."""
        return -(-gemm.m // self.rows) * -(-gemm.n // self.columns) * gemm.count


@dataclass(frozen=True)
class Kernels:
    """How a device's kernels are run.

    units: compute one tile each at a time. tiles: that there are kernels for; the quickest is taken. splits: into how
    many parts k may be cut. ramp: of a tile, as much k as could be computed while it is begun and ended.
    launch_ns: from one kernel's end to the next one's beginning. host_ns: what the host takes to launch a kernel; it
    does so ahead of the device, so it counts only where the device would be quicker. each_expert: whether products of a
    mixture's experts are launched one by one; otherwise those of a layer together.

    >>> from astra_edu.workload.compute import Kernels, Tile
    >>> a100 = Kernels(units=108, tiles=(Tile(256, 128),))
    >>> a100.waves(ae.Gemm(4096, 4096, 64), Tile(256, 128))  # 512 tiles: four waves of 108, and 80 in a fifth
    5
    >>> f"{a100.share(ae.Gemm(4096, 4096, 64)):.3f} of the peak"
    '0.948 of the peak'
    """

    units: int
    tiles: tuple[Tile, ...] = (Tile(256, 128),)
    splits: tuple[int, ...] = (1,)
    ramp: int = 0
    launch_ns: float = 0
    host_ns: float = 0
    each_expert: bool = False

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "units", whole("units of a device", self.units, at_least=1))
        set_(self, "ramp", whole("ramp of a tile", self.ramp, at_least=0))
        set_(self, "tiles", list_of("tiles", self.tiles, RIGHT))
        splits = list_of("splits", self.splits, "give whole numbers such as (1, 2, 4)")
        set_(self, "splits", tuple(whole("a split", split, at_least=1) for split in splits))
        for tile in self.tiles:
            if not isinstance(tile, Tile):
                raise ConfigError(f"a tile is {tile!r}; {RIGHT}.")
        for what, given in (("tiles", self.tiles), ("splits", self.splits)):
            if not given:
                raise ConfigError(f"a device has no {what}; {RIGHT if what == 'tiles' else 'give at least (1,)'}.")
        for name in ("launch_ns", "host_ns"):
            not_negative(name, getattr(self, name))
        flag("each_expert", self.each_expert)

    def waves(self, gemm: Gemm, tile: Tile, split: int = 1) -> int:
        """How often all units compute a tile, or a few of them do at the end."""
        return -(-tile.count(gemm) * split // self.units)

    def share(self, gemm: Gemm) -> float:
        """What part of the device's peak a product can reach, with the tiles and the split that suit it best."""
        return max(self._shares(gemm))

    def launches(self, gemm: Gemm) -> int:
        """How many kernels compute a product."""
        return gemm.count if self.each_expert and gemm.kernel == "experts" else 1

    def _shares(self, gemm: Gemm) -> Iterator[float]:
        products = gemm.m * gemm.n * gemm.k * gemm.count
        for tile in self.tiles:
            for split in self.splits:
                k = -(-gemm.k // split) + self.ramp
                done = self.waves(gemm, tile, split) * self.units * tile.rows * tile.columns * k
                yield products / done * tile.share
