"""Faults in the dashboard: who gets in, whose process is whose, what is on show."""

from tools.mutants.fault import Fault

HERE = "astra_edu/course/dashboard/"
DESIGNS, FILES, WORKER, SERVER = (f"{HERE}{name}.py" for name in ("designs", "files", "worker", "server"))
SIDE, PAGE = f"{HERE}static/design.js", f"{HERE}static/dashboard.js"
OF_DESIGNS, OF_SERVER = (f"tests/course/dashboard/test_{name}.py::test_" for name in ("designs", "server"))
SEEN = "tests/browser/test_dashboard.py::test_"
GETS_IN = f"{OF_SERVER}nobody_gets_in_without_the_token_and_a_link_outlives_the_asking"
NAMES = f"{OF_SERVER}other_names_of_this_machine_and_other_sites_are_refused"
FOLLOWS = f"{OF_DESIGNS}a_design_shows_what_the_instrument_shows_and_follows_a_wish"
RUNS = f"{OF_DESIGNS}the_files_run_in_our_simulator"
CLOCK = f"{SEEN}two_designs_are_compared_on_one_clock"
COMMAND, PHONES = f"{HERE}command.py", f"{OF_SERVER}what_phones_can_type_is_printed_and_leads_here"
OPENS = f"{OF_DESIGNS}a_design_opens_with_the_tutorials_own_number"
MOVES = f"{SEEN}a_slider_moves_and_numbers_and_address_follow"

FAULTS = [
    Fault("phones are told localhost", COMMAND, "_address(one, port", "_address(host, port", PHONES),
    Fault("cards that are down are told", COMMAND, "if name in up]", "if name]", PHONES),
    Fault("it opens at a number of nobody's", DESIGNS, "TUTORIAL_SCALES[FIRST])", "1)", OPENS),
    Fault("anybody is in", SERVER, '== b"in"', '!= b"in"', GETS_IN),
    Fault("the token stays in the address", SERVER, ' if k != "token"]', "]", GETS_IN),
    Fault("login leads anywhere", SERVER, 'to if to.startswith("./?") else "./"', "to", GETS_IN),
    Fault("another name of this machine", SERVER, "self.served.local and self", "False and self", NAMES),
    Fault(
        "a full dashboard takes one more",
        SERVER,
        ">= self.served.limits.pages",
        "> self.served.limits.pages",
        f"{OF_SERVER}a_dashboard_that_is_full_says_so_and_has_room_again",
    ),
    Fault(
        "a pipe that stays open is waited for",
        WORKER,
        "[self._pipe, self._process.sentinel]",
        "[self._pipe]",
        f"{OF_SERVER}a_process_whose_pipe_stays_open_is_missed_at_once",
    ),
    Fault(
        "as many connections as macOS gives at first",
        f"{HERE}command.py",
        "_allow_files(MOST_FILES)",
        "_allow_files(256)",
        f"{OF_SERVER}more_connections_are_allowed_than_macos_gives_at_first",
    ),
    Fault(
        "nothing sleeps",
        SERVER,
        "idle_minutes * 60",
        "idle_minutes * 6000",
        f"{OF_SERVER}a_page_that_nobody_uses_sleeps_and_wakes",
    ),
    Fault(
        "an answer takes for ever",
        WORKER,
        "self._process.sentinel], self._limits.seconds)",
        "self._process.sentinel], 600)",
        f"{OF_SERVER}what_takes_too_long_is_stopped_and_the_page_can_go_on",
    ),
    Fault(
        "both sides are one design",
        DESIGNS,
        'side = message["side"]',
        'side = "a"',
        f"{OF_DESIGNS}two_sides_are_two_designs",
    ),
    Fault(
        "a page may set anything",
        DESIGNS,
        "name in MOVED and",
        "True and",
        f"{OF_DESIGNS}what_can_t_be_gets_a_sentence_and_the_next_wish_an_answer",
    ),
    Fault("the page hears its own wish", DESIGNS, "self._known[side] |= moved", "pass", FOLLOWS),
    Fault("numbers stay hidden", DESIGNS, "            design.dismiss()\n", "            pass\n", FOLLOWS),
    Fault(
        "files are written where the server is",
        DESIGNS,
        'if action[0] != "save"',
        "if True",
        f"{OF_DESIGNS}the_best_cut_is_found_and_nothing_is_written_here",
    ),
    Fault(
        "a stage's files are for all NPUs",
        FILES,
        "platform_of(cut.npus // cut.pipeline)",
        "platform_of(cut.npus)",
        RUNS,
    ),
    Fault("the address stays", PAGE, "timer ??= setTimeout(address, WAIT_MS);", "", MOVES),
    Fault("the second against itself", PAGE, "(100 * (to - from)) / from", "(100 * (to - from)) / to", CLOCK),
    Fault("each design has a clock of its own", SIDE, "this.model?.take({ other: data });", "", CLOCK),
    Fault("what is closed stays", PAGE, "  designs.delete(side);\n", "", CLOCK),
]
