"""Searches of spaces that are too large for all their points: Optuna's samplers, then the neighbours of the best.

Single objectives: TPE (Bergstra et al., NeurIPS 2011). Several: NSGA-II (Deb et al., IEEE Trans. Evol. Comp. 2002).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from random import Random
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.explore.search.axis import Axis, is_ordered
from astra_edu.explore.search.goals import frontier
from astra_edu.explore.search.space import Place
from astra_edu.explore.search.trials import Trials, Tried

BATCH = 4
"""Points that are chosen before any of them has run, whatever the executor: so the seed says all."""
SAMPLED = 0.6
"""Of the budget; the rest goes to neighbours."""
MANY = 32
"""Values without an order, above which one is chosen by its number."""


def sampled(trials: Trials) -> str:
    """Spend the budget; returns how, in words."""
    optuna, several = _optuna(), len(trials.goals.objectives) > 1
    dice = Random(trials.seed)
    share = max(1, round(SAMPLED * trials.left))
    samplers = optuna.samplers
    if several:
        population = max(4, min(50, share // 5))
        sampler, name = samplers.NSGAIISampler(population_size=population, seed=trials.seed), "NSGA-II"
    else:
        sampler, name = samplers.TPESampler(n_startup_trials=max(4, min(10, share // 4)), seed=trials.seed), "TPE"
    study = optuna.create_study(directions=["minimize"] * len(trials.goals.objectives), sampler=sampler)
    end = len(trials.known) + share
    while (count := min(trials.left, BATCH, end - len(trials.known))) > 0:
        if not _batch(study, trials, dice, count):
            break
    _neighbours(trials, dice)
    return f"Optuna's {name} and the neighbours of the best, seed {trials.seed}"


def _batch(study: Any, trials: Trials, dice: Random, count: int) -> bool:
    """Ask for some points, run them, and tell; whether there was a new one."""
    asked = [study.ask() for _ in range(count)]
    places = [tuple(_suggested(trial, axis) for axis in trials.space.axes) for trial in asked]
    more = [] if all(place not in trials.known for place in places) else list(islice(_new(trials, places, dice), count))
    found = trials.run([*places, *more][: count + len(more)])
    for trial, place in zip(asked, places, strict=True):
        _tell(study, trial, trials.known.get(place))
    return bool(found)


def _tell(study: Any, trial: Any, tried: Tried | None) -> None:
    if tried is None or tried.values is None:
        study.tell(trial, state=import_module("optuna").trial.TrialState.FAIL)
        return
    trial.set_constraint("limits", tried.missed)
    study.tell(trial, list(tried.values))


def _suggested(trial: Any, axis: Axis) -> Any:
    """A place on the axis: the features one after the other, each as near to what is suggested as there is."""
    if axis.continuous:
        numbers = axis.continuous
        return trial.suggest_float(axis.name, numbers.low, numbers.high, log=numbers.log)
    here = axis.tree
    for name, levels in axis.levels.items():
        ordered = is_ordered(levels) or len(levels) > MANY
        wanted = (
            trial.suggest_int(name, 0, len(levels) - 1)
            if ordered
            else trial.suggest_categorical(name, list(range(len(levels))))
        )
        here = here[min(here, key=lambda rank: (abs(rank - wanted), rank))]
    return here


def _new(trials: Trials, near: list[Place], dice: Random) -> Iterator[Place]:
    """Places that haven't run: beside the given ones, then anywhere."""
    for place in near:
        yield from islice((other for other in trials.space.near(place) if other not in trials.known), 1)
    for _ in range(20):
        place = trials.space.anywhere(dice)
        if place not in trials.known:
            yield place


def _neighbours(trials: Trials, dice: Random) -> None:
    """From the best on to what is near, then to what is near that; where all that has been seen, anywhere."""
    done: set[Place] = set()
    size = trials.space.size
    while trials.left > 0 and (size is None or len(trials.known) < size):
        centre = next((each for each in _best(trials) if each.place not in done), None)
        if centre is None:
            some = list(islice(_new(trials, [], dice), BATCH)) or list(islice(_unseen(trials), BATCH))
            if not some:  # of numbers without steps no others were met
                return
            trials.run(some)
            continue
        new = (place for place in trials.space.near(centre.place) if place not in trials.known)
        while some := list(islice(new, BATCH)):
            found = trials.run(some)
            if not found or any(_order(each) < _order(centre) for each in found):
                break
        else:
            done.add(centre.place)


def _unseen(trials: Trials) -> Iterator[Place]:
    """Of a space that can be counted."""
    return (place for place in trials.space.places() if place not in trials.known)


def _best(trials: Trials) -> list[Tried]:
    """Where to look next: the frontier, or the best; else what misses the limits least."""
    kept = trials.kept
    if len(trials.goals.objectives) > 1 and kept:
        return [kept[k] for k in frontier([each.values or () for each in kept])]
    usable = [each for each in trials.known.values() if each.values is not None]
    return sorted(usable, key=_order)[:1]


def _order(each: Tried) -> tuple[float, tuple[float, ...]]:
    return (each.missed, each.values) if each.values is not None else (float("inf"), ())


def _optuna() -> Any:
    try:
        optuna = import_module("optuna")
    except ImportError:
        raise ConfigError(
            'so many points are searched with Optuna: pip install "astra-edu[explore]"; or raise the budget to all of '
            "them, or give fewer values."
        ) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
    return optuna
