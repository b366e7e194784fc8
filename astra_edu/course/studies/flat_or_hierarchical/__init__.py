"""Flat or hierarchical: four designs against the buffers of their switches, by any network.

What ns-3 says (results.csv: TCP NewReno, packets of 9,000 bytes, at least 1 ms until a lost one is sent again, an
all-reduce of 1 MiB on 64 NPUs that enter it up to 20 µs late; all parameters ours, see designs.py), in ms:

| buffer for each port | Flat100G | Flat800G | Hier | HierOpt |
|---|---|---|---|---|
| 32 KiB | 15.180 | 7.035 | 5.183 | 3.062 |
| 64 KiB | 7.187 | 2.048 | 5.151 | 2.077 |
| 128 KiB | 3.190 | 1.050 | 2.267 | 1.076 |
| 256 KiB | 1.281 | 1.044 | 2.273 | 1.080 |
| 512 KiB and more: nothing is lost | 0.333 | 0.057 | 0.286 | 0.081 |

What ae.Packets says of the same (the same TCP, packets and timeouts; the smallest and the largest of five seeds, the
first of which is ns-3's job), in ms:

| buffer for each port, ours | Flat100G | Flat800G | Hier | HierOpt |
|---|---|---|---|---|
| 32 KiB | 15.19 to 16.20 | 3.04 to 15.05 | 4.27 to 6.18 | 3.06 to 3.08 |
| 64 KiB | 7.19 to 7.25 | 2.05 to 3.04 | 3.21 to 4.20 | 2.07 to 2.08 |
| 128 KiB | 2.19 to 3.20 | 1.05 to 1.05 | 2.27 to 2.28 | 0.24 to 2.06 |
| 256 KiB | 1.28 to 1.29 | 1.04 to 1.05 | 1.33 to 2.29 | 0.11 to 1.07 |
| 512 KiB | 0.33 to 1.19 | 0.06 to 0.06 | 0.32 to 0.34 | 0.08 to 0.08 |
| 1024 KiB | 0.33 to 0.35 | 0.06 to 0.06 | 0.32 to 0.34 | 0.08 to 0.08 |

Where packets are lost, the time is a number of timeouts: one of 1 ms is three times what the slowest design takes where
none is. Of the three with links of 100 Gb/s between servers HierOpt is fastest with any buffer, by both and with every
seed. Flat800G, with eight times the bandwidth everywhere, is slower than it at 32 KiB (but for one seed of ours), about
as fast, a timeout more or less, from 64 to 256 KiB, and surely faster only where nothing is lost. ns-3 was asked for
one seed; our five say what chance alone makes: some ms at 32 KiB, a timeout or two up to 256 KiB. Which trends the
tutorials show for the four could be read nowhere, so nothing is compared with them.
"""

from astra_edu.course.studies.flat_or_hierarchical.designs import DESIGNS, Design, Parameter, design, job
from astra_edu.course.studies.flat_or_hierarchical.play import BUFFERS, Row, play
from astra_edu.course.studies.flat_or_hierarchical.stored import NS3, OURS, rows

__all__ = ["BUFFERS", "DESIGNS", "NS3", "OURS", "Design", "Parameter", "Row", "design", "job", "play", "rows"]
