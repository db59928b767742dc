"""A trajectory in lockstep: what is kept of it from tick to tick, and the work space of one tick. See lockstep.py."""

from stickslip.kernels import machine, model, tables
from stickslip.kernels.records import Floats, Record, field

EVENTS = model.CONTACTS + model.GUARDS
"""What may end a step: contacts that change, then frozen branches."""

CROSSING = EVENTS
"""The place, after all of them, of the one whose zero is being looked for."""


TRIED, TRIED_LEAVING = 1.0, 2.0
"""Contacts on trial: at rest; or, until it is in doubt, leaving stick. As RESTING and LEAVING of mode.py."""


class Lane(Record):
    """What is kept of a trajectory between ticks. All are floats: one of each lane makes up a vector."""

    # Where it is.
    state: Floats = field("z: positions and velocities", model.STATES)
    recent_size: Floats = field("how large each state has lately been", model.STATES)
    time: float = field("the time")
    end_time: float = field("when to stop; while it is observed, to be looked at")
    mode: Floats = field("slip signs: 0 stick", model.CONTACTS)
    on_trial: Floats = field("not 0 if the mode is tried: TRIED or TRIED_LEAVING at the last event", model.CONTACTS)
    mode_before: Floats = field("the mode before the last event", model.CONTACTS)
    branch: Floats = field("where each frozen branch stands: a sign, or the interval of a table", model.BRANCHES)
    interval: Floats = field("of each table: see `load_intervals` of the model", model.TABLES, tables.INTERVAL_WIDTH)
    condition: float = field("RUNNING, ARRIVED, GIVEN_UP or PARKED")
    entering: float = field("whether contacts have to enter the modes that they try: see lockmemory.py")
    state_before: Floats = field("the state at the last event, before internal states jumped", model.REMEMBERED)
    chance: Floats = field("seed, low and high word; number; events; attempts at the last; until when", model.CHANCE)
    anew: Floats = field("1 if phases without length came before the one that is tried", model.DRAWING)
    turns: Floats = field("modes that were tried since, after the first", model.DRAWING)
    entered: Floats = field("the mode that was tried last", model.DRAWING)
    number: float = field("of the trajectory")

    # The step.
    log_tolerance: float = field("the binary logarithm of the tolerance of a step")
    step_guess: float = field("a guess at its length")
    longest_step: float = field("the length that it may have, where a longer one was in doubt")
    release_step: float = field("the natural length after the last release; 0: none yet")
    calm_steps: float = field("steps since the last event")
    vain_ticks: float = field("ticks since the last step")
    patience: float = field("ticks that it waits for others: see `wait_is_over` of lockstep.py")

    # Counters.
    steps: float = field("steps")
    most_steps: float = field("steps after which it is given up")
    events: float = field("changes of mode")
    rapid_events: float = field("how many events have followed each other in no time")
    trials: float = field("modes that were changed since the last event, until contacts were content")

    # Motions that repeat themselves: see lockrepeat.py.
    mark_state: Floats = field("the state at the mark", model.STATES)
    mark_time: float = field("the time of the mark")
    mark_events: float = field("changes of mode before it")
    mark_miss: float = field("how far that was from the mark before; -1: not near")
    recurrence: float = field("the time since it was where it is now; 0: it was not")
    cycle_events: float = field("changes of mode in that time")
    cycle: float = field("the time after which the motion repeats itself; 0: not known")
    excitation_period: float = field("of the excitation; 0: none, negative: no repetitions are looked for")

    # What is observed.
    observed: float = field("1 if it is observed, 0 in the transient")
    reported: float = field("changes of mode that others are told of: RELEASED, STOPPED, ANY_CHANGE; ENDLESS: none")
    change: Floats = field("how each contact changed at the last event; 0: not at all", model.CONTACTS)
    releases: float = field("releases so far")
    event_time: float = field("when a mode last changed")
    event_state: Floats = field("the state then", model.STATES)
    stop_time: float = field("when the state is wanted next")
    stop_state: Floats = field("the state where it was last wanted", model.STATES)
    lowest: Floats = field("least values of the states", model.STATES)
    highest: Floats = field("largest ones", model.STATES)
    stick_time: Floats = field("time in stick", model.CONTACTS)

    # Sections and maxima: see locksection.py.
    section_which: Floats = field("the state or, after the states, sliding velocity", machine.SECTIONS)
    section_level: Floats = field("the value that it passes", machine.SECTIONS)
    section_rate: Floats = field("1 if it is the rate of the state that passes it", machine.SECTIONS)
    section_direction: Floats = field("1 upwards, -1 downwards, 0 both", machine.SECTIONS)
    section_side: Floats = field("the side that it is on; 0: not known yet", machine.SECTIONS)
    crossing: Floats = field("1 if it crosses where the state is wanted next", machine.SECTIONS)

    constant: Floats = field("what is made of parameters alone", model.CONSTANTS)


class Tick(Record):
    """The work space of one tick; nothing in it outlasts that."""

    # The step.
    state_series: Floats = field("order k of every state", model.STATES, model.WIDTH)
    v_series: Floats = field("of sliding velocities", model.CONTACTS, model.WIDTH)
    force_series: Floats = field("of friction forces λ", model.CONTACTS, model.WIDTH)
    static_series: Floats = field("of static limits", model.CONTACTS, model.WIDTH)
    guard_series: Floats = field("of what is watched", model.WATCHED, model.WIDTH)
    branch_series: Floats = field("of what is positive while a frozen branch holds", model.GUARDS, model.WIDTH)
    resolved_series: Floats = field("of arguments of exponentials", model.RESOLVED, model.WIDTH)
    sharp_series: Floats = field("of arguments of functions with a singularity at zero", model.SHARP, model.WIDTH)
    acceleration_size: Floats = field("of the terms of slip accelerations", model.CONTACTS)
    singular: float = field("1 if sticking forces are not determined")
    natural_step: float = field("the length that the tolerance allows")
    step_length: float = field("how far the step goes")
    next_state: Floats = field("the state where it leads", model.STATES)
    next_time: float = field("the time there")
    goes: float = field("1 if the step is taken")
    lost: float = field("1 if the trajectory is given up")

    # What decides when a contact changes its mode; and, after all contacts, when a frozen branch ends.
    sticks: Floats = field("1 if the series are those of stick", model.CONTACTS)
    polynomial: Floats = field("v in slip, in stick how far λ is from its limit; guards", EVENTS + 1, model.WIDTH)
    side: Floats = field("the side to which λ goes", model.CONTACTS)
    factor: Floats = field("what makes the polynomial positive while the mode holds …", model.CONTACTS)
    base: Floats = field("… but for this", model.CONTACTS)
    zeros: Floats = field("zeros at its start, which are no events", EVENTS + 1)
    urgency: Floats = field("how much a contact wants another mode", model.CONTACTS)
    leading: Floats = field("the first coefficient after these zeros, times its power of the step", EVENTS + 1)
    following: Floats = field("the one after it", EVENTS + 1)
    end_value: Floats = field("the value at the end of the step", EVENTS + 1)
    room: Floats = field("1 if the other limit is out of reach", EVENTS)
    root: Floats = field("when it becomes zero; beyond the step if it does not", EVENTS)
    event_delay: float = field("the time until the event that ends the step; ENDLESS: none does")
    guard_size: Floats = field("of the terms of what ends a branch, and of its rate times the step", model.GUARDS)
    passed: Floats = field("1 if a branch has ended where the step begins", model.GUARDS)
    clear: Floats = field("1 if a branch holds on a plain step, or ends with it", model.GUARDS)
    crossed: Floats = field("1 if it ends with it", model.GUARDS)
    pending: Floats = field("1 if its zero is still to be looked for", EVENTS)

    # Contacts at the end of the step.
    v: Floats = field("sliding velocities", model.CONTACTS)
    G: Floats = field("what an impulse does to the states", model.STATES, model.CONTACTS)
    D: Floats = field("and to sliding velocities: the Delassus matrix", model.CONTACTS, model.CONTACTS)
    inverse: Floats = field("the inverse of its diagonal", model.CONTACTS)

    # Extents.
    unsure: Floats = field("1 if a state may reach beyond its extent", model.STATES)
    probe: Floats = field("the series of the one that is looked at", model.WIDTH)
