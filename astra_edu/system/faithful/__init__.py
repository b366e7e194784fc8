"""What only the last nanosecond needs: the shared bus, quirks of ASTRA-sim, the order of its NPUs.

Where ASTRA-sim 1.0 is not matched is said in quirks. From ASTRA-sim 2.x this differs as follows:

- NPUs that do the same may yet differ by ties in one ns, with several queues, chunks at once or Themis. Such ties are
  noticed (see ties), and all NPUs followed if they send few messages; else NPU 0 stands for all, with a warning, and
  simulate(..., everyone=True) shows the difference. Such a tie may let ASTRA-sim never end; NPU 0 does.
- The steps of a custom collective that may begin in the same ns begin by ascending id, in ASTRA-sim in the order of a
  hash table; where their messages share a link the times may differ, and a warning says so.
- A run that only replays durations: ASTRA-sim's exposed time leaves out replayed communication and may be negative.
- What makes ASTRA-sim stop or crash is refused with the reason, but messages of 0 bytes take their latencies.
"""
