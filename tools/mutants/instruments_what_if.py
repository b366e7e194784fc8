"""Faults in what-if, in the question that it shares with the bandwidth sliders, and in how a wish is answered."""

from tools.mutants.fault import Fault

PY = "astra_edu/course/instruments"
JS = "astra_edu/course/widgets/static"
TESTS = "tests/course/instruments/test_what_if.py::test_"
SEEN = "tests/browser/test_what_if_seen.py::test_"
WHICH = (
    "tests/course/instruments/test_which.py::"
    "test_the_least_time_is_the_answer_unless_others_are_as_short_or_it_is_no_shorter"
)
NUMBERS = f"{TESTS}the_numbers_are_the_results_own"
PICTURE = f"{TESTS}the_picture_is_the_platform"
BOUND = f"{TESTS}the_bound_leads_where_messages_share_links"
LINKS = f"{TESTS}links_follow_what_is_needed_and_otherwise_stay"
PRESET = f"{TESTS}a_preset_is_shown_as_it_is_and_known_again[torus]"
PINNED = f"{SEEN}the_pinned_setting_is_told_by_what_differs_and_led_back_to"
FOLLOW = f"{SEEN}the_timeline_and_the_bars_are_the_runs_and_follow_a_slider"
ASKED = (
    "tests/js/settings.test.js::"
    "what was asked for stays until its own answer is there, and is asked again with what comes next"
)
SETTINGS = f"{JS}/instrument/settings.js"

FAULTS = [
    Fault(
        "the tutorial's scale is said where it is set",
        "astra_edu/course/instruments/what_if_jobs.py",
        'values["compute_scale"] == scale:',
        'values["compute_scale"] != scale:',
        "tests/course/instruments/test_what_if.py::test_the_scale_that_gives_the_tutorials_number_is_said",
    ),
    Fault(
        "what-if: busy and used are swapped",
        f"{PY}/what_if_words.py",
        'row["utilisation"], 100 * row["busy"]',
        'row["busy"], 100 * row["utilisation"]',
        NUMBERS,
    ),
    Fault(
        "what-if: exposed is called compute",
        f"{PY}/what_if_words.py",
        '("compute", result.compute_ns), ("exposed',
        '("compute", result.exposed_ns), ("exposed',
        NUMBERS,
    ),
    Fault("what-if: bytes are in KiB", f"{PY}/what_if_words.py", 'row["bytes"] / MIB', 'row["bytes"] / 1024', NUMBERS),
    Fault(
        "what-if: dimensions are counted from 1",
        f"{PY}/what_if_words.py",
        'Frame(f"words: {name}", (x, 17, 0, 0), f"{d}:',
        'Frame(f"words: {name}", (x, 17, 0, 0), f"{d + 1}:',
        PICTURE,
    ),
    Fault(
        "what-if: bandwidth is said in bytes per ns",
        f"{PY}/what_if_words.py",
        "rate = dimension.injection_bandwidth / bytes_per_ns(1)",
        "rate = dimension.injection_bandwidth",
        PICTURE,
    ),
    Fault(
        "what-if: all links are as wide",
        f"{PY}/what_if_words.py",
        "1.5 + 12.5 * dimension.injection_bandwidth / most",
        "14.0",
        PICTURE,
    ),
    Fault(
        "what-if: the total leads where links are shared",
        f"{PY}/what_if_words.py",
        "return result.total_ns if result.bound_ns is None else result.bound_ns",
        "return result.total_ns",
        BOUND,
    ),
    Fault("what-if: the bound isn't drawn", f"{PY}/what_if_words.py", "if not result.caveat:", "if True:", BOUND),
    Fault(
        "what-if: warnings are swallowed",
        f"{PY}/what_if_words.py",
        'f"Beware: {warning}" for warning in warned',
        'f"Beware: {warning}" for warning in ()',
        f"{TESTS}warnings_of_a_run_are_shown",
    ),
    Fault(
        "what-if: links stay as they were",
        f"{PY}/what_if_settings.py",
        "found[links] = now if before[links] == was else max(now, values[links])",
        "found[links] = values[links]",
        LINKS,
    ),
    Fault(
        "what-if: links of one's own are taken away",
        f"{PY}/what_if_settings.py",
        "now if before[links] == was else max(now, values[links])",
        "now",
        LINKS,
    ),
    Fault(
        "what-if: a topology keeps an algorithm that doesn't suit",
        f"{PY}/what_if_settings.py",
        "found[algorithm] = find(values[topology]).suits",
        "pass",
        f"{TESTS}exercise_2_by_its_topologies_alone",
    ),
    Fault(
        "what-if: a platform that is changed keeps its name",
        f"{PY}/what_if_settings.py",
        'if name else {"platform": EDITED})',
        "if name else {})",
        PRESET,
    ),
    Fault(
        "what-if: what has no control is another platform's",
        f"{PY}/what_if_settings.py",
        'base = self.by_name[values["based"]]',
        'base = self.by_name["dgx2"]',
        f"{TESTS}what_has_no_control_is_as_on_the_platform_that_it_is_based_on",
    ),
    Fault(
        "what-if: settings of absent dimensions are there",
        f"{PY}/what_if_settings.py",
        'bool(values["dimensions"] > d)',
        "True",
        f"{TESTS}more_dimensions_are_added_and_taken_away",
    ),
    Fault(
        "what-if: nothing is greyed",
        f"{PY}/what_if.py",
        "        check(workload, platform)\n",
        "",
        f"{TESTS}what_cannot_be_simulated_is_greyed_and_explained_and_the_last_picture_stays",
    ),
    Fault(
        "what-if: a failed number stays on the slider",
        f"{PY}/what_if.py",
        'self.__dict__["settings"] = before\n',
        "pass\n",
        f"{TESTS}any_number_can_be_given_in_python",
    ),
    Fault(
        "what-if: the platform that a text names isn't taken",
        f"{PY}/what_if.py",
        "self._platforms.values(FIRST if base == of.EDITED else base)",
        "self._platforms.values(FIRST)",
        f"{TESTS}a_line_of_text_that_names_a_platform_brings_all_it_has",
    ),
    Fault(
        "what-if: half the bandwidth is tried, not twice",
        f"{PY}/what_if.py",
        "bandwidth=2 * dimension.bandwidth",
        "bandwidth=dimension.bandwidth / 2",
        f"{TESTS}where_twice_the_bandwidth_helps_most_is_found_by_trying[given0-dimension 1]",
    ),
    Fault(
        "what-if: numbers are told before a prediction",
        f"{PY}/what_if.py",
        'return f"WhatIf({self._on_show.title})" if self.veiled else f"WhatIf({self.result!r})"',
        'return f"WhatIf({self.result!r})"',
        f"{TESTS}before_a_prediction_no_number_is_shown",
    ),
    Fault(
        "what-if: an answer is told of another run",
        f"{PY}/what_if.py",
        "said = self._helped[1] if self._helped[0] == as_text(values) else ()",
        "said = self._helped[1]",
        f"{TESTS}what_would_help_most_is_simulated_on_demand",
    ),
    Fault("which: the longest time is the best", f"{PY}/which.py", "best = min(time", "best = max(time", WHICH),
    Fault(
        "which: of equal ones the first is the answer",
        f"{PY}/which.py",
        "equal[0] if len(equal) == 1 else MORE",
        "equal[0]",
        WHICH,
    ),
    Fault(
        "which: a gain of nothing counts",
        f"{PY}/which.py",
        "NONE if best > 0.99 * now[0]",
        "NONE if best > 9 * now[0]",
        WHICH,
    ),
    Fault(
        "sliders: the bar of now is the start's",
        f"{PY}/bandwidths.py",
        '(_bar("now", now), _bar("at the start", start))',
        '(_bar("now", start), _bar("at the start", start))',
        "tests/course/studies/test_case_studies.py::test_sliders_simulate_what_they_say",
    ),
    Fault(
        "what-if: the timeline is there before a prediction",
        f"{JS}/timeline_instrument.js",
        "if (this.veiled) return;",
        "",
        f"{SEEN}before_a_prediction_there_is_the_platform_and_no_number",
    ),
    Fault(
        "what-if: the timeline stays as it was",
        f"{JS}/timeline_instrument.js",
        'this.inner.set("data", data);',
        "",
        FOLLOW,
    ),
    Fault(
        "pin: what differs is told backwards",
        SETTINGS,
        "said(setting, before[setting.name])} → ${said(setting, now[setting.name])}",
        "said(setting, now[setting.name])} → ${said(setting, before[setting.name])}",
        PINNED,
    ),
    Fault(
        "pin: its button back is there where nothing has changed",
        f"{JS}/instrument/share.js",
        'pinned !== "away"',
        "!pinned",
        PINNED,
    ),
    Fault(
        "wish: forgotten when another's answer comes",
        SETTINGS,
        "if (answered) this.asked = {};",
        "this.asked = {};",
        ASKED,
    ),
    Fault("wish: kept for ever", SETTINGS, "if (answered) this.asked = {};", "", ASKED),
    Fault(
        "drag: sent without a pause",
        SETTINGS,
        "if (this.timer || !Object",
        "clearTimeout(this.timer); if (!Object",
        "tests/js/settings.test.js::"
        "while a slider is dragged its values are sent now and then: at once, and with a pause between",
    ),
    Fault(
        "drag: ends where a setting is hidden",
        SETTINGS,
        'make("div", { class: "astra-settings" }, set)',
        "set",
        f"{SEEN}a_drag_goes_on_while_other_settings_come_and_go",
    ),
]
