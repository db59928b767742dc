"""What the march knows of one trajectory on its way."""

from stickslip.kernels import model
from stickslip.kernels.records import Floats, Ints, Record, field

ALL_GUARDS = model.WATCHED + model.GUARDS + model.OWN_GUARDS
"""What is watched, then guards of frozen branches, then guards of contacts' own."""

VARIED_JUMPS = model.DIRECTIONS if model.OWN_GUARDS > 0 else 0
"""Directions of which it is noted how states jump."""

DEEPEST = 64
"""So often may the interval be halved in which an event is sought."""


class Trajectory(Record):
    """One trajectory: where it is, its mode, the series of the present step, and work space."""

    # Where it is.
    state: Floats = field("z: positions, velocities, internal states", model.STATES)
    time: float = field("the time, first part; see clock.py")
    late: float = field("the second part of the time, below the last digit of the first")
    end_time: float = field("when to stop")
    mode: Ints = field("slip signs: 0 stick", model.CONTACTS)
    branch: Ints = field("frozen branches: signs, or intervals of tables", model.BRANCHES)
    at_rest: Ints = field("contacts with v = 0: see RESTING and LEAVING in mode.py", model.CONTACTS)

    # What it is made of.
    parameter: Floats = field("p: the parameters of the model", model.PARAMETERS)
    constant: Floats = field("what is made of parameters alone", model.CONSTANTS)
    frozen: Floats = field("what keeps its value along a step", model.FROZEN)
    f: Floats = field("rates without friction", model.STATES)
    G: Floats = field("what friction adds to the rates", model.STATES, model.CONTACTS)
    v: Floats = field("sliding velocities", model.CONTACTS)
    R: Floats = field("friction in slip", model.CONTACTS)
    S: Floats = field("friction at most in stick", model.CONTACTS)
    a: Floats = field("slip accelerations without friction", model.CONTACTS)
    D: Floats = field("what friction adds to these: the Delassus matrix", model.CONTACTS, model.CONTACTS)

    # How large are the terms that a quantity is made of, by which its round-off is measured.
    v_size: Floats = field("of sliding velocities", model.CONTACTS)
    a_size: Floats = field("of slip accelerations without friction", model.CONTACTS)
    S_size: Floats = field("of static limits", model.CONTACTS)
    guard_size: Floats = field("of all guards", ALL_GUARDS)
    guard_rate_size: Floats = field("of the rates of these", ALL_GUARDS)
    acceleration_size: Floats = field("of slip accelerations with all friction", model.CONTACTS)
    load: Floats = field("of what decides: the force in stick, the acceleration in slip", model.CONTACTS)
    blur: float = field("how much of such a size is taken for zero")
    excess: Floats = field("how far each would be beyond its limit if all stuck", model.CONTACTS)

    # The step.
    tolerance: float = field("how large the last terms of a step may be, relative to the leading ones")
    natural_step: float = field("the length that the tolerance allows")
    step_guess: float = field("a guess at it")
    last_step: float = field("the length of the step before")
    state_series: Floats = field("order k of every state", model.STATES, model.WIDTH)
    v_series: Floats = field("of sliding velocities", model.CONTACTS, model.WIDTH)
    force_series: Floats = field("of friction forces λ", model.CONTACTS, model.WIDTH)
    static_series: Floats = field("of static limits", model.CONTACTS, model.WIDTH)
    guard_series: Floats = field("of all guards", ALL_GUARDS, model.WIDTH)
    resolved_series: Floats = field("of arguments of exponentials", model.RESOLVED, model.WIDTH)
    node_series: Floats = field("of everything that these are made of", model.NODES, model.WIDTH)
    step_length: float = field("how far the step goes")
    event_place: float = field("where on the natural step the first event is, from 0 to 1; 2 if there is none")
    arrives: int = field("1 if it ends at the end time")
    changed: int = field("1 if it ended with an event")
    end_state: Floats = field("the state at its end", model.STATES)

    # Sticking forces, see linear.py.
    matrix: Floats = field("the equations, factored in place", model.CONTACTS, model.CONTACTS)
    right_side: Floats = field("their right-hand side", model.CONTACTS)
    solution: Floats = field("their solution", model.CONTACTS)
    sticking: Ints = field("the contacts that stick, one after another", model.CONTACTS)
    pivot: Ints = field("the rows of the matrix in the order of elimination", model.CONTACTS)
    in_band: int = field("how many of them a matrix with a band has")
    band_end: Ints = field("behind the last of them that each column reaches", model.CONTACTS * model.BANDED)
    band_begin: Ints = field("per contact, the first column that reaches its row", model.CONTACTS * model.BANDED)

    # Events.
    root: Floats = field("where on the step each contact has its event", model.CONTACTS)
    guard: int = field("what ended the step: see `earliest_event` of events.py")
    power: Floats = field("powers of the length of the step", model.ORDER + 1)
    polynomial: Floats = field("the guard that is looked at, on the step", model.ORDER + 1)
    stack: Floats = field("Bernstein coefficients on ever smaller intervals", DEEPEST, model.ORDER + 1)
    bounds: Floats = field("where these intervals begin, and their widths", DEEPEST, 2)
    state_before: Floats = field("the state before an event", model.STATES)
    state_tried: Floats = field("the state from which modes are tried there", model.STATES)
    mode_before: Ints = field("the modes before it", model.CONTACTS)
    mode_aside: Ints = field("the modes, put aside while others stand in their place", model.CONTACTS)
    branch_kept: Ints = field("the branches before they are asked again", model.BRANCHES)
    longest_gap: float = field("the longest time between two events")
    last_event_time: float = field("when the last one was")
    rapid_events: int = field("how many have followed each other in no time")
    ready: int = field("1 if the series of the next step are there already")
    stopping_contact: int = field("the contact that ended the run")

    # Counters.
    steps: int = field("steps")
    events: int = field("changes of mode")
    evaluations: int = field("expansions")
    halt: Ints = field("not 0: stop at once", 1)

    # Chance.
    seed: int = field("of random friction")
    number: int = field("of the trajectory")
    draws: int = field("of the event, as chance counts them")

    # Kernels of kinds of contacts.
    store: Floats = field("what they keep", model.STORE)
    store_before: Floats = field("the same before an event", model.STORE)
    count: Ints = field("what they count", model.COUNTS)

    # Small changes, see tangent.py.
    directions: int = field("how many are carried along")
    varied_parameter: Ints = field("the parameter that each varies: see tangent.py", model.DIRECTIONS)
    variation: Floats = field("δz of each", model.DIRECTIONS, model.STATES)
    varied_state_series: Floats = field("order k of δz, of one direction", model.VARIED_STATES, model.WIDTH)
    varied_v_series: Floats = field("of δv", model.VARIED_CONTACTS, model.WIDTH)
    varied_force_series: Floats = field("of δλ", model.VARIED_CONTACTS, model.WIDTH)
    varied_static_series: Floats = field("of δS", model.VARIED_CONTACTS, model.WIDTH)
    varied_guard_series: Floats = field("of δ of guards, but for what is watched", model.VARIED_GUARDS, model.WIDTH)
    passed_guard: int = field("the guard of a contact's own that ends at an event; -1: none")
    jump_variation: Floats = field("δ of what states jump to there", VARIED_JUMPS, model.STATES)
    start_rate: Floats = field("ż at the start of a phase, see phase.py", model.VARIED_STATES)
    rate_before: Floats = field("ż before an event", model.VARIED_STATES)
    delay: Floats = field("by how much each direction delays it", model.DIRECTIONS)
    mode_after: Ints = field("the modes after it", model.VARIED_CONTACTS)
    entered: Ints = field("contacts that have entered a mode", model.VARIED_CONTACTS)
    jumped: Ints = field("internal states that jumped there", model.VARIED_STATES)
    reset_variation: Floats = field("δ of what these jumped to", model.VARIED_STATES)
    branch_before: Ints = field("frozen branches before it", model.VARIED_BRANCHES)
