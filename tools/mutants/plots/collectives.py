"""Faults in the figures of collectives."""

from tools.mutants.fault import Fault

FOLDER = "astra_edu/course/plots/collectives/"
COSTS, BARS, BUS, SWITCH, MEASURED, RING, SWEEP, SIZES = (
    f"{FOLDER}{name}.py"
    for name in (
        "costs",
        "all_reduces",
        "bus_bandwidth",
        "in_switch",
        "measured",
        "ring_or_tree",
        "sweep",
        "sizes",
    )
)
READ = "tests/course/plots/collectives/test_read_collectives.py::"
OF_COSTS = f"{READ}test_each_line_of_the_costs_is_named_at_its_end_in_its_colour"
OVER_SIZE = f"{READ}test_bandwidth_used_has_a_part_for_each_scheduler_and_a_line_for_each_system"
OF_BARS = f"{READ}test_all_reduce_bars_are_the_times_and_their_marks_the_least_times"
OF_BUS = f"{READ}test_bus_bandwidths_are_bytes_over_time_times_what_an_all_reduce_sends"
OF_SWITCH = f"{READ}test_the_gain_in_the_switch_is_measured_over_what_the_ring_needs"
OF_MEASURED = f"{READ}test_models_stand_beside_what_was_measured_and_below_is_their_error"
LOOKS = "tests/course/test_algorithm_looks.py::"
AGREE = f"{LOOKS}test_the_figures_agree_in_whatever_order_algorithms_are_drawn"
OF_RING = f"{READ}test_ring_and_tree_have_their_colour_and_dash_and_a_protocol_its_marker"
OF_SWEEP = f"{READ}test_a_sweep_names_the_floor_and_the_slope_where_they_are"

FAULTS = [
    Fault("the name of a line has another's colour", COSTS, "color=look.colour, size", 'color="#000000", size',
          OF_COSTS),
    Fault("the chart of steps has the other's title", COSTS, 'left.set_title("steps")', 'right.set_title("steps")',
          OF_COSTS),
    Fault("lines of costs are named after others", COSTS, "axes.annotate(name, at", "axes.annotate([*series][0], at",
          OF_COSTS),
    Fault("an algorithm's steps are told backwards", COSTS, "{found[0].steps} to {found[-1].steps} steps",
          "{found[-1].steps} to {found[0].steps} steps", f"{READ}test_the_costs_in_words"),
    Fault("the words of the costs are the same whatever is drawn", COSTS, "sends or receives, in buffers. {grown}",
          "sends or receives, in buffers.", f"{READ}test_the_costs_in_words"),
    Fault("a share of the bandwidth is drawn as 0.5 %", BARS, "(key[2], 100 * shown.used[key])",
          "(key[2], shown.used[key])", OVER_SIZE),
    Fault("every part is called after the first scheduler", BARS, "axes.set_title(scheduler, size=10)",
          "axes.set_title(shown.schedulers[0], size=10)", OVER_SIZE),
    Fault("the alt text has the smallest size's shares", BARS, "{shown.share(system, scheduler, shown.sizes[-1])}",
          "{shown.share(system, scheduler, shown.sizes[0])}", OVER_SIZE),
    Fault("the mark of the least time is at the time taken", BARS, "axes.vlines(row.least_ns / unit.ns",
          "axes.vlines(row.total_ns / unit.ns", OF_BARS),
    Fault("the legend of schedulers is one off", BARS, "names = zip(shown.schedulers, looks",
          "names = zip(shown.schedulers, looks[1:]", OF_BARS),
    Fault("the bars of a system stand upside down", BARS, "place = shown.systems.index(row.system) + (",
          "place = shown.systems.index(row.system) - (", OF_BARS),
    Fault("the first system is at the bottom", BARS, "axes.set(ylim=(len(shown.systems) - 0.5, -0.5)",
          "axes.set(ylim=(-0.5, len(shown.systems) - 0.5)", OF_BARS),
    Fault("what is used is said of what isn't", BARS, "{unit.name}, {row.used:.0%} used",
          "{unit.name}, {1 - row.used:.0%} used", OF_BARS),
    Fault("an all-reduce's bus bandwidth is an all-gather's", BUS, 'bus_bandwidth("all-reduce"',
          'bus_bandwidth("all-gather"', OF_BUS),
    Fault("the line of a limit is at twice its height", BUS, "axes.axhline(limit,", "axes.axhline(2 * limit,", OF_BUS),
    Fault("the gain of the switch is its loss", SWITCH, "float(row[ON]) / float(row[OFF])",
          "float(row[OFF]) / float(row[ON])", OF_SWITCH),
    Fault("the two models of a switch change names", SWITCH,
          '{"up and down at once": True, "first up, then down": False}',
          '{"up and down at once": False, "first up, then down": True}', OF_SWITCH),
    Fault("the line of the ring isn't at 1", SWITCH, "axes.axhline(1, color", "axes.axhline(0.9, color", OF_SWITCH),
    Fault("a model that is too fast is drawn as too slow", MEASURED, "off = [100 * error for",
          "off = [-100 * error for",
          OF_MEASURED),
    Fault("what was held out is called fitted to", MEASURED, "half, other = sweep.halves", "other, half = sweep.halves",
          OF_MEASURED),
    Fault("what was held out is drawn full", MEASURED, 'markerfacecolor="white"', 'markerfacecolor="black"',
          OF_MEASURED),
    Fault("a protocol has another marker on the right", RING,
          'label=protocol, color="0.35", marker=MARKERS[i]',
          'label=protocol, color="0.35", marker=MARKERS[2 - i]', OF_RING),
    Fault("an algorithm has the colour of its place in the figure", "astra_edu/course/plots/looks.py",
          "family = family_of(name)", "family = None", AGREE),
    Fault("two trees have one colour", "astra_edu/course/plots/looks.py",
          ") not in found.values():\n            found[name]",
          "):\n            found[name]", f"{LOOKS}test_other_series_take_what_is_left"),
    Fault("instruments paint a ring as direct", "astra_edu/course/instruments/looks.py",
          "name: (*family.pale, family.hatch)", 'name: (*FAMILIES["direct"].pale, family.hatch)',
          f"{LOOKS}test_an_instrument_has_the_hue_of_the_figures"),
    Fault("ring and tree change dashes", RING, "zip(ALGORITHMS, DASHES[:2], strict=True)",
          "zip(ALGORITHMS[::-1], DASHES[:2], strict=True)", "",
          "equivalent: the legend is drawn with the line, so that both change together"),
    Fault("where the tree is faster the ring is said to be", RING,
          "below the line the tree is faster, above it the ring",
          "below the line the ring is faster, above it the tree", OF_RING),
    Fault("a size axis has the label of twice the size", SIZES, "[format_bytes(size) for size in shown]",
          "[format_bytes(2 * size) for size in shown]", OVER_SIZE),
    Fault("the slope is that of the first two points", SWEEP, "(us[-1] - us[-2]) / (mib[-1] - mib[-2])",
          "(us[1] - us[0]) / (mib[1] - mib[0])", OF_SWEEP),
    Fault("the arrow of the floor points at 0", SWEEP, "            (0, fit.floor),\n", "            (0, 0),\n",
          OF_SWEEP),
    Fault("the line of the slope has the floor on it", SWEEP, "slope = [fit.slope * size for",
          "slope = [fit.slope * size + fit.floor for",
          OF_SWEEP),
    Fault("the logarithmic axes are the linear ones", SWEEP, 'logarithmic.set(xscale="log", yscale="log", title',
          'linear.set(xscale="log", yscale="log", title', OF_SWEEP),
    Fault("the triangle of the slope is steeper than the line", SWEEP, "[corner, corner, fit.floor + fit.slope * b]",
          "[corner, corner, 2 * fit.floor + fit.slope * b]", OF_SWEEP),
]  # fmt: skip
