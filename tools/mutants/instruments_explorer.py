"""Faults in the explorer, and in the player inside it."""

from tools.mutants.fault import Fault

JS = "astra_edu/course/widgets/static"
PY = "astra_edu/course/instruments"
SEEN = "tests/browser/test_explorer_seen.py::test_"
SAYS = "tests/course/instruments/test_explorer.py::test_"
GROUPS = f"{SEEN}settings_stand_below_headings_and_those_of_absent_dimensions_are_hidden"
VEILED = f"{SEEN}no_number_is_shown_before_a_prediction_and_both_stay_after_it"
KEYS = f"{SEEN}the_player_plays_inside_with_the_instruments_focus_and_keys"
FOLLOWS = f"{SEEN}the_player_follows_the_settings_and_stays_as_far_through"
BROUGHT = f"{SEEN}a_saved_page_says_what_a_topology_brings_and_shows_the_change"
IMPOSSIBLE = f"{SEEN}what_cannot_be_is_crossed_and_greys_the_picture_until_a_button_leads_back"
STORED = f"{SAYS}a_saved_page_holds_what_is_one_setting_away_and_each_player_once"

FAULTS = [
    Fault(
        "settings of absent dimensions are shown",
        f"{JS}/instrument/settings.js",
        'put(label, "hidden", names.includes(setting.name))',
        'put(label, "hidden", false)',
        GROUPS,
    ),
    Fault(
        "all sliders of a kind have one name",
        f"{JS}/instrument/settings.js",
        "`${group}, ${label}` : label",
        "label : label",
        GROUPS,
    ),
    Fault(
        "the player tells the time before a prediction",
        f"{JS}/player_instrument.js",
        "marks: null",
        "marks: shown.marks",
        VEILED,
    ),
    Fault(
        "the player has a focus of its own",
        f"{JS}/player.js",
        'if (outer) put(root, "tabindex", null);',
        "",
        KEYS,
    ),
    Fault("the player hears only its own keys", f"{JS}/player.js", "hearKeys(outer ?? root", "hearKeys(root", KEYS),
    Fault(
        "Python isn't told where the player is",
        f"{JS}/player_instrument.js",
        "(state) => this.tell(state)",
        "() => {}",
        KEYS,
    ),
    Fault(
        "the player keeps its step instead of its share",
        f"{JS}/player_instrument.js",
        "(film.count || 1)) * data.steps.length",
        "(film.count || 1)) * film.count",
        FOLLOWS,
    ),
    Fault(
        "the player keeps its schedule",
        f"{JS}/player_instrument.js",
        'this.inner.set("data", data);',
        "",
        FOLLOWS,
    ),
    Fault(
        "on a saved page controls stay as they were moved",
        f"{JS}/instrument/source.js",
        "if (found && found.text !== text) model",
        "if (!found) model",
        BROUGHT,
    ),
    Fault("what was brought in line isn't said", f"{JS}/instrument.js", 'data.note ?? ""', '""', BROUGHT),
    Fault(
        "a stale picture isn't pale",
        f"{JS}/instrument.css",
        ".astra-numbers, .astra-views) { opacity",
        ".astra-numbers) { opacity",
        IMPOSSIBLE,
    ),
    Fault(
        "the bound isn't what is asked for",
        f"{PY}/explorer_words.py",
        "choice.total_ns if choice.bound_ns is None else choice.bound_ns",
        "choice.total_ns",
        f"{SAYS}where_messages_share_links_the_bound_is_asked_for",
    ),
    Fault(
        "the bandwidth of the other dimensions is doubled",
        f"{PY}/explorer_words.py",
        "if d == dimension else one",
        "if d != dimension else one",
        f"{SAYS}several_dimensions_are_asked_which_needs_bandwidth[network0-dimension 1]",
    ),
    Fault(
        "the player shows the schedule before",
        f"{PY}/explorer.py",
        "self._player.show(choice.schedule, choice.time, topology=topology)",
        "self._player.show(self._player.schedule, topology=topology)",
        f"{SAYS}an_impossible_setting_says_so_and_leaves_the_picture",
    ),
    Fault(
        "a topology brings no algorithm",
        f"{PY}/explorer_settings.py",
        "            name, sentence = _suited(values, d, names)",
        '            sentence = ""',
        f"{SAYS}a_topology_brings_the_algorithm_that_suits_it_and_says_so",
    ),
    Fault(
        "every algorithm is offered for every collective",
        f"{PY}/explorer_settings.py",
        "    _ = chosen(values).schedule",
        "    _ = chosen(values)",
        f"{SAYS}a_menu_offers_only_what_works_for_the_collective",
    ),
    Fault(
        "values that aren't on a slider are lost",
        f"{PY}/explorer_settings.py",
        'Setting("splits", "splits", SPLITS, group=GROUP, free=True).including(values["splits"])',
        'Setting("splits", "splits", SPLITS, group=GROUP, free=True)',
        f"{SAYS}values_outside_the_sliders_are_kept",
    ),
    Fault(
        "views are numbered one too high",
        f"{PY}/grid.py",
        "numbers[drawn] = len(views)\n            views.append(view)",
        "views.append(view)\n            numbers[drawn] = len(views)",
        STORED,
    ),
    Fault(
        "a saved page doesn't know what was wanted",
        f"{PY}/instrument.py",
        'stored[entry["text"]] = stored[as_text(wanted)] = entry',
        'stored[entry["text"]] = entry',
        STORED,
    ),
    Fault(
        "who wants no question is asked",
        f"{PY}/explorer.py",
        'if not flag("ask", ask):',
        "if ask is None:",
        f"{SAYS}who_wants_no_question_is_asked_none",
    ),
    Fault(
        "a topology changes an algorithm that has no control",
        f"{PY}/explorer_settings.py",
        " or algorithm in fixed",
        "",
        f"{SAYS}an_algorithm_without_a_control_stays_whatever_the_topology",
    ),
    Fault(
        "two dimensions that need bandwidth alike are passed over in silence",
        f"{PY}/explorer_words.py",
        "if len(helped) > 1:",
        "if len(helped) > 2:",
        f"{SAYS}where_two_dimensions_need_bandwidth_alike_it_says_so",
    ),
]
