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

Where packets are lost, the time is a number of timeouts: one of 1 ms is three times what the slowest design takes where
none is. Of the three with links of 100 Gb/s between servers HierOpt is fastest with any buffer and loses the fewest
packets; Flat800G, with eight times the bandwidth everywhere, is slower than it at 32 KiB, about as fast from 64 KiB
on, and faster only where nothing is lost. One seed was played: times differ by whole timeouts with another, so that
differences of less than some ms say nothing below 512 KiB. Which trends the tutorials show for the four could be read
nowhere, so nothing is compared with them.
"""

from astra_edu.course.studies.flat_or_hierarchical.designs import DESIGNS, Design, Parameter, design, job
from astra_edu.course.studies.flat_or_hierarchical.play import BUFFERS, Row, play
from astra_edu.course.studies.flat_or_hierarchical.stored import NS3, rows

__all__ = ["BUFFERS", "DESIGNS", "NS3", "Design", "Parameter", "Row", "design", "job", "play", "rows"]
