"""Faults in the figures over time, and in the graph of a trace."""

from tools.mutants.fault import Fault

FOLDER = "astra_edu/course/plots/timelines/"
LANES, TIMELINE, NPUS, TRACE, CHUNKS, CELLS, STAGES, STAGES_DRAWN, LAYERS, USAGE, WAYS = (
    f"{FOLDER}{name}.py"
    for name in (
        "lanes",
        "iteration",
        "npu_lanes",
        "trace_timeline",
        "chunks",
        "cells",
        "stages",
        "stages_drawn",
        "per_layer",
        "usage",
        "chunk_ways",
    )
)
BOXES, LAYOUT, NODES = (f"astra_edu/course/plots/traces/{name}.py" for name in ("boxes", "layout", "looks"))
READ = "tests/course/plots/timelines/test_read_timelines.py::"
LANE = f"{READ}test_the_timeline_says_which_work_is_when_in_which_lane"
ON_IT = f"{READ}test_what_is_written_on_a_lane_stands_on_what_it_names"
OF_TRACE = f"{READ}test_the_trace_timeline_says_which_work_is_when_on_which_npu"
OF_CHUNKS = f"{READ}test_a_chunk_has_its_number_where_it_is"
OF_STAGES = f"{READ}test_each_stage_has_its_passes_with_their_numbers"
VIRTUAL = f"{READ}test_later_virtual_stages_are_paler_and_have_their_letter"
OF_LAYERS = f"{READ}test_a_layers_exposed_time_stands_within_its_communication"
OF_USAGE = f"{READ}test_utilisation_has_a_lane_for_each_dimension_of_each_run"
GRAPH = "tests/course/plots/traces/test_read_graph.py::"
ARROWS = f"{GRAPH}test_every_arrow_goes_from_what_is_waited_for_to_what_waits"
CRITICAL = f"{GRAPH}test_the_critical_path_is_thick_and_nothing_else"
SAYS = f"{GRAPH}test_a_box_says_what_it_is_how_much_and_how_long"

FAULTS = [
    Fault("what happens in a lane is drawn in the next", LANES, "top = lane - _FILLED / 2 + number",
          "top = lane + 1 - _FILLED / 2 + number", LANE),
    Fault("the first lane is at the bottom", LANES, "ylim=(len(names) - 0.5, -0.5)", "ylim=(-0.5, len(names) - 0.5)",
          LANE),
    Fault("a block is drawn at half its length", LANES, "(b.end - b.start) / self.unit.ns) for b in blocks",
          "(b.end - b.start) / 2 / self.unit.ns) for b in blocks", LANE),
    Fault("a name stands elsewhere than on its block", LANES, "x = (block.start + block.end) / 2 / self.unit.ns",
          "x = (block.end - block.start) / 2 / self.unit.ns", OF_CHUNKS),
    Fault("the axis of a part begins at 0", LANES, "axes.set(xlim=(window.start / unit.ns,", "axes.set(xlim=(0,",
          f"{READ}test_a_part_of_the_timeline_begins_and_ends_where_it_says"),
    Fault("the pauses are shaded in one lane only", LANES, "ranges, (-0.5, len(self.names))", "ranges, (-0.5, 1)",
          f"{READ}test_the_time_without_compute_is_shaded_through_all_lanes"),
    Fault("the title exchanges compute and exposed", TIMELINE, "compute, idle = (unit.named(",
          "idle, compute = (unit.named(",
          LANE),
    Fault("the exposed lane says when a pause ends, not how long it is", TIMELINE,
          "unit.named(block.end - block.start)", "unit.named(block.end)", ON_IT),
    Fault("a part's title says the whole", TIMELINE, 'part = f"{unit.named(window.start)} to',
          'part = f"{unit.named(0)} to',
          f"{READ}test_a_part_of_the_timeline_begins_and_ends_where_it_says"),
    Fault("waiting looks as exposed communication", NPUS, "((EXPOSED, self.exposed), (WAITING, self.waits))",
          "((WAITING, self.exposed), (EXPOSED, self.waits))", OF_TRACE),
    Fault("NPUs are named from the last", NPUS, '(y, f"{self.npus[n].name}, {lane}"',
          '(y, f"{self.npus[-1 - n].name}, {lane}"',
          OF_TRACE),
    Fault("a message arrives when it sets off", NPUS, "(span.end_ns, number * self.every",
          "(span.start_ns, number * self.every",
          f"{READ}test_a_triangle_stands_where_a_message_has_arrived"),
    Fault("every NPU is done when the last is", TRACE, 'f"{unit.named(npu.finish_ns)}."',
          'f"{unit.named(result.total_ns)}."',
          OF_TRACE),
    Fault("the lanes of a trace stand upside down", TRACE, "ylim=(frame.every * count - 0.6, -0.6)",
          "ylim=(-0.6, frame.every * count - 0.6)", OF_TRACE),
    Fault("chunks are numbered from 1", CHUNKS, "number = str(way.chunk)", "number = str(way.chunk + 1)", OF_CHUNKS),
    Fault("chunks stand on the other dimension", CHUNKS, "for way in asked.ways if way.dimension == d]",
          "for way in asked.ways if way.dimension == len(names) - 1 - d]", OF_CHUNKS),
    Fault("chunks of others look as those asked for", CHUNKS, "Block(way.start_ns, way.end_ns, OTHER.name)",
          "Block(way.start_ns, way.end_ns, way.phase)", f"{READ}test_the_largest_collective_is_drawn"),
    Fault("the smallest collective is drawn instead of the largest", WAYS, "asked.size == max(each.size",
          "asked.size == min(each.size", f"{READ}test_the_largest_collective_is_drawn"),
    Fault("forward and backward change looks", CELLS, '"F": "forward", "B": "backward"',
          '"F": "backward", "B": "forward"', OF_STAGES),
    Fault("a cell has its micro-batch before its part", CELLS,
          "{run.part(span)},{span.micro_batch}",
          "{span.micro_batch},{run.part(span)}", OF_STAGES),
    Fault("micro-batches are numbered from 1", CELLS, 'f"{span.micro_batch}{arrow}"\n    return',
          'f"{span.micro_batch + 1}{arrow}"\n    return', VIRTUAL),
    Fault("the first virtual stage is the palest", STAGES_DRAWN, "0.6 * virtual_stage / max",
          "0.6 * (virtual - 1 - virtual_stage) / max", VIRTUAL),
    Fault("virtual stages begin with b", STAGES_DRAWN, "chr(ord('a')", "chr(ord('b')", VIRTUAL),
    Fault("a stage is idle while it is busy", STAGES_DRAWN, 'f"idle {percent(shown.idle_shares[lane])}"',
          'f"idle {percent(1 - shown.idle_shares[lane])}"', OF_STAGES),
    Fault("stage 0 is at the bottom", STAGES_DRAWN, "axes.set(ylim=(count - 0.4, -0.6))",
          "axes.set(ylim=(-0.6, count - 0.4))",
          OF_STAGES),
    Fault("each run has a time axis of its own length", STAGES_DRAWN, "grid[-1].set_xlim(0, longest / unit.ns)",
          "grid[-1].set_xlim(0, every[0].total_ns / 2 / unit.ns)",
          f"{READ}test_runs_share_the_time_that_they_are_drawn_over"),
    Fault("what a cell's words mean isn't what stands in it", STAGES_DRAWN, 'product(("full", short), _SIZES)',
          'product((short, "full"), _SIZES)', OF_STAGES),
    Fault("stage 0 keeps what the last keeps", STAGES, "for {run.in_flight[0]:.4g}", "for {run.in_flight[last]:.4g}",
          OF_STAGES),
    Fault("communication and exposed change looks", LAYERS, "(EXPOSED, 0.4, [bar.exposed",
          "(EXPOSED, 0.4, [bar.communication",
          OF_LAYERS),
    Fault("what is no layer's is all that is exposed", LAYERS,
          "result.exposed_ns - sum(bar.exposed for bar in bars))\n    return _Bars(\"layer\"",
          "result.exposed_ns)\n    return _Bars(\"layer\"", OF_LAYERS),
    Fault("a full period is drawn as an empty one", USAGE, "bottom - _HIGH * share for share",
          "bottom - _HIGH * (1 - share) for share",
          OF_USAGE),
    Fault("the mean stands beside the next lane", USAGE, "at = (1.01, bottom - _HIGH / 2)",
          "at = (1.01, bottom + 1 - _HIGH / 2)",
          OF_USAGE),
    Fault("the end of a run is drawn too early", USAGE, "axes.axvline(end, color", "axes.axvline(end / 2, color",
          OF_USAGE),
    Fault("the line of 100 % is at 80 %", USAGE, "axes.hlines(bottom - _HIGH,", "axes.hlines(bottom - 0.8 * _HIGH,",
          OF_USAGE),
    Fault("arrows point from what waits to what it waits for", BOXES,
          'points[a], points[b], patches[a], patches[b], "solid"',
          'points[b], points[a], patches[b], patches[a], "solid"', ARROWS),
    Fault("arrows have their heads at both ends", BOXES, 'arrowstyle="-|>"', 'arrowstyle="<|-|>"', ARROWS),
    Fault("what isn't critical has the thick frame", BOXES, "for one in path if one.npu == npu}",
          "for one in path if one.npu != npu}",
          CRITICAL),
    Fault("critical arrows are grey", BOXES, 'color="black" if critical else "#8c8c8c"',
          'color="#8c8c8c" if critical else "black"',
          CRITICAL),
    Fault("waiting for a unit is drawn as waiting for data", BOXES, 'if critical == "dashed"',
          'if critical == "dotted"',
          f"{GRAPH}test_waiting_for_a_free_unit_is_dashed"),
    Fault("a node stands beside what it waits for", LAYOUT, "1 + max((level[parent]", "1 + min((level[parent]", ARROWS),
    Fault("lanes of a graph have other names", NODES, 'Unit.COMPUTE: "compute", Unit.COMMUNICATION: "communication"',
          'Unit.COMPUTE: "communication", Unit.COMMUNICATION: "compute"',
          f"{GRAPH}test_every_box_looks_like_its_kind_and_stands_in_its_lane"),
    Fault("a message is said to come from its receiver", NODES, "'to' if kind == 'send' else 'from'",
          "'from' if kind == 'send' else 'to'",
          f"{GRAPH}test_a_message_says_where_it_goes"),
    Fault("a box says when its node ended", BOXES, "took = [ran[node.id].end_ns - ran[node.id].start_ns",
          "took = [ran[node.id].end_ns",
          SAYS),
    Fault("labels are higher than their bars", LANES, "height = 72 * high", "height = 90 * high",
          "tests/course/plots/timelines/test_timelines.py::"
          "test_what_is_written_in_a_lane_is_not_higher_than_its_bars"),
]  # fmt: skip
