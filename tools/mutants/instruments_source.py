"""Faults in where an instrument's data come from: what was seen before, what Python says of it, what a page holds."""

from tools.mutants.fault import Fault

SOURCE = "astra_edu/course/widgets/static/instrument/source.js"
SETTINGS = "astra_edu/course/widgets/static/instrument/settings.js"
STAGE = "astra_edu/course/widgets/static/instrument/stage.js"
TEST = "tests/js/source.test.js::"
AT_ONCE = f"{TEST}a setting that was seen before is there at once, and drawn only once where Python says the same"
OTHER = f"{TEST}what Python says of it now is shown where that is something else"
OLDER = f"{TEST}an older answer doesn't come between what is shown already and its own"
NOTED = f"{TEST}a problem, and what was brought in line with a note, isn't shown again before Python says so"
MOST = f"{TEST}so many settings are kept, those that were seen last"
DRAG = f"{TEST}a drag is compared with what was there before it, what Python sends with what was shown"
ONE = (
    "tests/js/settings.test.js::from where a slider is taken hold of to where it is let go is one move, and so is a key"
)
REUSED = "tests/browser/test_instrument_seen.py::test_a_stage_on_which_another_setting_stood_is_as_a_new_one"

FAULTS = [
    Fault("known settings wait for Python", SOURCE, "if (known) this.#show(known, true);", "", AT_ONCE),
    Fault("what was there is drawn again", SOURCE, "if (sent === this.sent) return", "if (!sent) return", AT_ONCE),
    Fault("Python isn't told", SOURCE, "model.save_changes();", "", AT_ONCE),
    Fault("what was seen stays, whatever Python says", SOURCE, "if (sent === this.sent) return", "return", OTHER),
    Fault("older answers come between", SOURCE, "if (this.ahead && !this.answered) return;", "", OLDER),
    Fault(
        "what another view wishes isn't shown",
        SOURCE,
        'if (this.model.get("answered") === this.wish) this.wish = "";',
        "",
        f"{TEST}what another view of it wishes is shown, once its own wishes are answered",
    ),
    Fault("answers are left out for ever", SOURCE, "this.ahead && !this.answered", "this.ahead", OTHER),
    Fault("a problem is kept as a setting", SOURCE, "!this.live || data.problem ||", "!this.live ||", NOTED),
    Fault("an old note is said again", SOURCE, "data.problem || data.note)", "data.problem)", NOTED),
    Fault("all settings are kept for ever", SOURCE, "if (this.seen.size > MOST_SEEN)", "if (!this.seen)", MOST),
    Fault("the wrong setting is before", SOURCE, "&& !data.problem) this.before =", ") this.after =", AT_ONCE),
    Fault("a drag is compared with its last step", SOURCE, "if (!goesOn) this.from", "this.from", DRAG),
    Fault("Python's own is compared with a drag's begin", SOURCE, "own ? this.from", "this.from ? this.from", DRAG),
    Fault("on a saved page a drag is compared with its last step", SOURCE, "this.asking = true;", "", DRAG),
    Fault(
        "each step of a slider's drag is a move",
        SETTINGS,
        "Number(control.value), true)",
        "Number(control.value))",
        ONE,
    ),
    Fault(
        "all moves of a slider are one", SETTINGS, 'control.addEventListener("change", () => this.release());', "", ONE
    ),
    Fault(
        "each step of a drag on the stage is a move",
        SETTINGS,
        "this.#move(setting, place, true);",
        "this.#move(setting, place);",
        "tests/browser/test_instrument_seen.py::test_a_drag_moves_its_setting_by_as_many_values[2-4 times]",
    ),
    Fault("pieces keep their names", STAGE, 'put(group, "data-piece", piece.name);', "", REUSED),
    Fault("pieces keep their titles", STAGE, 'put(title, "text", piece.title || piece.text);', "", REUSED),
    Fault(
        "pieces of another setting stay",
        STAGE,
        "for (const { group } of this.pieces.slice(stage.pieces.length)) group.remove();",
        "",
        REUSED,
    ),
]
