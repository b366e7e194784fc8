"""Faults in how ns-3 and the execution engine share time, links and words."""

from tools.mutants.fault import Fault

ENGINE, WIRING, SETTINGS, INSTALLED = (
    f"astra_edu/network/ns3/{name}.py" for name in ("engine", "wiring", "settings", "installed")
)
COUPLED = "tests/network/ns3/test_engine.py::test_"
SET = "tests/network/ns3/test_settings.py::test_"

FAULTS = [
    Fault("a message arrives in the ns before its last byte", ENGINE, "max(self.now, -(-ps // PS))", "ps // PS",
          f"{COUPLED}a_message_arrives_at_the_next_whole_ns_and_its_answer_leaves_then"),
    Fault("the engine goes on before ns-3 is there", ENGINE, "return reached", "return True",
          f"{COUPLED}a_message_arrives_at_the_next_whole_ns_and_its_answer_leaves_then"),
    Fault("ns-3 runs on although something is to happen", ENGINE, "times[0] * PS if times else -1", "-1",
          f"{COUPLED}what_is_scheduled_and_what_arrives_happen_in_the_order_of_time"),
    Fault("acknowledgements have no way back", ENGINE, "for a, b in ((source, destination), (destination, source)):",
          "for a, b in ((source, destination),):", f"{COUPLED}every_pair_gets_its_way_there_and_back_once"),
    Fault("two networks at once", ENGINE, "_newest() is not self", "False",
          f"{COUPLED}the_older_of_two_networks_says_that_it_is_over"),
    Fault("a message of 0 bytes never arrives", ENGINE, "max(1, message_bytes)", "message_bytes",
          f"{COUPLED}every_pair_gets_its_way_there_and_back_once"),
    Fault("a wire for each direction", WIRING, "if (b, a) in wires:", "if (a, b) in wires:",
          f"{SET}each_pair_of_ends_is_one_wire"),
    Fault("GB of 10**9 bytes", WIRING, "_BITS = 8 * 2**30", "_BITS = 8 * 10**9", f"{SET}each_pair_of_ends_is_one_wire"),
    Fault("both directions have one bandwidth", WIRING, "back = links.get((b, a), block)", "back = block",
          f"{SET}directions_of_a_wire_keep_their_bandwidths"),
    Fault("DCTCP without marks", SETTINGS, '"RedQueueDisc" if dctcp else', '"DropTailQueue" if dctcp else',
          f"{SET}dctcp_marks_and_the_others_do_not_unless_asked"),
    Fault("any folder of the name is ns-3", INSTALLED, "is_file()", "is_file() or True",
          f"{SET}a_folder_that_happens_to_be_called_ns3_is_not_ns3"),
]  # fmt: skip
