"""Classic models, each made of the parts a user has, with its source and what is known exactly about it.

A model starts as a machine does that is switched on slowly: at x = 0, every mass carried along by what it rubs on, so
that all contacts stick. One that starts elsewhere says where, and why, in its docstring.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from math import cos
from typing import ParamSpec

from stickslip.errors import ModelError
from stickslip.model.about import About
from stickslip.model.classic_laws import Coulomb, Hyperbolic, PoppStelter, Stribeck
from stickslip.model.dynamic import DieterichRuina, LuGre
from stickslip.model.errors import check_number, shown, suggest
from stickslip.model.laws import FrictionLaw
from stickslip.model.parts import (
    Base,
    Belt,
    Body,
    CompliantContact,
    Contact,
    Damper,
    DynamicContact,
    Force,
    Mass,
    Rotor,
    Spring,
    Torque,
    ground,
)
from stickslip.model.system import System

LEINE = "Leine, van Campen, de Kraker, van den Steen: Nonlinear Dynamics 16 (1998) 41–54"
VAN_DE_VRANDE = "Van de Vrande, van Campen, de Kraker: Nonlinear Dynamics 19 (1999) 157–169"
HINRICHS = "Hinrichs, Oestreich, Popp: Journal of Sound and Vibration 216 (1998) 435–459"
WIERCIGROCH = "Wiercigroch: Zeszyty Naukowe Politechniki Śląskiej, Mechanika 115 (1994)"
AWREJCEWICZ = "Awrejcewicz, Olejnik: two-degrees-of-freedom stick-slip dynamics (2002)"


P = ParamSpec("P")


def _checked(make: Callable[P, System]) -> Callable[P, System]:
    """A model refuses numbers that are none in words of its own arguments, before it computes with them."""
    signature = inspect.signature(make)

    @functools.wraps(make)
    def made(*arguments: P.args, **keywords: P.kwargs) -> System:
        for name, value in signature.bind(*arguments, **keywords).arguments.items():
            if signature.parameters[name].annotation == "float":
                check_number(f"{make.__name__}: {name}", value)
        return make(*arguments, **keywords)

    return made


def _known(condition: bool, **values: float) -> dict[str, float]:
    """Exact results hold for the published parameter values only."""
    return values if condition else {}


@_checked
def block_on_belt(v_dr: float = 0.2, delta: float = 3.0) -> System:
    """A block held by a spring rides on a belt; friction falls with slip speed (leine1998 Sec. 3).

    It starts in slip, near the turning point of its cycle: it is on the cycle as soon as it has stuck once.

    Parameters
    ----------
    v_dr : float, default 0.2
        The speed of the belt, dimensionless.
    delta : float, default 3.0
        How fast friction falls with slip speed, dimensionless.

    Returns
    -------
    System
        The model; `about.known` has its period and largest position where these are known.

    See Also
    --------
    aging_block, lugre_block : the same with other friction.
    stickslip.simulate : its motion.

    Examples
    --------
    >>> block_on_belt().states
    ('x.block', 'v.block')
    """
    block, belt = Mass("block", m=1.0, x=1.1), Belt("belt", speed=v_dr)
    return System(
        Spring(block, ground, k=1.0),
        Contact(block, belt, law=Hyperbolic(mu_s=1.0, delta=delta), normal=1.0),
        about=About(
            "block_on_belt",
            "Block on a moving belt",
            f"{LEINE}, Sec. 3; {VAN_DE_VRANDE}, Sec. 2.1",
            _known(
                (v_dr, delta) == (0.2, 3.0),
                period=12.00103129483,
                stick_time=7.70503176935,
                x_max=1.13394467644,
                x_at_stick_onset=-0.54100635387,
            ),
        ),
    )


@_checked
def two_blocks(v_dr: float = 0.14, alpha: float = 1.2, beta: float = 1.3, gamma: float = 3.0) -> System:
    """Two coupled blocks on one belt (vandevrande1999 Sec. 2.2, after Galvanetto, Bishop and Briseghella).

    They start at rest, near where their springs pull as much as the belt can hold, so that they slip soon.

    Parameters
    ----------
    v_dr : float, default 0.14
        The speed of the belt, dimensionless.
    alpha : float, default 1.2
        The stiffness of the coupling, relative to that of the springs.
    beta : float, default 1.3
        The static friction of the second block, relative to that of the first.
    gamma : float, default 3.0
        How fast friction falls with slip speed.

    Returns
    -------
    System
        The model.

    See Also
    --------
    chain : any number of blocks.
    stickslip.return_map : the map of its release points.

    Examples
    --------
    >>> two_blocks().contacts
    ('contact1', 'contact2')
    """
    first, second, belt = Mass("block1", m=1.0, x=1.0), Mass("block2", m=1.0, x=1.2), Belt("belt", speed=v_dr)
    law = Hyperbolic(mu_s=1.0, delta=gamma)
    return System(
        Spring(first, ground, k=1.0, name="spring1"),
        Spring(second, ground, k=1.0, name="spring2"),
        Spring(first, second, k=alpha, name="coupling"),
        Contact(first, belt, law=law, normal=1.0, name="contact1"),
        Contact(second, belt, law=law, normal=beta, name="contact2"),
        about=About("two_blocks", "Two coupled blocks on a belt", f"{VAN_DE_VRANDE}, Sec. 2.2"),
    )


@_checked
def drill_string(eta: float = 4.0, zeta: float = 0.05, theta: float = 4.2) -> System:
    """A drill bit twisting against rock (vandevrande1999 Sec. 3, after Jansen): the string's twist ψ on a "belt" η.

    The kinetic torque is half the static one. ψ is measured from steady drilling, hence the constant torque −θ.

    Parameters
    ----------
    eta : float, default 4.0
        The speed of the rotary table, dimensionless.
    zeta : float, default 0.05
        The damping ratio.
    theta : float, default 4.2
        The kinetic friction torque, dimensionless.

    Returns
    -------
    System
        The model.

    See Also
    --------
    stickslip.find_orbit, stickslip.follow : its stick-slip motion, and where that ends.

    Examples
    --------
    >>> drill_string().parameters["contact.normal"]
    4.2
    """
    twist, table = Rotor("twist", inertia=1.0, v=eta), Belt("table", speed=eta)
    return System(
        Spring(twist, ground, k=1.0),
        Damper(twist, ground, c=2 * zeta),
        Torque(twist, lambda theta=theta: -theta),
        Contact(twist, table, law=Coulomb(mu_s=2.0, mu_k=1.0), normal=theta),
        about=About(
            "drill_string",
            "Torsional stick-slip of a drill string",
            f"{VAN_DE_VRANDE}, Sec. 3",
            _known((eta, zeta, theta) == (4.0, 0.05, 4.2), period=6.53058288421, x_max=5.43551787361),
        ),
    )


@_checked
def bowed_string(diameter: float = 1e-3) -> System:
    """A violin string under the bow: lateral motion, and torsion times radius (leine1998 Sec. 7 and Appendix B).

    It starts at rest, where the bow is set on it.

    Parameters
    ----------
    diameter : float, default 1e-3
        The diameter of the string, in m.

    Returns
    -------
    System
        The model, in SI units.

    Raises
    ------
    ModelError
        If the diameter is not positive.

    See Also
    --------
    stickslip.series.to_wav : its sound.

    Examples
    --------
    >>> round(bowed_string().about.known["frequency_ratio"], 5)
    35.36034
    """
    check_number("bowed_string: diameter", diameter, positive=True)
    length, tension, shear, density = 0.32, 50.0, 79.6e9, 7850.0
    area = math.pi * diameter**2 / 4
    m = density * area * length / 3
    # J/r² = m/2 and k_t/r² = 2 G A/l for a solid round string: torsion as a second mass moving by φr.
    string = Mass("string", m=m, unit="m")
    torsion = Mass("torsion", m=m / 2, unit="m")
    bow = Belt("bow", speed=1.0)
    return System(
        Spring(string, ground, k=4 * tension / length, name="lateral"),
        Spring(torsion, ground, k=2 * shear * area / length, name="twisting"),
        Contact({string: 1.0, torsion: 1.0}, bow, law=Hyperbolic(mu_s=1.0, delta=0.5), normal=1.0),
        time_unit="s",
        about=About(
            "bowed_string",
            "Bowed violin string, lateral and torsional",
            f"{LEINE}, Sec. 7",
            {"frequency_ratio": math.sqrt(shear * area / tension)} | _known(diameter == 1e-3, frequency=134.4966),
        ),
    )


def hinrichs_law(name: str) -> FrictionLaw:
    """The friction characteristics I, II and III of hinrichs1998 Fig. 3.

    Parameters
    ----------
    name : str
        "I" (constant), "II" (static above kinetic) or "III" (falls, then rises).

    Returns
    -------
    FrictionLaw
        The law.

    Raises
    ------
    ModelError
        If it is none of these.

    See Also
    --------
    forced_oscillator : the model in which they stand.

    Examples
    --------
    >>> hinrichs_law("II").static_value()
    0.4
    """
    laws = {
        "I": Coulomb(mu_s=0.25),
        "II": Coulomb(mu_s=0.4, mu_k=0.25),
        "III": PoppStelter(mu_0=0.4, mu_1=0.1, lambda_1=1.42, lambda_2=0.01),
    }
    if not isinstance(name, str) or name not in laws:
        raise ModelError(f"there is no characteristic {shown(name)}{suggest(str(name), laws)}")
    return laws[name]


@_checked
def forced_oscillator(
    characteristic: str = "III", eta: float = 1.0, u0: float = 0.5, v0: float = 1.0, load: float = 10.0
) -> System:
    """A block on a belt, its spring's other end shaken harmonically (hinrichs1998 Sec. 2).

    Parameters
    ----------
    characteristic : str, default "III"
        The friction: "I", "II" or "III", see `hinrichs_law`.
    eta : float, default 1.0
        The frequency of the excitation, relative to the natural one.
    u0 : float, default 0.5
        Its amplitude.
    v0 : float, default 1.0
        The speed of the belt.
    load : float, default 10.0
        F_N/c, the normal force over the stiffness.

    Returns
    -------
    System
        The model.

    See Also
    --------
    excited_oscillator : excited by a force.
    compliant_oscillator : with an elastic contact.

    Examples
    --------
    >>> forced_oscillator(eta=0.9).parameters["base.eta"]
    0.9
    """
    block, belt = Mass("block", m=1.0, v=v0), Belt("belt", speed=v0)
    base = Base("base", motion=lambda t, u0=u0, eta=eta: u0 * cos(eta * t))
    return System(
        Spring(block, base, k=1.0),
        Contact(block, belt, law=hinrichs_law(characteristic), normal=load),
        about=About(
            "forced_oscillator",
            f"Friction oscillator with self- and external excitation, characteristic {characteristic}",
            f"{HINRICHS}, Sec. 2 (the belt speed of its figures, v₀ = 1, is not printed)",
            _known((characteristic, eta, u0, v0, load) == ("II", 0.9, 0.5, 1.0, 10.0), x_release=3.7275233436),
        ),
    )


@_checked
def excited_oscillator(
    xi: float = 0.1, beta: float = 0.3, eta: float = 2.0, v0: float = 1.0, load: float = 10.0
) -> System:
    """The kinematically excited oscillator of wiercigroch1994, Eq. (7).

    The paper prints no parameter values: these are the Popp–Stelter constants, with ξ, β and N fitted to the critical
    belt speed it reports (1.68 at η = 2); the fit is not unique.

    Parameters
    ----------
    xi : float, default 0.1
        The damping ratio.
    beta : float, default 0.3
        The amplitude of the excitation, a force.
    eta : float, default 2.0
        Its frequency, relative to the natural one.
    v0 : float, default 1.0
        The speed of the belt.
    load : float, default 10.0
        The normal force.

    Returns
    -------
    System
        The model.

    See Also
    --------
    forced_oscillator : excited by a motion, without damper.

    Examples
    --------
    >>> excited_oscillator().parameters["force.beta"]
    0.3
    """
    block, belt = Mass("block", m=1.0, v=v0), Belt("belt", speed=v0)
    return System(
        Spring(block, ground, k=1.0),
        Damper(block, ground, c=2 * xi),
        Force(block, lambda t, beta=beta, eta=eta: beta * cos(eta * t)),
        Contact(block, belt, law=hinrichs_law("III"), normal=load),
        about=About("excited_oscillator", "Kinematically excited friction oscillator", f"{WIERCIGROCH}, Eq. (7)"),
    )


@_checked
def block_and_pendulum(
    law: str = "hyperbolic",
    v_b: float = 2.0,
    e1: float = 0.11,
    e2: float = 0.06,
    e3: float = 0.04,
    e4: float = 0.23,
    gamma: float = 0.2,
    mu_0: float = 0.25,
    mu_g: float = 0.15,
    c: float = 10.0,
) -> System:
    """A block on a belt, tied to a pendulum that loads the contact (awrejcewicz2002 Eq. (8)).

    The normal force is 1 + e₂y₃, where y₃ is the position of the pendulum. All numbers are dimensionless.

    Parameters
    ----------
    law : str, default "hyperbolic"
        The friction law: "hyperbolic" or "stribeck".
    v_b : float, default 2.0
        The speed of the belt.
    e1 : float, default 0.11
        The mass of the block.
    e2 : float, default 0.06
        How much the pendulum loads the contact.
    e3 : float, default 0.04
        The mass of the pendulum.
    e4 : float, default 0.23
        The stiffness of its support.
    gamma : float, default 0.2
        How fast the hyperbolic law falls with speed.
    mu_0 : float, default 0.25
        The static coefficient of the Stribeck law.
    mu_g : float, default 0.15
        Its kinetic coefficient.
    c : float, default 10.0
        Its slope at rest.

    Returns
    -------
    System
        The model.

    Raises
    ------
    ModelError
        If there is no such law.

    See Also
    --------
    two_blocks : two bodies, both of which rub.

    Examples
    --------
    >>> block_and_pendulum("stribeck").parameters["contact.mu_k"]
    0.6
    """
    laws: dict[str, Callable[[], FrictionLaw]] = {
        "hyperbolic": lambda: Hyperbolic(mu_s=1.0, delta=gamma),
        "stribeck": lambda: Stribeck(mu_s=1.0, mu_k=mu_g / mu_0, v_s=(mu_0 - mu_g) / c),
    }
    if not isinstance(law, str) or law not in laws:
        raise ModelError(f"there is no law {shown(law)} for block_and_pendulum{suggest(str(law), laws)}")
    block, pendulum = Mass("block", m=e1, v=v_b), Mass("pendulum", m=e3)
    belt = Belt("belt", speed=v_b)
    return System(
        Spring(block, pendulum, k=1.0, name="coupling"),
        Spring(pendulum, ground, k=e4, name="support"),
        Contact(block, belt, law=laws[law](), normal=lambda x_pendulum, e2=e2: 1 + e2 * x_pendulum),
        about=About("block_and_pendulum", "Block on a belt with a pendulum that loads it", f"{AWREJCEWICZ}, Eq. (8)"),
    )


@_checked
def coulomb_oscillator(
    m: float = 1.0, k: float = 1.0, friction: float = 1.0, x: float = 12.0, v: float = 6.0
) -> System:
    """A block on rough ground, let go: m ẍ + k x ∈ −F·Sign(ẋ). It comes to rest in finite time.

    Parameters
    ----------
    m : float, default 1.0
        The mass.
    k : float, default 1.0
        The stiffness of the spring.
    friction : float, default 1.0
        The friction force F.
    x : float, default 12.0
        The position where it starts; where it starts at rest within F/k, it stays.
    v : float, default 6.0
        The velocity where it starts.

    Returns
    -------
    System
        The model; `about.known` has where it comes to rest.

    See Also
    --------
    stickslip.find_equilibria : the interval in which it can rest.

    Examples
    --------
    >>> coulomb_oscillator().contacts
    ('contact',)
    """
    block = Mass("block", m=m, x=x, v=v)
    published = (m, k, friction, x, v) == (1.0, 1.0, 1.0, 12.0, 6.0)
    return System(
        Spring(block, ground, k=k),
        Contact(block, ground, law=Coulomb(mu_s=1.0), normal=friction),
        about=About(
            "coulomb_oscillator",
            "Free oscillator with Coulomb friction",
            "textbook; decays by 2F/k per half swing",
            _known(published, x_at_rest=15 - math.sqrt(205)),
        ),
    )


@_checked
def chain(n: int = 5, v_dr: float = 0.1, coupling: float = 1.0, delta: float = 3.0) -> System:
    """A chain of blocks on a belt, tied to their neighbours (Burridge and Knopoff's fault in small).

    They start at rest and apart, so that they do not slip all at once.

    Parameters
    ----------
    n : int, default 5
        How many blocks, from 1 to 1000.
    v_dr : float, default 0.1
        The speed of the belt.
    coupling : float, default 1.0
        The stiffness between neighbours, relative to that of the spring of each.
    delta : float, default 3.0
        How fast friction falls with slip speed.

    Returns
    -------
    System
        The model.

    Raises
    ------
    ModelError
        If `n` is no such number.

    See Also
    --------
    two_blocks : two blocks with different friction.
    stickslip.TimeStepping : a method for many contacts.

    Examples
    --------
    >>> len(chain(4).contacts)
    4
    """
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= 1000:
        raise ModelError(f"chain: n is {n!r}: it must be a whole number from 1 to 1000")
    belt = Belt("belt", speed=v_dr)
    blocks = [Mass(f"block{i}", m=1.0, x=0.5 * math.sin(3.0 * i)) for i in range(1, n + 1)]
    law = Hyperbolic(mu_s=1.0, delta=delta)
    return System(
        *(Spring(b, ground, k=1.0, name=f"spring{i}") for i, b in enumerate(blocks, 1)),
        *(Spring(a, b, k=coupling, name=f"coupling{i}") for i, (a, b) in enumerate(pairwise(blocks), 1)),
        *(Contact(b, belt, law=law, normal=1.0, name=f"contact{i}") for i, b in enumerate(blocks, 1)),
        about=About("chain", f"Chain of {n} blocks on a belt", "after Burridge, Knopoff: BSSA 57 (1967) 341–371"),
    )


@_checked
def aging_block(a: float = 0.1, beta: float = 2.0, v_dr: float = 0.2, delta: float = 3.0) -> System:
    """The block on a belt, its static friction growing while it sticks (leine1998 Sec. 6, Eq. 18).

    It starts where `block_on_belt` does, beside which it is put.

    Parameters
    ----------
    a : float, default 0.1
        The rate of growth, in 1/time.
    beta : float, default 2.0
        By what factor static friction grows in the end.
    v_dr : float, default 0.2
        The speed of the belt.
    delta : float, default 3.0
        How fast friction falls with slip speed.

    Returns
    -------
    System
        The model, with the state `stick_time.contact`.

    See Also
    --------
    block_on_belt : the same without aging.
    stickslip.FrictionLaw.with_aging : any law with aging.

    Examples
    --------
    >>> aging_block().states
    ('x.block', 'v.block', 'stick_time.contact')
    """
    block, belt = Mass("block", m=1.0, x=1.1), Belt("belt", speed=v_dr)
    law = Hyperbolic(mu_s=1.0, delta=delta).with_aging(a, beta)
    return System(
        Spring(block, ground, k=1.0),
        Contact(block, belt, law=law, normal=1.0),
        about=About("aging_block", "Block on a belt, with static friction that grows in stick", f"{LEINE}, Sec. 6"),
    )


@dataclass(frozen=True)
class _Figure:
    """What the caption of a figure of hinrichs1998 prints; c, b, c_R and b_R are stiffness and damping."""

    c_R: float
    b_R: float
    mu_0: float
    mu: float
    F_N: float
    v0: float = 0.0
    u0: float = 0.0
    omega: float = 10.5
    m: float = 6.08
    c: float = 3956.0
    b: float = 0.768
    known: dict[str, float] = field(default_factory=dict)


_FIGURES = {
    26: _Figure(150e3, 150.0, 0.4, 0.25, 25.0, v0=0.0025, known={"period": 0.8960669551, "x_release": 2.527366684e-3}),
    27: _Figure(150e3, 400.0, 0.4, 0.4, 5.0, u0=0.00065, known={"asperity_stops_per_period": 2}),
    28: _Figure(400e3, 150.0, 0.25, 0.25, 5.0, u0=0.00065, known={"asperity_stops_per_period": 6}),
    31: _Figure(4e6, 400.0, 0.8, 0.55, 14.0, v0=0.001, u0=0.0005, omega=11.0, m=5.632, c=5610.0),
}


@_checked
def compliant_oscillator(figure: int = 26, omega: float = 0.0) -> System:
    """The friction oscillator whose contact has tangential stiffness and damping (hinrichs1998 Sec. 7.2, Eqs. 8–11).

    Parameters
    ----------
    figure : int, default 26
        One of those the paper prints parameters for: 26 (self-excited), 27 and 28 (excited by u₀ cos Ωt on a belt at
        rest), 31 (both; its mass, stiffness and belt speed are those of the measurement).
    omega : float, default 0.0
        The frequency of the excitation in 1/s, the abscissa of Fig. 31; 0 stands for that of the figure.

    Returns
    -------
    System
        The model, in SI units.

    Raises
    ------
    ModelError
        If the figure has no parameters, or the frequency is negative.

    See Also
    --------
    forced_oscillator : with a rigid contact.
    stickslip.stops : the stops of its asperity.

    Examples
    --------
    >>> compliant_oscillator(28).parameters["contact.stiffness"]
    400000.0
    """
    if not isinstance(figure, int) or figure not in _FIGURES:
        known = ", ".join(map(str, _FIGURES))
        raise ModelError(f"compliant_oscillator: figure is {figure!r}; figures with printed parameters are {known}")
    p = _FIGURES[int(figure)]
    chosen = check_number("compliant_oscillator: omega", omega, nonnegative=True) or p.omega
    block, belt = Mass("block", m=p.m, v=p.v0, unit="m"), Belt("belt", speed=p.v0)
    shaken: Body = Base("base", motion=lambda t, u0=p.u0, omega=chosen: u0 * cos(omega * t)) if p.u0 else ground
    contact = CompliantContact(
        block, belt, law=Coulomb(p.mu_0, p.mu), normal=p.F_N, stiffness=p.c_R, damping=p.b_R, name="contact"
    )
    return System(
        Spring(block, shaken, k=p.c),
        Damper(block, ground, c=p.b),
        contact,
        time_unit="s",
        force_unit="N",
        about=About(
            "compliant_oscillator",
            f"Friction oscillator with an elastic contact, as in Fig. {int(figure)}",
            f"{HINRICHS}, Fig. {int(figure)}",
            _known(chosen == p.omega, **p.known),
        ),
    )


@_checked
def iwan(n: int = 4, k: float = 1.0, limit: float = 1.0, u0: float = 4.0, omega: float = 0.5) -> System:
    """Jenkins elements (springs that slip at one limit each) side by side, worked by a shaken spring (Iwan 1966).

    Together they have the stiffness `k` and the `limit`; element i slips at (2i − 1)/n² of it. The force follows
    Masing's rule: unloading from (x₀, F₀), F = F₀ − 2f((x₀ − x)/2), where f is the curve of first loading.

    Parameters
    ----------
    n : int, default 4
        How many elements, from 1 to 100.
    k : float, default 1.0
        Their stiffness together.
    limit : float, default 1.0
        The force at which all of them slip.
    u0 : float, default 4.0
        The amplitude of the shaken end.
    omega : float, default 0.5
        Its frequency, in radians per time.

    Returns
    -------
    System
        The model.

    Raises
    ------
    ModelError
        If a number is not allowed.

    See Also
    --------
    stickslip.CompliantContact : the elements.

    Examples
    --------
    >>> len(iwan(3).contacts)
    3
    """
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= 100:
        raise ModelError(f"iwan: n is {n!r}: it must be a whole number from 1 to 100")
    check_number("iwan: limit", limit, positive=True)
    block = Mass("block", m=1.0)
    base = Base("base", motion=lambda t, u0=u0, omega=omega: u0 * cos(omega * t))
    shares = [limit * (2 * i - 1) / n**2 for i in range(1, n + 1)]
    return System(
        Spring(block, base, k=1.0),
        Damper(block, ground, c=0.5),
        *(
            CompliantContact(block, ground, law=Coulomb(1.0), normal=share, stiffness=k / n, name=f"element{i}")
            for i, share in enumerate(shares, 1)
        ),
        about=About(
            "iwan", f"Iwan model of {n} Jenkins elements", "Iwan: Journal of Applied Mechanics 33 (1966) 893–900"
        ),
    )


@_checked
def lugre_block(
    v_dr: float = 0.2, sigma_0: float = 100.0, sigma_1: float = 1.0, sigma_2: float = 0.0, v_s: float = 0.3
) -> System:
    """A block on a belt, its friction by bristles (LuGre), soft enough for these to be seen.

    It starts where `block_on_belt` does, beside which it is put.

    Parameters
    ----------
    v_dr : float, default 0.2
        The speed of the belt.
    sigma_0 : float, default 100.0
        The stiffness of the bristles, in coefficient per length.
    sigma_1 : float, default 1.0
        Their damping, in coefficient per speed.
    sigma_2 : float, default 0.0
        The viscous coefficient, in 1/speed.
    v_s : float, default 0.3
        The Stribeck speed.

    Returns
    -------
    System
        The model, with the state `bristle.contact`.

    See Also
    --------
    stickslip.LuGre : the law.
    block_on_belt : dry friction.

    Examples
    --------
    >>> lugre_block().states
    ('x.block', 'v.block', 'bristle.contact')
    """
    block, belt = Mass("block", m=1.0, x=1.1), Belt("belt", speed=v_dr)
    law = LuGre(mu_s=1.0, mu_k=0.5, v_s=v_s, sigma_0=sigma_0, sigma_1=sigma_1, sigma_2=sigma_2)
    published = (v_dr, sigma_0, sigma_1, sigma_2, v_s) == (0.2, 100.0, 1.0, 0.0, 0.3)
    return System(
        Spring(block, ground, k=1.0),
        DynamicContact(block, belt, law=law, normal=1.0),
        about=About(
            "lugre_block",
            "Block on a belt, with bristles that bend",
            "law: Canudas de Wit, Olsson, Åström, Lischinsky: IEEE Transactions on Automatic Control 40 (1995) 419–425",
            _known(published, period=10.269513273590),
        ),
    )


@_checked
def fault(k: float = 0.005, m: float = 1e-3, a: float = 0.01, b: float = 0.015, evolution: str = "aging") -> System:
    """A slider on a spring, its friction that of rock: the smallest model of earthquakes (Rice and Ruina 1983).

    Lengths are in D_c, times in D_c/V with the plate's speed V, forces in the normal force. Below the critical
    stiffness (b − a)(1 + m/a) steady sliding is unstable; it starts 2 % beyond it, at rest.

    Parameters
    ----------
    k : float, default 0.005
        The stiffness of the spring.
    m : float, default 1e-3
        The mass of the slider.
    a : float, default 0.01
        How friction grows with speed at once.
    b : float, default 0.015
        How friction grows with the age of the contacts.
    evolution : str, default "aging"
        How the age changes: "aging" or "slip", see `DieterichRuina`.

    Returns
    -------
    System
        The model; `about.known` has its critical stiffness.

    See Also
    --------
    stickslip.DieterichRuina : the law.

    Examples
    --------
    >>> round(fault().about.known["critical_stiffness"], 12)
    0.0055
    """
    check_number("fault: k", k, positive=True)
    slider, plate = Mass("slider", m=m, x=0.6 / k * 1.02), Belt("plate", speed=1.0)
    law = DieterichRuina(mu_star=0.6, a=a, b=b, D_c=1.0, v_star=1.0, evolution=evolution)
    return System(
        Spring(slider, ground, k=k),
        DynamicContact(slider, plate, law=law, normal=1.0, name="fault"),
        about=About(
            "fault",
            "Spring-slider with rate-and-state friction",
            "Rice, Ruina: Journal of Applied Mechanics 50 (1983) 343–349",
            {"critical_stiffness": (b - a) * (1 + m / a)},
        ),
    )


LIBRARY: dict[str, Callable[..., System]] = {
    "block_on_belt": block_on_belt,
    "two_blocks": two_blocks,
    "drill_string": drill_string,
    "bowed_string": bowed_string,
    "forced_oscillator": forced_oscillator,
    "excited_oscillator": excited_oscillator,
    "block_and_pendulum": block_and_pendulum,
    "coulomb_oscillator": coulomb_oscillator,
    "chain": chain,
    "aging_block": aging_block,
    "compliant_oscillator": compliant_oscillator,
    "iwan": iwan,
    "lugre_block": lugre_block,
    "fault": fault,
}
"""Every classic model by name."""
