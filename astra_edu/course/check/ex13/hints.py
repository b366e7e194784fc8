"""Exercise 13's hints: for each question a nudge, a small case, and nearly the answer."""

from __future__ import annotations

from astra_edu.course.check.hints import Hints

HINTS = {
    "sent_gb_s": Hints(
        "A rate is bytes over time. The sentence above says how many times its data an NPU sends; ns and GB are units "
        "to be changed.",
        """
        An all-reduce of 2 GiB among 4 NPUs in 1,500,000,000 ns:

        2 (4 - 1)/4 = 1.5 times the data    1.5 × 2 GiB = 3 GiB
        1,500,000,000 ns                    1.5 s
        3 GiB / 1.5 s                       2 GB/s of 2³⁰ bytes
        """,
        "Twice the size, times n − 1 of n parts. Divide by the seconds, which are ns / 10⁹, and by 2³⁰.",
    ),
    "readable": Hints(
        "Nothing is wrong with the values. It is the member, the drawer in which a value lies, that the reader doesn't "
        "open.",
        """
        attribute   value   its member   the reader looks in   mended
        weight      7       int32_val    int64_val             Attribute(7, 'int64_val')
        colour      'red'   string_val   (not in the table)    Attribute('red', 'string_val')
        """,
        "Go through names and attributes. Look the name up in ex13.MEMBERS; where it isn't there, the attribute's own "
        "member stays. Make a new Attribute of the old value and that member.",
    ),
    "in_microseconds": Hints(
        "14 ms were written as 14,000,000, and are read as µs: 14 seconds. By which factor is every duration too long?",
        """
        {'name': 'a', 'duration_micros': 14000000}   -->   {'name': 'a', 'duration_micros': 14000}
        {'name': 'b', 'duration_micros': 2600}       -->   {'name': 'b', 'duration_micros': 3}
        {'name': 'c'}                                -->   {'name': 'c'}
        """,
        "For each node of each NPU: if it has duration_micros, a copy of it with a thousandth of that, rounded to "
        "whole µs; if not, the node as it is. Don't change the nodes that you were given.",
    ),
    "unmatched": Hints(
        "A message has two ends. Write down each end by what both must have in common, and cross out pairs.",
        """
        sends                 receives              (sender, receiver, tag, size)
        (0, 1, tag 0, 64) ---- (0, 1, tag 0, 64)
        (0, 1, tag 1, 64)      (0, 1, tag 1, 32)    <-- two ends, each alone
        (1, 0, tag 5, 64) ---- (1, 0, tag 5, 64)

        unmatched: (0, 1, 1, 64) and (0, 1, 1, 32)
        """,
        "Count the sends by (comm_src, comm_dst, comm_tag, comm_size), and the receives in a second table. What is in "
        "either of them, and not as often in both, is your answer. Other types of nodes don't count.",
    ),
    "disagreeing": Hints(
        "For each group, make every NPU's list of what it starts in that group. Members should have the same list, and "
        "others an empty one.",
        """
        group A has members 0, 1, 2; what each NPU starts in it, in the order of ids:

        NPU 0   all-reduce of 4   all-gather of 2
        NPU 1   all-reduce of 4   all-gather of 2
        NPU 2   all-reduce of 4                      <-- at odds
        NPU 3   all-gather of 2                      <-- at odds: it is no member

        {'A': [2, 3]}
        """,
        "Sort an NPU's nodes by id and keep (comm_type, comm_size) of those whose pg_name is the group. The list that "
        "most members have is right. A member with another one is at odds, and so is anybody else whose list isn't "
        "empty. Groups without such an NPU are left out.",
    ),
    "corrected": Hints(
        "There are two faults. Count the entries of each list against the dimensions, and ask which GB each number "
        "has.",
        """
        a data sheet with 107.4 × 10⁹ bytes/s, and files for 3 dimensions:

        bandwidth: [107.4, ...]                   107.4 × 10⁹ / 2³⁰ = 100.02 GB/s of the file
        all-reduce-implementation: ['ring']   --> ['ring', 'ring', 'ring']
        local-mem-bw: 107.4                       has 10⁹ bytes, and stays
        """,
        "Each bandwidth times 10⁹ / 2³⁰, not rounded. Each list whose name ends in -implementation, repeated until it "
        "has one entry for every dimension, and no more. Everything else as it is.",
    ),
}
